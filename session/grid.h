#ifndef PL_SESSION_GRID_H
#define PL_SESSION_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/link.h"

enum pl_effort { PL_EFFORT_QUICK, PL_EFFORT_DEFAULT, PL_EFFORT_THOROUGH };

/*
 * The idle gaps of an effort in ns, ascending, without 0: log-spaced, 1 µs … 10 ms. L1 entry timers
 * are known from 1 µs (DesignWare) to a few ms (amdgpu), so the sweep may not stop at 1 ms.
 */
const uint64_t *pl_grid_gaps(enum pl_effort effort, size_t *count);
/* Up to this gap every rung of a path is read; beyond it, but for --thorough, the device's own. */
#define PL_GRID_RUNGS_MAX_NS UINT64_C(2000000)
/* Samples of one block at this gap: fewer for long gaps, never below 4. */
size_t pl_grid_samples(enum pl_effort effort, uint64_t gap_ns);
/*
 * Whether an effort measures this link state: off and as found always, the negative control from
 * the default on, subsets and partial states when --thorough.
 */
bool pl_grid_takes_state(enum pl_effort effort, const struct pl_link_state *state);

/*
 * Whether gap i of count also gets the smaller arms: the links off once more (the control of the
 * run), and the gap slept instead of spun.
 */
bool pl_grid_is_control_gap(size_t i, size_t count);
bool pl_grid_is_slept_gap(enum pl_effort effort, size_t i, size_t count);
/* Reads of one burst after an idle gap. */
#define PL_GRID_BURST_READS 16u
/* Gaps before bursts: beyond the entry of L1; --thorough: the longer one too. */
#define PL_GRID_BURST_GAP_NS UINT64_C(2000000)
#define PL_GRID_BURST_LONG_GAP_NS UINT64_C(10000000)
/*
 * Bursts of one block: as found --thorough has 84, so that 12 blocks carry p99 of each place; 4
 * beyond 10 ms.
 */
size_t pl_grid_bursts(enum pl_effort effort, uint64_t gap_ns, bool is_as_found);

/* Long enough for a drive's own power states, which Linux lets begin after tens of ms. */
#define PL_GRID_APST_GAP_NS UINT64_C(200000000)

#endif
