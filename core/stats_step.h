#ifndef PL_CORE_STATS_STEP_H
#define PL_CORE_STATS_STEP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Is there a step in a curve, and where? The curve is a difference of two arms (link state minus
 * links off) at `positions` idle gaps, measured in `blocks` rounds: values[b * positions + g].
 *
 * Test: for every split k the contrast of a round is mean(values at >= k) - mean(values at < k).
 * Without a step the two arms of a round could be swapped, which turns the sign of all contrasts
 * of that round at once; so the largest weighted contrast is compared with the same largest over
 * all sign patterns (exact up to 13 blocks, 4095 random patterns beyond). The largest over all
 * splits is used on both sides: that pays for the search. No assumption on the noise of different
 * gaps or on their dependence.
 */

enum pl_step_shape {
	PL_SHAPE_FLAT,      /* no step: p above the level asked for */
	PL_SHAPE_STEP,      /* one step explains the curve */
	PL_SHAPE_TWO_STEPS, /* two do better than one, and than a slope */
	PL_SHAPE_SLOPE,     /* it rises (or falls) all along: not a timer */
};

struct pl_step {
	enum pl_step_shape shape;
	double p;         /* of "no step", the search included */
	size_t split;     /* best split: the step lies between positions split - 1 and split */
	size_t low, high; /* 99 % set: every split from low to high may be the one */
	size_t second;    /* the later of two steps; 0 unless two (then split is the first) */
	size_t blocks;    /* rounds without holes */
};

/*
 * level: largest p at which a step is believed. Rounds with a NAN are left out. Fewer than 3
 * positions or 6 whole rounds: FLAT with p 1. The seed makes random patterns repeatable.
 */
struct pl_step pl_stats_find_step(const double *values, size_t blocks, size_t positions,
				  double level, uint64_t seed);

/*
 * One contrast per round: mean of positions high … positions - 1 minus mean of positions
 * 0 … low - 1. Missing values (NAN) are left out; NAN where a side has none: plateaus are flat, so
 * rounds that went on with some of the gaps only still say something.
 */
void pl_stats_step_contrast(const double *values, size_t blocks, size_t positions, size_t low,
			    size_t high, double *out);

#endif
