#ifndef PL_GPU_PROBE_DEVICE_H
#define PL_GPU_PROBE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <volk.h>

#include "gpu_probe/memory.h"
#include "gpu_probe/vk_error.h"
#include "model/bdf.h"
#include "model/run.h"

enum pl_gpu_kernel {
	PL_KERNEL_CHASE,
	PL_KERNEL_ON_CHIP,
	PL_KERNEL_LOAD_DEVICE,
	PL_KERNEL_LOAD_SUBGROUP,
	PL_KERNEL_GAP_DEVICE,   /* gap and loads by the device clock */
	PL_KERNEL_GAP_MIXED,    /* gap by the device clock, loads by the subgroup clock */
	PL_KERNEL_GAP_SUBGROUP, /* both by the subgroup clock */
	PL_KERNEL_TICK_DEVICE,
	PL_KERNEL_TICK_SUBGROUP,
	PL_KERNEL_READ,
	PL_KERNEL_PONG,
	PL_KERNEL_WARM,
	PL_KERNEL_COUNT
};

/* A clock of VK_KHR_shader_clock, calibrated at its first use. */
struct pl_gpu_clock {
	bool is_calibrated;
	double ns_per_tick;
	double measured_ns_per_tick; /* before a match with the timestamp period was recognised */
	uint32_t mask;               /* the bits that count */
};

/* A buffer, its memory and its mapping. Zeroed: none. */
struct pl_gpu_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint64_t size_bytes;
	volatile uint32_t *words; /* NULL when the memory cannot be mapped */
	void *imported;           /* the mapping of ours that was imported; unmapped at the end */
	uint64_t imported_bytes;
	const void *laid_by; /* whose chain lies in it now */
};

/* A Vulkan device: what it is (filled by pl_gpu_instance_open) and, once opened, how to use it. */
struct pl_gpu_device {
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memory;
	enum pl_gpu_kind kind;
	char name[32]; /* "gpu0": begins every sentence about it */
	char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 2];
	bool has_bdf;
	struct pl_bdf bdf;
	bool has_compute;
	uint32_t queue_family, timestamp_bits; /* 0 bits: the queue writes no timestamps */
	bool has_import, has_subgroup_clock, has_device_clock, has_uncached;
	uint64_t import_alignment;

	int numa_node;           /* -1: not known, or the machine has one */
	const char *import_file; /* --chase-memory; borrowed */
	bool is_lost;
	char lost_why[256];
	VkDevice device; /* NULL until pl_gpu_device_open */
	struct VolkDeviceTable vk;
	VkQueue queue;
	VkCommandPool command_pool;
	VkCommandBuffer command;
	VkFence fence;
	VkQueryPool queries;
	VkDescriptorSetLayout set_layout;
	VkDescriptorPool set_pool;
	VkDescriptorSet set;
	VkPipelineLayout layout;
	VkPipeline pipelines[PL_KERNEL_COUNT];
	struct pl_gpu_buffer result; /* small host memory that every kernel writes its result to */
	struct pl_gpu_buffer chains[PL_GPU_MEMORY_COUNT];
	struct pl_gpu_clock device_clock, subgroup_clock;
	uint32_t warm_turns;    /* of the warm-up kernel; 0: not warmed up yet */
	uint64_t submitted_ns;  /* when the last work was given to it, on the host's clock */
	uint64_t busy_until_ns; /* when it last finished something, on the host's clock */
};

#define PL_GPU_RESULT_BYTES (64 * 1024)

/*
 * Makes the logical device, its queue, pools, layouts and the result buffer; does nothing when that
 * was done before. Errors: -ENOTSUP no compute queue, -ENOMEM, -EIO (also when the device was lost
 * before, with the sentence of then).
 */
int pl_gpu_device_open(struct pl_gpu_device *d, struct pl_err *err);
void pl_gpu_device_close(struct pl_gpu_device *d);
/* pl_vk_check for a call on this device; remembers a lost device. */
int pl_gpu_check(struct pl_gpu_device *d, VkResult result, const char *doing, struct pl_err *err);
/* Whether timestamps of this device mean nanoseconds: NULL, or the reason why not. */
const char *pl_gpu_timestamp_reason(const struct pl_gpu_device *d);

#endif
