#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/app.h"
#include "cli/output.h"
#include "cli/probes.h"
#include "cli/signals.h"
#include "cli/watch_files.h"
#include "cli/watch_view.h"
#include "core/env.h"
#include "core/fmt.h"
#include "core/waits.h"
#include "link/link.h"
#include "path_probe/path_probe.h"
#include "session/hold.h"
#include "session/watch.h"

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define INTERVAL_MIN_NS UINT64_C(1000000)
#define PHASES 3
/* How much of a watch may be lost when it is killed. */
#define SAVE_S 60.0
#define CPU_MAX 65535ul

/* One `monitor`: what is read, and how it is shown. */
struct monitor {
	struct pl_app *app;
	struct pl_clock clock;
	struct pl_measurement *m;
	struct pl_nvme_options nvme;
	struct pl_sampler sampler, control;
	struct pl_env env;
	int waits_fd; /* how long this program waits for a processor; below 0: not known */
	uint64_t interval_ns, duration_ns;
	struct pl_watch *watches; /* one per phase */
	const char *const *phases;
	size_t phase_count;    /* begun so far */
	int64_t begun[PHASES]; /* when, seconds since 1970 */
	double saved_s;        /* when its record was written last, since the phase began */
	bool is_live;          /* redraw a view on stderr */
	size_t lines_below;    /* of the view that was drawn last */
};

/* --- what to read --- */

static bool is_called(const struct pl_slot *slot, const char *name)
{
	char bdf[PL_BDF_TEXT];

	if (!slot->device || slot->device->kind != PL_DEVICE_NVME)
		return false;
	for (size_t i = 0; i < slot->device->namespace_count; i++) {
		const char *space = slot->device->namespaces[i].name;

		if (!strcmp(space, name) ||
		    (!strncmp(name, "/dev/", 5) && !strcmp(space, name + 5)))
			return true;
	}
	return !strcmp(slot->label, name) || !strcmp(slot->key, name) ||
	       !strcmp(pl_bdf_format(slot->device->bdf, bdf), name);
}

static const struct pl_slot *find_slot(const struct pl_run *run, const char *name)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (is_called(&run->slots[i], name))
			return &run->slots[i];
	return NULL;
}

static void plan(struct monitor *mon, const char *name)
{
	struct pl_run *run = &mon->app->run;

	mon->m = pl_run_add_measurement(run);
	mon->m->probe = PL_PROBE_NVME;
	mon->m->metric = "read_4k";
	mon->m->conditions.size_bytes = 4096;
	mon->m->conditions.pattern = "random";
	mon->m->conditions.state = "as_found";
	mon->m->slot = find_slot(run, name);
	if (mon->m->slot) {
		mon->m->device = mon->m->slot->device->bdf;
		mon->m->has_device = true;
	} else {
		mon->nvme.file = name;
		mon->m->subject = name;
	}
}

static int parse_time(const char *option, const char *text, uint64_t *ns, struct pl_err *err)
{
	if (!text)
		return 0;
	/* A bare number would be nanoseconds, which nobody means here. */
	if (isdigit((unsigned char)text[strlen(text) - (*text != 0)]) && strcmp(text, "0"))
		return pl_fail(err, -EINVAL, "%s %s: of what? Like 10ms, 60s or 2h", option, text);
	if (pl_fmt_parse_ns(text, ns))
		return pl_fail(err, -EINVAL, "%s %s: not a time, like 10ms, 60s or 2h", option,
			       text);
	return 0;
}

/* -1: none was asked for. */
static int parse_cpu(const char *text, int *cpu, struct pl_err *err)
{
	char *end = NULL;
	unsigned long value;

	*cpu = -1;
	if (!text)
		return 0;
	value = strtoul(text, &end, 10);
	if (end == text || *end || *text == '-' || value > CPU_MAX)
		return pl_fail(err, -EINVAL, "--cpu %s: not a number from 0 to %lu", text, CPU_MAX);
	*cpu = (int)value;
	return 0;
}

