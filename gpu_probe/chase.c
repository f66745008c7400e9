#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/import.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/probe.h"

/* llvmpipe ends a kernel after 65,535 loop turns; a GPU could do more, but need not. */
#define MAX_HOPS (60000u * PL_CHASE_UNROLL)
#define FIRST_HOPS (4u * PL_CHASE_UNROLL)
/* Less than a tick of the kernel's timer: some chases on a CPU are not cut into then. */
#define SOFTWARE_TARGET_NS 1.5e6
#define TARGET_NS 8e6 /* of the longer dispatch: well above what a dispatch itself costs */
#define LONG_OVER_SHORT 4
#define TRIES 20
#define TICKS_PER_NS 1000.0
#define MIN_DISAGREEMENT 0.05

struct chase {
	struct pl_gpu_job job;
	struct pl_placed_chain placed;
	uint32_t hops; /* of the longer dispatch */
	bool has_device_time;
	double device_sum_ns, host_sum_ns;
	double brief_least_ns, extended_least_ns; /* 0: none yet */
	size_t pairs;
};

/* On chip: the kernel takes the chain from host memory first, and its loads stay in the core. */
static bool is_on_chip(const struct chase *c)
{
	return c->job.memory == PL_GPU_ON_CHIP;
}

static int walk(struct chase *c, uint32_t hops, struct pl_gpu_timing *timing, struct pl_err *err)
{
	struct pl_push push = {.count = hops};

	return pl_placed_chain_run(&c->placed, is_on_chip(c) ? PL_KERNEL_ON_CHIP : PL_KERNEL_CHASE,
				   &push, 1 + hops, timing, err);
}

static double main_ns(const struct chase *c, const struct pl_gpu_timing *timing)
{
	return c->has_device_time ? timing->device_ns : timing->host_ns;
}

static void keep_least(double *least, double ns)
{
	if (*least == 0.0 || ns < *least)
		*least = ns;
}

/* The least of two: one disturbed dispatch must not make all the others too short. */
static int time_dispatch(struct chase *c, double *ns, struct pl_err *err)
{
	struct pl_gpu_timing timing;
	int rc = 0;

	*ns = 0;
	for (int i = 0; i < 2 && !rc; i++) {
		rc = walk(c, c->hops, &timing, err);
		if (!rc)
			keep_least(ns, main_ns(c, &timing));
	}
	return rc;
}

/* Doubles the hops until the longer dispatch lasts; the first dispatch also builds the kernel. */
static int size_dispatch(struct chase *c, struct pl_err *err)
{
	bool is_software = c->job.device->kind == PL_GPU_SOFTWARE;
	double target_ns = is_software ? SOFTWARE_TARGET_NS : TARGET_NS;
	struct pl_gpu_timing timing;
	double ns = 0;
	int rc = walk(c, FIRST_HOPS, &timing, err);

	for (c->hops = FIRST_HOPS; !rc; c->hops *= 2) {
		rc = time_dispatch(c, &ns, err);
		if (rc || ns >= target_ns || c->hops * 2 > MAX_HOPS)
			break;
	}
	c->hops -= c->hops % (LONG_OVER_SHORT * PL_CHASE_UNROLL);
	return rc;
}

/* The slope over two lengths: what a dispatch costs is in both and cancels. */
static int slope(struct chase *c, double *ns, struct pl_err *err)
{
	struct pl_gpu_timing brief, extended;
	double more_loads = c->hops - c->hops / LONG_OVER_SHORT;

	for (unsigned i = 0; i < TRIES; i++) {
		int rc = walk(c, c->hops / LONG_OVER_SHORT, &brief, err);

		if (!rc)
			rc = walk(c, c->hops, &extended, err);
		if (rc)
			return rc;
		keep_least(&c->brief_least_ns, main_ns(c, &brief));
		keep_least(&c->extended_least_ns, main_ns(c, &extended));
		*ns = (main_ns(c, &extended) - main_ns(c, &brief)) / more_loads;
		if (*ns <= 0)
			continue; /* interrupted in the shorter one; a number would be nonsense */
		c->pairs++;
		c->device_sum_ns += (extended.device_ns - brief.device_ns) / more_loads;
		c->host_sum_ns += (extended.host_ns - brief.host_ns) / more_loads;
		return 0;
	}
	return pl_fail(err, -EAGAIN,
		       "%s: %d times the longer chase took no longer than the shorter",
		       c->job.device->name, TRIES);
}

static void record(struct chase *c)
{
	struct pl_run *run = c->job.run;
	struct pl_measurement *m = c->job.m;
	double host_ns = c->host_sum_ns / (double)c->pairs;
	double device_ns = c->device_sum_ns / (double)c->pairs;

	pl_measurement_set_number(run, m, "loads_issued", (double)c->placed.loads_total);
	pl_measurement_set_number(run, m, "hops_per_dispatch", c->hops);
	pl_measurement_set_number(run, m, "host_clock_ns_per_load", host_ns);
	/* What others do to a busy machine has one sign: the slope over the least of each length.
	 */
	pl_measurement_set_number(run, m, "least_ns_per_load",
				  (c->extended_least_ns - c->brief_least_ns) /
					  (c->hops - c->hops / LONG_OVER_SHORT));
	if (!c->has_device_time)
		return;
	pl_measurement_set_number(run, m, "gpu_clock_ns_per_load", device_ns);
	pl_measurement_set_number(run, m, "clock_disagreement", host_ns / device_ns - 1.0);
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct chase *c = self;
	size_t n = 0;
	int rc = 0;

	for (; n < count; n++) {
		double ns = 0;

		rc = slope(c, &ns, err);
		if (rc)
			break;
		ticks[n] = (uint64_t)(ns * TICKS_PER_NS + 0.5);
	}
	if (c->pairs)
		record(c);
	return n ? (ssize_t)n : rc;
}

static void close_chase(void *self)
{
	struct chase *c = self;

	pl_placed_chain_close(&c->placed);
	free(c);
}

static int place(struct chase *c, struct pl_err *err)
{
	const struct pl_gpu_job *job = &c->job;
	struct pl_conditions *conditions = &job->m->conditions;
	enum pl_gpu_memory memory = job->memory;
	int rc;

	if (is_on_chip(c)) {
		memory = pl_gpu_host_class(job->device);
		conditions->region_bytes = PL_ON_CHIP_WORDS * sizeof(uint32_t);
	}
	rc = pl_placed_chain_open(&c->placed, job->device, memory, conditions->region_bytes,
				  job->probe->options.seed, err);
	if (!rc && memory == PL_GPU_HOST_HUGE)
		pl_measurement_set_number(
			job->run, job->m, "huge_page_bytes",
			(double)pl_gpu_huge_bytes(job->device->chains[memory].imported));
	return rc;
}

int pl_gpu_chase_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err)
{
	struct chase *c = calloc(1, sizeof(*c));
	const char *no_timestamps = pl_gpu_timestamp_reason(job->device);
	int rc;

	if (!c)
		return pl_fail(err, -ENOMEM, "no memory for a chase");
	c->job = *job;
	c->has_device_time = !no_timestamps;
	job->m->conditions.clock = no_timestamps ? "host clock" : "gpu timestamps";
	job->m->conditions.path_reason = no_timestamps;
	job->m->ns_per_tick = 1.0 / TICKS_PER_NS;
	rc = place(c, err);
	if (!rc)
		rc = size_dispatch(c, err);
	if (rc) {
		close_chase(c);
		return rc;
	}
	*sampler = (struct pl_sampler){sample, close_chase, c, NULL};
	return 0;
}
