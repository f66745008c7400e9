#ifndef PL_REPORT_DIST_H
#define PL_REPORT_DIST_H

#include "core/arena.h"
#include "model/run.h"

/*
 * The distribution of a series for documents: from its ticks while they are here, else as it was
 * stored in the results it was read from. Bins are log-linear: below 2^(PL_DIST_SUB_BITS + 1) ns
 * one bin per ns, above that every power of two has 2^PL_DIST_SUB_BITS bins (3 % wide).
 */
#define PL_DIST_SUB_BITS 5

/* Bins that hold samples, ascending; arena. *count is 0 (and the pointer NULL) without samples. */
const struct pl_bin *pl_dist_bins(struct pl_arena *arena, const struct pl_measurement *m,
				  size_t *count);
/* One summary per block that was taken; arena. */
const struct pl_block_summary *pl_dist_blocks(struct pl_arena *arena,
					      const struct pl_measurement *m, size_t *count);
/* Width of the bin that begins at low_ns. */
double pl_dist_width(double low_ns);

/*
 * Keeps bins and blocks of every series that has ticks, so that several writers in a row make them
 * once; forget before the ticks change or scratch goes.
 */
void pl_dist_keep(struct pl_arena *scratch, const struct pl_run *run);
void pl_dist_forget(const struct pl_run *run);

#endif