static int read_options(struct monitor *mon, struct pl_err *err)
{
	const struct pl_options *o = &mon->app->options;
	int rc = parse_time("--interval", o->interval, &mon->interval_ns, err);

	if (!rc)
		rc = parse_time("--duration", o->duration, &mon->duration_ns, err);
	if (rc)
		return rc;
	if (o->args.count != 1)
		return pl_fail(err, -EINVAL,
			       "monitor needs one drive: nvme0n1, a slot, a BDF or a file");
	if (mon->interval_ns < INTERVAL_MIN_NS)
		return pl_fail(err, -EINVAL, "--interval %s: at least 1 ms", o->interval);
	if (o->duration && !mon->duration_ns)
		return pl_fail(err, -EINVAL, "--duration %s: no time at all", o->duration);
	if (o->hold_links && !mon->duration_ns)
		return pl_fail(err, -EINVAL,
			       "--hold-links compares three equal times: give --duration");
	plan(mon, o->args.items[0]);
	mon->nvme.path = o->nvme_path;
	return 0;
}

/* --- watching --- */

static bool is_interrupted(void *ctx)
{
	(void)ctx;
	return pl_signals_pending() != 0;
}

static unsigned count_stops(void *ctx)
{
	(void)ctx;
	return pl_signals_stops();
}

static int64_t waited_ns(void *ctx)
{
	return pl_waits_ns(((struct monitor *)ctx)->waits_fd);
}

/* Back to where the view began, and nothing left of it. */
static void clear_view(struct monitor *mon)
{
	if (mon->is_live && mon->lines_below)
		fprintf(stderr, "\033[%zuA", mon->lines_below);
	if (mon->is_live)
		fputs("\r\033[J", stderr);
	mon->lines_below = 0;
}

/* The record as it is now into the files that were asked for; is_ended: for good. */
static int save(const struct monitor *mon, bool is_ended, struct pl_err *err)
{
	const struct pl_options *o = &mon->app->options;
	const struct pl_watch_files files = {
		.run = &mon->app->run,
		.json = o->json,
		.hgrm = o->hgrm,
		.subject = mon->m->slot ? mon->m->slot->label : mon->m->subject,
		.path = mon->m->conditions.path,
		.series = mon->m,
		.begun_s = mon->begun,
	};

	return pl_watch_files_write(&files, mon->watches, mon->phases, mon->phase_count, is_ended,
				    err);
}

/* Lines are cut at the edge while they are drawn: a wrapped one could not be cleared. */
static void show(void *ctx, const struct pl_watch *watch)
{
	struct monitor *mon = ctx;

	if (watch->elapsed_s - mon->saved_s >= SAVE_S) {
		mon->saved_s = watch->elapsed_s;
		save(mon, false, NULL); /* what cannot be written is said at the end */
	}
	if (!mon->is_live)
		return;
	clear_view(mon);
	fputs("\033[?7l", stderr);
	mon->lines_below = pl_watch_view_live(watch, &mon->app->style, stderr);
	fputs("\033[?7h", stderr);
	fflush(stderr);
}

/* While it is gone, the record goes on to say what it was read through. */
static int open_sampler(struct monitor *mon, struct pl_err *err)
{
	const char *before = mon->m->conditions.path;
	int rc;

	mon->m->conditions.path = NULL;
	rc = pl_nvme_open(&mon->nvme, &mon->app->run, mon->m, &mon->clock, &mon->sampler, err);
	if (rc)
		mon->m->conditions.path = before;
	return rc;
}

static int reopen(void *ctx, struct pl_sampler *sampler, struct pl_err *err)
{
	struct monitor *mon = ctx;
	int rc = open_sampler(mon, err);

	(void)sampler; /* it is mon->sampler */
	return rc;
}

