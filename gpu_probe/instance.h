#ifndef PL_GPU_PROBE_INSTANCE_H
#define PL_GPU_PROBE_INSTANCE_H

#include <stdbool.h>

#include "gpu_probe/device.h"

/* The loader and everything it shows. Zeroed: nothing opened. */
struct pl_gpu_instance {
	VkInstance instance;
	struct pl_gpu_device *devices;
	size_t count;
};

/*
 * Opens the loader (entry: vkGetInstanceProcAddr of another implementation, or NULL), makes an
 * instance and reads what each physical device is and can do. Errors, each with its sentence:
 * -ENOENT no loader, -ENODEV no driver or no device, -EIO, -ENOMEM. Volk keeps the entry points in
 * its own globals, so there is one instance at a time.
 */
int pl_gpu_instance_open(struct pl_gpu_instance *instance,
			 void (*(*entry)(void *instance, const char *name))(void),
			 struct pl_err *err);
/* Closes the devices too; a zeroed struct is fine. */
void pl_gpu_instance_close(struct pl_gpu_instance *instance);

#endif
