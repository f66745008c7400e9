#include "core/stats_tail.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

#define BLOCK_BITS 16u

/* Sorted samples that know their block. */
struct tagged {
	uint64_t *values; /* ticks << BLOCK_BITS | block */
	size_t n;
};

static struct tagged tag(const struct pl_blocks *blocks)
{
	struct tagged t = {NULL, blocks->start[blocks->count] - blocks->start[0]};
	uint64_t *to = t.values = calloc(t.n + 1, sizeof(*t.values));

	if (!to)
		abort();
	for (size_t b = 0; b < blocks->count; b++)
		for (size_t i = blocks->start[b]; i < blocks->start[b + 1]; i++)
			*to++ = blocks->ticks[i] << BLOCK_BITS | b;
	pl_stats_sort(t.values, t.n);
	return t;
}

/* The order statistic of what is left without block b; b beyond all blocks leaves nothing out. */
static double quantile_without(const struct tagged *t, const struct pl_blocks *blocks, size_t b,
			       double p)
{
	size_t gone = b < blocks->count ? blocks->start[b + 1] - blocks->start[b] : 0;
	double left = (double)(t->n - gone);
	size_t beyond = (size_t)(left - ceil(p * left - 1e-9)); /* samples above it */

	for (size_t i = t->n; i-- > 0;) {
		if ((t->values[i] & ((1u << BLOCK_BITS) - 1)) == b)
			continue;
		if (!beyond--)
			return (double)(t->values[i] >> BLOCK_BITS) * blocks->ns_per_tick;
	}
	return (double)NAN;
}

static struct pl_estimate jackknife(const struct pl_blocks *a, const struct pl_blocks *b,
				    const struct tagged *ta, const struct tagged *tb, double p)
{
	size_t count = a->count < b->count ? a->count : b->count;
	double *pseudo = calloc(count + 1, sizeof(*pseudo)), n = (double)count;
	double whole = quantile_without(ta, a, SIZE_MAX, p) - quantile_without(tb, b, SIZE_MAX, p);
	struct pl_estimate e;
	double shift;

	if (!pseudo)
		abort();
	for (size_t i = 0; i < count; i++)
		pseudo[i] = n * whole - (n - 1.0) * (quantile_without(ta, a, i, p) -
						     quantile_without(tb, b, i, p));
	e = pl_stats_estimate(pseudo, count, fmax(a->ns_per_tick, b->ns_per_tick));
	/* The spread is the jackknife's, the estimate the plain difference. */
	shift = whole - e.mean;
	e.mean += shift;
	e.low += shift;
	e.high += shift;
	free(pseudo);
	return e;
}

struct pl_estimate pl_stats_tail_difference(const struct pl_blocks *a, const struct pl_blocks *b,
					    double p)
{
	const double none = (double)NAN;
	struct pl_estimate e = {none, none, none, none, none, none, 0};
	struct tagged ta, tb;

	if (a->count < 3 || b->count < 3)
		return e;
	ta = tag(a);
	tb = tag(b);
	if (pl_stats_quantile_is_carried(ta.n, p) && pl_stats_quantile_is_carried(tb.n, p))
		e = jackknife(a, b, &ta, &tb, p);
	free(ta.values);
	free(tb.values);
	return e;
}
