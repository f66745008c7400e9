#ifndef PL_GPU_PROBE_IMPORT_H
#define PL_GPU_PROBE_IMPORT_H

#include "gpu_probe/device.h"

/*
 * Memory of ours for VK_EXT_external_memory_host. PL_GPU_HOST_HUGE: anonymous memory aligned to
 * 2 MiB with huge pages asked for, near the GPU's node, touched (drivers refuse file mappings
 * there). PL_GPU_HOST_FILE: a shared mapping of d->import_file; its contents are not touched here.
 * Sets imported and imported_bytes. Errors: -ENOTSUP no extension, -EINVAL size or alignment,
 * -ENOMEM, and what open and mmap say, each with its sentence.
 */
int pl_gpu_import_map(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		      struct pl_gpu_buffer *buffer, struct pl_err *err);
/* Does nothing when nothing was mapped. */
void pl_gpu_import_unmap(struct pl_gpu_buffer *buffer);
/* How much of a mapping the kernel backs by huge pages now (/proc/self/smaps); 0: none or unknown.
 */
uint64_t pl_gpu_huge_bytes(const void *mapping);

#endif
