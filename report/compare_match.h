#ifndef PL_REPORT_COMPARE_MATCH_H
#define PL_REPORT_COMPARE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "model/run.h"

/*
 * Which series and which claims of two runs answer the same question. Both directions of a
 * comparison ask here, so that they cannot disagree. Nothing is allocated.
 */

/* The same key and label on one board; the same label between boards. Both NULL: the same. */
bool pl_match_is_same_slot(const struct pl_slot *a, const struct pl_slot *b);
/* The slot of the run that is the same as this one; NULL: none. */
const struct pl_slot *pl_match_slot(const struct pl_run *run, const struct pl_slot *slot);

/*
 * The same place (slot, or subject where there is no slot; the same function of its path), access
 * (probe, metric, pattern, size, depth, region, memory) and conditions (state, gap and how it
 * passed, burst, prewake, power states). The software path may differ.
 */
bool pl_match_is_same_series(const struct pl_measurement *a, const struct pl_measurement *b);
/* The series of `other` that asks what m of `run` asks, in order where several do; NULL: none. */
const struct pl_measurement *pl_match_series(const struct pl_run *run,
					     const struct pl_measurement *m,
					     const struct pl_run *other);

/*
 * The same kind of claim about the same access in the same slot against the same reference. The gap
 * counts unless the step in the data chose it (exit, entry timer). A claim of a file that did not
 * record its conditions is told by the rest.
 */
bool pl_match_is_same_claim(const struct pl_effect *a, const struct pl_effect *b);
/*
 * The claim of `other` that asks what claim `index` of `run` asks. Where several are alike they are
 * paired in order; *is_mixed is set, and NULL returned, where the two have not equally many.
 */
const struct pl_effect *pl_match_claim(const struct pl_run *run, size_t index,
				       const struct pl_run *other, bool *is_mixed);

#endif
