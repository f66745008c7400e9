#ifndef PL_GPU_PROBE_BUFFER_H
#define PL_GPU_PROBE_BUFFER_H

#include "gpu_probe/device.h"

/*
 * The shared buffer d->chains[memory], at least size_bytes long: a larger one replaces a smaller
 * one (and what lay in it), random bits fill it unless it is imported. Errors as
 * pl_gpu_buffer_open.
 */
int pl_gpu_buffer_need(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		       struct pl_err *err);
/* The shared buffer of the first host class there is, free to be overwritten: the way into VRAM. */
int pl_gpu_buffer_staging(struct pl_gpu_device *d, uint64_t size_bytes,
			  struct pl_gpu_buffer **buffer, struct pl_err *err);
/* PL_GPU_HOST_CACHED, or PL_GPU_HOST_WC on drivers that offer no cached memory. */
enum pl_gpu_memory pl_gpu_host_class(const struct pl_gpu_device *d);
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
