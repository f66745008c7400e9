#ifndef PL_SESSION_PLAN_H
#define PL_SESSION_PLAN_H

#include "core/err.h"
#include "model/run.h"

enum pl_effort { PL_EFFORT_QUICK, PL_EFFORT_DEFAULT, PL_EFFORT_THOROUGH };

/* Which probes were asked for, as a bit set of 1u << enum pl_probe; 0: all that apply. */
struct pl_plan_options {
	enum pl_effort effort;
	unsigned probes;
	bool all_slots;           /* every populated slot */
	bool ladders_only;        /* trace: configuration reads along the paths, nothing else */
	const char *const *slots; /* --slot LABEL|KEY|BDF; empty: all */
	size_t slot_count;
	const char *const *devices; /* --device BDF|nvme0n1|gpu0 */
	size_t device_count;
	const char *file; /* --file PATH: one NVMe-style series of its own */
	/* What this process may read; from path_probe, so that the plan stays pure. */
	bool (*can_read_config)(void *ctx, struct pl_bdf bdf, unsigned offset);
	void *ctx;
};

/*
 * Pure: slots x options -> planned measurements (pending, with their block counts and sample
 * buffers allocated in the run's arena), in slot order. What is not planned is a skip entry with
 * its reason. run->planned_s is the estimate. Errors: -ENOENT when a selection matches nothing
 * (the sentence lists what there is), -ENODATA when nothing can be measured.
 */
int pl_plan_build(struct pl_run *run, const struct pl_plan_options *options, struct pl_err *err);

#endif
