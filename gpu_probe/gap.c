#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/probe.h"
#include "gpu_probe/shader_clock.h"

/* While more than this is left of a gap, the clock is read in bursts. */
#define COARSE_NS 4000.0
/* Idle time in one dispatch: well under the watchdogs of all drivers, and under llvmpipe's loop
 * budget. */
#define DISPATCH_GAP_NS 250e6
#define SOFTWARE_DISPATCH_GAP_NS 10e6
#define SOFTWARE_PAIRS 128u
#define MAX_POLLS (UINT32_C(1) << 30)
#define OTHERS_MAX ((size_t)16384)

/*
 * A load after an idle gap made inside the kernel, and the load right after that one. A measurement
 * takes one of the two as its samples; the median of the other goes into its facts.
 */
struct gaps {
	struct pl_gpu_job job;
	struct pl_placed_chain placed;
	struct pl_gpu_clocks clocks;
	uint32_t gap_ticks;
	size_t mine, other;     /* PL_GAP_FIRST and PL_GAP_SECOND, or the other way round */
	const char *other_fact; /* the name of the other's median */
	size_t pairs_max;       /* in one dispatch */
	double real_min_ns, real_max_ns, empty_ns;
	uint64_t *others, *sorted;
	size_t other_count;
};

static int check_gap(struct gaps *g, uint32_t ticks, struct pl_err *err)
{
	double ns = ticks * g->clocks.gap->ns_per_tick;

	if (ticks < g->gap_ticks)
		return pl_fail(err, -EIO,
			       "%s: a gap of %" PRIu64 " ns was asked for and %.0f ns passed: the "
			       "driver cut the waiting loop short",
			       g->job.device->name, g->job.m->conditions.gap_ns, ns);
	if (!g->other_count || ns < g->real_min_ns)
		g->real_min_ns = ns;
	if (!g->other_count || ns > g->real_max_ns)
		g->real_max_ns = ns;
	return 0;
}

static int run_pairs(struct gaps *g, size_t pairs, struct pl_err *err)
{
	const struct pl_gpu_clock *gap = g->clocks.gap, *load = g->clocks.load;
	struct pl_push push = {.count = (uint32_t)pairs,
			       .gap = g->gap_ticks,
			       .coarse = (uint32_t)(COARSE_NS / gap->ns_per_tick) + 1,
			       .clock_mask = gap->mask,
			       .load_mask = load->mask,
			       .polls = MAX_POLLS};
	struct pl_gpu_timing timing;

	return pl_placed_chain_run(&g->placed, g->clocks.gap_kernel, &push, 2 + 2 * pairs, &timing,
				   err);
}

static int take_records(struct gaps *g, uint64_t *ticks, size_t pairs, struct pl_err *err)
{
	const volatile uint32_t *record = g->job.device->result.words + PL_RESULT_RECORD;
	int rc = 0;

	for (size_t i = 0; i < pairs && !rc; i++, record += PL_GAP_WORDS) {
		rc = check_gap(g, record[PL_GAP_REAL], err);
		ticks[i] = record[g->mine];
		if (!rc && g->other_count < OTHERS_MAX)
			g->others[g->other_count++] = record[g->other];
	}
	g->empty_ns = g->job.device->result.words[PL_RESULT_EMPTY] * g->job.m->ns_per_tick;
	return rc;
}

static void record(struct gaps *g)
{
	struct pl_run *run = g->job.run;
	struct pl_measurement *m = g->job.m;

	memcpy(g->sorted, g->others, g->other_count * sizeof(g->others[0]));
	pl_stats_sort(g->sorted, g->other_count);
	pl_measurement_set_number(run, m, g->other_fact,
				  (double)pl_stats_quantile(g->sorted, g->other_count, 0.5) *
					  m->ns_per_tick);
	pl_measurement_set_number(run, m, "real_gap_min_ns", g->real_min_ns);
	pl_measurement_set_number(run, m, "real_gap_max_ns", g->real_max_ns);
	pl_measurement_set_number(run, m, "clock_pair_ns", g->empty_ns);
	pl_measurement_set_number(run, m, "loads_issued", (double)g->placed.loads_total);
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct gaps *g = self;
	size_t pairs = count < g->pairs_max ? count : g->pairs_max;
	int rc = run_pairs(g, pairs, err);

	if (!rc)
		rc = take_records(g, ticks, pairs, err);
	if (rc)
		return rc;
	record(g);
	return (ssize_t)pairs;
}

static void close_gaps(void *self)
{
	struct gaps *g = self;

	pl_placed_chain_close(&g->placed);
	free(g->others);
	free(g->sorted);
	free(g);
}

/* How many gaps fit one dispatch, and how long a gap is in ticks. */
static int size_gaps(struct gaps *g, struct pl_err *err)
{
	bool is_software = g->job.device->kind == PL_GPU_SOFTWARE;
	double gap_ns = (double)g->job.m->conditions.gap_ns;
	double ticks = gap_ns / g->clocks.gap->ns_per_tick + 1.0;
	double budget_ns = is_software ? SOFTWARE_DISPATCH_GAP_NS : DISPATCH_GAP_NS;
	double fit = gap_ns > 0 ? budget_ns / gap_ns : PL_RECORD_GAPS;

	if (ticks > UINT32_MAX / 2 || gap_ns > 1e9)
		return pl_fail(err, -EINVAL, "%s: a gap of %.0f ms is longer than a kernel may run",
			       g->job.device->name, gap_ns / 1e6);
	g->gap_ticks = gap_ns > 0 ? (uint32_t)ticks : 0;
	g->pairs_max = is_software ? SOFTWARE_PAIRS : PL_RECORD_GAPS;
	if (fit < (double)g->pairs_max)
		g->pairs_max = fit < 1 ? 1 : (size_t)fit;
	return 0;
}

static int prepare(struct gaps *g, struct pl_err *err)
{
	struct pl_measurement *m = g->job.m;
	int rc = pl_placed_chain_open(&g->placed, g->job.device, g->job.memory,
				      m->conditions.region_bytes, g->job.probe->options.seed, err);

	if (!rc)
		rc = pl_gpu_clocks_need(g->job.device, &g->clocks, err);
	if (!rc)
		rc = size_gaps(g, err);
	if (!rc)
		rc = run_pairs(g, 1, err); /* builds the kernel */
	m->ns_per_tick = rc ? 1.0 : g->clocks.load->ns_per_tick;
	m->conditions.clock = g->clocks.load_name;
	m->conditions.path_reason = g->clocks.reason;
	return rc;
}

int pl_gpu_gap_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err)
{
	struct gaps *g = calloc(1, sizeof(*g));
	bool is_first = !strcmp(job->m->metric, "load_after_gap");
	int rc = -ENOMEM;

	if (!g)
		return pl_fail(err, -ENOMEM, "no memory for gaps");
	g->job = *job;
	g->mine = is_first ? PL_GAP_FIRST : PL_GAP_SECOND;
	g->other = is_first ? PL_GAP_SECOND : PL_GAP_FIRST;
	g->other_fact = is_first ? "second_load_p50_ns" : "first_load_p50_ns";
	g->others = calloc(OTHERS_MAX, sizeof(g->others[0]));
	g->sorted = calloc(OTHERS_MAX, sizeof(g->sorted[0]));
	if (g->others && g->sorted)
		rc = prepare(g, err);
	else
		pl_fail(err, rc, "no memory for gaps");
	if (rc) {
		close_gaps(g);
		return rc;
	}
	*sampler = (struct pl_sampler){sample, close_gaps, g, NULL};
	return 0;
}
