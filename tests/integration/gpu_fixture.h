#ifndef PL_TESTS_GPU_FIXTURE_H
#define PL_TESTS_GPU_FIXTURE_H

#include "tests/t.h"

#include "gpu_probe/gpu_probe.h"
#include "gpu_probe/probe.h"

/* A run with the GPUs listed; samplers are opened by what they measure. */
struct fixture {
	struct pl_run run;
	struct pl_clock clock;
	struct pl_gpu_probe *probe;
};

static inline void fixture_open(struct fixture *f, const struct pl_gpu_options *options)
{
	struct pl_err err = {0, ""};

	pl_run_init(&f->run);
	f->probe = pl_gpu_probe_new(options);
	assert_int_equal(pl_clock_open(&f->clock, PL_CLOCK_RAW, &err), 0);
	if (pl_gpu_list(f->probe, &f->run, &err))
		fail_msg("%s", err.text);
}

static inline void fixture_close(struct fixture *f)
{
	pl_gpu_probe_free(f->probe);
	pl_run_fini(&f->run);
}

static inline struct pl_measurement *plan(struct fixture *f, const char *metric, const char *memory,
					  uint64_t region_bytes)
{
	struct pl_measurement *m = pl_run_add_measurement(&f->run);

	m->probe = PL_PROBE_GPU;
	m->subject = "gpu0";
	m->metric = metric;
	m->conditions.memory = memory;
	m->conditions.region_bytes = region_bytes;
	return m;
}

static inline struct pl_sampler open_sampler(struct fixture *f, struct pl_measurement *m)
{
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	struct pl_err err = {0, ""};

	if (pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err))
		fail_msg("%s of %s: %s", m->metric, m->conditions.memory, err.text);
	return sampler;
}

/* Opening must fail with this errno and a sentence that holds these words. */
static inline void open_fails(struct fixture *f, struct pl_measurement *m, int rc,
			      const char *words)
{
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	struct pl_err err = {0, ""};
	int got = pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err);

	if (!got)
		pl_sampler_close(&sampler);
	if (got != rc || !strstr(err.text, words))
		fail_msg("%s: %d \"%s\" instead of %d \"%s\"", m->metric, got, err.text, rc, words);
}

static inline double fact(const struct pl_measurement *m, const char *name)
{
	const struct pl_fact *found = pl_measurement_find_fact(m, name);

	if (!found)
		fail_msg("%s has no fact \"%s\"", m->metric, name);
	return found->value;
}

/* Takes n samples in as many batches as it needs; fails the test on any error. */
static inline void take(struct pl_sampler *sampler, uint64_t *ticks, size_t n)
{
	struct pl_err err = {0, ""};
	size_t done = 0;

	while (done < n) {
		ssize_t got = sampler->sample(sampler->self, ticks + done, n - done, &err);

		if (got <= 0)
			fail_msg("after %zu of %zu samples: %zd %s", done, n, got, err.text);
		done += (size_t)got;
	}
}

#endif