/* The next phase. What cannot be written is known before the time is spent. */
static int watch_once(struct monitor *mon, uint64_t duration_ns, struct pl_err *err)
{
	struct pl_watch *watch = &mon->watches[mon->phase_count++];
	const struct pl_watch_options options = {.interval_ns = mon->interval_ns,
						 .duration_ns = duration_ns,
						 .seed = mon->app->run.seed,
						 .is_interrupted = is_interrupted,
						 .stops = count_stops,
						 .waited_ns = waited_ns,
						 .show = show,
						 .reopen = reopen,
						 .control = &mon->control,
						 .ctx = mon};
	int rc;

	mon->begun[mon->phase_count - 1] = (int64_t)time(NULL);
	rc = save(mon, false, err) ? -EIO : 0;

	mon->saved_s = 0.0;
	if (!rc)
		rc = pl_watch_run(watch, &mon->clock, &mon->sampler, &options, err);
	clear_view(mon);
	return rc;
}

static void print_head(const struct monitor *mon)
{
	const struct pl_measurement *m = mon->m;
	const char *name = m->slot ? m->slot->label : m->subject;
	char text[160], stamp[256], interval[32];

	if (pl_run_stamp(&mon->app->run, stamp, sizeof(stamp)))
		printf("%s\n", stamp);
	printf("%s: 4 KiB random reads every %s through %s; nothing is written\n",
	       pl_fmt_printable(text, sizeof(text), name),
	       pl_fmt_ns(interval, sizeof(interval), (double)mon->interval_ns), m->conditions.path);
	for (size_t i = 0; i < m->warning_count; i++)
		printf("  %s\n", pl_fmt_printable(stamp, sizeof(stamp), m->warnings[i]));
}

static bool owns_stdout(const struct pl_options *o)
{
	return pl_output_owns_stdout(o) || (o->hgrm && !strcmp(o->hgrm, "-"));
}

/* First what a person reads: a file that cannot be written must not cost the watch. */
static enum pl_exit conclude(struct monitor *mon)
{
	const bool is_silent = owns_stdout(&mon->app->options);
	const struct pl_watch *watches = mon->watches;
	struct pl_err err = {0, ""};
	size_t failed = 0;

	if (!is_silent)
		print_head(mon);
	for (size_t i = 0; i < mon->phase_count; i++) {
		failed += watches[i].failed;
		if (is_silent)
			continue;
		if (mon->app->options.hold_links)
			printf(" links %s:\n", mon->phases[i]);
		pl_watch_view_summary(&watches[i], stdout);
	}
	if (mon->phase_count == PHASES && !is_silent) {
		const struct pl_hold hold = pl_hold_compare(watches);

		pl_watch_view_hold(&hold, stdout);
	}
	if (save(mon, true, &err))
		return pl_app_fail(PL_EXIT_INTERNAL, "%s", err.text);
	/* Without --duration a signal is the end that was meant. */
	if (mon->duration_ns && pl_signals_pending())
		return (enum pl_exit)(128 + pl_signals_pending());
	return failed ? PL_EXIT_INVALID : PL_EXIT_DONE;
}

static int watch_as_found(struct monitor *mon, struct pl_err *err)
{
	return watch_once(mon, mon->duration_ns, err);
}

/* --- as found, links held in L0, as found --- */

static int watch_phase(struct monitor *mon, struct pl_link_control *links,
		       const struct pl_link_path *path, const char *phase, struct pl_err *err)
{
	const struct pl_link_state *state = pl_link_find_state(path, phase);
	struct pl_link_check check;
	int rc;

	if (!state)
		return pl_fail(err, -ENOTSUP, "these links have no state \"%s\"", phase);
	rc = pl_link_set_state(links, path, state, &check, err);
	if (!rc && check.verdict != PL_VERDICT_CONFIRMED)
		rc = pl_fail(err, -ENOTSUP, "the links are not %s: %s", phase, check.why);
	return rc ? rc : watch_once(mon, mon->duration_ns / PHASES, err);
}

