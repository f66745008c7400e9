#ifndef PL_SESSION_WATCH_H
#define PL_SESSION_WATCH_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "model/watch.h"

struct pl_watch_options {
	uint64_t interval_ns; /* cadence; 0: 10 ms */
	uint64_t duration_ns; /* 0: until is_interrupted */
	uint64_t seed;        /* of the order of the gaps */
	/* Asked between reads; NULL: never. */
	bool (*is_interrupted)(void *ctx);
	/*
	 * How often the process was stopped and continued so far (SIGTSTP, SIGCONT). A read during
	 * which that changes is counted and in no number. NULL: never.
	 */
	unsigned (*stops)(void *ctx);
	/*
	 * How long this thread has waited for a processor so far, ns; below 0: not known. What a
	 * read was not answered in for that reason makes it no spike. NULL: not known.
	 */
	int64_t (*waited_ns)(void *ctx);
	/* After each window (1 s at first); NULL: silent. */
	void (*show)(void *ctx, const struct pl_watch *watch);
	const struct pl_sampler *control; /* an operation without a device; NULL: none */
	/*
	 * Opens the sampler again after the device was lost: 0 or -errno (it is asked again each
	 * second). NULL: a lost device ends the watch with -ENODEV.
	 */
	int (*reopen)(void *ctx, struct pl_sampler *sampler, struct pl_err *err);
	void *ctx;
};

/*
 * Reads at a fixed cadence and keeps the record. Each tick makes two reads: one at the tick, and
 * one after a spun idle gap that is drawn anew each time (0 … half the interval), so that what
 * follows idle time and what follows the clock can be told apart. Each third round of gaps takes
 * the control in place of the second read. Between ticks it sleeps.
 *
 * At the end period and gap_step are filled in. Returns 0 (also when interrupted), or -ENODEV /
 * the error of the sampler when nothing could be read at all. The record is valid either way.
 * sampler stays the caller's to close; it may have been reopened.
 */
int pl_watch_run(struct pl_watch *watch, const struct pl_clock *clock, struct pl_sampler *sampler,
		 const struct pl_watch_options *options, struct pl_err *err);

#endif
