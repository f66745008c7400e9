#ifndef PL_REPORT_BURST_H
#define PL_REPORT_BURST_H

#include "core/arena.h"
#include "core/stats.h"
#include "model/burst.h"

/*
 * Inside report/: how many reads a drive and its link need to be fast again after idle time.
 * Derived from one burst series and the same read in continuous traffic.
 */

/* A read is back when it takes at most this part more than steady. */
#define PL_BURST_TOLERANCE 0.05

struct pl_burst {
	const struct pl_measurement *m;
	const struct pl_measurement *steady; /* same read, state and boot without gaps; NULL */
	const struct pl_burst_place *places; /* m->conditions.burst; NULL: no numbers */
	struct pl_interval *over; /* of each place: minus steady, paired by block; 95 % each */
	double tolerance_ns;      /* NAN without steady */
	enum pl_claim_status status;
	/*
	 * When resolved: back after so many reads, low … high; all from the next on are. high equal
	 * to the length of the burst: not back within it.
	 */
	unsigned back_low, back_high;
	const char *sentence; /* what is claimed, or why nothing is; arena text */
};

/*
 * Judges a burst series. The bounds of the claim hold for all places together at 95 %: each is
 * Student-t over blocks at 1 - 0.05 / places (Bonferroni). A place is slow when its lower bound is
 * above the tolerance, back when its upper bound is not. "Back after k": the last slow place is k
 * and every place behind is back; places between that are neither widen it to "k to l". Without a
 * slow place it is resolved only when every place is back.
 */
void pl_burst_judge(struct pl_arena *arena, const struct pl_run *run,
		    const struct pl_measurement *m, struct pl_burst *burst);

#endif
