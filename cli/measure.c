#include "cli/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/signals.h"
#include "core/fmt.h"
#include "gpu_probe/placement.h"
#include "path_probe/path_probe.h"
#include "session/plan.h"
#include "session/session.h"

const char *pl_measure_utc_now(struct pl_run *run)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return pl_arena_strdup(&run->arena, text);
}

static int read_number(const char *option, const char *text, uint64_t limit, uint64_t *value,
		       struct pl_err *err)
{
	if (!pl_fmt_parse_u64(text, limit, value))
		return 0;
	return pl_fail(err, -EINVAL, "%s %s: not a number from 0 to %llu", option, text,
		       (unsigned long long)limit);
}

static uint64_t random_or_time(void)
{
	uint32_t value = 0;

	if (getrandom(&value, sizeof(value), 0) != sizeof(value))
		value = (uint32_t)time(NULL);
	return value;
}

static int start_run(struct pl_app *app, struct pl_err *err)
{
	const struct pl_options *o = &app->options;
	struct pl_run *run = &app->run;
	uint64_t cpu = 0;
	int rc = 0;

	run->seed = random_or_time();
	if (o->seed)
		rc = read_number("--seed", o->seed, UINT64_MAX, &run->seed, err);
	if (!rc && o->cpu)
		rc = read_number("--cpu", o->cpu, 65535, &cpu, err);
	if (rc)
		return rc;
	run->cpu = o->cpu ? (int)cpu : -1;
	run->allow_virtual = o->allow_virtual;
	run->started_utc = pl_measure_utc_now(run);
	run->session_id = pl_arena_printf(&run->arena, "%s-%08x", run->started_utc,
					  (unsigned)random_or_time());
	return 0;
}

static bool can_read(void *ctx, struct pl_bdf bdf, unsigned offset)
{
	struct pl_err err;

	(void)ctx;
	return pl_path_can_read_config(bdf, offset, &err) == 0;
}

static const struct pl_link_path *find_path(void *ctx, const struct pl_slot *slot)
{
	return pl_link_find_path(((struct pl_measuring *)ctx)->links, slot);
}

static bool can_hold_apst(void *ctx, const struct pl_slot *slot)
{
	return pl_link_has_apst(((struct pl_measuring *)ctx)->links, slot);
}

static int read_gaps(struct pl_measuring *me, struct pl_err *err)
{
	const struct pl_texts *texts = &me->app->options.gaps;
	const uint64_t limit_ns = UINT64_C(10000000000);

	if (texts->count && me->app->options.file)
		return pl_fail(err, -EINVAL,
			       "--gap %s: a file is read without gaps; monitor reads it after idle "
			       "times",
			       texts->items[0]);
	me->gaps_ns = pl_arena_array(&me->app->run.arena, texts->count, sizeof(me->gaps_ns[0]));
	for (size_t i = 0; i < texts->count; i++)
		if (pl_fmt_parse_ns(texts->items[i], &me->gaps_ns[i]) || me->gaps_ns[i] > limit_ns)
			return pl_fail(err, -EINVAL,
				       "--gap %s: not a time from 0 to 10 s, like 40us or 1ms",
				       texts->items[i]);
	return 0;
}

static int read_precision(struct pl_measuring *me, struct pl_err *err)
{
	const char *text = me->app->options.precision;
	char *end = NULL;
	double percent = text ? strtod(text, &end) : 0.0;

	me->hop = pl_precision_hop;
	me->exit = pl_precision_exit;
	if (!text)
		return 0;
	if (end == text || !(percent >= 0.1 && percent <= 50.0) || (*end && strcmp(end, "%") != 0))
		return pl_fail(err, -EINVAL, "--precision %s: not a percentage from 0.1 to 50",
			       text);
	me->hop.relative = me->exit.relative = percent / 100.0;
	return 0;
}

/* Link states are for runs; a trace and a dry run change nothing. */
static int open_links(struct pl_measuring *me, struct pl_err *err)
{
	const struct pl_options *o = &me->app->options;
	const struct pl_link_options options = {.mode = (enum pl_link_mode)o->aspm,
						.is_dry_run = o->dry_run};

	if (o->command == PL_CMD_TRACE || o->file)
		return 0;
	return pl_link_open(&me->app->run, &me->app->root, &options, &me->links, err);
}

static enum pl_effort effort_of(const struct pl_options *o)
{
	if (o->thorough)
		return PL_EFFORT_THOROUGH;
	return o->quick ? PL_EFFORT_QUICK : PL_EFFORT_DEFAULT;
}

static bool wants_gpu(const struct pl_measuring *me)
{
	const struct pl_options *o = &me->app->options;

	if (o->command == PL_CMD_TRACE || o->file)
		return false;
	return !me->probe_bits || (me->probe_bits & (1u << PL_PROBE_GPU));
}

static int build_plan(struct pl_measuring *me, struct pl_err *err)
{
	const struct pl_options *o = &me->app->options;
	const struct pl_texts *devices = o->args.count ? &o->args : &o->devices;
	const struct pl_plan_options plan = {
		.effort = effort_of(o),
		.probes = me->probe_bits,
		.ladders_only = o->command == PL_CMD_TRACE,
		.slots = o->slots.items,
		.slot_count = o->slots.count,
		.devices = devices->items,
		.device_count = devices->count,
		.file = o->file,
		.no_gaps = o->no_gaps,
		.gaps_ns = me->gaps_ns,
		.gap_count = o->gaps.count,
		.find_path = me->links ? find_path : NULL,
		.can_hold_apst = me->links ? can_hold_apst : NULL,
		.ctx = me,
		.can_read_config = can_read,
	};
	int rc = wants_gpu(me) ? pl_gpu_list(me->probes.gpu, &me->app->run, err) : 0;

	return rc ? rc : pl_plan_build(&me->app->run, &plan, err);
}

