#ifndef PL_SESSION_GAP_STEP_H
#define PL_SESSION_GAP_STEP_H

#include <stdint.h>

#include "core/stats.h"
#include "model/watch.h"

/*
 * A step of the medians after some idle gap, with what the control does taken off: where two
 * neighbouring gaps differ most, or with the gap beside it when the rise is spread over both; its
 * size is the median of the three gaps behind it minus that of the three before. Sign-flip
 * permutation over the blocks, with the place chosen anew each time. A find can be told from slow
 * growth: a gap before and at least 3 behind it, and from gap to gap twice (spread over two: three
 * times) what the two gaps on either side differ by, with 95 % certainty for each of them.
 * The lower end of its interval is at least 5 % of the base and 1 us: less is what caches of the
 * host do. Needs 8 blocks.
 */
struct pl_gap_step pl_gap_step_find(const struct pl_watch *watch, uint64_t seed);

/*
 * The size of a step between the gaps of another watch's step, measured in the same way wherever
 * the largest is. Bounds are NAN when this watch has not both gaps, or fewer than 3 blocks.
 */
struct pl_interval pl_gap_step_at(const struct pl_watch *watch, const struct pl_gap_step *step);

#endif
