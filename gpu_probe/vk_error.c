#include "gpu_probe/vk_error.h"

#include <errno.h>
#include <stdio.h>

static const struct {
	VkResult result;
	int code;
	const char *name, *meaning;
} results[] = {
	{VK_NOT_READY, -EAGAIN, "VK_NOT_READY", "the result did not arrive"},
	{VK_TIMEOUT, -ETIMEDOUT, "VK_TIMEOUT", "the GPU did not finish in time"},
	{VK_ERROR_OUT_OF_HOST_MEMORY, -ENOMEM, "VK_ERROR_OUT_OF_HOST_MEMORY",
	 "no host memory left"},
	{VK_ERROR_OUT_OF_DEVICE_MEMORY, -ENOMEM, "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	 "no GPU-visible memory left"},
	{VK_ERROR_INITIALIZATION_FAILED, -EIO, "VK_ERROR_INITIALIZATION_FAILED",
	 "the driver could not start the device"},
	{VK_ERROR_DEVICE_LOST, -EIO, "VK_ERROR_DEVICE_LOST",
	 "the GPU hung or was removed; see the kernel log"},
	{VK_ERROR_MEMORY_MAP_FAILED, -ENOMEM, "VK_ERROR_MEMORY_MAP_FAILED",
	 "the memory cannot be mapped"},
	{VK_ERROR_LAYER_NOT_PRESENT, -ENOENT, "VK_ERROR_LAYER_NOT_PRESENT",
	 "a layer that the environment asks for is not installed"},
	{VK_ERROR_EXTENSION_NOT_PRESENT, -ENOTSUP, "VK_ERROR_EXTENSION_NOT_PRESENT",
	 "the driver lacks an extension it announced"},
	{VK_ERROR_FEATURE_NOT_PRESENT, -ENOTSUP, "VK_ERROR_FEATURE_NOT_PRESENT",
	 "the driver lacks a feature it announced"},
	{VK_ERROR_INCOMPATIBLE_DRIVER, -ENODEV, "VK_ERROR_INCOMPATIBLE_DRIVER",
	 "no usable Vulkan driver"},
	{VK_ERROR_TOO_MANY_OBJECTS, -ENOMEM, "VK_ERROR_TOO_MANY_OBJECTS", "too many objects"},
	{VK_ERROR_INVALID_EXTERNAL_HANDLE, -EINVAL, "VK_ERROR_INVALID_EXTERNAL_HANDLE",
	 "the driver refuses to import this memory"},
};

const char *pl_vk_result_name(VkResult result, char out[32])
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].result == result)
			return results[i].name;
	snprintf(out, 32, "VkResult %d", (int)result);
	return out;
}

int pl_vk_check(VkResult result, const char *device, const char *doing, struct pl_err *err)
{
	char name[32];

	if (result == VK_SUCCESS)
		return 0;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].result == result)
			return pl_fail(err, results[i].code, "%s: %s failed: %s (%s)", device,
				       doing, results[i].name, results[i].meaning);
	return pl_fail(err, -EIO, "%s: %s failed: %s", device, doing,
		       pl_vk_result_name(result, name));
}
