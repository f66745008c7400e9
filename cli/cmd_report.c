#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/app.h"
#include "cli/output.h"
#include "core/fmt.h"

/* Commands on results, without hardware: report and compare. */

/* Other results for the page's section "compare": each a run of its own. */
struct others {
	struct pl_run *runs;
	const struct pl_run **pointers;
	size_t count;
};

static int read_others(struct pl_app *app, const char *const *files, size_t count,
		       struct others *others, struct pl_err *err)
{
	struct pl_arena *arena = &app->options.arena;

	others->runs = pl_arena_array(arena, count, sizeof(*others->runs));
	others->pointers = pl_arena_array(arena, count, sizeof(*others->pointers));
	for (size_t i = 0; i < count; i++) {
		int rc;

		pl_run_init(&others->runs[i]);
		others->pointers[i] = &others->runs[i];
		others->count = i + 1;
		rc = pl_report_read(&others->runs[i], &files[i], 1, err);
		if (rc)
			return rc;
	}
	return 0;
}

static void forget_others(struct others *others)
{
	for (size_t i = 0; i < others->count; i++)
		pl_run_fini(&others->runs[i]);
}

/* What cannot be read is the user's input, whatever the errno. */
static enum pl_exit read_failed(const struct pl_err *err)
{
	return pl_app_fail(PL_EXIT_USAGE, "%s", err->text);
}

static enum pl_exit write_report(struct pl_app *app)
{
	struct pl_err err = {0, ""};
	int rc = pl_output_results(app, &err);

	if (!rc && !pl_output_owns_stdout(&app->options))
		rc = pl_report_write_table(&app->run, &app->style, stdout, &err);
	return rc ? pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text) : PL_EXIT_DONE;
}

/* What a run left behind that died: series, and nothing made of them yet. */
static bool is_unclaimed(const struct pl_run *run)
{
	return !run->is_complete && !run->effect_count;
}

/*
 * One file keeps its claims; several are boots of one board, whose claims are made anew. Nothing is
 * written but what was asked for: the table goes to stdout.
 */
enum pl_exit pl_cmd_report(struct pl_app *app)
{
	const struct pl_texts *files = &app->options.args, *compared = &app->options.compared;
	struct others others = {NULL, NULL, 0};
	struct pl_err err = {0, ""};
	enum pl_exit code;
	int rc;

	if (!files->count)
		return pl_app_fail(PL_EXIT_USAGE, "report needs a results.json or a report.html");
	rc = pl_report_read(&app->run, files->items, files->count, &err);
	if (!rc && (files->count > 1 || is_unclaimed(&app->run)))
		rc = pl_report_attribute(&app->run, &err);
	if (!rc)
		rc = read_others(app, compared->items, compared->count, &others, &err);
	app->others = others.pointers;
	app->other_count = others.count;
	code = rc ? read_failed(&err) : write_report(app);
	forget_others(&others);
	return code;
}

static int limit_of(const struct pl_app *app, double *limit_ns, struct pl_err *err)
{
	const char *text = app->options.fail_over;
	uint64_t ns;
	int rc;

	*limit_ns = (double)NAN;
	if (!text)
		return 0;
	rc = pl_fmt_parse_ns(text, &ns);
	if (rc)
		return pl_fail(err, rc, "--fail-over %s: not a time (25ns, 1us)", text);
	*limit_ns = (double)ns;
	return 0;
}

static enum pl_exit judge(const struct pl_app *app, const struct pl_compare_result *result)
{
	const char *limit = app->options.fail_over;

	if (result->exceeded)
		return pl_app_fail(PL_EXIT_THRESHOLD, "%zu difference%s above %s", result->exceeded,
				   result->exceeded > 1 ? "s" : "", limit);
	if (limit && result->undecided)
		return pl_app_fail(PL_EXIT_INVALID, "--fail-over %s: nothing could be compared: %s",
				   limit, result->reason);
	return PL_EXIT_DONE;
}

enum pl_exit pl_cmd_compare(struct pl_app *app)
{
	const struct pl_texts *files = &app->options.args;
	struct others others = {NULL, NULL, 0};
	struct pl_compare_options options = {.lang = PL_LANG_EN};
	struct pl_err err = {0, ""};
	struct pl_compare_result result = {0};
	int rc = limit_of(app, &options.fail_over_ns, &err);

	if (files->count < 2)
		return pl_app_fail(PL_EXIT_USAGE, "compare needs two results: BASE NEW...");
	if (!rc)
		rc = pl_report_read(&app->run, files->items, 1, &err);
	if (!rc)
		rc = read_others(app, files->items + 1, files->count - 1, &others, &err);
	if (rc) {
		forget_others(&others);
		return read_failed(&err);
	}
	rc = pl_report_compare(&app->run, others.pointers, others.count, &options, &app->style,
			       stdout, &result, &err);
	forget_others(&others);
	if (rc)
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	return judge(app, &result);
}
