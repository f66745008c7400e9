#ifndef PL_CORE_STATS_DIST_H
#define PL_CORE_STATS_DIST_H

#include <stddef.h>

/*
 * The distributions behind the intervals. Formulas: Abramowitz and Stegun, 26.5 (incomplete beta),
 * 26.7 (Student's t); checked against scipy in the tests.
 */

/* Regularised incomplete beta function I_x(a, b); 0 <= x <= 1, a, b > 0. Relative error < 1e-12. */
double pl_stats_beta_cdf(double x, double a, double b);
/* P(X <= k) for X binomial with n trials of probability p. k < 0 gives 0. */
double pl_stats_binomial_cdf(long k, size_t n, double p);
/* P(T <= t) for Student's t with df > 0 degrees of freedom. */
double pl_stats_t_cdf(double t, double df);
/* t with P(T <= t) = p, 0 < p < 1. */
double pl_stats_t_quantile(double p, double df);
/* Two-sided p-value of t; NAN in, NAN out; infinite t gives 0. */
double pl_stats_t_p(double t, double df);

#endif
