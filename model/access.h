#ifndef PL_MODEL_ACCESS_H
#define PL_MODEL_ACCESS_H

#include "model/run.h"

/* Which series may be compared with which: asked by the attribution and by the stopping rule. */

/* Whether claims are made from such a series at all. */
bool pl_measurement_is_claimable(const struct pl_measurement *m);
/*
 * Same kind of access by the same software path: everything but link state, gap, slot and device
 * is the same. A series without a gap belongs to the spun and to the slept arm. Series with the
 * power states of the drive as a factor, and bursts, stand apart from the grid.
 */
bool pl_measurement_is_same_access(const struct pl_measurement *a, const struct pl_measurement *b);
/* Whether its gaps were slept, not spun: beside the claims, not in them. */
bool pl_measurement_is_slept(const struct pl_measurement *m);
/* The same unit in both slots, one of its model, or neither. */
enum pl_reference_class pl_slot_reference_class(const struct pl_slot *a, const struct pl_slot *b);

#endif
