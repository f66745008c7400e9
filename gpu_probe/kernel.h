#ifndef PL_GPU_PROBE_KERNEL_H
#define PL_GPU_PROBE_KERNEL_H

#include "gpu_probe/device.h"
#include "gpu_probe/push.h"

/* How long one dispatch took. */
struct pl_gpu_timing {
	double host_ns;   /* from the submission to the fence, on the host's clock */
	double device_ns; /* between two timestamps of the queue; NAN where there are none */
};

/*
 * Runs one kernel over `chain` and waits for it: `groups` workgroups, results in d->result.words
 * (zeroed before). The pipeline is made at its first use. Errors: -EIO, -ENOMEM, -ETIMEDOUT.
 */
int pl_gpu_dispatch(struct pl_gpu_device *d, enum pl_gpu_kernel kernel,
		    const struct pl_gpu_buffer *chain, const struct pl_push *push, uint32_t groups,
		    struct pl_gpu_timing *timing, struct pl_err *err);
/*
 * The two halves of pl_gpu_dispatch, for a kernel that needs the CPU while it runs. After a start
 * that succeeded, pl_gpu_finish must be called; it waits.
 */
int pl_gpu_start(struct pl_gpu_device *d, enum pl_gpu_kernel kernel,
		 const struct pl_gpu_buffer *chain, const struct pl_push *push, uint32_t groups,
		 struct pl_err *err);
int pl_gpu_finish(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, struct pl_gpu_timing *timing,
		  struct pl_err *err);
/* Copies the first size_bytes of one buffer to another and waits. */
int pl_gpu_copy(struct pl_gpu_device *d, const struct pl_gpu_buffer *from,
		const struct pl_gpu_buffer *to, uint64_t size_bytes, struct pl_gpu_timing *timing,
		struct pl_err *err);

#endif
