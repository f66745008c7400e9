#ifndef PL_CORE_STATS_H
#define PL_CORE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Statistics over raw samples. Nothing is trimmed. Quantiles are exact order statistics; intervals
 * of differences come from blocks, never from single samples (samples are autocorrelated).
 */

/* Sorts in place, ascending. */
void pl_stats_sort(uint64_t *values, size_t count);
/*
 * Order statistic x(ceil(p n)) of sorted values (nearest rank, Hyndman and Fan type 1); count > 0,
 * 0 < p <= 1. The median of an even count is therefore the lower of the two middle values.
 */
uint64_t pl_stats_quantile(const uint64_t *sorted, size_t count, double p);
/*
 * Median with ties spread over their bin: where a coarse clock gives many equal values, the place
 * inside the bin is interpolated from how many lie below and above (the grouped-data median).
 * Without ties it lies within half a gap of the middle values. For differences only; reports show
 * order statistics.
 */
double pl_stats_grouped_median(const uint64_t *sorted, size_t count);
/* The same of unsorted values, which stay as they are; count > 0. */
double pl_stats_centre(const uint64_t *values, size_t count);
/* Least distance of two different values; 1 when all are equal. Values stay as they are. */
uint64_t pl_stats_step(const uint64_t *values, size_t count);
/*
 * Whether count samples carry the quantile p: at least 10 are expected beyond it. A quantile that
 * they do not carry is reported as null, with that reason.
 */
bool pl_stats_quantile_is_carried(size_t count, double p);

double pl_stats_mean(const double *values, size_t count);
/* Sample standard deviation (n - 1); 0 for fewer than 2 values. */
double pl_stats_sd(const double *values, size_t count);
/* Two-sided 95 % quantile of Student's t with df degrees of freedom (df >= 1). */
double pl_stats_t95(size_t df);

struct pl_interval {
	double estimate, low, high; /* NAN when not defined */
	size_t n;                   /* blocks */
};

/*
 * 95 % Student-t interval of the mean of block values (usually paired differences of block
 * medians, one per block). Fewer than 3 blocks give NAN bounds.
 */
struct pl_interval pl_stats_block_interval(const double *block_values, size_t blocks);

#endif
