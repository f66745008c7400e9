#ifndef PL_SESSION_HOLD_H
#define PL_SESSION_HOLD_H

#include "core/stats.h"
#include "model/watch.h"

/* What becomes of a find while the links are held in L0 between two times as found. */
enum pl_held {
	PL_HELD_NONE, /* nothing was found in both times as found */
	PL_HELD_NOT_RESOLVED,
	PL_HELD_VANISHES,
	PL_HELD_STAYS,
};

/*
 * Not finding something again proves nothing: the middle must show that it is not there.
 *
 * The step vanishes when the upper bound of the middle, at the same gap, is below half of the lower
 * bounds of both others, and stays when its lower bound is above half of their upper bounds. Stalls
 * of at least half the size vanish when so few were seen that a Poisson count of what the other two
 * times let expect is that low with p <= 0.005, and stay when they are found to be regular there,
 * too.
 */
struct pl_hold {
	enum pl_held step, stalls;
	struct pl_interval held_step; /* in the middle, at the gap of the first; 95 % */
	size_t stalls_seen;           /* in the middle */
	double stalls_expected;
};

/* phases: as found, held, as found; each a watch that is over. Pure. */
struct pl_hold pl_hold_compare(const struct pl_watch phases[3]);

#endif