static int watch_held(struct monitor *mon, struct pl_err *err)
{
	const struct pl_link_options options = {.mode = PL_LINK_AUTO};
	struct pl_link_control *links = NULL;
	struct pl_err close_err = {0, ""};
	const struct pl_link_path *path;
	int rc, closed;

	if (!mon->m->slot)
		return pl_fail(err, -EINVAL, "--hold-links needs a drive in a slot");
	rc = pl_link_open(&mon->app->run, &mon->app->root, &options, &links, err);
	path = rc ? NULL : pl_link_find_path(links, mon->m->slot);
	if (path && path->why_fixed)
		rc = pl_fail(err, -ENOTSUP, "--hold-links: %s", path->why_fixed);
	for (size_t i = 0; i < PHASES && !rc && !pl_signals_pending(); i++)
		rc = watch_phase(mon, links, path, mon->phases[i], err);
	closed = pl_link_close(links, &close_err);
	if (closed)
		*err = close_err; /* a link that is not as it was found comes first */
	return closed ? -EIO : rc;
}

/* What was watched before something went wrong is told all the same. */
static enum pl_exit watch(struct monitor *mon)
{
	static const char *const phases[PHASES] = {"as_found", "off", "as_found"};
	struct pl_err err = {0, ""};
	enum pl_exit code;
	int rc;

	mon->phases = phases;
	mon->watches = pl_arena_array(&mon->app->run.arena, PHASES, sizeof(*mon->watches));
	rc = mon->app->options.hold_links ? watch_held(mon, &err) : watch_as_found(mon, &err);
	if (rc && mon->phase_count && !mon->watches[mon->phase_count - 1].hist.n)
		mon->phase_count--;
	code = mon->phase_count ? conclude(mon) : PL_EXIT_DONE;
	return rc ? pl_app_fail(pl_app_exit_code(rc), "%s", err.text) : code;
}

static int start(struct monitor *mon, struct pl_err *err)
{
	const struct pl_options *o = &mon->app->options;
	const struct pl_device *device;
	int cpu, rc = read_options(mon, err);

	if (!rc)
		rc = parse_cpu(o->cpu, &cpu, err);
	if (!rc)
		rc = pl_clock_open(&mon->clock, (enum pl_clock_choice)o->clock, err);
	if (rc)
		return rc;
	device = mon->m->slot ? mon->m->slot->device : NULL;
	mon->app->run.seed = (uint64_t)pl_raw_ns();
	mon->waits_fd = pl_waits_open();
	rc = pl_env_hold(&mon->env, cpu, device ? device->local_cpus : NULL, err);
	if (!rc)
		rc = pl_path_open_control(&mon->app->run, pl_run_add_measurement(&mon->app->run),
					  &mon->clock, &mon->control, err);
	return rc ? rc : open_sampler(mon, err);
}

enum pl_exit pl_cmd_monitor(struct pl_app *app)
{
	struct monitor mon = {.app = app, .interval_ns = DEFAULT_INTERVAL_NS, .waits_fd = -1};
	struct pl_err err = {0, ""};
	enum pl_exit code;
	int rc;

	if (!app->run.machine.is_live)
		return pl_app_fail(PL_EXIT_REFUSED,
				   "%s is not this machine: it can be listed, not measured",
				   app->run.machine.source ? app->run.machine.source : "a capture");
	mon.is_live = app->options.progress == PL_WHEN_ALWAYS ||
		      (app->options.progress == PL_WHEN_AUTO && !app->options.quiet &&
		       isatty(STDERR_FILENO));
	rc = start(&mon, &err);
	if (rc) {
		code = pl_app_fail(pl_app_exit_code(rc), "%s", err.text);
	} else {
		pl_signals_install();
		code = watch(&mon);
	}
	pl_sampler_close(&mon.sampler);
	pl_env_release(&mon.env);
	if (mon.waits_fd >= 0)
		close(mon.waits_fd);
	return code;
}
