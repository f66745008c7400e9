#include "core/stats_tail.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "core/stats_dist.h"

#define BLOCK_BITS 12u
#define FINE_BITS 6u
#define STEP_SHARE 0.2 /* of half a step; the share at which tests/sim finds 95 % */
#define BLOCK_MASK ((UINT64_C(1) << BLOCK_BITS) - 1)

/* One arm, sorted, every sample with its block: ticks << BLOCK_BITS | block. */
struct arm {
	uint64_t *values;
	size_t n;
	double ns_per_tick, offset_ns; /* ns = value * ns_per_tick - offset_ns */
	double *share; /* per block: weight beyond the quantile / samples of the block */
	double *per_block;
};

/* Both arms, and how many samples of the two together lie beyond the quantile. */
struct tails {
	struct arm a, b;
	size_t rounds, beyond;
};

static void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		abort();
	return memory;
}

/*
 * A clock that steps hides where in its step a value lies: every value is put at a place of its
 * own within it, evenly (multiples of the golden ratio), the same for the same data.
 */
static uint64_t place(uint64_t ticks, uint64_t step, size_t index)
{
	double part = fmod((double)index * 0.6180339887498949, 1.0) - 0.5;

	return (ticks << FINE_BITS) +
	       (uint64_t)(int64_t)(part * (double)step * (double)(1u << FINE_BITS)) +
	       (step << (FINE_BITS - 1));
}

static void arm_init(struct arm *arm, const struct pl_blocks *blocks, size_t rounds)
{
	uint64_t step = pl_stats_step(blocks->ticks + blocks->start[0],
				      blocks->start[rounds] - blocks->start[0]);

	uint64_t *to;

	arm->n = blocks->start[rounds] - blocks->start[0];
	arm->values = to = zeroed(arm->n, sizeof(*to));
	arm->share = zeroed(rounds, sizeof(*arm->share));
	arm->per_block = zeroed(rounds, sizeof(*arm->per_block));
	arm->ns_per_tick = blocks->ns_per_tick / (double)(1u << FINE_BITS);
	arm->offset_ns = 0.5 * (double)step * blocks->ns_per_tick;
	for (size_t b = 0; b < rounds; b++) {
		arm->per_block[b] = (double)(blocks->start[b + 1] - blocks->start[b]);
		for (size_t i = blocks->start[b]; i < blocks->start[b + 1]; i++)
			*to++ = place(blocks->ticks[i], step, i) << BLOCK_BITS | b;
	}
	pl_stats_sort(arm->values, arm->n);
}

static void arm_fini(struct arm *arm)
{
	free(arm->values);
	free(arm->share);
	free(arm->per_block);
}

/* The i-th largest, in ns, less a shift; -HUGE_VAL beyond the end. */
static double top(const struct arm *arm, size_t i, double shift)
{
	if (i >= arm->n)
		return -HUGE_VAL;
	return (double)(arm->values[arm->n - 1 - i] >> BLOCK_BITS) * arm->ns_per_tick -
	       arm->offset_ns - shift;
}

/* The value of rank `beyond` from the top of both arms together. */
static double common_threshold(const struct tails *t, double shift)
{
	size_t i = 0, k = 0;
	double value = HUGE_VAL;

	while (i + k < t->beyond) {
		double x = top(&t->a, i, shift), y = top(&t->b, k, 0.0);

		value = x > y ? x : y;
		i += x > y;
		k += x <= y;
	}
	return value;
}

static size_t count_above(const struct arm *arm, double shift, double limit, bool or_equal)
{
	size_t i = 0;

	while (i < arm->n && (or_equal ? top(arm, i, shift) >= limit : top(arm, i, shift) > limit))
		i++;
	return i;
}

/* Samples at the threshold itself count in part, so that ties favour neither arm. */
static void fill_shares(struct arm *arm, size_t rounds, double shift, double limit, double at_limit)
{
	size_t last = count_above(arm, shift, limit, true);

	for (size_t b = 0; b < rounds; b++)
		arm->share[b] = 0.0;
	for (size_t i = 0; i < last; i++) {
		size_t b = arm->values[arm->n - 1 - i] & BLOCK_MASK;

		arm->share[b] += (top(arm, i, shift) > limit ? 1.0 : at_limit) / arm->per_block[b];
	}
}

