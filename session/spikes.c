#include "session/spikes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/stats.h"

#define DRAWS 1000u
#define LEVELS_MAX 40u
#define LEVEL_FACTOR 0.85
#define STALLS_MIN ((size_t)6)
#define BLOCKS_MIN ((size_t)8)
#define STEP_MIN_NS 1000.0
#define STEP_MIN_SHARE 0.05

/* --- regular stalls --- */

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Small spikes may be noise between large stalls, so the largest 100 %, 85 %, 72 % … are tried. The
 * latency of the k-th largest is the level of a try; levels depend on the latencies alone.
 */
struct levels {
	size_t count;
	double least_ns[LEVELS_MAX];
};

static void fill_levels(const struct pl_spike *spikes, size_t count, struct levels *levels)
{
	double sorted[PL_WATCH_SPIKES], k = (double)count;

	for (size_t i = 0; i < count; i++)
		sorted[i] = spikes[i].latency_ns;
	qsort(sorted, count, sizeof(sorted[0]), compare_double);
	levels->count = 0;
	for (; k >= (double)STALLS_MIN && levels->count < LEVELS_MAX; k *= LEVEL_FACTOR)
		levels->least_ns[levels->count++] = sorted[count - (size_t)k];
}

/*
 * How regular the spikes at or above a level are: (1 - CV) sqrt(n) of their distances. Random times
 * have CV 1; its standard error is about 1 / sqrt(n).
 */
static double regularity(const struct pl_spike *spikes, size_t count, double least_ns)
{
	double sum = 0.0, squares = 0.0, last_s = 0.0, mean, variance;
	size_t n = 0, stalls = 0;

	for (size_t i = 0; i < count; i++) {
		if (spikes[i].latency_ns < least_ns)
			continue;
		if (stalls++) {
			double distance = spikes[i].t_s - last_s;

			sum += distance;
			squares += distance * distance;
			n++;
		}
		last_s = spikes[i].t_s;
	}
	if (n + 1 < STALLS_MIN || sum <= 0.0)
		return 0.0;
	mean = sum / (double)n;
	variance = (squares - sum * mean) / (double)(n - 1);
	return (1.0 - sqrt(variance > 0.0 ? variance : 0.0) / mean) * sqrt((double)n);
}

static double most_regular(const struct pl_spike *spikes, size_t count, const struct levels *levels,
			   double *least_ns)
{
	double most = 0.0;

	for (size_t i = 0; i < levels->count; i++) {
		double r = regularity(spikes, count, levels->least_ns[i]);

		if (r <= most)
			continue;
		most = r;
		*least_ns = levels->least_ns[i];
	}
	return most;
}

/* The same latencies, in another order, at random times with the same rate. */
static void scatter(const struct pl_spike *spikes, size_t count, double join_s, struct pl_rng *rng,
		    struct pl_spike *out)
{
	double span_s = spikes[count - 1].t_s - spikes[0].t_s, t_s = 0.0;
	double beyond_s = span_s / (double)(count - 1) - join_s;
	size_t order[PL_WATCH_SPIKES];

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	pl_rng_shuffle(rng, order, count);
	for (size_t i = 0; i < count; i++) {
		t_s += join_s - (beyond_s > 0.0 ? beyond_s : 0.0) * log(1.0 - pl_rng_unit(rng));
		out[i] = (struct pl_spike){t_s, spikes[order[i]].latency_ns};
	}
}

static double p_of_regularity(const struct pl_spike *spikes, size_t count, double join_s,
			      const struct levels *levels, double observed, uint64_t seed)
{
	struct pl_spike drawn[PL_WATCH_SPIKES];
	unsigned as_regular = 0;
	struct pl_rng rng;
	double least_ns;

	pl_rng_init(&rng, seed);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		scatter(spikes, count, join_s, &rng, drawn);
		as_regular += most_regular(drawn, count, levels, &least_ns) >= observed;
	}
	return (1.0 + as_regular) / (1.0 + DRAWS);
}

static void describe(const struct pl_spike *spikes, size_t count, double least_ns,
		     struct pl_period *period)
{
	double distances_s[PL_WATCH_SPIKES], latencies_ns[PL_WATCH_SPIKES], last_s = 0.0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (spikes[i].latency_ns < least_ns)
			continue;
		if (n)
			distances_s[n - 1] = spikes[i].t_s - last_s;
		latencies_ns[n++] = spikes[i].latency_ns;
		last_s = spikes[i].t_s;
	}
	period->n = n;
	if (n < STALLS_MIN)
		return;
	qsort(distances_s, n - 1, sizeof(distances_s[0]), compare_double);
	qsort(latencies_ns, n, sizeof(latencies_ns[0]), compare_double);
	period->low_s = distances_s[(n - 1) / 10];
	period->high_s = distances_s[n - 2 - (n - 1) / 10];
	period->median_s = distances_s[(n - 1) / 2];
	period->latency_ns = latencies_ns[n / 2];
}

struct pl_period pl_spikes_find_period(const struct pl_spike *spikes, size_t count, double join_s,
				       uint64_t seed)
{
	struct pl_period period = {.p_value = 1.0, .why = "fewer than 6 stalls"};
	double observed, least_ns = 0.0;
	struct levels levels;

	if (count < STALLS_MIN)
		return period;
	fill_levels(spikes, count, &levels);
	observed = most_regular(spikes, count, &levels, &least_ns);
	period.why = "the stalls come at no more regular times than by chance";
	if (observed <= 0.0)
		return period;
	period.p_value = p_of_regularity(spikes, count, join_s, &levels, observed, seed);
	period.is_found = period.p_value <= PL_SPIKES_ALPHA;
	if (period.is_found)
		period.why = NULL;
	describe(spikes, count, least_ns, &period);
	return period;
}

/* --- steps after a gap --- */

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

struct pl_interval pl_spikes_step_at(const struct pl_watch *watch, uint64_t above_ns)
{
	const double none = (double)NAN;
	struct steps steps;

	fill_steps(watch, &steps);
	for (size_t k = 1; k + NEAR <= steps.gaps; k++)
		if (watch->gaps_ns[k] == above_ns && steps.blocks)
			return interval_at(&steps, k);
	return (struct pl_interval){none, none, none, 0};
}

struct pl_gap_step pl_spikes_find_gap_step(const struct pl_watch *watch, uint64_t seed)
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
