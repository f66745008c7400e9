#include "gpu_probe/gpu_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/probe.h"

static const struct {
	const char *metric;
	int (*open)(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
} metrics[] = {
	{"chase", pl_gpu_chase_open},         {"load", pl_gpu_load_open},
	{"load_after_gap", pl_gpu_gap_open},  {"load_after_load", pl_gpu_gap_open},
	{"read", pl_gpu_read_open},           {"copy_to_vram", pl_gpu_copy_open},
	{"copy_from_vram", pl_gpu_copy_open}, {"cpu_vram_read", pl_gpu_cpu_read_open},
	{"ping_pong", pl_gpu_ping_pong_open},
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

static int node_of(const struct pl_sysroot *root, const struct pl_gpu_device *d)
{
	struct pl_arena arena = {NULL};
	char text[PL_BDF_TEXT], *line = NULL;
	int node = -1;

	if (root && d->has_bdf)
		line = pl_sysroot_line(root,
				       pl_arena_printf(&arena, "sys/bus/pci/devices/%s/numa_node",
						       pl_bdf_format(d->bdf, text)),
				       &arena);
	if (line)
		node = (int)strtol(line, NULL, 10);
	pl_arena_fini(&arena);
	return node;
}

int pl_gpu_probe_need(struct pl_gpu_probe *probe, struct pl_err *err)
{
	int rc = 0;

	if (!probe->is_open)
		rc = pl_gpu_instance_open(&probe->instance, probe->options.loader, err);
	probe->is_open = !rc;
	for (size_t i = 0; i < probe->instance.count; i++) {
		struct pl_gpu_device *d = &probe->instance.devices[i];

		d->import_file = probe->options.chase_memory;
		d->numa_node = node_of(probe->options.sysroot, d);
	}
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
static int find_memory(struct pl_gpu_job *job, struct pl_err *err)
{
	const char *name = job->m->conditions.memory;

	if (name && pl_gpu_memory_parse(name, &job->memory))
		return pl_fail(err, -EINVAL, "\"%s\" is no class of memory", name);
	if (!name)
		job->memory = job->probe->options.chase_memory ? PL_GPU_HOST_FILE
							       : pl_gpu_host_class(job->device);
	if (job->memory != PL_GPU_HOST_FILE)
		job->m->conditions.memory = pl_gpu_memory_name(job->memory);
	return 0;
}

/* Nobody must take a chase in somebody's file for one in host memory. */
static void stamp_file(const struct pl_gpu_job *job)
{
	struct pl_measurement *m = job->m;

	m->conditions.memory =
		pl_arena_printf(&job->run->arena, "%s%s", pl_gpu_memory_name(PL_GPU_HOST_FILE),
				job->probe->options.chase_memory);
	m->is_off_path = true;
	pl_measurement_warn(
		job->run, m,
		"W-CHASE-MEMORY: the chain lies in %s, not in host memory; test memory, "
		"never compared with a slot",
		job->probe->options.chase_memory);
}

static int open_watched(const struct pl_gpu_job *job,
			int (*open)(const struct pl_gpu_job *, struct pl_sampler *,
				    struct pl_err *),
			struct pl_sampler *sampler, struct pl_err *err)
{
	struct pl_sampler inner = {NULL, NULL, NULL, NULL};
	int rc = pl_gpu_device_open(job->device, err);

	if (!rc)
		rc = pl_gpu_warm(job->device, err);
	if (!rc)
		rc = open(job, &inner, err);
	return rc ? rc : pl_gpu_watch(job, &inner, sampler, err);
}

int pl_gpu_open(struct pl_gpu_probe *probe, struct pl_run *run, struct pl_measurement *m,
		const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	struct pl_gpu_job job = {.probe = probe, .run = run, .m = m, .clock = clock};
	int rc = pl_gpu_probe_need(probe, err);

	if (!rc)
		rc = find_device(probe, m->subject, &job.device, err);
	if (!rc)
		rc = find_memory(&job, err);
	if (rc)
		return rc;
	m->conditions.path = "vulkan";
	if (job.device->numa_node >= 0)
		pl_measurement_set_number(run, m, "numa_node", job.device->numa_node);
	if (job.memory == PL_GPU_HOST_FILE)
		stamp_file(&job);
	m->is_off_path |= job.device->kind != PL_GPU_DISCRETE;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(metrics[i].metric, m->metric))
			return open_watched(&job, metrics[i].open, sampler, err);
	return pl_fail(err, -EINVAL, "\"%s\" is nothing that a GPU measures", m->metric);
}
