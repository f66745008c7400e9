#ifndef PL_CORE_STATS_INFER_H
#define PL_CORE_STATS_INFER_H

#include <stddef.h>

#include "core/rng.h"

/*
 * From block values to an estimate with its 95 % interval, a p-value and the effect that would
 * have been seen. One value per block (or per boot); NAN values are holes and are left out.
 */
struct pl_estimate {
	double mean, low, high; /* 95 % interval; NAN below 3 values */
	double error;           /* standard error of the mean; NAN below 2 values */
	double df;
	double p; /* two-sided, of mean = 0; NAN when there is no error to compare with */
	size_t n; /* values used */
};

/*
 * Student-t over block values. Covers 95 % from 3 blocks on where block values are near normal, as
 * medians of many samples are. `floor` is the resolution of one block value (a tick, in the unit
 * of the values): blocks that all agree say no more than that, so the standard error never falls
 * below floor / sqrt(12 n); 0 for none.
 */
struct pl_estimate pl_stats_estimate(const double *values, size_t count, double floor);
/* The same for a[i] - b[i]: a round in which either is NAN is left out. */
struct pl_estimate pl_stats_estimate_paired(const double *a, const double *b, size_t count,
					    double floor);
/*
 * Mean of a minus mean of b for unpaired values (boots): Student-t with pooled variance, because
 * the spread between boots is the machine's and the same in both groups.
 */
struct pl_estimate pl_stats_estimate_groups(const double *a, size_t count_a, const double *b,
					    size_t count_b);
/*
 * Bootstrap-t (Efron): resamples blocks and uses the distribution of the studentised mean, so that
 * a skewed block value gives an asymmetric interval. mean, error, df, p are those of Student-t.
 */
struct pl_estimate pl_stats_estimate_bootstrap(const double *values, size_t count,
					       unsigned resamples, struct pl_rng *rng);

/*
 * The effect that another run would find with at least 80 % power at two-sided level alpha, from
 * the standard error of the estimate and its degrees of freedom: with t = t(1 - alpha/2),
 * error * (t + t(0.95) * sqrt(1 + t^2 / df)). The root stands for what both errors, this one and
 * that of the other run, are uncertain by; without it power at the limit is 60 to 75 % at few
 * blocks. 95 and not 80: boards with heavy tails fall behind the t distribution by 10 points.
 */
double pl_stats_detection_limit(double error, double df, double alpha);

/*
 * Holm's step-down adjustment of count p-values, in place; NAN values are no members of the family.
 */
void pl_stats_holm(double *p, size_t count);

/*
 * Effective number of independent values in a series (Geyer's initial positive sequence): count
 * for white noise, fewer when neighbours are alike; never more than count.
 */
double pl_stats_effective_count(const double *values, size_t count);

/* Ranks (from 1) of the order statistics that bound a quantile; upper > count: no upper bound. */
struct pl_rank_interval {
	size_t lower, upper;
	double coverage; /* exact, for independent samples; >= level unless a bound is missing */
};

/*
 * Shortest symmetric-in-probability binomial interval of the quantile p of count samples at level
 * (0.95). lower 0: no lower bound.
 */
struct pl_rank_interval pl_stats_quantile_ranks(size_t count, double p, double level);

#endif
