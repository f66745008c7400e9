#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/chain.h"
#include "gpu_probe/kernel.h"
#include "gpu_probe/probe.h"
#include "gpu_probe/probe_events.h"

#define GROUPS 256u
#define LANES_GPU (GROUPS * 64u)
#define QUAD_BYTES 16u
#define MAX_TURNS 60000u /* llvmpipe ends a kernel after 65,535 */
#define TARGET_NS 5e6
#define TICKS_PER_NS 1000.0

/*
 * Reading a region with the whole GPU, and copying one between host and device memory. One sample
 * is the time for the region once, in ps: bytes / ns = GB/s.
 */
struct bandwidth {
	struct pl_gpu_job job;
	uint64_t region_bytes;
	enum pl_gpu_memory host;
	bool to_vram;
	uint32_t turns; /* of the read kernel, or copies in a row */
	uint32_t sum;   /* of the words of the region, modulo 2^32 */
	struct pl_probe_events events;
};

static double main_ns(const struct pl_gpu_timing *timing)
{
	return isnan(timing->device_ns) ? timing->host_ns : timing->device_ns;
}

/* Random words whose sum is known; unmapped device memory is filled through host memory. */
static int lay(struct bandwidth *b, enum pl_gpu_memory memory, struct pl_err *err)
{
	struct pl_gpu_device *d = b->job.device;
	struct pl_gpu_buffer *to = &d->chains[memory], *through = to;
	struct pl_gpu_timing timing;
	int rc = 0;

	if (to->laid_by == b)
		return 0;
	to->laid_by = NULL;
	if (!to->words)
		rc = pl_gpu_buffer_staging(d, b->region_bytes, &through, err);
	if (rc)
		return rc;
	b->sum = pl_chain_fill(through->words, b->region_bytes / sizeof(uint32_t),
			       b->job.probe->options.seed);
	if (through != to)
		rc = pl_gpu_copy(d, through, to, b->region_bytes, &timing, err);
	if (!rc)
		to->laid_by = b;
	return rc;
}

/* A software device's workgroup has one size too: the read kernel uses all its lanes. */
static int read_once(struct bandwidth *b, double *ns_per_region, struct pl_gpu_timing *timing,
		     struct pl_err *err)
{
	struct pl_gpu_device *d = b->job.device;
	uint64_t quads = b->region_bytes / QUAD_BYTES;
	uint64_t passes = (uint64_t)b->turns * LANES_GPU / quads;
	struct pl_push push = {.count = b->turns,
			       .words = (uint32_t)(b->region_bytes / sizeof(uint32_t))};
	int rc = lay(b, b->job.memory, err);

	if (!rc)
		rc = pl_gpu_dispatch(d, PL_KERNEL_READ, &d->chains[b->job.memory], &push, GROUPS,
				     timing, err);
	if (rc)
		return rc;
	if (d->result.words[PL_RESULT_COUNT] != b->turns * LANES_GPU ||
	    d->result.words[PL_RESULT_END] != (uint32_t)(b->sum * passes))
		return pl_fail(err, -EIO,
			       "%s: the sum over the region is wrong: not all of it was read",
			       d->name);
	*ns_per_region = main_ns(timing) / (double)passes;
	return 0;
}

static int copy_once(struct bandwidth *b, double *ns_per_region, struct pl_err *err)
{
	struct pl_gpu_device *d = b->job.device;
	struct pl_gpu_buffer *host = &d->chains[b->host], *vram = &d->chains[PL_GPU_VRAM];
	struct pl_gpu_timing timing;
	int rc = lay(b, b->host, err);

	if (rc)
		return rc;
	if (b->to_vram)
		vram->laid_by = NULL;
	/* The way back overwrites the host's words with what the first copy took to the device. */
	if (!b->to_vram && vram->laid_by != b)
		rc = pl_gpu_copy(d, host, vram, b->region_bytes, &timing, err);
	if (!rc && !b->to_vram)
		vram->laid_by = b;
	if (!rc)
		rc = pl_gpu_copy(d, b->to_vram ? host : vram, b->to_vram ? vram : host,
				 b->region_bytes, &timing, err);
	*ns_per_region = rc ? 0 : main_ns(&timing);
	return rc;
}

/* Coherence probes per pass over the region, beside the first sample of each batch. */
static int read_counted(struct bandwidth *b, double *ns, struct pl_gpu_timing *timing,
			struct pl_err *err)
{
	double passes =
		(double)((uint64_t)b->turns * LANES_GPU) / (double)(b->region_bytes / QUAD_BYTES);
	uint64_t before, after;
	int failed = pl_probe_events_read(&b->events, &before);
	int rc = read_once(b, ns, timing, err);

