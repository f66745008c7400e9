#include <errno.h>
#include <stdlib.h>

#include "gpu_probe/load_bins.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/probe.h"
#include "gpu_probe/shader_clock.h"

/* A dispatch times this many loads for each that it hands over: its histogram has them all. */
#define LOADS_PER_SAMPLE 4

/* Single loads, timed inside the kernel by its clock: the distribution behind the chase's mean. */
struct loads {
	struct pl_gpu_job job;
	struct pl_placed_chain placed;
	struct pl_gpu_clocks clocks;
	struct pl_load_bins bins;
};

static int run(struct loads *l, size_t count, struct pl_err *err)
{
	struct pl_push push = {.count = (uint32_t)count, .load_mask = l->clocks.load->mask};
	struct pl_gpu_timing timing;

	return pl_placed_chain_run(&l->placed, l->clocks.load_kernel, &push, 1 + count, &timing,
				   err);
}

/* What was timed beyond the samples: tails need many loads, and these cost no bus traffic. */
static int take_bins(struct loads *l, size_t loads, struct pl_err *err)
{
	static const struct {
		const char *name;
		double p;
	} quantiles[] = {{"histogram_p50_ns", 0.5},
			 {"histogram_p99_ns", 0.99},
			 {"histogram_p999_ns", 0.999}};
	struct pl_measurement *m = l->job.m;
	uint64_t n = pl_load_bins_add(&l->bins, l->job.device->result.words + PL_RESULT_BINS);

	if (n != loads)
		return pl_fail(err, -EIO, "%s: %llu of %zu timed loads are in the histogram",
			       l->job.device->name, (unsigned long long)n, loads);
	pl_measurement_set_number(l->job.run, m, "histogram_loads", (double)l->bins.n);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		pl_measurement_set_number(l->job.run, m, quantiles[i].name,
					  pl_load_bins_quantile(&l->bins, quantiles[i].p) *
						  m->ns_per_tick);
	return 0;
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct loads *l = self;
	const volatile uint32_t *words = l->job.device->result.words;
	struct pl_measurement *m = l->job.m;
	size_t n = count < PL_RECORD_LOADS ? count : PL_RECORD_LOADS;
	int rc = run(l, LOADS_PER_SAMPLE * n, err);

	if (!rc)
		rc = take_bins(l, LOADS_PER_SAMPLE * n, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		ticks[i] = words[PL_RESULT_RECORD + i];
	pl_measurement_set_number(l->job.run, m, "loads_issued", (double)l->placed.loads_total);
	pl_measurement_set_number(l->job.run, m, "clock_pair_ns",
				  words[PL_RESULT_EMPTY] * m->ns_per_tick);
	return (ssize_t)n;
}

static void close_loads(void *self)
{
	struct loads *l = self;

	pl_placed_chain_close(&l->placed);
	free(l);
}

int pl_gpu_load_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err)
{
	struct loads *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return pl_fail(err, -ENOMEM, "no memory for timed loads");
	l->job = *job;
	rc = pl_placed_chain_open(&l->placed, job->device, job->memory,
				  job->m->conditions.region_bytes, job->probe->options.seed, err);
	if (!rc)
		rc = pl_gpu_clocks_need(job->device, &l->clocks, err);
	if (!rc)
		rc = run(l, 16, err); /* builds the kernel */
	if (rc) {
		close_loads(l);
		return rc;
	}
	job->m->ns_per_tick = l->clocks.load->ns_per_tick;
	job->m->conditions.clock = l->clocks.load_name;
	job->m->conditions.path_reason = l->clocks.reason;
	pl_measurement_set_number(job->run, job->m, "clock_tick_measured_ns",
				  l->clocks.load->measured_ns_per_tick);
	*sampler = (struct pl_sampler){sample, close_loads, l, NULL};
	return 0;
}
