#include "tests/t.h"

#include <dlfcn.h>

#include "tests/integration/fake_gpu.h"

#define GIB (UINT64_C(1) << 30)
#define VISIBLE (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

struct fake_gpu fake_gpu;

static PFN_vkGetInstanceProcAddr real_instance_proc;
static PFN_vkGetDeviceProcAddr real_device_proc;
static VkInstance the_instance;
static VkDevice first_device;
static unsigned submits;

static PFN_vkVoidFunction real(const char *name)
{
	return real_instance_proc(the_instance, name);
}

/* The function of the next layer down, with its own type. */
#define REAL(name) ((PFN_##name)real(#name))
#define REAL_DEVICE(device, name) ((PFN_##name)real_device_proc(device, #name))

static bool is_faulty(VkDevice device)
{
	return !fake_gpu.is_twice || device == first_device;
}

static VkResult make_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *a,
			      VkInstance *instance)
{
	VkResult result = ((PFN_vkCreateInstance)real_instance_proc(NULL, "vkCreateInstance"))(
		info, a, instance);

	the_instance = *instance;
	return result;
}

static VkResult enumerate(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	uint32_t room = *count;
	VkResult result = REAL(vkEnumeratePhysicalDevices)(instance, count, devices);

	if (fake_gpu.no_devices)
		*count = 0;
	if (fake_gpu.is_twice && result >= 0 && *count == 1 && room >= 2)
		devices[(*count)++] = devices[0];
	return result;
}

static void change_properties(VkPhysicalDeviceProperties *p)
{
	if (fake_gpu.is_discrete)
		p->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	if (fake_gpu.has_period)
		p->limits.timestampPeriod = fake_gpu.period_ns;
	if (fake_gpu.binds_at_most)
		p->limits.maxStorageBufferRange = (uint32_t)fake_gpu.binds_at_most;
}

static void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *p)
{
	REAL(vkGetPhysicalDeviceProperties)(device, p);
	change_properties(p);
}

static void properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *p)
{
	REAL(vkGetPhysicalDeviceProperties2)(device, p);
	change_properties(&p->properties);
	for (VkBaseOutStructure *s = p->pNext; s; s = s->pNext) {
		VkPhysicalDevicePCIBusInfoPropertiesEXT *pci = (void *)s;

		if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT)
			continue;
		pci->pciDomain = 0;
		pci->pciBus = 3;
		pci->pciDevice = 0;
		pci->pciFunction = 0;
	}
}

static VkResult extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
			   VkExtensionProperties *list)
{
	static const VkExtensionProperties pci = {VK_EXT_PCI_BUS_INFO_EXTENSION_NAME, 2};
	uint32_t real_count = list && *count ? *count - 1 : 0;
	VkResult result;

	if (!fake_gpu.is_discrete)
		real_count = *count;
	result = REAL(vkEnumerateDeviceExtensionProperties)(device, layer, &real_count, list);
	if (fake_gpu.is_discrete && list)
		list[real_count] = pci;
	*count = real_count + fake_gpu.is_discrete;
	for (uint32_t i = 0; list && fake_gpu.no_import && i < *count; i++)
		if (!strcmp(list[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
			strcpy(list[i].extensionName, "VK_none");
	return result;
}

static void features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *f)
{
	REAL(vkGetPhysicalDeviceFeatures2)(device, f);
	for (VkBaseOutStructure *s = f->pNext; s; s = s->pNext) {
		VkPhysicalDeviceShaderClockFeaturesKHR *clock = (void *)s;

		if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR)
			continue;
		if (fake_gpu.no_clock || fake_gpu.no_subgroup_clock)
			clock->shaderSubgroupClock = VK_FALSE;
		if (fake_gpu.no_clock || fake_gpu.no_device_clock)
			clock->shaderDeviceClock = VK_FALSE;
	}
}

static void queue_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *list)
{
	REAL(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, list);
	for (uint32_t i = 0; list && i < *count; i++) {
		if (fake_gpu.no_compute)
			list[i].queueFlags &= ~(VkQueueFlags)VK_QUEUE_COMPUTE_BIT;
		if (fake_gpu.no_timestamps)
			list[i].timestampValidBits = 0;
	}
}

