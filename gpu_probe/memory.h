#ifndef PL_GPU_PROBE_MEMORY_H
#define PL_GPU_PROBE_MEMORY_H

#include <volk.h>

#include "core/err.h"
#include "model/run.h"

/*
 * Which memory type a measurement must lie in. Host classes are what a GPU reaches over its link:
 * HOST_VISIBLE and HOST_COHERENT, neither the type nor its heap DEVICE_LOCAL. They differ in how
 * the request travels (snooped or not) and in which GPU caches may keep it, so each is measured
 * apart.
 */
enum pl_gpu_memory {
	PL_GPU_HOST_CACHED,   /* HOST_CACHED: snooped */
	PL_GPU_HOST_WC,       /* write-combined for the CPU; not snooped on AMD */
	PL_GPU_HOST_UNCACHED, /* AMD DEVICE_UNCACHED: no GPU cache may keep it */
	PL_GPU_HOST_HUGE,     /* our own huge pages, imported */
	PL_GPU_HOST_FILE,     /* --chase-memory, imported */
	PL_GPU_VRAM,          /* the fastest device memory, mapped or not */
	PL_GPU_VRAM_MAPPED,   /* device memory that the CPU can map through the BAR */
	PL_GPU_ON_CHIP,       /* shared memory of a workgroup: needs no memory type */
	PL_GPU_MEMORY_COUNT
};

/* "host cached", "vram", …: the name in results and in offers. */
const char *pl_gpu_memory_name(enum pl_gpu_memory memory);
/* The class of a name; -EINVAL when there is none ("imported:FILE" is PL_GPU_HOST_FILE). */
int pl_gpu_memory_parse(const char *name, enum pl_gpu_memory *memory);

/*
 * Picks the memory type index among the types whose bit is set in `allowed`
 * (VkMemoryRequirements.memoryTypeBits). On integrated and software devices all memory is the
 * machine's own, so DEVICE_LOCAL does not rule a host class out there (they have no PCIe path to be
 * wrong about) and there is no VRAM class. Errors: -ENOTSUP with a sentence naming what the driver
 * does not offer.
 */
int pl_gpu_memory_pick(const VkPhysicalDeviceMemoryProperties *table, enum pl_gpu_kind kind,
		       enum pl_gpu_memory memory, uint32_t allowed, uint32_t *index,
		       struct pl_err *err);

#endif
