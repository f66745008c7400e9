#ifndef PL_GPU_PROBE_VK_ERROR_H
#define PL_GPU_PROBE_VK_ERROR_H

#include <volk.h>

#include "core/err.h"

/* "VK_ERROR_DEVICE_LOST" and so on; "VkResult N" for what has no name here. */
const char *pl_vk_result_name(VkResult result, char out[32]);
/*
 * Turns a failed VkResult into -errno and "DEVICE: DOING failed: NAME (what that means)".
 * VK_SUCCESS gives 0.
 */
int pl_vk_check(VkResult result, const char *device, const char *doing, struct pl_err *err);

#endif
