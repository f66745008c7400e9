#include "report/burst.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats_dist.h"
#include "core/stats_infer.h"
#include "model/state.h"
#include "model/summary.h"
#include "report/attribute.h"
#include "report/out.h"
#include "report/rows.h"

#define LEVEL 0.05
#define BLOCKS_MIN 3u

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* To the digits of results.json, so that a report made again says the same. */
static double as_stored(double ns)
{
	return round(ns * 1e3) / 1e3;
}

/* The same read in continuous traffic: everything but gap and burst is the same. */
static const struct pl_measurement *find_steady(const struct pl_run *run,
						const struct pl_measurement *m)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *other = run->measurements[i];
		struct pl_measurement like = *other;

		like.metric = m->metric;
		like.conditions.burst = m->conditions.burst;
		if (other->slot == m->slot && other->boot == m->boot &&
		    is_same_text(other->metric, "read_4k") && !other->conditions.gap_ns &&
		    !other->conditions.burst && pl_bdf_is_equal(other->device, m->device) &&
		    pl_state_is_same(other->conditions.state, m->conditions.state) &&
		    pl_measurement_is_same_access(&like, m) && pl_series_has_numbers(other))
			return other;
	}
	return NULL;
}

/* Minus steady, with the bounds of this place alone and, in wide, those for all together. */
static struct pl_interval over_steady(const struct pl_burst *b, const double *steady, size_t place,
				      struct pl_interval *wide)
{
	size_t blocks = b->m->blocks_done;
	struct pl_estimate e;
	double t;

	if (b->steady->blocks_done < blocks)
		blocks = b->steady->blocks_done;
	e = pl_stats_estimate_paired(b->places[place].centres_ns, steady, blocks, 0.0);
	t = e.n < BLOCKS_MIN
		    ? (double)NAN
		    : pl_stats_t_quantile(1.0 - 0.5 * LEVEL / b->m->conditions.burst, e.df);
	*wide = (struct pl_interval){e.mean, e.mean - t * e.error, e.mean + t * e.error, e.n};
	return (struct pl_interval){e.mean, e.low, e.high, e.n};
}

/* Where it is slow last, and from where on it is back for good. */
static void find_back(struct pl_burst *b, const struct pl_interval *wide)
{
	unsigned count = b->m->conditions.burst;

	b->back_low = 0;
	b->back_high = count;
	for (unsigned i = 0; i < count; i++)
		if (wide[i].low > b->tolerance_ns)
			b->back_low = i + 1;
	while (b->back_high && wide[b->back_high - 1].high <= b->tolerance_ns)
		b->back_high--;
	if (b->back_high == count ? b->back_low == count : b->back_low || !b->back_high)
		b->status = PL_CLAIM_RESOLVED;
	else
		b->status = PL_CLAIM_NOT_RESOLVED;
}

static const char *reads_text(struct pl_arena *arena, unsigned count)
{
	return pl_arena_printf(arena, "%u read%s", count, count == 1 ? "" : "s");
}

static const char *resolved_text(struct pl_arena *arena, const struct pl_burst *b)
{
	unsigned count = b->m->conditions.burst;
	char within[32];

	pl_fmt_ns(within, sizeof(within), b->tolerance_ns);
	if (b->back_low == count)
		return pl_arena_printf(arena, "still more than %s (5 %%) above steady at read %u",
				       within, count);
	if (!b->back_high)
		return pl_arena_printf(
			arena, "no read takes more than %s (5 %%) longer than steady", within);
	if (b->back_low == b->back_high)
		return pl_arena_printf(arena, "back to within %s (5 %%) of steady after %s", within,
				       reads_text(arena, b->back_low));
	return pl_arena_printf(arena, "back to within %s (5 %%) of steady after %u to %u reads",
			       within, b->back_low, b->back_high);
}

static void refuse(struct pl_burst *b, const char *why)
{
	b->status = PL_CLAIM_NOT_MADE;
	b->sentence = why;
}

static void put_sentence(struct pl_arena *arena, struct pl_burst *b)
{
	char within[32];

	if (b->status == PL_CLAIM_RESOLVED)
		b->sentence = resolved_text(arena, b);
	else
		b->sentence = pl_arena_printf(arena,
					      "not resolved: the intervals do not tell which reads "
					      "are within %s (5 %%) of "
					      "steady",
					      pl_fmt_ns(within, sizeof(within), b->tolerance_ns));
}

static void compare(struct pl_arena *arena, struct pl_burst *b)
{
	size_t count = b->m->conditions.burst;
	double *steady = pl_arena_array(arena, b->steady->blocks_done, sizeof(*steady));
	struct pl_interval *wide = pl_arena_array(arena, count, sizeof(*wide));
	bool is_known = true;

	pl_measurement_block_centres(b->steady, steady);
	for (size_t i = 0; i < b->steady->blocks_done; i++)
		steady[i] = as_stored(steady[i]);
	for (size_t i = 0; i < count; i++) {
		b->over[i] = over_steady(b, steady, i, &wide[i]);
		is_known = is_known && !isnan(wide[i].low);
	}
	b->tolerance_ns = PL_BURST_TOLERANCE * as_stored(b->steady->summary.p50_ns);
	if (!is_known) {
		refuse(b, "fewer than 3 rounds were measured in both arms");
		return;
	}
	find_back(b, wide);
	put_sentence(arena, b);
}

static const char *refusal_of(struct pl_arena *arena, const struct pl_run *run,
			      const struct pl_burst *b)
{
	const char *withheld = pl_claims_withheld(run);

	if (!b->places || !pl_series_has_numbers(b->m))
		return pl_arena_printf(arena, "not measured: %s",
				       pl_out_short(arena, b->m->why, "no reason recorded"));
	if (!b->steady)
		return "the same read without a gap was not measured";
	if (!b->m->is_valid || !b->steady->is_valid)
		return "the series is not valid";
	return withheld;
}

void pl_burst_judge(struct pl_arena *arena, const struct pl_run *run,
		    const struct pl_measurement *m, struct pl_burst *burst)
{
	const struct pl_interval none = {(double)NAN, (double)NAN, (double)NAN, 0};
	const char *why;

	*burst = (struct pl_burst){.m = m, .tolerance_ns = (double)NAN};
	burst->places = pl_measurement_places(arena, m);
	burst->steady = find_steady(run, m);
	burst->over = pl_arena_array(arena, m->conditions.burst, sizeof(*burst->over));
	for (size_t i = 0; i < m->conditions.burst; i++)
		burst->over[i] = none;
	why = refusal_of(arena, run, burst);
	if (burst->places && burst->steady)
		compare(arena, burst);
	if (why)
		refuse(burst, why);
}
