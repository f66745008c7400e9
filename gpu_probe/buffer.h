#ifndef PL_GPU_PROBE_BUFFER_H
#define PL_GPU_PROBE_BUFFER_H

#include "gpu_probe/device.h"

/*
 * A storage buffer in memory of one class, mapped where the class can be mapped. *buffer must be
 * zeroed. Errors: -ENOTSUP the class does not exist or the region is larger than the driver can
 * bind, -ENOMEM, -EIO; the buffer is zeroed again.
 */
int pl_gpu_buffer_open(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		       struct pl_gpu_buffer *buffer, struct pl_err *err);
/* Zeroes the struct; a zeroed struct is fine. */
void pl_gpu_buffer_close(struct pl_gpu_device *d, struct pl_gpu_buffer *buffer);

#endif
