#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/app.h"
#include "cli/measure.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "core/fmt.h"
#include "model/state.h"

static bool is_held_off(const struct pl_measurement *m)
{
	return m->conditions.apst && !strcmp(m->conditions.apst, "off");
}

static void print_series(const struct pl_measurement *m)
{
	const char *name = m->slot ? m->slot->label : m->subject ? m->subject : "-";
	char where[64], bdf[PL_BDF_TEXT] = "-", gap[32];

	if (m->has_device)
		pl_bdf_format(m->device, bdf);
	printf("%-20s %-12s %-6s %-16s %-11s gap %-8s %s%s%u blocks x %zu\n",
	       pl_fmt_printable(where, sizeof(where), name), bdf, pl_probe_name(m->probe),
	       m->metric, m->conditions.state,
	       pl_fmt_ns(gap, sizeof(gap), (double)m->conditions.gap_ns),
	       m->conditions.idle ? "slept " : "", is_held_off(m) ? "APST off " : "", m->blocks,
	       m->samples_per_block);
}

/* Whether this series is the first of its slot and link state. */
static bool is_first_of_state(const struct pl_run *run, size_t index)
{
	const struct pl_measurement *m = run->measurements[index];

	for (size_t i = 0; i < index; i++)
		if (run->measurements[i]->slot == m->slot &&
		    pl_state_is_same(run->measurements[i]->conditions.state, m->conditions.state))
			return false;
	return m->slot && !m->is_off_path;
}

/* What setting one state writes, in order; the links off once more write the same. */
static size_t print_writes_of(struct pl_link_control *links, const struct pl_measurement *m)
{
	const struct pl_link_path *path = pl_link_find_path(links, m->slot);
	const struct pl_link_state *state = pl_link_find_state(path, m->conditions.state);
	const char *const *lines;
	size_t count = 0;
	char where[64];

	if (path->state_count > 1 && state)
		count = pl_link_list_writes(links, path, state, &lines);
	if (count)
		printf("to set %s (%s):\n", pl_fmt_printable(where, sizeof(where), m->slot->label),
		       state->name);
	for (size_t i = 0; i < count; i++)
		printf("    %s\n", lines[i]);
	return count;
}

static void print_writes(const struct pl_measuring *me)
{
	const struct pl_run *run = &me->app->run;
	size_t count = 0;

	for (size_t i = 0; me->links && i < run->measurement_count; i++)
		if (is_first_of_state(run, i))
			count += print_writes_of(me->links, run->measurements[i]);
	if (count)
		printf("and for as long: power/control = on for these devices and the ports above "
		       "them\n");
	else
		printf("no link state would be changed\n");
}

static enum pl_exit print_plan(const struct pl_measuring *me)
{
	struct pl_app *app = me->app;
	const struct pl_run *run = &app->run;
	const char *dir = app->options.command == PL_CMD_TRACE ? NULL : pl_output_dir(app);
	char text[32];

	for (size_t i = 0; i < run->measurement_count; i++)
		print_series(run->measurements[i]);
	printf("\n%zu series, about %s\n", run->measurement_count,
	       pl_fmt_duration(text, sizeof(text), run->planned_s));
	print_writes(me);
	if (dir)
		printf("would write: %s/{results.json,summary.csv,runs.csv,histogram.csv,"
		       "effects.csv,samples.bin,report.html}\n",
		       dir);
	printf("dry run: nothing was measured, changed or written\n");
	return PL_EXIT_DONE;
}

/* The series that was asked for by name and failed for want of permission, when all of them did. */
static const struct pl_measurement *find_denied(const struct pl_measuring *me)
{
	const struct pl_run *run = &me->app->run;
	const struct pl_measurement *denied = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (!(me->probe_bits & (1u << m->probe)) && !me->app->options.file)
			continue;
		if (m->outcome != PL_OUTCOME_SKIPPED)
			return NULL;
		if (m->why_errno == EACCES || m->why_errno == EPERM)
			denied = m;
	}
	return denied;
}

static enum pl_exit judge(const struct pl_measuring *me)
{
	const struct pl_run *run = &me->app->run;
	const struct pl_measurement *denied = find_denied(me);
	int signal = pl_signals_pending();

	if (signal)
		return (enum pl_exit)(128 + signal);
	if (denied)
		return pl_app_fail(PL_EXIT_PERMISSION, "%s", denied->why);
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->outcome == PL_OUTCOME_FAILED ||
		    run->measurements[i]->outcome == PL_OUTCOME_PARTIAL)
			return PL_EXIT_INVALID;
	return PL_EXIT_DONE;
}

/*
 * Files first, table second: what was measured is on disk before anything is shown. A trace has no
 * result directory.
 */
static enum pl_exit show(struct pl_app *app)
{
	bool is_trace = app->options.command == PL_CMD_TRACE;
	const char *dir = is_trace ? NULL : pl_output_dir(app);
	struct pl_err err = {0, ""}, table_err = {0, ""};
	int rc = pl_output_results(app, &err), table_rc = 0;

	if (!pl_output_owns_stdout(&app->options))
		table_rc =
			is_trace
				? pl_report_write_ladder(&app->run, &app->style, stdout, &table_err)
				: pl_report_write_table(&app->run, &app->style, stdout, &table_err);
	/* The table has them already. */
	if (is_trace || pl_output_owns_stdout(&app->options))
		pl_app_print_warnings(app);
	if (rc || table_rc)
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", rc ? err.text : table_err.text);
	if (dir && !pl_output_owns_stdout(&app->options))
		printf("\nresults: %s/report.html (and results.json, summary.csv, samples.bin …)\n",
		       dir);
	return PL_EXIT_DONE;
}

static enum pl_exit conclude(struct pl_measuring *me)
{
	struct pl_run *run = &me->app->run;
	struct pl_err err = {0, ""};
	enum pl_exit code;

	if (pl_report_attribute(run, &err))
		pl_run_warn(run, "W-ATTRIBUTE", "error", NULL, "no claims: %s", err.text);
	code = show(me->app);
	return code == PL_EXIT_DONE ? judge(me) : code;
}

/* Nothing can be measured: show what was seen, then say so. */
static enum pl_exit nothing(struct pl_app *app, int rc, const struct pl_err *why)
{
	struct pl_err err;

	if (rc == -ENODATA && !pl_output_owns_stdout(&app->options)) {
		pl_report_write_list(&app->run, &app->style, stdout, &err);
	}
	return pl_app_fail(pl_app_exit_code(rc), "%s", why->text);
}

static enum pl_exit plan_and_measure(struct pl_measuring *me)
{
	struct pl_err err = {0, ""};
	int rc = pl_measure_plan(me, &err);

	if (!rc && me->app->options.dry_run)
		return print_plan(me);
	if (!rc)
		rc = pl_measure_walk(me, &err);
	return rc ? nothing(me->app, rc, &err) : conclude(me);
}

enum pl_exit pl_cmd_run(struct pl_app *app)
{
	struct pl_measuring me = {.app = app};
	struct pl_err err = {0, ""};
	enum pl_exit code;

	if (!app->run.machine.is_live)
		return pl_app_fail(PL_EXIT_REFUSED,
				   "%s is not this machine: it can be listed, not measured",
				   app->run.machine.source ? app->run.machine.source : "a capture");
	code = plan_and_measure(&me);
	if (pl_measure_fini(&me, &err))
		code = pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	return code;
}

/* The same walk with ladders only; the table is the ladder. */
enum pl_exit pl_cmd_trace(struct pl_app *app)
{
	return pl_cmd_run(app);
}
