/*
 * compile_pipeline LOCAL_SIZE FILE.spv...: makes compute pipelines of kernels on the first Vulkan
 * device there is. With RADV's null winsys (RADV_FORCE_FAMILY) and RADV_DEBUG=shaders that prints
 * the machine code for a GPU that is not there; a line "PIPELINE FILE" stands before each. Exit
 * code 0 when the driver took them all.
 */
#include <stdio.h>
#include <stdlib.h>

#include <volk.h>

#include "gpu_probe/push.h"

static uint32_t *read_file(const char *path, size_t *size_bytes)
{
	FILE *file = fopen(path, "rb");
	uint32_t *words = malloc(1 << 20);

	if (!file || !words)
		exit(2);
	*size_bytes = fread(words, 1, 1 << 20, file);
	fclose(file);
	return words;
}

static VkDevice open_device(void)
{
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .apiVersion = VK_API_VERSION_1_1};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pApplicationInfo = &app};
	VkPhysicalDeviceShaderClockFeaturesKHR clock = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
		.shaderSubgroupClock = VK_TRUE,
		.shaderDeviceClock = VK_TRUE};
	const char *extension = VK_KHR_SHADER_CLOCK_EXTENSION_NAME;
	float priority = 1.0f;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					 .queueCount = 1,
					 .pQueuePriorities = &priority};
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					  .pNext = &clock,
					  .queueCreateInfoCount = 1,
					  .pQueueCreateInfos = &queue,
					  .enabledExtensionCount = 1,
					  .ppEnabledExtensionNames = &extension};
	VkPhysicalDevice physical;
	VkInstance instance;
	VkDevice device;
	uint32_t count = 1;

	if (volkInitialize() || vkCreateInstance(&info, NULL, &instance))
		exit(3);
	volkLoadInstance(instance);
	if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count ||
	    vkCreateDevice(physical, &device_info, NULL, &device))
		exit(4);
	return device;
}

static VkPipelineLayout make_layout(VkDevice device)
{
	VkDescriptorSetLayoutBinding bindings[2] = {
		{PL_BINDING_CHAIN, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
		 VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{PL_BINDING_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
		 VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 2,
		.pBindings = bindings};
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct pl_push)};
	VkDescriptorSetLayout set;
	VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					   .setLayoutCount = 1,
					   .pSetLayouts = &set,
					   .pushConstantRangeCount = 1,
					   .pPushConstantRanges = &range};
	VkPipelineLayout layout;

	if (vkCreateDescriptorSetLayout(device, &set_info, NULL, &set) ||
	    vkCreatePipelineLayout(device, &info, NULL, &layout))
		exit(5);
	return layout;
}

static int make_pipeline(VkDevice device, VkPipelineLayout layout, uint32_t local_size,
			 const char *path)
{
	VkSpecializationMapEntry entry = {0, 0, sizeof(uint32_t)};
	VkSpecializationInfo constants = {1, &entry, sizeof(local_size), &local_size};
	VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main",
			  .pSpecializationInfo = &constants},
		.layout = layout};
	VkPipeline pipeline;

	fprintf(stderr, "PIPELINE %s\n", path);
	fflush(stderr);
	module.pCode = read_file(path, &module.codeSize);
	return vkCreateShaderModule(device, &module, NULL, &info.stage.module) ||
	       vkCreateComputePipelines(device, NULL, 1, &info, NULL, &pipeline);
}

int main(int argc, char **argv)
{
	uint32_t local_size = argc > 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	VkPipelineLayout layout;
	VkDevice device;

	if (!local_size)
		return 1;
	device = open_device();
	layout = make_layout(device);
	for (int i = 2; i < argc; i++)
		if (make_pipeline(device, layout, local_size, argv[i]))
			return 6;
	return 0;
}
