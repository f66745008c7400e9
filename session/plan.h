#ifndef PL_SESSION_PLAN_H
#define PL_SESSION_PLAN_H

#include "core/err.h"
#include "model/run.h"
#include "session/grid.h"

struct pl_plan_options {
	enum pl_effort effort;
	unsigned probes;          /* bit set of 1u << enum pl_probe; 0: all that apply */
	bool ladders_only;        /* trace: configuration reads along the paths, nothing else */
	bool no_gaps;             /* continuous traffic only */
	const char *const *slots; /* --slot LABEL|KEY|BDF; empty: all */
	size_t slot_count;
	const char *const *devices; /* --device BDF|nvme0n1|gpu0 */
	size_t device_count;
	const char *file;        /* --file PATH: one NVMe-style series of its own */
	const uint64_t *gaps_ns; /* --gap; empty: those of the effort */
	size_t gap_count;
	/* What this process may read; from path_probe, so that the plan stays pure. */
	bool (*can_read_config)(void *ctx, struct pl_bdf bdf, unsigned offset);
	/* The link states of a slot; NULL, or a NULL answer: as found only. */
	const struct pl_link_path *(*find_path)(void *ctx, const struct pl_slot *slot);
	/* Whether the drive's own power states can be held off; NULL: they cannot. */
	bool (*can_hold_apst)(void *ctx, const struct pl_slot *slot);
	void *ctx;
};

/*
 * Pure: slots x link states x gaps x probes -> planned measurements (pending, with their block
 * counts and sample buffers allocated in the run's arena), in slot order. What is not planned is a
 * skip entry with its reason. run->planned_s is the estimate. Errors: -ENOENT when a selection
 * matches nothing (the sentence lists what there is), -ENODATA when nothing can be measured.
 */
int pl_plan_build(struct pl_run *run, const struct pl_plan_options *options, struct pl_err *err);

#endif
