#include "model/summary.h"

#include <math.h>
#include <string.h>

#include "core/stats.h"

static const double NONE = (double)NAN;

const uint64_t *pl_measurement_block(const struct pl_measurement *m, size_t b, size_t *count)
{
	*count = 0;
	if (b >= m->blocks_done || !m->ticks || !m->block_start)
		return NULL;
	*count = m->block_start[b + 1] - m->block_start[b];
	return *count ? m->ticks + m->block_start[b] : NULL;
}

static double quantile_ns(const struct pl_measurement *m, const uint64_t *sorted, size_t count,
			  double p)
{
	if (!count || !pl_stats_quantile_is_carried(count, p))
		return NONE;
	return (double)pl_stats_quantile(sorted, count, p) * m->ns_per_tick;
}

/* A median is a median of however few values; only the tails need numbers behind them. */
static double block_quantile_ns(const struct pl_measurement *m, uint64_t *scratch, size_t b,
				double p)
{
	size_t count;
	const uint64_t *samples = pl_measurement_block(m, b, &count);

	if (!samples)
		return NONE;
	memcpy(scratch, samples, count * sizeof(*samples));
	pl_stats_sort(scratch, count);
	if (p <= 0.5)
		return (double)pl_stats_quantile(scratch, count, p) * m->ns_per_tick;
	return quantile_ns(m, scratch, count, p);
}

/* Of results without samples: the numbers of the blocks that were stored. */
static size_t stored_blocks(const struct pl_measurement *m, double p, double *out)
{
	bool is_median = p > 0.4999 && p<0.5001, is_p99 = p> 0.9899 && p < 0.9901;
	size_t found = 0;

	for (size_t b = 0; b < m->blocks_done; b++) {
		const struct pl_block_summary *block = &m->stored_blocks[b];

		out[b] = is_median ? block->p50_ns : is_p99 ? block->p99_ns : NONE;
		found += !isnan(out[b]);
	}
	return found;
}

size_t pl_measurement_block_quantiles(const struct pl_measurement *m, double p, double *out)
{
	struct pl_arena scratch = {NULL};
	uint64_t *samples = pl_arena_array(&scratch, m->n, sizeof(*samples));
	size_t found = 0;

	if (!m->ticks && m->stored_blocks) {
		pl_arena_fini(&scratch);
		return stored_blocks(m, p, out);
	}
	for (size_t b = 0; b < m->blocks_done; b++) {
		out[b] = block_quantile_ns(m, samples, b, p);
		found += !isnan(out[b]);
	}
	pl_arena_fini(&scratch);
	return found;
}

double pl_measurement_block_centre(const struct pl_measurement *m, size_t b)
{
	size_t count;
	const uint64_t *samples = pl_measurement_block(m, b, &count);

	/* Results without samples: the centre that was stored. */
	if (!m->ticks && m->stored_blocks)
		return b < m->blocks_done ? m->stored_blocks[b].centre_ns : NONE;
	return samples ? pl_stats_centre(samples, count) * m->ns_per_tick : NONE;
}

size_t pl_measurement_block_centres(const struct pl_measurement *m, double *out)
{
	size_t found = 0;

	for (size_t b = 0; b < m->blocks_done; b++) {
		out[b] = pl_measurement_block_centre(m, b);
		found += !isnan(out[b]);
	}
	return found;
}

#define STEP_SAMPLES 4096u

double pl_measurement_step_ns(const struct pl_measurement *m)
{
	size_t count = m->n < STEP_SAMPLES ? m->n : STEP_SAMPLES;

	if (!m->ticks || !m->n)
		return 0.0;
	return (double)pl_stats_step(m->ticks, count) * m->ns_per_tick;
}

static double mean_ns(const struct pl_measurement *m)
{
	double sum = 0.0;

	for (size_t i = 0; i < m->n; i++)
		sum += (double)m->ticks[i];
	return sum / (double)m->n * m->ns_per_tick;
}

struct pl_interval pl_summary_median_interval(double *medians, size_t blocks, double p50_ns,
					      double min_ns)
{
	struct pl_interval interval;
	size_t kept = 0;

	for (size_t b = 0; b < blocks; b++)
		if (!isnan(medians[b]))
			medians[kept++] = medians[b];
	interval = pl_stats_block_interval(medians, kept);
	if (isnan(interval.low))
		return interval;
	interval.low = fmin(fmax(interval.low, min_ns), p50_ns);
	interval.high = fmax(interval.high, p50_ns);
	return interval;
}

static void fill_interval(struct pl_measurement *m, struct pl_arena *scratch)
{
	double *medians = pl_arena_array(scratch, m->blocks_done, sizeof(*medians));
	struct pl_interval interval;

	pl_measurement_block_quantiles(m, 0.5, medians);
	interval = pl_summary_median_interval(medians, m->blocks_done, m->summary.p50_ns,
					      m->summary.min_ns);
	m->summary.p50_low_ns = interval.low;
	m->summary.p50_high_ns = interval.high;
}

void pl_measurement_summarise(struct pl_measurement *m)
{
	struct pl_arena scratch = {NULL};
	uint64_t *sorted;

	m->summary =
		(struct pl_summary){m->n, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
	if (!m->n)
		return;
	sorted = pl_arena_array(&scratch, m->n, sizeof(*sorted));
	memcpy(sorted, m->ticks, m->n * sizeof(*sorted));
	pl_stats_sort(sorted, m->n);
	m->summary.min_ns = (double)sorted[0] * m->ns_per_tick;
	m->summary.max_ns = (double)sorted[m->n - 1] * m->ns_per_tick;
	m->summary.p50_ns = (double)pl_stats_quantile(sorted, m->n, 0.5) * m->ns_per_tick;
	m->summary.p90_ns = quantile_ns(m, sorted, m->n, 0.9);
	m->summary.p99_ns = quantile_ns(m, sorted, m->n, 0.99);
	m->summary.p999_ns = quantile_ns(m, sorted, m->n, 0.999);
	m->summary.mean_ns = mean_ns(m);
	fill_interval(m, &scratch);
	pl_arena_fini(&scratch);
}
