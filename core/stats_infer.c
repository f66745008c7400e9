#include "core/stats_infer.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats.h"
#include "core/stats_dist.h"

#define PLANNED_POWER 0.95

static const double NONE = (double)NAN;

struct moments {
	double sum, squares;
	size_t n;
};

/* Two passes: latencies are large against their spread. */
static struct moments moments_of(const double *values, size_t count, double *mean)
{
	struct moments m = {0.0, 0.0, 0};

	for (size_t i = 0; i < count; i++) {
		if (isnan(values[i]))
			continue;
		m.sum += values[i];
		m.n++;
	}
	*mean = m.n ? m.sum / (double)m.n : NONE;
	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i]))
			m.squares += (values[i] - *mean) * (values[i] - *mean);
	return m;
}

static void finish(struct pl_estimate *e)
{
	double half;

	e->low = e->high = e->p = NONE;
	if (e->n < 2 || !(e->df > 0.0))
		return;
	if (e->error > 0.0)
		e->p = pl_stats_t_p(e->mean / e->error, e->df);
	if (e->n < 3)
		return;
	half = pl_stats_t95((size_t)e->df) * e->error;
	e->low = e->mean - half;
	e->high = e->mean + half;
}

struct pl_estimate pl_stats_estimate(const double *values, size_t count, double floor)
{
	struct pl_estimate e = {NONE, NONE, NONE, NONE, NONE, NONE, 0};
	struct moments m = moments_of(values, count, &e.mean);
	double least = m.n ? floor / sqrt(12.0 * (double)m.n) : 0.0;

	e.n = m.n;
	e.df = m.n ? (double)m.n - 1.0 : NONE;
	if (m.n >= 2)
		e.error = fmax(sqrt(m.squares / e.df / (double)m.n), least);
	finish(&e);
	return e;
}

struct pl_estimate pl_stats_estimate_paired(const double *a, const double *b, size_t count,
					    double floor)
{
	double *differences = calloc(count ? count : 1, sizeof(*differences));
	struct pl_estimate e;

	if (!differences)
		abort();
	for (size_t i = 0; i < count; i++)
		differences[i] = a[i] - b[i];
	e = pl_stats_estimate(differences, count, floor);
	free(differences);
	return e;
}

struct pl_estimate pl_stats_estimate_groups(const double *a, size_t count_a, const double *b,
					    size_t count_b)
{
	double mean_a, mean_b, variance;
	struct moments ma = moments_of(a, count_a, &mean_a), mb = moments_of(b, count_b, &mean_b);
	struct pl_estimate e = {mean_a - mean_b, NONE, NONE, NONE, NONE, NONE, ma.n + mb.n};

	if (!ma.n || !mb.n || ma.n + mb.n < 3)
		return e;
	e.df = (double)(ma.n + mb.n) - 2.0;
	variance = (ma.squares + mb.squares) / e.df;
	e.error = sqrt(variance * (1.0 / (double)ma.n + 1.0 / (double)mb.n));
	finish(&e);
	return e;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Studentised mean of one resample; NAN when all drawn values are the same. */
static double resample_t(const double *values, size_t n, double centre, struct pl_rng *rng)
{
	double sum = 0.0, squares = 0.0, mean, error;

	for (size_t i = 0; i < n; i++) {
		double v = values[pl_rng_below(rng, n)] - centre;

		sum += v;
		squares += v * v;
	}
	mean = sum / (double)n;
	error = sqrt((squares - sum * mean) / (double)(n - 1) / (double)n);
	return error > 0.0 ? mean / error : NONE;
}

struct pl_estimate pl_stats_estimate_bootstrap(const double *values, size_t count,
					       unsigned resamples, struct pl_rng *rng)
{
	struct pl_estimate e = pl_stats_estimate(values, count, 0.0);
	double *kept = calloc(count + 1, sizeof(*kept));
	double *t = calloc((size_t)resamples + 1, sizeof(*t));
	size_t n = 0, drawn = 0;

	if (!kept || !t)
		abort();
	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i]))
			kept[n++] = values[i];
	for (unsigned r = 0; n >= 3 && r < resamples; r++) {
		double value = resample_t(kept, n, e.mean, rng);

		if (!isnan(value))
			t[drawn++] = value;
	}
	if (drawn >= 40) {
		qsort(t, drawn, sizeof(*t), compare);
		e.low = e.mean - t[(size_t)(0.975 * (double)(drawn - 1))] * e.error;
		e.high = e.mean - t[(size_t)(0.025 * (double)(drawn - 1))] * e.error;
	}
	free(kept);
	free(t);
	return e;
}

double pl_stats_detection_limit(double error, double df, double alpha)
{
	double t = pl_stats_t_quantile(1.0 - alpha / 2.0, df);

	if (!(df > 0.0))
		return NONE;
	return error * (t + pl_stats_t_quantile(PLANNED_POWER, df) * sqrt(1.0 + t * t / df));
}

void pl_stats_holm(double *p, size_t count)
{
	size_t family = 0;
	double running = 0.0;

	for (size_t i = 0; i < count; i++)
		family += !isnan(p[i]);
	/* A finished value is marked by adding 2: no second array. */
	for (size_t left = family; left > 0; left--) {
		size_t least = count;

		for (size_t i = 0; i < count; i++)
			if (p[i] <= 1.0 && (least == count || p[i] < p[least]))
				least = i;
		running = fmax(running, fmin(1.0, p[least] * (double)left));
		p[least] = running + 2.0; /* done */
	}
	for (size_t i = 0; i < count; i++)
		if (p[i] > 1.0)
			p[i] -= 2.0;
}

double pl_stats_effective_count(const double *values, size_t count)
{
	double mean, sum = 0.0, n = (double)count;
	struct moments m = moments_of(values, count, &mean);

	if (count < 4 || m.n != count || m.squares <= 0.0)
		return n;
	for (size_t lag = 1; lag + 1 < count; lag += 2) {
		double pair = 0.0;

		for (size_t k = lag; k <= lag + 1; k++)
			for (size_t i = 0; i + k < count; i++)
				pair += (values[i] - mean) * (values[i + k] - mean);
		if (pair <= 0.0)
			break;
		sum += pair / m.squares;
	}
	return n / (1.0 + 2.0 * sum);
}

/* Smallest rank u in 1 … count + 1 with P(X <= u - 1) >= level; X counts samples below. */
static size_t least_rank(size_t count, double p, double level)
{
	size_t low = 0, high = count + 1;

	while (low < high - 1) {
		size_t middle = low + (high - low) / 2;

		if (pl_stats_binomial_cdf((long)middle - 1, count, p) >= level)
			high = middle;
		else
			low = middle;
	}
	return high;
}

struct pl_rank_interval pl_stats_quantile_ranks(size_t count, double p, double level)
{
	double tail = (1.0 - level) / 2.0;
	struct pl_rank_interval r = {least_rank(count, p, tail) - 1,
				     least_rank(count, p, 1.0 - tail), 1.0};

	if (r.upper <= count)
		r.coverage = pl_stats_binomial_cdf((long)r.upper - 1, count, p);
	else
		r.upper = count + 1;
	if (r.lower)
		r.coverage -= pl_stats_binomial_cdf((long)r.lower - 1, count, p);
	return r;
}
