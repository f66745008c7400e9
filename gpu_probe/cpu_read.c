#include <errno.h>
#include <stdlib.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/probe.h"

/* The way back: the CPU walks a chain in device memory that is mapped through the BAR. */
struct cpu_reads {
	struct pl_gpu_job job;
	struct pl_placed_chain placed;
	uint64_t loads;
};

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct cpu_reads *r = self;
	struct pl_placed_chain *p = &r->placed;
	const volatile uint32_t *words;
	int rc = pl_placed_chain_lay(p, err);
	uint32_t at = p->chain.order[p->at];

	if (rc)
		return rc;
	words = p->device->chains[p->memory].words;
	for (size_t i = 0; i < count; i++) {
		uint64_t from = pl_clock_begin(r->job.clock);

		at = words[at];
		ticks[i] = pl_clock_end(r->job.clock) - from;
		if ((uint64_t)at * sizeof(words[0]) >= p->chain.region_bytes)
			return pl_fail(err, -EIO,
				       "%s: the mapped memory returned 0x%x, which is no node: is "
				       "the device still there?",
				       p->device->name, at);
	}
	r->loads += count;
	pl_measurement_set_number(r->job.run, r->job.m, "loads_issued", (double)r->loads);
	if (at != pl_chain_end(&p->chain, p->at, count))
		return pl_fail(err, -EIO, "%s: the CPU's walk through %s ended on a wrong node",
			       p->device->name, r->job.m->conditions.memory);
	p->at = (p->at + count) % p->chain.count;
	return (ssize_t)count;
}

static void close_reads(void *self)
{
	struct cpu_reads *r = self;

	pl_placed_chain_close(&r->placed);
	free(r);
}

int pl_gpu_cpu_read_open(const struct pl_gpu_job *job, struct pl_sampler *sampler,
			 struct pl_err *err)
{
	struct cpu_reads *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pl_fail(err, -ENOMEM, "no memory for CPU reads");
	r->job = *job;
	if (r->job.memory != PL_GPU_HOST_FILE)
		r->job.memory = PL_GPU_VRAM_MAPPED;
	rc = pl_placed_chain_open(&r->placed, job->device, r->job.memory,
				  job->m->conditions.region_bytes, job->probe->options.seed, err);
	if (!rc && !job->device->chains[r->job.memory].words)
		rc = pl_fail(err, -ENOTSUP, "%s: the driver does not map device memory",
			     job->device->name);
	if (rc) {
		close_reads(r);
		return rc;
	}
	if (r->job.memory == PL_GPU_VRAM_MAPPED)
		job->m->conditions.memory = pl_gpu_memory_name(r->job.memory);
	job->m->conditions.path = "mapped BAR";
	job->m->conditions.clock = job->clock->name;
	job->m->ns_per_tick = job->clock->ns_per_tick;
	*sampler = (struct pl_sampler){sample, close_reads, r, NULL};
	return 0;
}
