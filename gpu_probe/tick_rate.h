#ifndef PL_GPU_PROBE_TICK_RATE_H
#define PL_GPU_PROBE_TICK_RATE_H

#include <stddef.h>

/* One run of the calibration kernel: its time by a known clock, its ticks of the unknown one. */
struct pl_tick_run {
	double ns, ticks;
};

/*
 * ns per tick, by slope from the least brief to the least extended run: what a dispatch costs is in
 * both and cancels, and a run that was held up is not the least. 0, or -1 when the slope means
 * nothing: all extended runs were no longer than the brief ones.
 */
int pl_tick_rate(const struct pl_tick_run *brief, const struct pl_tick_run *extended, size_t count,
		 double *ns_per_tick);

#endif
