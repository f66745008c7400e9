#ifndef PL_SESSION_SPIKES_H
#define PL_SESSION_SPIKES_H

#include <stddef.h>
#include <stdint.h>

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
 * (distances cannot be shorter). The statistic is how improbable it is that random times scatter
 * that little, for the most regular of: all spikes, the largest 85 %, 72 % … Its distribution comes
 * from the same latencies at random times (Monte Carlo), so the p-value pays for the tries. Needs 6
 * stalls, and distances with a standard deviation of at most 25 % of their mean.
 */
struct pl_period pl_spikes_find_period(const struct pl_spike *spikes, size_t count, double join_s,
				       uint64_t seed);

#endif
