#ifndef PL_REPORT_QUALITY_H
#define PL_REPORT_QUALITY_H

#include "model/run.h"

/*
 * Data-quality gates: pure functions over the measurements of a run. Each finding is a warning of
 * its series with a stable code; the sentence says what was seen, why it matters and what to do.
 *
 *   W-BLOCKS        fewer than 12 rounds have data
 *   W-FIRST-BLOCK   the first round is unlike the others: caches, clocks, a cold drive
 *   W-DRIFT         the level moves through the run
 *   W-THROTTLED     it rises by a fifth or more from the first to the last third
 *   W-RETRAINED     the link was slower, faster, wider or narrower at the end; enters no claim
 *   W-TICK          half of the samples fall on one step of the clock
 *   W-AUTOCORRELATED neighbouring rounds are alike: the interval may be too narrow
 *   W-CONTAMINATED  the host alone, without any PCIe access, is slower after this gap
 *   W-MIXTURE       two levels: other traffic woke the link in part of the accesses
 */

/* Runs all gates over all measured series; running it again adds nothing. */
void pl_quality_check(struct pl_run *run);

#endif
