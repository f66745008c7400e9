#ifndef PL_CORE_STATS_TAIL_H
#define PL_CORE_STATS_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "core/stats_infer.h"

/* Raw samples by block: block b is ticks[start[b]] … ticks[start[b + 1] - 1]. Ticks < 2^48. */
struct pl_blocks {
	const uint64_t *ticks;
	const size_t *start;
	size_t count; /* blocks, < 65536 */
	double ns_per_tick;
};

/*
 * Quantile p of all samples of a minus that of b, in ns. The interval comes from leaving out one
 * round of both at a time (delete-one-block jackknife, Student-t over the pseudo-values), because
 * one block alone does not carry a tail. NAN when either does not carry p (fewer than 10 samples
 * expected beyond) or fewer than 3 blocks are there.
 */
struct pl_estimate pl_stats_tail_difference(const struct pl_blocks *a, const struct pl_blocks *b,
					    double p);

#endif
