#include "gpu_probe/buffer.h"

#include <errno.h>
#include <inttypes.h>

#include "gpu_probe/chain.h"
#include "gpu_probe/import.h"

static int make_buffer(struct pl_gpu_device *d, uint64_t size_bytes, bool is_import,
		       VkBuffer *buffer, struct pl_err *err)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .pNext = is_import ? &external : NULL,
				   .size = size_bytes,
				   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					    VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					    VK_BUFFER_USAGE_TRANSFER_DST_BIT};

	if (size_bytes > d->properties.limits.maxStorageBufferRange)
		return pl_fail(err, -ENOTSUP,
			       "%s: the driver binds at most %u bytes as one buffer, not %" PRIu64,
			       d->name, d->properties.limits.maxStorageBufferRange, size_bytes);
	return pl_gpu_check(d, d->vk.vkCreateBuffer(d->device, &info, NULL, buffer),
			    "making a buffer", err);
}

static bool is_imported(enum pl_gpu_memory memory)
{
	return memory == PL_GPU_HOST_HUGE || memory == PL_GPU_HOST_FILE;
}

/* What the driver would let this mapping of ours become, as a mask of memory types. */
static int importable_types(struct pl_gpu_device *d, struct pl_gpu_buffer *b, uint32_t *types,
			    struct pl_err *err)
{
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	VkResult result = d->vk.vkGetMemoryHostPointerPropertiesEXT(
		d->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, b->imported,
		&properties);

	*types = properties.memoryTypeBits;
	return pl_gpu_check(d, result, "importing host memory", err);
}

static VkResult bind_and_map(struct pl_gpu_device *d, struct pl_gpu_buffer *b, bool is_mappable)
{
	void *words = NULL;
	VkResult result = d->vk.vkBindBufferMemory(d->device, b->buffer, b->memory, 0);

	if (!result && is_mappable && !b->imported)
		result = d->vk.vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &words);
	b->words = b->imported ? b->imported : words;
	return result;
}

static int bind_memory(struct pl_gpu_device *d, enum pl_gpu_memory memory, struct pl_gpu_buffer *b,
		       struct pl_err *err)
{
	VkImportMemoryHostPointerInfoEXT import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = b->imported};
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				     .pNext = b->imported ? &import : NULL};
	VkMemoryRequirements needs;
	uint32_t importable = UINT32_MAX;
	bool is_mappable;
	VkResult result;
	int rc;

	d->vk.vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
	rc = b->imported ? importable_types(d, b, &importable, err) : 0;
	if (!rc)
		rc = pl_gpu_memory_pick(&d->memory, d->kind, memory,
					needs.memoryTypeBits & importable, &info.memoryTypeIndex,
					err);
	if (rc)
		return rc;
	info.allocationSize = b->imported ? b->imported_bytes : needs.size;
	is_mappable = d->memory.memoryTypes[info.memoryTypeIndex].propertyFlags &
		      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
	result = d->vk.vkAllocateMemory(d->device, &info, NULL, &b->memory);
	if (!result)
		result = bind_and_map(d, b, is_mappable);
	return pl_gpu_check(d, result, b->imported ? "importing host memory" : "allocating memory",
			    err);
}

int pl_gpu_buffer_open(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		       struct pl_gpu_buffer *buffer, struct pl_err *err)
{
	int rc = 0;

	if (is_imported(memory))
		rc = pl_gpu_import_map(d, memory, size_bytes, buffer, err);
	if (!rc)
		rc = make_buffer(d, size_bytes, is_imported(memory), &buffer->buffer, err);
	if (!rc)
		rc = bind_memory(d, memory, buffer, err);
	buffer->size_bytes = size_bytes;
	if (rc)
		pl_gpu_buffer_close(d, buffer);
	return rc;
}

void pl_gpu_buffer_close(struct pl_gpu_device *d, struct pl_gpu_buffer *buffer)
{
	d->vk.vkDestroyBuffer(d->device, buffer->buffer, NULL);
	d->vk.vkFreeMemory(d->device, buffer->memory, NULL); /* unmaps */
	pl_gpu_import_unmap(buffer);
	*buffer = (struct pl_gpu_buffer){.size_bytes = 0};
}

int pl_gpu_buffer_need(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		       struct pl_err *err)
{
	struct pl_gpu_buffer *b = &d->chains[memory];
	int rc;

	if (b->size_bytes >= size_bytes)
		return 0;
	pl_gpu_buffer_close(d, b);
	rc = pl_gpu_buffer_open(d, memory, size_bytes, b, err);
	/* A file is somebody's: only the nodes of the chain are written there. */
	if (!rc && b->words && memory != PL_GPU_HOST_FILE)
		pl_chain_fill(b->words, size_bytes / sizeof(b->words[0]), size_bytes);
	return rc;
}

enum pl_gpu_memory pl_gpu_host_class(const struct pl_gpu_device *d)
{
	uint32_t index;

	return pl_gpu_memory_pick(&d->memory, d->kind, PL_GPU_HOST_CACHED, UINT32_MAX, &index, NULL)
		       ? PL_GPU_HOST_WC
		       : PL_GPU_HOST_CACHED;
}

int pl_gpu_buffer_staging(struct pl_gpu_device *d, uint64_t size_bytes,
			  struct pl_gpu_buffer **buffer, struct pl_err *err)
{
	enum pl_gpu_memory memory = pl_gpu_host_class(d);
	int rc = pl_gpu_buffer_need(d, memory, size_bytes, err);

	*buffer = &d->chains[memory];
	(*buffer)->laid_by = NULL;
	return rc;
}
