#ifndef PL_CORE_STATS_TAIL_H
#define PL_CORE_STATS_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "core/stats_infer.h"

/* Raw samples by block: block b is ticks[start[b]] … ticks[start[b + 1] - 1]. Ticks < 2^46. */
struct pl_blocks {
	const uint64_t *ticks;
	const size_t *start;
	size_t count; /* blocks, < 4096 */
	double ns_per_tick;
};

/*
 * Quantile p of all samples of a minus that of b, in ns. Interval and p-value by turning a test
 * around: after taking a shift off a, both arms must send equal shares beyond their common
 * quantile p; the shares of a round are compared over rounds with Student's t, and the interval is
 * every shift that this test does not reject at 5 %. So a tail is judged by how often it is met in
 * how many rounds, not by how far out its few samples lie. error is that of a symmetric interval
 * as wide as the wider side at the 0.1 % level (for detection limits). NAN when either arm does not
 * carry p (fewer than 10 samples expected beyond) or fewer than 3 rounds are there.
 */
struct pl_estimate pl_stats_tail_difference(const struct pl_blocks *a, const struct pl_blocks *b,
					    double p);

#endif
