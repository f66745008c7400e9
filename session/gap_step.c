#include "session/gap_step.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "session/spikes.h"

#define DRAWS 1000u
#define BLOCKS_MIN ((size_t)8)
#define STEP_MIN_NS 1000.0
#define STEP_MIN_SHARE 0.05

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * What is looked for is a state that begins at some idle time: from there on every read pays. That
 * is a step with a plateau behind it. What creeps up with the gap (a host whose own caches and
 * threads go to sleep) is none, so the place is where two neighbours differ most, with a gap before
 * and a few behind them, and that must be twice what the two gaps on either side differ by, for
 * certain: growth that is spread over the gaps, by their logarithm or faster, never is. The size is
 * that of the neighbourhood: what creeps up far behind the step is not part of it.
 *
 * A state that begins just at a gap of the grid is there after some of its reads and not after
 * others. Then the rise is spread over the two spaces beside that gap, and both together are the
 * step: on average three times as steep as the spaces beside them. Twice would not do: what cools
 * down exponentially reaches 1.9 on this grid.
 */
#define NEAR ((size_t)3)
#define BESIDE ((size_t)2)
#define BESIDE_RATIO 2.0
#define PAIR_RATIO 3.0

/* Between these two gaps the latency rises: neighbours, or with one gap between them. */
struct place {
	size_t below, above;
};

struct steps {
	size_t blocks, gaps;
	double x[PL_WATCH_BLOCKS][PL_WATCH_GAPS]; /* medians, minus what the control does */
};

static double middle(const double *values, size_t count)
{
	double sorted[PL_WATCH_GAPS];

	memcpy(sorted, values, count * sizeof(sorted[0]));
	qsort(sorted, count, sizeof(sorted[0]), compare_double);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
}

/* The medians of up to NEAR gaps from its end downward, and from its start upward. */
static double before(const double *x, struct place at)
{
	size_t end = at.below + 1, count = end < NEAR ? end : NEAR;

	return middle(x + end - count, count);
}

static double behind(const double *x, struct place at, size_t gaps)
{
	return middle(x + at.above, gaps - at.above < NEAR ? gaps - at.above : NEAR);
}

static void fill_steps(const struct pl_watch *watch, struct steps *steps)
{
	steps->blocks = watch->block_count;
	steps->gaps = watch->gap_count;
	for (size_t b = 0; b < steps->blocks; b++)
		for (size_t k = 0; k < steps->gaps; k++)
			steps->x[b][k] =
				watch->gap_medians_ns[b][k] -
				(watch->has_control ? watch->control_medians_ns[b][k] : 0.0);
}

/* Upward from gap below to gap above: the mean over the blocks; signs NULL: as measured. */
static double rise_at(const struct steps *steps, const int *signs, struct place at)
{
	double sum = 0.0;

	for (size_t b = 0; b < steps->blocks; b++)
		sum += (signs ? signs[b] : 1) * (steps->x[b][at.above] - steps->x[b][at.below]);
	return sum / (double)steps->blocks;
}

static double jump_at(const struct steps *steps, const int *signs, size_t k)
{
	return rise_at(steps, signs, (struct place){k - 1, k});
}

/* The largest difference, up or down, of two neighbours beside a place. */
static double jump_beside(const struct steps *steps, const int *signs, struct place at)
{
	size_t first = at.below > BESIDE ? at.below - BESIDE + 1 : 1;
	size_t last = at.above + BESIDE < steps->gaps ? at.above + BESIDE : steps->gaps - 1;
	double most = 0.0;

	for (size_t k = first; k <= last; k++)
		if (k <= at.below || k > at.above)
			most = fmax(most, fabs(jump_at(steps, signs, k)));
	return most;
}

static double ratio_of(struct place at)
{
	return at.above - at.below > 1 ? PAIR_RATIO : BESIDE_RATIO;
}

/* From gap to gap it rises much more steeply than beside it. */
static bool is_steep(const struct steps *steps, const int *signs, struct place at)
{
	size_t spaces = at.above - at.below;

	return rise_at(steps, signs, at) / (double)spaces >=
	       ratio_of(at) * jump_beside(steps, signs, at);
}

/* The same against the space that ends at gap k, for certain: paired by block, 95 %. */
static bool is_steeper_than(const struct steps *steps, struct place at, size_t k)
{
	double values[PL_WATCH_BLOCKS], sign = jump_at(steps, NULL, k) < 0.0 ? -1.0 : 1.0;

	for (size_t b = 0; b < steps->blocks; b++) {
		const double *x = steps->x[b];

		values[b] = (x[at.above] - x[at.below]) / (double)(at.above - at.below) -
			    ratio_of(at) * sign * (x[k] - x[k - 1]);
	}
	return pl_stats_block_interval(values, steps->blocks).low > 0.0;
}

/* Growth of that shape on a noisy host would look steep now and then. */
static bool is_surely_steep(const struct steps *steps, struct place at)
{
	size_t first = at.below > BESIDE ? at.below - BESIDE + 1 : 1;
	bool is_sure = at.below > 0; /* nothing is known of growth before the first gap */

	for (size_t k = first; is_sure && k <= at.above + BESIDE && k < steps->gaps; k++)
		is_sure = (k > at.below && k <= at.above) || is_steeper_than(steps, at, k);
	return is_sure;
}

/* With the larger of the two jumps beside a jump at k. */
static struct place widen(const struct steps *steps, const int *signs, size_t k)
{
	double up = k + NEAR < steps->gaps ? jump_at(steps, signs, k + 1) : 0.0;
	double down = k > 1 ? jump_at(steps, signs, k - 1) : 0.0;