/* t of "a shifted down by this much sends more beyond the common quantile than b". */
static double t_of(struct tails *t, double shift, double *differences)
{
	double limit = common_threshold(t, shift);
	double above = (double)(count_above(&t->a, shift, limit, false) +
				count_above(&t->b, 0.0, limit, false));
	double reach = (double)(count_above(&t->a, shift, limit, true) +
				count_above(&t->b, 0.0, limit, true));
	double at_limit = ((double)t->beyond - above) / (reach - above);
	struct pl_estimate e;

	fill_shares(&t->a, t->rounds, shift, limit, at_limit);
	fill_shares(&t->b, t->rounds, 0.0, limit, at_limit);
	for (size_t b = 0; b < t->rounds; b++)
		differences[b] = t->a.per_block[b] > 0.0 && t->b.per_block[b] > 0.0
					 ? t->a.share[b] - t->b.share[b]
					 : (double)NAN;
	e = pl_stats_estimate(differences, t->rounds, 0.0);
	if (e.error > 0.0)
		return e.mean / e.error;
	return e.mean == 0.0 ? 0.0 : copysign(HUGE_VAL, e.mean);
}

/* The shift at which t falls through `target`: t falls as the shift grows. */
static double solve(struct tails *t, double target, double *differences)
{
	double reach = fmax(top(&t->a, 0, 0.0), top(&t->b, 0, 0.0));
	double low = -reach, high = reach;

	if (!(t_of(t, low, differences) > target) || !(t_of(t, high, differences) < target))
		return (double)NAN;
	for (unsigned i = 0; i < 60 && high - low > 1e-3; i++) {
		double middle = 0.5 * (low + high);

		if (t_of(t, middle, differences) > target)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

static double quantile_ns(const struct arm *arm, double p)
{
	size_t rank = (size_t)fmax(1.0, ceil(p * (double)arm->n - 1e-9));

	return top(arm, arm->n - rank, 0.0);
}

/* Single order statistics of a coarse clock: a part of its step stays unknown on each side. */
static double step_share(const struct tails *t)
{
	return STEP_SHARE * fmax(t->a.offset_ns, t->b.offset_ns);
}

static struct pl_estimate invert(struct tails *t, double p, double *differences)
{
	double df = (double)t->rounds - 1.0, usual = pl_stats_t_quantile(0.975, df);
	double strict = pl_stats_t_quantile(0.9995, df);
	struct pl_estimate e = {.df = df, .n = t->rounds};

	e.mean = quantile_ns(&t->a, p) - quantile_ns(&t->b, p);
	e.low = solve(t, usual, differences);
	e.high = solve(t, -usual, differences);
	if (isnan(e.low) || isnan(e.high))
		e.low = e.high = (double)NAN;
	else
		e.mean = fmin(fmax(e.mean, e.low), e.high);
	e.low -= step_share(t);
	e.high += step_share(t);
	e.p = pl_stats_t_p(t_of(t, 0.0, differences), df);
	e.error = fmax(e.mean - solve(t, strict, differences),
		       solve(t, -strict, differences) - e.mean) /
		  strict;
	return e;
}

struct pl_estimate pl_stats_tail_difference(const struct pl_blocks *a, const struct pl_blocks *b,
					    double p)
{
	const double none = (double)NAN;
	struct pl_estimate e = {none, none, none, none, none, none, 0};
	struct tails t = {.rounds = a->count < b->count ? a->count : b->count};
	double *differences;

	if (t.rounds < 3)
		return e;
	arm_init(&t.a, a, t.rounds);
	arm_init(&t.b, b, t.rounds);
	differences = zeroed(t.rounds, sizeof(*differences));
	t.beyond = (size_t)((1.0 - p) * (double)(t.a.n + t.b.n) + 0.5);
	if (pl_stats_quantile_is_carried(t.a.n, p) && pl_stats_quantile_is_carried(t.b.n, p))
		e = invert(&t, p, differences);
	free(differences);
	arm_fini(&t.a);
	arm_fini(&t.b);
	return e;
}
