#include "gpu_probe/buffer.h"

#include <errno.h>
#include <inttypes.h>

static int make_buffer(struct pl_gpu_device *d, uint64_t size_bytes, VkBuffer *buffer,
		       struct pl_err *err)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
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

static int bind_memory(struct pl_gpu_device *d, enum pl_gpu_memory memory, struct pl_gpu_buffer *b,
		       struct pl_err *err)
{
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	VkResult result;
	int rc;

	d->vk.vkGetBufferMemoryRequirements(d->device, b->buffer, &needs);
	rc = pl_gpu_memory_pick(&d->memory, d->kind, memory, needs.memoryTypeBits,
				&info.memoryTypeIndex, err);
	if (rc)
		return rc;
	info.allocationSize = needs.size;
	result = d->vk.vkAllocateMemory(d->device, &info, NULL, &b->memory);
	if (!result)
		result = d->vk.vkBindBufferMemory(d->device, b->buffer, b->memory, 0);
	if (!result && (d->memory.memoryTypes[info.memoryTypeIndex].propertyFlags &
			VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) {
		void *words = NULL;

		result = d->vk.vkMapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &words);
		b->words = words;
	}
	return pl_gpu_check(d, result, pl_gpu_memory_name(memory), err);
}

int pl_gpu_buffer_open(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		       struct pl_gpu_buffer *buffer, struct pl_err *err)
{
	int rc = make_buffer(d, size_bytes, &buffer->buffer, err);

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
	*buffer = (struct pl_gpu_buffer){.size_bytes = 0};
}
