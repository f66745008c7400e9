#ifndef PL_GPU_PROBE_SHADER_CLOCK_H
#define PL_GPU_PROBE_SHADER_CLOCK_H

#include "gpu_probe/device.h"

/*
 * Which clocks the timing kernels read, and how long their ticks are. Loads are timed by the
 * subgroup clock where there is one (core cycles, fine steps), gaps by the device clock (constant
 * rate); a software device has one clock in ns for both. Where one of the two is missing the other
 * stands in.
 */
struct pl_gpu_clocks {
	const struct pl_gpu_clock *load, *gap;
	enum pl_gpu_kernel load_kernel, gap_kernel;
	const char *load_name; /* "subgroup clock", "device clock" */
	const char *reason;    /* why not the better pair; NULL */
};

/*
 * Chooses and, the first time, calibrates against the timestamps of the queue (the host's clock
 * where there are none). Errors: -ENOTSUP no VK_KHR_shader_clock, -EIO a clock that stands still,
 * -EAGAIN a machine too busy to tell.
 */
int pl_gpu_clocks_need(struct pl_gpu_device *d, struct pl_gpu_clocks *clocks, struct pl_err *err);

#endif
