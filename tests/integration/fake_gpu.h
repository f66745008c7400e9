#ifndef PL_TESTS_FAKE_GPU_H
#define PL_TESTS_FAKE_GPU_H

#include <stdbool.h>

#include <volk.h>

/*
 * A Vulkan implementation for tests: the real loader (lavapipe behind it) with some of its answers
 * changed. Give fake_gpu_loader to pl_gpu_options.loader; all zeroes changes nothing.
 */
struct fake_gpu {
	bool is_discrete; /* a card with 8 GiB of VRAM, a mapped part of it, host memory, a PCI
			   * address
			   */
	bool is_twice;    /* the device is listed twice; faults of one device hit the first */
	bool no_compute, no_clock, no_subgroup_clock, no_device_clock, no_memory_types, no_import,
		no_devices;
	bool has_period;
	float period_ns;
	bool no_timestamps;
	VkResult create_device, allocate, import, submit, wait; /* VK_SUCCESS: the real answer */
	unsigned submits_before_fault;                          /* that many submissions succeed */
	void (*on_submit)(unsigned submits);                    /* called before each submission */
	uint64_t binds_at_most;                                 /* maxStorageBufferRange; 0: real */
};

extern struct fake_gpu fake_gpu;

void (*fake_gpu_loader(void *instance, const char *name))(void);
/* Forgets the devices and counters of the test before; *changes become the changed answers. */
void fake_gpu_reset(const struct fake_gpu *changes);
/* Calls of vkAllocateMemory whose result was changed, of vkQueueSubmit in all. */
unsigned fake_gpu_submits(void);

#endif
