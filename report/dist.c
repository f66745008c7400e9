#include "report/dist.h"

#include <math.h>
#include <string.h>

#include "core/hist.h"
#include "core/stats.h"
#include "model/summary.h"

double pl_dist_width(double low_ns)
{
	unsigned top = 63 - (unsigned)__builtin_clzll((uint64_t)low_ns | 1);

	return (double)(UINT64_C(1) << (top > PL_DIST_SUB_BITS ? top - PL_DIST_SUB_BITS : 0));
}

/* Adds count samples at low_ns to the coarse bin they belong to; ascending. */
static void merge(struct pl_bin *bins, size_t *used, double low_ns, uint64_t count)
{
	double width = pl_dist_width(low_ns);
	double low = floor(low_ns / width) * width;

	if (!*used || bins[*used - 1].low_ns < low)
		bins[(*used)++] = (struct pl_bin){low, low + width, 0};
	bins[*used - 1].count += count;
}

static const struct pl_bin *coarse(struct pl_arena *arena, const struct pl_hist *hist,
				   size_t *count)
{
	size_t filled = 0;
	struct pl_bin *bins;

	for (size_t i = 0; i < PL_HIST_BINS; i++)
		filled += hist->counts[i] != 0;
	bins = pl_arena_array(arena, filled, sizeof(*bins));
	*count = 0;
	for (size_t i = 0; i < PL_HIST_BINS; i++)
		if (hist->counts[i])
			merge(bins, count, (double)pl_hist_low_ns(i), hist->counts[i]);
	return bins;
}

const struct pl_bin *pl_dist_bins(struct pl_arena *arena, const struct pl_measurement *m,
				  size_t *count)
{
	struct pl_arena scratch = {NULL};
	const struct pl_bin *bins;
	struct pl_hist *hist;

	*count = m->stored_bin_count;
	if (m->stored_bins || !m->n || !m->ticks)
		return m->stored_bins;
	hist = pl_arena_alloc(&scratch, sizeof(*hist));
	for (size_t i = 0; i < m->n; i++)
		hist->counts[pl_hist_bin((uint64_t)((double)m->ticks[i] * m->ns_per_tick))]++;
	bins = coarse(arena, hist, count);
	pl_arena_fini(&scratch);
	return bins;
}

static struct pl_block_summary block_summary(const struct pl_measurement *m, size_t b,
					     uint64_t *sorted)
{
	const double scale = m->ns_per_tick;
	const double none = (double)NAN;
	struct pl_block_summary out = {
		0, none, none, none, none, none, m->others ? m->others[b] : -1};
	const uint64_t *samples = pl_measurement_block(m, b, &out.n);
	double sum = 0.0;

	if (!samples)
		return out;
	for (size_t i = 0; i < out.n; i++)
		sum += (double)samples[i];
	memcpy(sorted, samples, out.n * sizeof(*sorted));
	pl_stats_sort(sorted, out.n);
	out.mean_ns = sum / (double)out.n * scale;
	out.p50_ns = (double)pl_stats_quantile(sorted, out.n, 0.5) * scale;
	out.centre_ns = pl_stats_grouped_median(sorted, out.n) * scale;
	if (pl_stats_quantile_is_carried(out.n, 0.99))
		out.p99_ns = (double)pl_stats_quantile(sorted, out.n, 0.99) * scale;
	out.max_ns = (double)sorted[out.n - 1] * scale;
	return out;
}

const struct pl_block_summary *pl_dist_blocks(struct pl_arena *arena,
					      const struct pl_measurement *m, size_t *count)
{
	struct pl_arena scratch = {NULL};
	struct pl_block_summary *blocks;
	uint64_t *sorted;

	*count = m->blocks_done;
	if (m->stored_blocks || !m->blocks_done || !m->ticks)
		return m->stored_blocks;
	sorted = pl_arena_array(&scratch, m->n, sizeof(*sorted));
	blocks = pl_arena_array(arena, m->blocks_done, sizeof(*blocks));
	for (size_t b = 0; b < m->blocks_done; b++)
		blocks[b] = block_summary(m, b, sorted);
	pl_arena_fini(&scratch);
	return blocks;
}

void pl_dist_keep(struct pl_arena *scratch, const struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];
		size_t count;

		if (!m->ticks)
			continue;
		m->stored_blocks = pl_dist_blocks(scratch, m, &count);
		m->stored_bins = pl_dist_bins(scratch, m, &count);
		m->stored_bin_count = count;
	}
}

void pl_dist_forget(const struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		if (!m->ticks)
			continue;
		m->stored_blocks = NULL;
		m->stored_bins = NULL;
		m->stored_bin_count = 0;
	}
}