int pl_measure_plan(struct pl_measuring *me, struct pl_err *err)
{
	const struct pl_options *o = &me->app->options;
	int rc = start_run(me->app, err);

	if (!rc)
		rc = pl_probes_parse(&o->probes, &me->probe_bits, err);
	if (!rc)
		rc = read_gaps(me, err);
	if (!rc)
		rc = read_precision(me, err);
	if (!rc)
		rc = open_links(me, err);
	if (rc)
		return rc;
	/* Before the plan: the drive's own power states say how long some gaps must be. */
	if (!o->file)
		pl_nvme_survey(&me->app->run, &me->app->root, NULL);
	pl_probes_init(&me->probes, o, &me->app->root, me->app->run.seed);
	return build_plan(me, err);
}

static void on_progress(void *ctx, const struct pl_run *run, const struct pl_measurement *m,
			size_t done, size_t total)
{
	(void)run;
	pl_progress_draw(&((struct pl_measuring *)ctx)->progress, m, done, total);
}

static bool on_interrupt(void *ctx)
{
	(void)ctx;
	return pl_signals_pending() != 0;
}

/* Results are kept at most every so often, and never for more than a twentieth of the time. */
#define SAVE_EVERY_NS UINT64_C(5000000000)
#define SAVE_SHARE 20u

static bool on_save_due(void *ctx)
{
	const struct pl_measuring *me = ctx;

	return me->save_dir && pl_raw_ns() >= me->save_after_ns;
}

/* Between rounds: what was measured so far survives this process. */
static void on_save(void *ctx, const struct pl_run *run)
{
	struct pl_measuring *me = ctx;
	uint64_t begin_ns = pl_raw_ns(), took_ns;
	struct pl_err err = {0, ""};

	if (pl_report_save_partial(run, me->save_dir, &err)) {
		pl_run_warn(&me->app->run, "W-SAVE", "warning", NULL,
			    "nothing is kept until the end of the run: %s", err.text);
		me->save_dir = NULL;
	}
	took_ns = pl_raw_ns() - begin_ns;
	me->save_after_ns =
		begin_ns + took_ns +
		(SAVE_SHARE * took_ns > SAVE_EVERY_NS ? SAVE_SHARE * took_ns : SAVE_EVERY_NS);
}

static void announce(const struct pl_measuring *me)
{
	const struct pl_app *app = me->app;
	char text[32];

	if (app->options.quiet || app->options.progress == PL_WHEN_NEVER)
		return;
	fprintf(stderr,
		"pcielat: about %s for %zu series, more while claims are not yet precise; "
		"nothing is written to any drive\n",
		pl_fmt_duration(text, sizeof(text), app->run.planned_s),
		app->run.measurement_count);
}

/* Beside the estimate, so that the next one is believed as far as it deserves. */
static void tell_time(const struct pl_measuring *me)
{
	const struct pl_app *app = me->app;
	char took[32], planned[32];

	if (app->options.quiet || app->options.progress == PL_WHEN_NEVER)
		return;
	fprintf(stderr, "pcielat: measured for %s (estimated: %s)\n",
		pl_fmt_duration(took, sizeof(took), app->run.actual_s),
		pl_fmt_duration(planned, sizeof(planned), app->run.planned_s));
}

static bool wants_progress(const struct pl_options *o)
{
	if (o->progress == PL_WHEN_AUTO)
		return !o->quiet && isatty(STDERR_FILENO);
	return o->progress == PL_WHEN_ALWAYS;
}

/* At once after the last sample, before anything is computed or written. */
static void restore_links(struct pl_measuring *me)
{
	struct pl_err err = {0, ""};

	if (me->links && pl_link_restore(me->links, &err))
		pl_run_warn(&me->app->run, "W-RESTORE", "error", NULL, "%s; run: pcielat restore",
			    err.text);
}

int pl_measure_walk(struct pl_measuring *me, struct pl_err *err)
{
	const struct pl_session_hooks hooks = {on_progress, on_interrupt, on_save_due, on_save, me};
	const struct pl_options *o = &me->app->options;
	const struct pl_session_options session = {.clock = &me->clock,
						   .probes = me->probes.table,
						   .probe_count = PL_PROBES_COUNT,
						   .hooks = &hooks,
						   .hop = &me->hop,
						   .exit = &me->exit,
						   .links = me->links};
	struct pl_run *run = &me->app->run;
	int rc = pl_clock_open(&me->clock, (enum pl_clock_choice)o->clock, err);

	if (rc)
		return rc;
	run->clock = (struct pl_clock_facts){
		me->clock.name, pl_arena_strdup(&run->arena, me->clock.reason),
		me->clock.ns_per_tick, me->clock.cost_ns, me->clock.cost_p999_ns};
	me->save_dir = o->command == PL_CMD_TRACE ? NULL : pl_output_dir(me->app);
	announce(me);
	pl_signals_install();
	pl_progress_init(&me->progress, wants_progress(o));
	rc = pl_session_measure(run, &session, err);
	pl_progress_clear(&me->progress);
	restore_links(me);
	if (!rc)
		tell_time(me);
	pl_gpu_check_placement(run);
	run->finished_utc = pl_measure_utc_now(run);
	return rc;
}

int pl_measure_fini(struct pl_measuring *me, struct pl_err *err)
{
	int rc = pl_link_close(me->links, err);

	me->links = NULL;
	pl_probes_fini(&me->probes);
	return rc;
}
