#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/kernel.h"
#include "gpu_probe/probe.h"

#define REGION_BYTES 4096
#define ROUNDS_MAX 64u
/* Loop turns after which the kernel gives up; llvmpipe would end it after 65,535 anyway. */
#define SOFTWARE_POLLS 60000u
#define GPU_POLLS 4000000u
#define REPLY_TIMEOUT_NS 50e6
#define TRIES_NS UINT64_C(3000000000)
#define YIELD_EVERY 256 /* polls: a software device's threads may need this very CPU */

/*
 * The CPU raises a flag in host memory, a kernel that polls it answers with another, and the CPU
 * sees that: the round trip, which is not halved. Vulkan promises no visibility while a kernel
 * runs; in practice coherent memory has it, and both sides give up after a while.
 */
struct ping_pong {
	struct pl_gpu_job job;
	uint32_t round;
	size_t lost; /* rounds that one side gave up on */
};

static bool ask(struct ping_pong *p, volatile uint32_t *flags, uint64_t *ticks)
{
	const struct pl_clock *clock = p->job.clock;
	uint64_t patience = pl_clock_ticks(clock, REPLY_TIMEOUT_NS);
	uint64_t from = pl_clock_begin(clock), now = from;

	flags[0] = ++p->round;
	for (unsigned i = 1; flags[PL_PONG_REPLY] != p->round && now - from < patience; i++) {
		now = pl_clock_end(clock);
		if (i % YIELD_EVERY == 0)
			sched_yield();
	}
	*ticks = pl_clock_end(clock) - from;
	return flags[PL_PONG_REPLY] == p->round;
}

/* One dispatch: up to `count` rounds; returns how many were answered. */
static ssize_t play(struct ping_pong *p, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_gpu_device *d = p->job.device;
	struct pl_gpu_buffer *b = &d->chains[p->job.memory];
	bool is_software = d->kind == PL_GPU_SOFTWARE;
	struct pl_push push = {.count = (uint32_t)count + 1,
			       .round = p->round,
			       .polls = is_software ? SOFTWARE_POLLS : GPU_POLLS};
	struct pl_gpu_timing timing;
	uint64_t first;
	size_t n = 0;
	int rc;

	b->laid_by = p;
	b->words[0] = p->round;
	b->words[PL_PONG_REPLY] = p->round;
	rc = pl_gpu_start(d, PL_KERNEL_PONG, b, &push, 1, err);
	if (rc)
		return rc;
	/* The first answer also waits for the kernel to start: not a sample. */
	if (ask(p, b->words, &first))
		while (n < count && ask(p, b->words, &ticks[n]))
			n++;
	rc = pl_gpu_finish(d, PL_KERNEL_PONG, &timing, err);
	if (!rc && n == count && d->result.words[PL_RESULT_COUNT] != count + 1)
		rc = pl_fail(err, -EIO, "%s: the kernel counts %u answers and the CPU saw %zu",
			     d->name, d->result.words[PL_RESULT_COUNT], count + 1);
	p->lost += count - n;
	return rc ? rc : (ssize_t)n;
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct ping_pong *p = self;
	size_t n = count < ROUNDS_MAX ? count : ROUNDS_MAX;
	uint64_t from = pl_raw_ns();

	do {
		ssize_t got = play(p, ticks, n, err);

		pl_measurement_set_number(p->job.run, p->job.m, "rounds_given_up", (double)p->lost);
		if (got)
			return got;
	} while (pl_raw_ns() - from < TRIES_NS);
	return pl_fail(
		err, -ETIMEDOUT,
		"%s: no answer to the flag within 3 s of trying: the kernel does not see the "
		"CPU's store while it runs, or gave up waiting each time",
		p->job.device->name);
}

static void close_ping_pong(void *self)
{
	free(self);
}

int pl_gpu_ping_pong_open(const struct pl_gpu_job *job, struct pl_sampler *sampler,
			  struct pl_err *err)
{
	struct ping_pong *p;
	int rc = pl_gpu_buffer_need(job->device, job->memory, REGION_BYTES, err);

	if (!rc && !job->device->chains[job->memory].words)
		rc = pl_fail(err, -ENOTSUP, "%s: the CPU cannot map this memory",
			     job->device->name);
	if (rc)
		return rc;
	p = calloc(1, sizeof(*p));
	if (!p)
		return pl_fail(err, -ENOMEM, "no memory for a ping-pong");
	p->job = *job;
	job->m->ns_per_tick = job->clock->ns_per_tick;
	job->m->conditions.clock = job->clock->name;
	*sampler = (struct pl_sampler){sample, close_ping_pong, p, NULL};
	return 0;
}
