#ifndef PL_MODEL_BURST_H
#define PL_MODEL_BURST_H

#include "model/run.h"

/*
 * The places of a burst series: conditions.burst entries, the read right after the gap first. From
 * ticks where they are here, else what was stored. NULL when m is no burst or has no samples.
 */
const struct pl_burst_place *pl_measurement_places(struct pl_arena *arena,
						   const struct pl_measurement *m);

#endif
