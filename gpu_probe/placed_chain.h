#ifndef PL_GPU_PROBE_PLACED_CHAIN_H
#define PL_GPU_PROBE_PLACED_CHAIN_H

#include "gpu_probe/chain.h"
#include "gpu_probe/device.h"
#include "gpu_probe/kernel.h"

/*
 * A chain in the memory of a device. Samplers share one buffer per class of memory (a sweep would
 * otherwise hold the sum of its regions): each lays its own chain again before it measures.
 */
struct pl_placed_chain {
	struct pl_gpu_device *device;
	enum pl_gpu_memory memory;
	struct pl_chain chain;
	size_t at;            /* which node of the order the next walk starts from */
	uint64_t loads_total; /* every load the GPU was made to do, warm-up included */
};

/* Errors as pl_gpu_device_open, pl_gpu_buffer_open and pl_chain_init. */
int pl_placed_chain_open(struct pl_placed_chain *placed, struct pl_gpu_device *d,
			 enum pl_gpu_memory memory, uint64_t region_bytes, uint64_t seed,
			 struct pl_err *err);
void pl_placed_chain_close(struct pl_placed_chain *placed);
/* Lays the chain if another one lies in the buffer now. */
int pl_placed_chain_lay(struct pl_placed_chain *placed, struct pl_err *err);
/*
 * Runs a kernel that makes `loads` loads from the node where the last walk ended, and checks what
 * it says: the number of loads, and the node at the end against the CPU's replay. -EIO with the
 * sentence when either is wrong: no number leaves the kernel then.
 */
int pl_placed_chain_run(struct pl_placed_chain *placed, enum pl_gpu_kernel kernel,
			struct pl_push *push, uint64_t loads, struct pl_gpu_timing *timing,
			struct pl_err *err);

#endif