	if (fmax(up, down) <= 0.0)
		return (struct place){k - 1, k};
	return up > down ? (struct place){k - 1, k + 1} : (struct place){k - 2, k};
}

/* The gap behind the largest jump that has a few gaps behind it. */
static size_t largest_jump(const struct steps *steps, const int *signs)
{
	size_t best = 1;
	double most = 0.0;

	for (size_t k = 1; k + NEAR <= steps->gaps; k++) {
		double jump = jump_at(steps, signs, k);

		if (jump > most) {
			most = jump;
			best = k;
		}
	}
	return best;
}

static struct place find_place(const struct steps *steps, const int *signs)
{
	size_t k = largest_jump(steps, signs);
	struct place at = {k - 1, k};

	return is_steep(steps, signs, at) ? at : widen(steps, signs, k);
}

/* Of the two forms of the largest jump the one that is a step for certain. */
static struct place choose_form(const struct steps *steps)
{
	size_t k = largest_jump(steps, NULL);
	struct place one = {k - 1, k}, two = widen(steps, NULL, k);

	if (is_surely_steep(steps, one))
		return one;
	return is_surely_steep(steps, two) ? two : find_place(steps, NULL);
}

/* The size of the step at a place, block by block. */
static void sizes_at(const struct steps *steps, struct place at, double values[PL_WATCH_BLOCKS])
{
	for (size_t b = 0; b < steps->blocks; b++)
		values[b] = behind(steps->x[b], at, steps->gaps) - before(steps->x[b], at);
}

/* The t of the step where the rise is. */
static double best_t(const struct steps *steps, const int *signs)
{
	double values[PL_WATCH_BLOCKS], mean, sd;

	sizes_at(steps, find_place(steps, signs), values);
	for (size_t b = 0; signs && b < steps->blocks; b++)
		values[b] *= signs[b];
	mean = pl_stats_mean(values, steps->blocks);
	sd = pl_stats_sd(values, steps->blocks);
	if (mean <= 0.0)
		return 0.0;
	return sd > 0.0 ? mean / (sd / sqrt((double)steps->blocks)) : (double)INFINITY;
}

static double p_of_step(const struct steps *steps, double observed, uint64_t seed)
{
	int signs[PL_WATCH_BLOCKS];
	unsigned as_large = 0;
	struct pl_rng rng;

	pl_rng_init(&rng, seed);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		for (size_t b = 0; b < steps->blocks; b++)
			signs[b] = pl_rng_below(&rng, 2) ? 1 : -1;
		as_large += best_t(steps, signs) >= observed;
	}
	return (1.0 + as_large) / (1.0 + DRAWS);
}

/* Over the blocks: the reads before the step. */
static double base_of(const struct pl_watch *watch, struct place at)
{
	double sum = 0.0;

	for (size_t b = 0; b < watch->block_count; b++)
		sum += before(watch->gap_medians_ns[b], at);
	return sum / (double)watch->block_count;
}

/* Why a step at a place is not called one, or NULL. */
static const char *doubt_step(const struct steps *steps, const struct pl_gap_step *step,
			      struct place at)
{
	if (step->p_value > PL_SPIKES_ALPHA)
		return "what differs between the gaps differs as much by chance";
	if (step->low_ns < STEP_MIN_NS || step->low_ns < STEP_MIN_SHARE * step->base_ns)
		return "no gap makes a read slower by 1 us and by 5 % for certain";
	if (!is_surely_steep(steps, at))
		return "latency creeps up with the gap, as it does when a host cools down; a power "
		       "state would step";
	return NULL;
}

static struct pl_interval interval_at(const struct steps *steps, struct place at)
{
	double values[PL_WATCH_BLOCKS];

	sizes_at(steps, at, values);
	return pl_stats_block_interval(values, steps->blocks);
}

/* The index of a gap, or gap_count. */
static size_t index_of(const struct pl_watch *watch, uint64_t gap_ns)
{
	size_t k = 0;

	while (k < watch->gap_count && watch->gaps_ns[k] != gap_ns)
		k++;
	return k;
}

struct pl_interval pl_gap_step_at(const struct pl_watch *watch, const struct pl_gap_step *step)
{
	const double none = (double)NAN;
	struct place at = {index_of(watch, step->below_ns), index_of(watch, step->above_ns)};
	struct steps steps;

	fill_steps(watch, &steps);
	if (at.above <= at.below || at.above >= steps.gaps || !steps.blocks)
		return (struct pl_interval){none, none, none, 0};
	return interval_at(&steps, at);
}

struct pl_gap_step pl_gap_step_find(const struct pl_watch *watch, uint64_t seed)
{
	struct pl_gap_step step = {.p_value = 1.0,
				   .blocks = watch->block_count,
				   .why = "too few rounds of gaps to tell"};
	struct pl_interval interval;
	struct steps steps;
	struct place at;

	if (watch->block_count < BLOCKS_MIN || watch->gap_count <= NEAR)
		return step;
	fill_steps(watch, &steps);
	step.p_value = p_of_step(&steps, best_t(&steps, NULL), seed);
	at = choose_form(&steps);
	interval = interval_at(&steps, at);
	step.step_ns = interval.estimate;
	step.low_ns = interval.low;
	step.high_ns = interval.high;
	step.below_ns = watch->gaps_ns[at.below];
	step.above_ns = watch->gaps_ns[at.above];
	step.base_ns = base_of(watch, at);
	step.why = doubt_step(&steps, &step, at);
	step.is_found = !step.why;
	return step;
}
