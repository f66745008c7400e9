#include "gpu_probe/memory.h"

#include <errno.h>
#include <string.h>

#define VISIBLE_COHERENT                                                                           \
	(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define AMD_UNCACHED                                                                               \
	(VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)
/* Types for protected content or lazily backed images hold no ordinary buffer. */
#define NEVER                                                                                      \
	(VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |              \
	 VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV)

/* What a class asks of a memory type. */
struct rule {
	const char *name;
	VkMemoryPropertyFlags must, must_not;
	bool is_host;   /* neither type nor heap DEVICE_LOCAL */
	bool is_device; /* type and heap DEVICE_LOCAL */
	bool is_picked; /* false: has no type of its own to pick */
};

static const struct rule rules[PL_GPU_MEMORY_COUNT] = {
	[PL_GPU_HOST_CACHED] = {"host cached",
				VISIBLE_COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, AMD_UNCACHED,
				true, false, true},
	[PL_GPU_HOST_WC] = {"host write-combined", VISIBLE_COHERENT,
			    VK_MEMORY_PROPERTY_HOST_CACHED_BIT | AMD_UNCACHED, true, false, true},
	[PL_GPU_HOST_UNCACHED] = {"host uncached", VISIBLE_COHERENT | AMD_UNCACHED, 0, true, false,
				  true},
	[PL_GPU_HOST_HUGE] = {"host huge pages", 0, AMD_UNCACHED, true, false, true},
	[PL_GPU_HOST_FILE] = {"imported:", 0, 0, true, false, true},
	[PL_GPU_VRAM] = {"vram", VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, AMD_UNCACHED, false, true,
			 true},
	[PL_GPU_VRAM_MAPPED] = {"vram mapped",
				VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VISIBLE_COHERENT,
				AMD_UNCACHED, false, true, true},
	[PL_GPU_ON_CHIP] = {"on chip", 0, 0, false, false, false},
};

const char *pl_gpu_memory_name(enum pl_gpu_memory memory)
{
	return rules[memory].name;
}

int pl_gpu_memory_parse(const char *name, enum pl_gpu_memory *memory)
{
	for (size_t i = 0; i < PL_GPU_MEMORY_COUNT; i++) {
		bool is_file = i == PL_GPU_HOST_FILE &&
			       !strncmp(name, rules[i].name, strlen(rules[i].name));

		if (is_file || !strcmp(name, rules[i].name)) {
			*memory = (enum pl_gpu_memory)i;
			return 0;
		}
	}
	return -EINVAL;
}

static bool has_one_memory(enum pl_gpu_kind kind)
{
	return kind == PL_GPU_INTEGRATED || kind == PL_GPU_SOFTWARE;
}

static bool is_in_place(const VkPhysicalDeviceMemoryProperties *table, const VkMemoryType *type,
			const struct rule *rule, enum pl_gpu_kind kind)
{
	bool type_local = type->propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
	bool heap_local =
		table->memoryHeaps[type->heapIndex].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;

	if (rule->is_host)
		return has_one_memory(kind) || (!type_local && !heap_local);
	return !has_one_memory(kind) && type_local && heap_local;
}

int pl_gpu_memory_pick(const VkPhysicalDeviceMemoryProperties *table, enum pl_gpu_kind kind,
		       enum pl_gpu_memory memory, uint32_t allowed, uint32_t *index,
		       struct pl_err *err)
{
	const struct rule *rule = &rules[memory];

	if (!table->memoryTypeCount)
		return pl_fail(err, -ENOTSUP, "the driver shows no memory types at all");
	for (uint32_t i = 0; rule->is_picked && i < table->memoryTypeCount && i < 32; i++) {
		const VkMemoryType *type = &table->memoryTypes[i];

		if (!(allowed & (1u << i)) || type->heapIndex >= table->memoryHeapCount ||
		    (type->propertyFlags & rule->must) != rule->must ||
		    (type->propertyFlags & (rule->must_not | NEVER)))
			continue;
		if (is_in_place(table, type, rule, kind)) {
			*index = i;
			return 0;
		}
	}
	return pl_fail(err, -ENOTSUP, "the driver offers no \"%s\" memory among its %u types",
		       rule->name, table->memoryTypeCount);
}