	failed |= pl_probe_events_read(&b->events, &after);
	if (!rc && !failed && b->events.count)
		pl_measurement_set_number(b->job.run, b->job.m, "probes_per_region",
					  (double)(after - before) / passes);
	return rc;
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct bandwidth *b = self;
	bool is_read = !strcmp(b->job.m->metric, "read");
	struct pl_gpu_timing timing;

	for (size_t i = 0; i < count; i++) {
		double ns;
		int rc = is_read ? read_counted(b, &ns, &timing, err) : copy_once(b, &ns, err);

		if (rc)
			return i ? (ssize_t)i : rc;
		ticks[i] = (uint64_t)(ns * TICKS_PER_NS + 0.5);
	}
	return (ssize_t)count;
}

static void close_bandwidth(void *self)
{
	struct bandwidth *b = self;

	for (size_t i = 0; i < PL_GPU_MEMORY_COUNT; i++)
		if (b->job.device->chains[i].laid_by == b)
			b->job.device->chains[i].laid_by = NULL;
	pl_probe_events_close(&b->events);
	free(b);
}

/* Regions are powers of two: lanes and region then divide each other, and every word counts. */
static int check_region(const struct pl_gpu_job *job, struct pl_err *err)
{
	uint64_t bytes = job->m->conditions.region_bytes;

	if (bytes < 4096 || bytes > (UINT64_C(1) << 33) || (bytes & (bytes - 1)))
		return pl_fail(
			err, -EINVAL,
			"bandwidth needs a region of a power of two between 4 KiB and 8 GiB");
	return 0;
}

static struct bandwidth *make(const struct pl_gpu_job *job)
{
	struct bandwidth *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->job = *job;
	b->region_bytes = job->m->conditions.region_bytes;
	b->host = pl_gpu_host_class(job->device);
	b->to_vram = !strcmp(job->m->metric, "copy_to_vram");
	job->m->ns_per_tick = 1.0 / TICKS_PER_NS;
	job->m->conditions.path_reason = pl_gpu_timestamp_reason(job->device);
	job->m->conditions.clock = job->m->conditions.path_reason ? "host clock" : "gpu timestamps";
	return b;
}

static int size_read(struct bandwidth *b, struct pl_err *err)
{
	uint64_t quads = b->region_bytes / QUAD_BYTES;
	struct pl_gpu_timing timing;
	double ns;
	int rc;

	b->turns = quads > LANES_GPU ? (uint32_t)(quads / LANES_GPU) : 1;
	rc = read_once(b, &ns, &timing, err);
	if (!rc) /* the first dispatch built the kernel */
		rc = read_once(b, &ns, &timing, err);
	for (; !rc && main_ns(&timing) < TARGET_NS && b->turns * 2 <= MAX_TURNS;) {
		b->turns *= 2;
		rc = read_once(b, &ns, &timing, err);
	}
	return rc;
}

/* Not having them is no failure: the fact says why. */
static void open_events(struct bandwidth *b)
{
	const struct pl_sysroot *root = b->job.probe->options.sysroot;
	struct pl_err why = {0, ""};

	if (!root)
		return;
	if (pl_probe_events_open(&b->events, root, &why))
		pl_measurement_set_text(b->job.run, b->job.m, "probe_event", why.text);
	else
		pl_measurement_set_text(b->job.run, b->job.m, "probe_event", b->events.name);
}

int pl_gpu_read_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err)
{
	struct bandwidth *b;
	int rc = check_region(job, err);

	if (!rc)
		rc = pl_gpu_buffer_need(job->device, job->memory, job->m->conditions.region_bytes,
					err);
	if (rc)
		return rc;
	b = make(job);
	if (!b)
		return pl_fail(err, -ENOMEM, "no memory for a bandwidth measurement");
	open_events(b);
	rc = size_read(b, err);
	if (rc) {
		close_bandwidth(b);
		return rc;
	}
	*sampler = (struct pl_sampler){sample, close_bandwidth, b, NULL};
	return 0;
}

int pl_gpu_copy_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err)
{
	struct pl_gpu_device *d = job->device;
	uint64_t bytes = job->m->conditions.region_bytes;
	enum pl_gpu_memory host = pl_gpu_host_class(d);
	struct bandwidth *b;
	int rc = check_region(job, err);

	if (!rc)
		rc = pl_gpu_buffer_need(d, PL_GPU_VRAM, bytes, err);
	if (!rc)
		rc = pl_gpu_buffer_need(d, host, bytes, err);
	if (rc)
		return rc;
	b = make(job);
	if (!b)
		return pl_fail(err, -ENOMEM, "no memory for a copy");
	pl_measurement_set_text(job->run, job->m, "host_memory", pl_gpu_memory_name(host));
	*sampler = (struct pl_sampler){sample, close_bandwidth, b, NULL};
	return 0;
}
