#include "model/burst.h"

#include <math.h>
#include <string.h>

#include "core/stats.h"
#include "model/summary.h"

/* To the digits of results.json, so that a report made again says the same. */
static double as_stored(double ns)
{
	return round(ns * 1e3) / 1e3;
}

/* Every burst-th sample of a block from `place` on; how many. */
static size_t pick(const struct pl_measurement *m, size_t block, size_t place, uint64_t *out)
{
	size_t count, n = 0;
	const uint64_t *samples = pl_measurement_block(m, block, &count);

	for (size_t i = place; samples && i < count; i += m->conditions.burst)
		out[n++] = samples[i];
	return n;
}

static double quantile_ns(const struct pl_measurement *m, const uint64_t *sorted, size_t count,
			  double p)
{
	return as_stored((double)pl_stats_quantile(sorted, count, p) * m->ns_per_tick);
}

/* Medians and centres of the blocks; returns all samples of the place, sorted, and their number. */
static size_t gather(const struct pl_measurement *m, size_t place, uint64_t *all, double *medians,
		     double *centres)
{
	size_t n = 0;

	for (size_t b = 0; b < m->blocks_done; b++) {
		size_t count = pick(m, b, place, all + n);

		medians[b] = centres[b] = (double)NAN;
		if (!count)
			continue;
		centres[b] = as_stored(pl_stats_centre(all + n, count) * m->ns_per_tick);
		pl_stats_sort(all + n, count);
		medians[b] = (double)pl_stats_quantile(all + n, count, 0.5) * m->ns_per_tick;
		n += count;
	}
	pl_stats_sort(all, n);
	return n;
}

static void fill_interval(struct pl_burst_place *place, double *medians, size_t blocks,
			  double min_ns)
{
	struct pl_interval interval =
		pl_summary_median_interval(medians, blocks, place->p50_ns, min_ns);

	place->p50_low_ns = as_stored(interval.low);
	place->p50_high_ns = as_stored(interval.high);
}

static void fill_place(struct pl_arena *arena, const struct pl_measurement *m, size_t index,
		       struct pl_burst_place *place)
{
	struct pl_arena scratch = {NULL};
	uint64_t *all = pl_arena_array(&scratch, m->n, sizeof(*all));
	double *medians = pl_arena_array(&scratch, m->blocks_done, sizeof(*medians));
	double *centres = pl_arena_array(arena, m->blocks_done, sizeof(*centres));

	*place = (struct pl_burst_place){.n = gather(m, index, all, medians, centres),
					 .centres_ns = centres};
	place->p50_ns = place->n ? quantile_ns(m, all, place->n, 0.5) : (double)NAN;
	place->p99_ns = place->n && pl_stats_quantile_is_carried(place->n, 0.99)
				? quantile_ns(m, all, place->n, 0.99)
				: (double)NAN;
	fill_interval(place, medians, m->blocks_done,
		      place->n ? as_stored((double)all[0] * m->ns_per_tick) : 0.0);
	pl_arena_fini(&scratch);
}

const struct pl_burst_place *pl_measurement_places(struct pl_arena *arena,
						   const struct pl_measurement *m)
{
	struct pl_burst_place *places;

	if (!m->conditions.burst)
		return NULL;
	if (!m->ticks || !m->n)
		return m->stored_places;
	places = pl_arena_array(arena, m->conditions.burst, sizeof(*places));
	for (size_t i = 0; i < m->conditions.burst; i++)
		fill_place(arena, m, i, &places[i]);
	return places;
}
