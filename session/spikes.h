#ifndef PL_SESSION_SPIKES_H
#define PL_SESSION_SPIKES_H

#include <stddef.h>
#include <stdint.h>

#include "core/stats.h"
#include "model/watch.h"

/*
 * What a long watch shows, derived from its record. Pure; the same seed gives the same answer.
 *
 * A find is claimed at p <= 0.005, so that both together name something in at most 1 % of clean
 * watches.
 */
#define PL_SPIKES_ALPHA 0.005

/*
 * Stalls at regular times. Spikes in time order; join_s is the time within which spikes were joined
 * (distances cannot be shorter). The statistic is how far the coefficient of variation of the
 * distances is below that of random times, for the most regular of: all spikes, the largest 85 %,
 * 72 % … Its distribution comes from the same latencies at random times (Monte Carlo), so the
 * p-value pays for the tries. Needs 6 stalls.
 */
struct pl_period pl_spikes_find_period(const struct pl_spike *spikes, size_t count, double join_s,
				       uint64_t seed);

/*
 * A step of the medians after some idle gap, with what the control does taken off: where two
 * neighbouring gaps differ most; its size is the median of the three gaps behind it minus that of
 * the three before. Sign-flip permutation over the blocks, with the place chosen anew each time. A
 * find can be told from slow growth: at least 3 gaps behind it, half of it there at the first one,
 * and twice what the two gaps on either side differ by.
 * The lower end of its interval is at least 5 % of the base and 1 us: less is what caches of the
 * host do. Needs 8 blocks.
 */
struct pl_gap_step pl_spikes_find_gap_step(const struct pl_watch *watch, uint64_t seed);

/*
 * The size of the step at one gap, measured in the same way wherever the largest is. Bounds are NAN
 * when the watch has no such gap with another before it, or fewer than 3 blocks.
 */
struct pl_interval pl_spikes_step_at(const struct pl_watch *watch, uint64_t above_ns);

#endif
