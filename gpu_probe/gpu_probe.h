#ifndef PL_GPU_PROBE_GPU_PROBE_H
#define PL_GPU_PROBE_GPU_PROBE_H

#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "core/sysroot.h"
#include "model/run.h"

/*
 * GPU -> host memory: dependent loads in a Vulkan compute kernel, and what belongs beside them (the
 * same in VRAM and on chip, bandwidths, CPU -> VRAM, a flag ping-pong). The only folder that knows
 * Vulkan; the loader is opened at run time, so the binary starts without one.
 */

/* A zeroed struct is right for an ordinary run. Everything is borrowed until pl_gpu_probe_free. */
struct pl_gpu_options {
	uint64_t seed; /* of the permutations */
	/*
	 * --chase-memory FILE: the chain lies in this file (a sysfs resourceN, for example) instead
	 * of in host memory. Only "chase", "load" and "load_after_gap" are then offered, and every
	 * measurement says so in conditions.memory ("imported:FILE") and in a warning.
	 */
	const char *chase_memory;
	/* Where link speeds and clocks of the card are read; NULL: they are not recorded. */
	const struct pl_sysroot *sysroot;
	/* vkGetInstanceProcAddr of another Vulkan implementation (tests); NULL: the system's. */
	void (*(*loader)(void *instance, const char *name))(void);
};

/* The devices and their memory, shared by all samplers; opened when first needed. */
struct pl_gpu_probe;

struct pl_gpu_probe *pl_gpu_probe_new(const struct pl_gpu_options *options);
/* Close the samplers first. NULL is accepted. */
void pl_gpu_probe_free(struct pl_gpu_probe *probe);

/*
 * Lists the Vulkan devices into run->gpus (arena), each with the series it offers. 0 with
 * run->gpu_count == 0 and a skip entry when there is no loader, no driver or no device; what a
 * device cannot do is a skip entry too. Errors are for what should not happen.
 */
int pl_gpu_list(struct pl_gpu_probe *probe, struct pl_run *run, struct pl_err *err);

/*
 * Opens the sampler of one planned measurement: m->subject names the device as "gpuN" (N: index of
 * run->gpus), metric, conditions.memory, region_bytes and gap_ns come from one of its offers
 * (memory NULL: the first host class). Fills ns_per_tick, conditions.memory, path, path_reason,
 * clock, is_off_path and facts. What one sample is, by metric:
 *   chase             ns per load, by slope over a pair of dispatches
 *   load              one load, timed inside the kernel
 *   load_after_gap    the first load after an idle gap inside the kernel
 *   load_after_load   the load right after that one
 *   read              the whole region read once by the whole GPU (bytes / ns = GB/s)
 *   copy_to_vram, copy_from_vram   the region copied once
 *   cpu_vram_read     one CPU load from VRAM through the BAR
 *   ping_pong         a flag from the CPU to the GPU and back
 * Errors: -ENODEV no such device, -ENOTSUP it cannot do this (the sentence says what is missing),
 * -ENOMEM, -EIO.
 */
int pl_gpu_open(struct pl_gpu_probe *probe, struct pl_run *run, struct pl_measurement *m,
		const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err);

#endif
