#include "session/gap_step.h"

#include <math.h>
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
 * threads go to sleep) is none, so the place is where two neighbours differ most, the first gap
 * behind it must show half of the step, there must be a few gaps behind it, and it must be twice
 * what the two gaps on either side differ by: growth that is spread over the gaps, by their
 * logarithm or faster, never is. The size is that of the neighbourhood: what creeps up far behind
 * the step is not part of it.
 */
#define NEAR ((size_t)3)
#define SHARP_SHARE 0.5
#define BESIDE ((size_t)2)
#define BESIDE_RATIO 2.0

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

/* The median of up to NEAR gaps before k. */
static double before(const double *x, size_t k)
{
	size_t count = k < NEAR ? k : NEAR;

	return middle(x + k - count, count);
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

/* Upward from gap k - 1 to k: the mean over the blocks; signs NULL: as measured. */
static double jump_at(const struct steps *steps, const int *signs, size_t k)
{
	double sum = 0.0;

	for (size_t b = 0; b < steps->blocks; b++)
		sum += (signs ? signs[b] : 1) * (steps->x[b][k] - steps->x[b][k - 1]);
	return sum / (double)steps->blocks;
}

/* The t of the step at the place of the largest jump. */
static double best_t(const struct steps *steps, const int *signs, size_t *where)
{
	double values[PL_WATCH_BLOCKS], most = 0.0, mean, sd;

	*where = 1;
	for (size_t k = 1; k + NEAR <= steps->gaps; k++) {
		double jump = jump_at(steps, signs, k);

		if (jump > most) {
			most = jump;
			*where = k;
		}
	}
	for (size_t b = 0; b < steps->blocks; b++)
		values[b] = (signs ? signs[b] : 1) *
			    (middle(steps->x[b] + *where, NEAR) - before(steps->x[b], *where));
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
	size_t where;

	pl_rng_init(&rng, seed);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		for (size_t b = 0; b < steps->blocks; b++)
			signs[b] = pl_rng_below(&rng, 2) ? 1 : -1;
		as_large += best_t(steps, signs, &where) >= observed;
	}
	return (1.0 + as_large) / (1.0 + DRAWS);
}

/* Over the blocks: the reads before the step. */
static double base_of(const struct pl_watch *watch, size_t k)
{
	double sum = 0.0;

	for (size_t b = 0; b < watch->block_count; b++)
		sum += before(watch->gap_medians_ns[b], k);
	return sum / (double)watch->block_count;
}

/* How much of the step is there at its first gap. */
static double first_rise(const struct steps *steps, size_t k)
{
	double sum = 0.0;

	for (size_t b = 0; b < steps->blocks; b++)
		sum += steps->x[b][k] - before(steps->x[b], k);
	return sum / (double)steps->blocks;
}

/* The largest difference, up or down, of two neighbours near k. */
static double jump_beside(const struct steps *steps, size_t k)
{
	size_t first = k > BESIDE ? k - BESIDE : 1, last = k + BESIDE;
	double most = 0.0;

	for (size_t i = first; i <= last && i < steps->gaps; i++) {
		double jump = i == k ? 0.0 : fabs(jump_at(steps, NULL, i));

		most = jump > most ? jump : most;
	}
	return most;
}

/* Why a step at gap k is not called one, or NULL. */
static const char *doubt_step(const struct steps *steps, const struct pl_gap_step *step, size_t k)
{
	if (step->p_value > PL_SPIKES_ALPHA)
		return "what differs between the gaps differs as much by chance";
	if (step->low_ns < STEP_MIN_NS || step->low_ns < STEP_MIN_SHARE * step->base_ns)
		return "no gap makes a read slower by 1 us and by 5 % for certain";
	if (first_rise(steps, k) < SHARP_SHARE * step->step_ns ||
	    jump_at(steps, NULL, k) < BESIDE_RATIO * jump_beside(steps, k))
		return "latency creeps up with the gap, as it does when a host cools down; a power "
		       "state would step";
	return NULL;
}

static struct pl_interval interval_at(const struct steps *steps, size_t k)
{
	double values[PL_WATCH_BLOCKS];

	for (size_t b = 0; b < steps->blocks; b++)
		values[b] = middle(steps->x[b] + k, NEAR) - before(steps->x[b], k);
	return pl_stats_block_interval(values, steps->blocks);
}

struct pl_interval pl_gap_step_at(const struct pl_watch *watch, uint64_t above_ns)
{
	const double none = (double)NAN;
	struct steps steps;

	fill_steps(watch, &steps);
	for (size_t k = 1; k + NEAR <= steps.gaps; k++)
		if (watch->gaps_ns[k] == above_ns && steps.blocks)
			return interval_at(&steps, k);
	return (struct pl_interval){none, none, none, 0};
}

struct pl_gap_step pl_gap_step_find(const struct pl_watch *watch, uint64_t seed)
{
	struct pl_gap_step step = {.p_value = 1.0,
				   .blocks = watch->block_count,
				   .why = "too few rounds of gaps to tell"};
	double t;
	struct pl_interval interval;
	struct steps steps;
	size_t k = 1;

	if (watch->block_count < BLOCKS_MIN || watch->gap_count <= NEAR)
		return step;
	fill_steps(watch, &steps);
	t = best_t(&steps, NULL, &k);
	step.p_value = p_of_step(&steps, t, seed);
	interval = interval_at(&steps, k);
	step.step_ns = interval.estimate;
	step.low_ns = interval.low;
	step.high_ns = interval.high;
	step.below_ns = watch->gaps_ns[k - 1];
	step.above_ns = watch->gaps_ns[k];
	step.base_ns = base_of(watch, k);
	step.why = doubt_step(&steps, &step, k);
	step.is_found = !step.why;
	return step;
}
