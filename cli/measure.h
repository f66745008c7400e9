#ifndef PL_CLI_MEASURE_H
#define PL_CLI_MEASURE_H

#include "cli/app.h"
#include "cli/probes.h"
#include "cli/progress.h"
#include "core/clock.h"
#include "link/link.h"

/* One measuring command (run, trace) from its options to measured series. */
struct pl_measuring {
	struct pl_app *app;
	struct pl_probes probes;
	struct pl_clock clock;
	struct pl_progress progress;
	struct pl_link_control *links; /* NULL: none are touched */
	struct pl_precision hop, exit; /* asked for */
	uint64_t *gaps_ns;             /* of --gap */
	unsigned probe_bits;           /* asked for by --probe; 0: none named */
	const char *save_dir;          /* where results are kept while measuring; NULL: nowhere */
	uint64_t save_after_ns;        /* not before this time */
};

/*
 * Reads the options, lists GPUs when they are wanted and builds the plan. -EINVAL for an option
 * that cannot be used, else what pl_plan_build says.
 */
int pl_measure_plan(struct pl_measuring *me, struct pl_err *err);
/* Opens the clock, announces the time and measures; app->run holds what came of it. */
int pl_measure_walk(struct pl_measuring *me, struct pl_err *err);
/* Puts every link back (the value of pl_link_close) and frees the rest. */
int pl_measure_fini(struct pl_measuring *me, struct pl_err *err);

/* "2026-11-30T10:00:00Z", in the arena of the run. */
const char *pl_measure_utc_now(struct pl_run *run);

#endif
