#include "gpu_probe/instance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extensions {
	VkExtensionProperties *items;
	uint32_t count;
};

static struct extensions list_extensions(VkPhysicalDevice physical)
{
	struct extensions e = {NULL, 0};

	if (vkEnumerateDeviceExtensionProperties(physical, NULL, &e.count, NULL) != VK_SUCCESS)
		e.count = 0;
	e.items = calloc(e.count + 1, sizeof(e.items[0]));
	if (!e.items ||
	    vkEnumerateDeviceExtensionProperties(physical, NULL, &e.count, e.items) != VK_SUCCESS)
		e.count = 0;
	return e;
}

static bool has_extension(const struct extensions *e, const char *name)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (!strcmp(e->items[i].extensionName, name))
			return true;
	return false;
}

static enum pl_gpu_kind kind_of(VkPhysicalDeviceType type)
{
	switch (type) {
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
		return PL_GPU_DISCRETE;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
		return PL_GPU_INTEGRATED;
	case VK_PHYSICAL_DEVICE_TYPE_CPU:
		return PL_GPU_SOFTWARE;
	default:
		return PL_GPU_OTHER;
	}
}

/* VK_EXT_pci_bus_info, the driver's name and the import alignment; Vulkan 1.1 has the query. */
static void read_properties(struct pl_gpu_device *d, const struct extensions *e)
{
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};

	d->has_bdf = has_extension(e, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
	d->has_import = has_extension(e, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	if (d->has_bdf) {
		pci.pNext = all.pNext;
		all.pNext = &pci;
	}
	if (d->has_import) {
		host.pNext = all.pNext;
		all.pNext = &host;
	}
	driver.pNext = all.pNext;
	all.pNext = &driver;
	vkGetPhysicalDeviceProperties2(d->physical, &all);
	d->properties = all.properties;
	d->import_alignment = host.minImportedHostPointerAlignment;
	if (d->has_import && !d->import_alignment)
		d->has_import = false;
	snprintf(d->driver, sizeof(d->driver), "%s %s", driver.driverName, driver.driverInfo);
	if (d->has_bdf)
		d->bdf = (struct pl_bdf){pci.pciDomain, (uint8_t)pci.pciBus, (uint8_t)pci.pciDevice,
					 (uint8_t)pci.pciFunction};
}

static void read_features(struct pl_gpu_device *d, const struct extensions *e)
{
	VkPhysicalDeviceShaderClockFeaturesKHR clock = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
	VkPhysicalDeviceCoherentMemoryFeaturesAMD coherent = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD};
	VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

	if (has_extension(e, VK_KHR_SHADER_CLOCK_EXTENSION_NAME))
		all.pNext = &clock;
	if (has_extension(e, VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME)) {
		coherent.pNext = all.pNext;
		all.pNext = &coherent;
	}
	vkGetPhysicalDeviceFeatures2(d->physical, &all);
	d->has_subgroup_clock = clock.shaderSubgroupClock;
	d->has_device_clock = clock.shaderDeviceClock;
	d->has_uncached = coherent.deviceCoherentMemory;
}

/* A queue family without graphics is preferred: a compositor's work does not get between. */
static void read_queues(struct pl_gpu_device *d)
{
	VkQueueFamilyProperties families[32];
	uint32_t count = 32;
	unsigned best = 0;

	vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
	for (uint32_t i = 0; i < count; i++) {
		const VkQueueFamilyProperties *f = &families[i];
		unsigned merit = 0;

		if ((f->queueFlags & VK_QUEUE_COMPUTE_BIT) && f->queueCount)
			merit = 1 + 2 * !!f->timestampValidBits +
				!(f->queueFlags & VK_QUEUE_GRAPHICS_BIT);
		if (merit <= best)
			continue;
		best = merit;
		d->has_compute = true;
		d->queue_family = i;
		d->timestamp_bits = f->timestampValidBits;
	}
}

static void read_device(struct pl_gpu_device *d, VkPhysicalDevice physical, size_t index)
{
	struct extensions e;

	d->physical = physical;
	d->numa_node = -1;
	snprintf(d->name, sizeof(d->name), "gpu%zu", index);
	vkGetPhysicalDeviceProperties(physical, &d->properties);
	vkGetPhysicalDeviceMemoryProperties(physical, &d->memory);
	d->kind = kind_of(d->properties.deviceType);
	read_queues(d);
	if (d->properties.apiVersion < VK_API_VERSION_1_1)
		return; /* no query for the rest; pl_gpu_device_open refuses it with a sentence */
	e = list_extensions(physical);
	read_properties(d, &e);
	read_features(d, &e);
	free(e.items);
}

static int make_instance(struct pl_gpu_instance *instance, struct pl_err *err)
{
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .pApplicationName = "pcielat",
				 .apiVersion = VK_API_VERSION_1_1};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pApplicationInfo = &app};
	VkResult result = vkCreateInstance ? vkCreateInstance(&info, NULL, &instance->instance)
					   : VK_ERROR_INCOMPATIBLE_DRIVER;

	if (result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_INITIALIZATION_FAILED)
		return pl_fail(err, -ENODEV, "the Vulkan loader found no driver for a GPU here");
	if (result)
		return pl_vk_check(result, "Vulkan", "making an instance", err);
	volkLoadInstanceOnly(instance->instance);
	return 0;
}

static int list_devices(struct pl_gpu_instance *instance, struct pl_err *err)
{
	VkPhysicalDevice physical[16];
	uint32_t count = 16;
	VkResult result = vkEnumeratePhysicalDevices(instance->instance, &count, physical);

	/* VK_INCOMPLETE: more than 16, the first 16 are ours. */
	if (result == VK_ERROR_INITIALIZATION_FAILED || (result >= 0 && !count))
		return pl_fail(err, -ENODEV, "Vulkan works but shows no device");
	if (result < 0)
		return pl_vk_check(result, "Vulkan", "listing the devices", err);
	instance->devices = calloc(count, sizeof(instance->devices[0]));
	if (!instance->devices)
		return pl_fail(err, -ENOMEM, "no memory for %u Vulkan devices", count);
	instance->count = count;
	for (uint32_t i = 0; i < count; i++)
		read_device(&instance->devices[i], physical[i], i);
	return 0;
}

int pl_gpu_instance_open(struct pl_gpu_instance *instance,
			 void (*(*entry)(void *instance, const char *name))(void),
			 struct pl_err *err)
{
	int rc;

	*instance = (struct pl_gpu_instance){NULL, NULL, 0};
	if (entry)
		volkInitializeCustom((PFN_vkGetInstanceProcAddr)(void *)entry);
	else if (volkInitialize() != VK_SUCCESS)
		return pl_fail(err, -ENOENT,
			       "there is no Vulkan loader on this machine (libvulkan.so.1)");
	rc = make_instance(instance, err);
	if (!rc)
		rc = list_devices(instance, err);
	if (rc)
		pl_gpu_instance_close(instance);
	return rc;
}

void pl_gpu_instance_close(struct pl_gpu_instance *instance)
{
	for (size_t i = 0; i < instance->count; i++)
		pl_gpu_device_close(&instance->devices[i]);
	free(instance->devices);
	if (instance->instance)
		vkDestroyInstance(instance->instance, NULL);
	*instance = (struct pl_gpu_instance){NULL, NULL, 0};
}
