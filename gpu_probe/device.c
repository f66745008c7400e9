#include "gpu_probe/device.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/push.h"

int pl_gpu_check(struct pl_gpu_device *d, VkResult result, const char *doing, struct pl_err *err)
{
	struct pl_err local = {0, ""};
	int rc = pl_vk_check(result, d->name, doing, &local);

	if (rc && err)
		*err = local;
	if (result == VK_ERROR_DEVICE_LOST && !d->is_lost) {
		d->is_lost = true;
		snprintf(d->lost_why, sizeof(d->lost_why), "%.250s", local.text);
	}
	return rc;
}

const char *pl_gpu_timestamp_reason(const struct pl_gpu_device *d)
{
	float period_ns = d->properties.limits.timestampPeriod;

	if (!d->timestamp_bits)
		return "the compute queue writes no timestamps";
	if (!isfinite(period_ns))
		return "the driver gives an infinite timestamp period";
	if (period_ns <= 0)
		return "the driver gives a timestamp period of 0";
	return NULL;
}

static int make_device(struct pl_gpu_device *d, struct pl_err *err)
{
	float priority = 1.0f;
	const char *extensions[3];
	uint32_t count = 0;
	VkPhysicalDeviceShaderClockFeaturesKHR clock = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
		.shaderSubgroupClock = d->has_subgroup_clock,
		.shaderDeviceClock = d->has_device_clock};
	VkPhysicalDeviceCoherentMemoryFeaturesAMD coherent = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD,
		.deviceCoherentMemory = VK_TRUE};
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					 .queueFamilyIndex = d->queue_family,
					 .queueCount = 1,
					 .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .queueCreateInfoCount = 1,
				   .pQueueCreateInfos = &queue,
				   .ppEnabledExtensionNames = extensions};

	if (d->has_subgroup_clock || d->has_device_clock) {
		extensions[count++] = VK_KHR_SHADER_CLOCK_EXTENSION_NAME;
		info.pNext = &clock;
	}
	if (d->has_uncached) {
		extensions[count++] = VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME;
		coherent.pNext = (void *)info.pNext;
		info.pNext = &coherent;
	}
	if (d->has_import)
		extensions[count++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	info.enabledExtensionCount = count;
	return pl_gpu_check(d, vkCreateDevice(d->physical, &info, NULL, &d->device),
			    "opening the device", err);
}

static int make_queue_objects(struct pl_gpu_device *d, struct pl_err *err)
{
	VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
					.queueFamilyIndex = d->queue_family};
	VkCommandBufferAllocateInfo command = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					 .queryType = VK_QUERY_TYPE_TIMESTAMP,
					 .queryCount = 2};
	VkResult result;

	d->vk.vkGetDeviceQueue(d->device, d->queue_family, 0, &d->queue);
	result = d->vk.vkCreateCommandPool(d->device, &pool, NULL, &d->command_pool);
	if (!result) {
		command.commandPool = d->command_pool;
		result = d->vk.vkAllocateCommandBuffers(d->device, &command, &d->command);
	}
	if (!result)
		result = d->vk.vkCreateFence(d->device, &fence, NULL, &d->fence);
	if (!result && d->timestamp_bits)
		result = d->vk.vkCreateQueryPool(d->device, &queries, NULL, &d->queries);
	return pl_gpu_check(d, result, "preparing the compute queue", err);
}

static VkResult make_set(struct pl_gpu_device *d)
{
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
	VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					   .maxSets = 1,
					   .poolSizeCount = 1,
					   .pPoolSizes = &size};
	VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
					   .descriptorSetCount = 1,
					   .pSetLayouts = &d->set_layout};
	VkResult result = d->vk.vkCreateDescriptorPool(d->device, &pool, NULL, &d->set_pool);

	set.descriptorPool = d->set_pool;
	return result ? result : d->vk.vkAllocateDescriptorSets(d->device, &set, &d->set);
}

static int make_layouts(struct pl_gpu_device *d, struct pl_err *err)
{
	VkDescriptorSetLayoutBinding bindings[2] = {
		{PL_BINDING_CHAIN, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
		 VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{PL_BINDING_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
		 VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 2,
		.pBindings = bindings};
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct pl_push)};
	VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     .setLayoutCount = 1,
					     .pSetLayouts = &d->set_layout,
					     .pushConstantRangeCount = 1,
					     .pPushConstantRanges = &range};
	VkResult result = d->vk.vkCreateDescriptorSetLayout(d->device, &set, NULL, &d->set_layout);

	if (!result)
		result = d->vk.vkCreatePipelineLayout(d->device, &layout, NULL, &d->layout);
	if (!result)
		result = make_set(d);
	return pl_gpu_check(d, result, "preparing the pipeline layout", err);
}

/* Results lie in host memory of any kind: the kernels write them once, after all loads. */
static int make_result(struct pl_gpu_device *d, struct pl_err *err)
{
	struct pl_err why = {0, ""};
	int rc = pl_gpu_buffer_open(d, pl_gpu_host_class(d), PL_GPU_RESULT_BYTES, &d->result, &why);

	if (rc)
		return pl_fail(err, rc, "%s: no host memory for results: %s", d->name, why.text);
	return 0;
}

int pl_gpu_device_open(struct pl_gpu_device *d, struct pl_err *err)
{
	int rc;

	if (d->is_lost)
		return pl_fail(err, -EIO, "%s", d->lost_why);
	if (d->device)
		return 0;
	if (d->properties.apiVersion < VK_API_VERSION_1_1)
		return pl_fail(err, -ENOTSUP, "%s: the driver offers Vulkan 1.0, 1.1 is needed",
			       d->name);
	if (!d->has_compute)
		return pl_fail(err, -ENOTSUP, "%s: the driver offers no compute queue", d->name);
	rc = make_device(d, err);
	if (rc)
		return rc;
	volkLoadDeviceTable(&d->vk, d->device);
	rc = make_queue_objects(d, err);
	if (!rc)
		rc = make_layouts(d, err);
	if (!rc)
		rc = make_result(d, err);
	if (rc)
		pl_gpu_device_close(d);
	return rc;
}

void pl_gpu_device_close(struct pl_gpu_device *d)
{
	if (!d->device)
		return;
	d->vk.vkDeviceWaitIdle(d->device);
	for (size_t i = 0; i < PL_GPU_MEMORY_COUNT; i++)
		pl_gpu_buffer_close(d, &d->chains[i]);
	pl_gpu_buffer_close(d, &d->result);
	for (size_t i = 0; i < PL_KERNEL_COUNT; i++)
		d->vk.vkDestroyPipeline(d->device, d->pipelines[i], NULL);
	d->vk.vkDestroyPipelineLayout(d->device, d->layout, NULL);
	d->vk.vkDestroyDescriptorPool(d->device, d->set_pool, NULL);
	d->vk.vkDestroyDescriptorSetLayout(d->device, d->set_layout, NULL);
	d->vk.vkDestroyQueryPool(d->device, d->queries, NULL);
	d->vk.vkDestroyFence(d->device, d->fence, NULL);
	d->vk.vkDestroyCommandPool(d->device, d->command_pool, NULL);
	d->vk.vkDestroyDevice(d->device, NULL);
	d->device = NULL;
	for (size_t i = 0; i < PL_KERNEL_COUNT; i++)
		d->pipelines[i] = NULL;
	d->layout = NULL;
	d->set_pool = NULL;
	d->set_layout = NULL;
	d->queries = NULL;
	d->fence = NULL;
	d->command_pool = NULL;
}
