#ifndef PL_CORE_SEQUENCE_H
#define PL_CORE_SEQUENCE_H

#include <stddef.h>

#include "core/stats_infer.h"

/*
 * When to stop measuring. Asked after every round, with the block values of one claim so far:
 * another round, precise enough, or out of reach. Pure; the session calls it between rounds.
 *
 * The rule looks at the width of the interval only, never at whether the effect is significant, so
 * it cannot stop on a lucky sign. But it stops when the spread happens to look small, so an
 * interval that was stopped this way is widened by PL_SEQUENCE_MARGIN / n: tests/sim shows that it
 * then covers 95 %.
 */

#define PL_SEQUENCE_MIN_ROUNDS 12
#define PL_SEQUENCE_MARGIN 1.0
/* Fact of a series that was stopped by this rule; its claims are widened. */
#define PL_SEQUENCE_FACT "stopped_by_precision"

/* Half width that is asked for: the larger of a share of the estimate and an absolute value. */
struct pl_precision {
	double relative, absolute_ns;
};

/* The defaults: hops 1 % or 5 ns, exits 5 % or 5 ns. */
extern const struct pl_precision pl_precision_hop, pl_precision_exit;

enum pl_sequence_verdict { PL_SEQUENCE_CONTINUE, PL_SEQUENCE_RESOLVED, PL_SEQUENCE_UNRESOLVABLE };

struct pl_sequence {
	enum pl_sequence_verdict verdict;
	struct pl_estimate estimate;
	double half_width_ns, target_ns; /* widened; NAN before there are 3 rounds */
	double rounds_needed;            /* in all, as far as can be told; NAN before */
};

/*
 * rounds_left: how many more the budget allows for this claim's series. UNRESOLVABLE: even if the
 * true spread were as small as these rounds leave possible (97.5 %), the target would need more
 * rounds than there are; or there are none left. floor as for pl_stats_estimate.
 */
struct pl_sequence pl_sequence_judge(const double *block_values, size_t count, double floor,
				     const struct pl_precision *precision, double rounds_left);

/* Widens interval and error of a mean of e->n blocks that was stopped by the rule. */
void pl_sequence_widen(struct pl_estimate *e);

#endif
