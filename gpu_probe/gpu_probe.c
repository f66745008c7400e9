#include "gpu_probe/gpu_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_probe/probe.h"

static const struct {
	const char *metric;
	int (*open)(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
} metrics[] = {
	{"chase", pl_gpu_chase_open},
};

struct pl_gpu_probe *pl_gpu_probe_new(const struct pl_gpu_options *options)
{
	struct pl_gpu_probe *probe = calloc(1, sizeof(*probe));

	if (probe && options)
		probe->options = *options;
	return probe;
}

void pl_gpu_probe_free(struct pl_gpu_probe *probe)
{
	if (probe)
		pl_gpu_instance_close(&probe->instance);
	free(probe);
}

int pl_gpu_probe_need(struct pl_gpu_probe *probe, struct pl_err *err)
{
	int rc = 0;

	if (!probe->is_open)
		rc = pl_gpu_instance_open(&probe->instance, probe->options.loader, err);
	probe->is_open = !rc;
	return rc;
}

static int find_device(struct pl_gpu_probe *probe, const char *subject,
		       struct pl_gpu_device **device, struct pl_err *err)
{
	for (size_t i = 0; subject && i < probe->instance.count; i++)
		if (!strcmp(probe->instance.devices[i].name, subject)) {
			*device = &probe->instance.devices[i];
			return 0;
		}
	return pl_fail(err, -ENODEV, "%s: Vulkan shows %zu devices and none of this name",
		       subject ? subject : "(no name)", probe->instance.count);
}

/* The class that the measurement asks for, or the first host class that the driver has. */
static int find_memory(const struct pl_gpu_job *job, enum pl_gpu_memory *memory, struct pl_err *err)
{
	static const enum pl_gpu_memory classes[] = {PL_GPU_HOST_CACHED, PL_GPU_HOST_WC};
	const struct pl_gpu_device *d = job->device;
	const char *name = job->m->conditions.memory;
	uint32_t index;

	if (name && pl_gpu_memory_parse(name, memory))
		return pl_fail(err, -EINVAL, "\"%s\" is no class of memory", name);
	if (name)
		return 0;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!pl_gpu_memory_pick(&d->memory, d->kind, classes[i], UINT32_MAX, &index, err)) {
			*memory = classes[i];
			job->m->conditions.memory = pl_gpu_memory_name(classes[i]);
			return 0;
		}
	return -ENOTSUP;
}

int pl_gpu_open(struct pl_gpu_probe *probe, struct pl_run *run, struct pl_measurement *m,
		const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	struct pl_gpu_job job = {.probe = probe, .run = run, .m = m, .clock = clock};
	int rc = pl_gpu_probe_need(probe, err);

	if (!rc)
		rc = find_device(probe, m->subject, &job.device, err);
	if (!rc)
		rc = find_memory(&job, &job.memory, err);
	if (rc)
		return rc;
	m->conditions.path = "vulkan";
	m->is_off_path |= job.device->kind != PL_GPU_DISCRETE;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(metrics[i].metric, m->metric))
			return metrics[i].open(&job, sampler, err);
	return pl_fail(err, -EINVAL, "\"%s\" is nothing that a GPU measures", m->metric);
}
