#ifndef PL_GPU_PROBE_GPU_PROBE_H
#define PL_GPU_PROBE_GPU_PROBE_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "model/run.h"

/*
 * GPU -> host memory: dependent loads in a Vulkan compute kernel. The only folder that knows
 * Vulkan; the loader is opened at run time, so the binary starts without one.
 */
struct pl_gpu_options {
	uint64_t seed; /* of the permutation */
};

/*
 * Lists the Vulkan devices into run->gpus (arena). 0 with run->gpu_count == 0 and a skip entry when
 * there is no loader, no driver or no device; errors are for what should not happen.
 */
int pl_gpu_list(struct pl_run *run, struct pl_err *err);

/*
 * Opens the sampler of one planned measurement: m->subject names the device as "gpuN" (N: index),
 * conditions.region_bytes the size of the chain; open fills ns_per_tick, conditions.memory and
 * path. One sample is one dispatch pair: the latency of one load, by slope over two hop counts.
 */
int pl_gpu_open(const struct pl_gpu_options *options, struct pl_run *run, struct pl_measurement *m,
		const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err);

#endif
