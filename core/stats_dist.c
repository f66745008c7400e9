#include "core/stats_dist.h"

#include <float.h>
#include <math.h>

#define MAX_TERMS 500
#define TINY 1e-300

/* Coefficient i of the continued fraction A&S 26.5.8. */
static double coefficient(unsigned i, double x, double a, double b)
{
	double m = (double)(i / 2);

	if (i % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
	return m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
}

/* The fraction 1/(1+ d1/(1+ d2/(1+ …))) from the front, by Lentz's method. */
static double fraction(double x, double a, double b)
{
	double value = 1.0, c = 1.0, d = 0.0;

	for (unsigned i = 1; i < MAX_TERMS; i++) {
		double k = coefficient(i, x, a, b), step;

		d = 1.0 + k * d;
		d = 1.0 / (fabs(d) < TINY ? TINY : d);
		c = 1.0 + k / c;
		c = fabs(c) < TINY ? TINY : c;
		step = c * d;
		value *= step;
		if (fabs(step - 1.0) < 4.0 * DBL_EPSILON)
			break;
	}
	return 1.0 / value;
}

double pl_stats_beta_cdf(double x, double a, double b)
{
	double front;

	if (isnan(x))
		return x;
	if (x <= 0.0)
		return 0.0;
	if (x >= 1.0)
		return 1.0;
	/* The fraction converges fast below the mean only; the other side by symmetry. */
	if (x > (a + 1.0) / (a + b + 2.0))
		return 1.0 - pl_stats_beta_cdf(1.0 - x, b, a);
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
	return front * fraction(x, a, b);
}

double pl_stats_binomial_cdf(long k, size_t n, double p)
{
	if (k < 0)
		return 0.0;
	if ((size_t)k >= n)
		return 1.0;
	return pl_stats_beta_cdf(1.0 - p, (double)(n - (size_t)k), (double)k + 1.0);
}

double pl_stats_t_p(double t, double df)
{
	if (isnan(t))
		return t;
	if (isinf(t))
		return 0.0;
	return pl_stats_beta_cdf(df / (df + t * t), df / 2.0, 0.5);
}

double pl_stats_t_cdf(double t, double df)
{
	double tail = 0.5 * pl_stats_t_p(t, df);

	return t > 0.0 ? 1.0 - tail : tail;
}

double pl_stats_t_quantile(double p, double df)
{
	double low = 0.0, high = 1.0, tail = p < 0.5 ? p : 1.0 - p;

	if (!(p > 0.0 && p < 1.0))
		return (double)NAN;
	while (0.5 * pl_stats_t_p(high, df) > tail && high < 1e150)
		high *= 2.0;
	for (unsigned i = 0; i < 200 && high - low > 1e-13 * high; i++) {
		double middle = 0.5 * (low + high);

		if (0.5 * pl_stats_t_p(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : high;
}
