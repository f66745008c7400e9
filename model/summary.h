#ifndef PL_MODEL_SUMMARY_H
#define PL_MODEL_SUMMARY_H

#include "core/stats.h"
#include "model/run.h"

/*
 * Raw samples of one series -> its numbers, in ns. The one place where ticks become statistics:
 * the session calls it when a series ends, a reader of samples.bin calls it again and gets the
 * same.
 */

/*
 * Fills m->summary from ticks and block_start. Quantiles are exact order statistics over all
 * samples; those that n does not carry (fewer than 10 expected beyond) are NAN, and so is
 * everything when n is 0. The interval of the median is that of pl_summary_median_interval.
 */
void pl_measurement_summarise(struct pl_measurement *m);

/*
 * The 95 % interval that is printed beside a median of all samples: Student-t over the medians of
 * the blocks (NAN ones left out; the array is reordered), NAN below 3 of them. It is symmetric
 * around their mean, so where few blocks differ much it is made to hold the median that it is of,
 * and ends at the least sample: no read was faster, and none takes less than no time.
 */
struct pl_interval pl_summary_median_interval(double *medians, size_t blocks, double p50_ns,
					      double min_ns);

/* Samples of block b; NULL and 0 when the block was not taken or is empty. */
const uint64_t *pl_measurement_block(const struct pl_measurement *m, size_t b, size_t *count);

/*
 * The quantile p of each block, in ns, into out[blocks_done] (the caller's). A block that is empty
 * or does not carry p gives NAN: its round then drops out of every paired difference. Returns the
 * number of blocks that have a value.
 */
size_t pl_measurement_block_quantiles(const struct pl_measurement *m, double p, double *out);

/*
 * The centre of each block for paired differences, in ns: the median, interpolated where a coarse
 * clock gives ties (pl_stats_grouped_median). NAN for an empty block. Returns the number of blocks
 * that have a value.
 */
size_t pl_measurement_block_centres(const struct pl_measurement *m, double *out);
/* The same of one block. */
double pl_measurement_block_centre(const struct pl_measurement *m, size_t b);

/*
 * The step of the clock as the samples show it, in ns: the least distance of two different values
 * among the first few thousand. One tick when all are equal.
 */
double pl_measurement_step_ns(const struct pl_measurement *m);

#endif
