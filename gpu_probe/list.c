#include <errno.h>
#include <stdio.h>

#include "gpu_probe/probe.h"

static const char *no_path_reason(enum pl_gpu_kind kind)
{
	switch (kind) {
	case PL_GPU_DISCRETE:
		return NULL;
	case PL_GPU_INTEGRATED:
		return "integrated GPU: it shares the CPU's memory, no PCIe path";
	case PL_GPU_SOFTWARE:
		return "software device: it runs on the CPU, no PCIe path";
	default:
		return "virtual or unknown device: no PCIe path is known";
	}
}

/* What to do about an empty list. */
static const char *remedy(int rc)
{
	return rc == -ENOENT ? "install libvulkan1"
			     : "install the GPU's Vulkan driver (Debian: mesa-vulkan-drivers)";
}

static const char *api_text(struct pl_run *run, uint32_t version)
{
	return pl_arena_printf(&run->arena, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
			       VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

static void describe(const struct pl_gpu_probe *probe, const struct pl_gpu_device *d,
		     struct pl_run *run, struct pl_gpu *gpu)
{
	gpu->kind = d->kind;
	gpu->name = pl_arena_strdup(&run->arena, d->properties.deviceName);
	gpu->driver = pl_arena_strdup(&run->arena, d->driver);
	gpu->api_version = api_text(run, d->properties.apiVersion);
	gpu->has_bdf = d->has_bdf;
	gpu->bdf = d->bdf;
	gpu->no_path_reason = no_path_reason(d->kind);
	pl_gpu_offers(probe, d, run, gpu);
}

int pl_gpu_list(struct pl_gpu_probe *probe, struct pl_run *run, struct pl_err *err)
{
	struct pl_err why = {0, ""};
	int rc = pl_gpu_probe_need(probe, &why);

	run->gpus = NULL;
	run->gpu_count = 0;
	if (rc == -ENOENT || rc == -ENODEV) {
		pl_run_skip(run, "GPU latency", pl_arena_strdup(&run->arena, why.text), remedy(rc));
		return 0;
	}
	if (rc)
		return pl_fail(err, rc, "%s", why.text);
	run->gpus = pl_arena_array(&run->arena, probe->instance.count, sizeof(run->gpus[0]));
	run->gpu_count = probe->instance.count;
	for (size_t i = 0; i < run->gpu_count; i++) {
		run->gpus[i].index = (unsigned)i;
		describe(probe, &probe->instance.devices[i], run, &run->gpus[i]);
	}
	return 0;
}