/* Every type of the card is lavapipe's one type in truth; see allocate. */
static void memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *m)
{
	static const VkPhysicalDeviceMemoryProperties card = {
		4,
		{{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
		 {VISIBLE, 1},
		 {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VISIBLE, 0},
		 {VISIBLE | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1}},
		2,
		{{8 * GIB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}, {16 * GIB, 0}}};

	REAL(vkGetPhysicalDeviceMemoryProperties)(device, m);
	if (fake_gpu.is_discrete)
		*m = card;
	if (fake_gpu.no_memory_types)
		m->memoryTypeCount = m->memoryHeapCount = 0;
}

static VkResult make_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
			    const VkAllocationCallbacks *a, VkDevice *device)
{
	VkResult result = fake_gpu.create_device;

	if (!result)
		result = REAL(vkCreateDevice)(physical, info, a, device);
	if (!result && !first_device)
		first_device = *device;
	return result;
}

static void buffer_needs(VkDevice device, VkBuffer buffer, VkMemoryRequirements *needs)
{
	REAL_DEVICE(device, vkGetBufferMemoryRequirements)(device, buffer, needs);
	if (fake_gpu.is_discrete)
		needs->memoryTypeBits = 0xf;
}

static VkResult allocate(VkDevice device, const VkMemoryAllocateInfo *info,
			 const VkAllocationCallbacks *a, VkDeviceMemory *memory)
{
	VkMemoryAllocateInfo changed = *info;

	/* Large allocations only: the device's own small ones must be there to fail later. */
	if (fake_gpu.allocate && is_faulty(device) && info->allocationSize > 128 * 1024)
		return fake_gpu.allocate;
	if (fake_gpu.is_discrete)
		changed.memoryTypeIndex = 0;
	return REAL_DEVICE(device, vkAllocateMemory)(device, &changed, a, memory);
}

static VkResult host_pointer(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
			     const void *pointer, VkMemoryHostPointerPropertiesEXT *p)
{
	VkResult result;

	if (fake_gpu.import)
		return fake_gpu.import;
	result = REAL_DEVICE(device, vkGetMemoryHostPointerPropertiesEXT)(device, type, pointer, p);
	if (fake_gpu.is_discrete)
		p->memoryTypeBits = 0xf;
	return result;
}

static VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info, VkFence fence)
{
	bool is_due = submits++ >= fake_gpu.submits_before_fault;

	if (fake_gpu.on_submit)
		fake_gpu.on_submit(submits);
	if (fake_gpu.submit && is_due)
		return fake_gpu.submit;
	return REAL_DEVICE(first_device, vkQueueSubmit)(queue, count, info, fence);
}

static VkResult wait_fences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all,
			    uint64_t timeout)
{
	VkResult result = REAL_DEVICE(device, vkWaitForFences)(device, count, fences, all, timeout);

	return fake_gpu.wait && is_faulty(device) && submits > fake_gpu.submits_before_fault
		       ? fake_gpu.wait
		       : result;
}

static PFN_vkVoidFunction device_proc(VkDevice device, const char *name);

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} hooks[] = {
	{"vkCreateInstance", (PFN_vkVoidFunction)make_instance},
	{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate},
	{"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)properties},
	{"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)properties2},
	{"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)extensions},
	{"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)features2},
	{"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)queue_families},
	{"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)memory_properties},
	{"vkCreateDevice", (PFN_vkVoidFunction)make_device},
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_proc},
	{"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)buffer_needs},
	{"vkAllocateMemory", (PFN_vkVoidFunction)allocate},
	{"vkGetMemoryHostPointerPropertiesEXT", (PFN_vkVoidFunction)host_pointer},
	{"vkQueueSubmit", (PFN_vkVoidFunction)submit},
	{"vkWaitForFences", (PFN_vkVoidFunction)wait_fences},
};

static PFN_vkVoidFunction hook_of(const char *name)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (!strcmp(hooks[i].name, name))
			return hooks[i].function;
	return NULL;
}

static PFN_vkVoidFunction device_proc(VkDevice device, const char *name)
{
	PFN_vkVoidFunction hook = hook_of(name);

	return hook ? hook : real_device_proc(device, name);
}

void (*fake_gpu_loader(void *instance, const char *name))(void)
{
	PFN_vkVoidFunction hook = hook_of(name);

	if (!real_instance_proc) {
		void *library = dlopen("libvulkan.so.1", RTLD_NOW);

		real_instance_proc =
			(PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
	}
	if (instance && !strcmp(name, "vkGetDeviceProcAddr"))
		real_device_proc = (PFN_vkGetDeviceProcAddr)real_instance_proc(
			instance, "vkGetDeviceProcAddr");
	return hook ? hook : real_instance_proc(instance, name);
}

void fake_gpu_reset(const struct fake_gpu *changes)
{
	fake_gpu = *changes;
	first_device = NULL;
	submits = 0;
}

unsigned fake_gpu_submits(void)
{
	return submits;
}
