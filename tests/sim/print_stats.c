/*
 * What core computes for fixed inputs, one JSON object a line; check_scipy.py compares it with
 * scipy.
 */

#include <math.h>
#include <stdio.h>

#include "core/rng.h"
#include "core/stats.h"
#include "core/stats_bracket.h"
#include "core/stats_dist.h"
#include "core/stats_infer.h"
#include "core/stats_step.h"

static void print_distributions(void)
{
	static const double x[] = {0.001, 0.1, 0.4, 0.77, 0.999};
	static const double shape[] = {0.5, 1.0, 3.0, 20.0, 400.0};
	static const double t[] = {-6.0, -1.3, 0.0, 0.4, 2.2, 9.0};
	static const double df[] = {1.0, 2.0, 4.0, 11.0, 29.0, 60.0, 1000.0};
	static const double p[] = {1e-6, 0.0005, 0.025, 0.3, 0.9, 0.9995};

	for (size_t i = 0; i < 5; i++)
		for (size_t a = 0; a < 5; a++)
			for (size_t b = 0; b < 5; b++)
				printf("{\"what\": \"beta\", \"x\": %.17g, \"a\": %.17g, \"b\": "
				       "%.17g, \"value\": %.17g}\n",
				       x[i], shape[a], shape[b],
				       pl_stats_beta_cdf(x[i], shape[a], shape[b]));
	for (size_t d = 0; d < 7; d++) {
		for (size_t i = 0; i < 6; i++)
			printf("{\"what\": \"t_cdf\", \"x\": %.17g, \"df\": %.17g, \"value\": "
			       "%.17g}\n",
			       t[i], df[d], pl_stats_t_cdf(t[i], df[d]));
		for (size_t i = 0; i < 6; i++)
			printf("{\"what\": \"t_ppf\", \"x\": %.17g, \"df\": %.17g, \"value\": "
			       "%.17g}\n",
			       p[i], df[d], pl_stats_t_quantile(p[i], df[d]));
	}
	for (size_t d = 1; d < 200; d += 7)
		printf("{\"what\": \"t95\", \"df\": %zu, \"value\": %.17g}\n", d, pl_stats_t95(d));
	for (long k = 0; k < 1000; k += 111)
		printf("{\"what\": \"binom\", \"k\": %ld, \"n\": 1000, \"p\": 0.99, \"value\": "
		       "%.17g}\n",
		       k, pl_stats_binomial_cdf(k, 1000, 0.99));
}

static void print_array(const char *name, const double *values, size_t n)
{
	printf("\"%s\": [", name);
	for (size_t i = 0; i < n; i++)
		printf("%s%.17g", i ? ", " : "", values[i]);
	printf("], ");
}

static void print_estimate(const char *what, const double *a, size_t na, const double *b, size_t nb,
			   const struct pl_estimate *e)
{
	printf("{\"what\": \"%s\", ", what);
	print_array("a", a, na);
	print_array("b", b, nb);
	printf("\"mean\": %.17g, \"low\": %.17g, \"high\": %.17g, \"p\": %.17g}\n", e->mean, e->low,
	       e->high, e->p);
}

static void print_estimates(struct pl_rng *rng)
{
	for (size_t n = 3; n < 40; n += 6) {
		double a[40], b[40];
		struct pl_estimate e;

		for (size_t i = 0; i < n; i++) {
			a[i] = 570.0 + 30.0 * pl_rng_normal(rng);
			b[i] = 565.0 + 30.0 * pl_rng_normal(rng);
		}
		e = pl_stats_estimate_paired(a, b, n, 0.0);
		print_estimate("paired", a, n, b, n, &e);
		e = pl_stats_estimate_groups(a, n, b, n - 1);
		print_estimate("groups", a, n, b, n - 1, &e);
		for (size_t i = 0; i < n; i++)
			a[i] = pow(pl_rng_unit(rng), 4.0);
		for (size_t i = 0; i < n; i++)
			b[i] = a[i];
		pl_stats_holm(b, n);
		printf("{\"what\": \"holm\", ");
		print_array("a", a, n);
		print_array("b", b, n);
		printf("\"n\": %zu}\n", n);
	}
}

static void print_ranks(void)
{
	static const size_t n[] = {20, 100, 301, 1000, 4000, 30000};
	static const double p[] = {0.5, 0.9, 0.99, 0.999};

	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 4; k++) {
			struct pl_rank_interval r = pl_stats_quantile_ranks(n[i], p[k], 0.95);

			printf("{\"what\": \"ranks\", \"n\": %zu, \"p\": %.17g, \"lower\": %zu, "
			       "\"upper\": %zu, \"coverage\": %.17g}\n",
			       n[i], p[k], r.lower, r.upper, r.coverage);
		}
}

#define STEP_BLOCKS 9u
#define STEP_GAPS 6u

/* Curves with a step of 0, 1, 2 … standard deviations, few enough rounds for all sign patterns. */
static void print_steps(struct pl_rng *rng)
{
	for (unsigned size = 0; size < 6; size++) {
		double values[STEP_BLOCKS * STEP_GAPS];
		struct pl_step step;

		for (size_t i = 0; i < STEP_BLOCKS * STEP_GAPS; i++)
			values[i] = pl_rng_normal(rng) + (i % STEP_GAPS >= 4 ? size * 0.5 : 0.0);
		step = pl_stats_find_step(values, STEP_BLOCKS, STEP_GAPS, 0.01, 1);
		printf("{\"what\": \"step\", \"gaps\": %u, ", STEP_GAPS);
		print_array("a", values, STEP_BLOCKS * STEP_GAPS);
		printf("\"p\": %.17g}\n", step.p);
	}
}

static void print_brackets(void)
{
	static const double cases[][4] = {{8.0, 16.0, 0.0, 0.95},
					  {8.0, 16.0, 0.7, 0.96},
					  {1.0, 2.0, 1.5, 0.96},
					  {20.0, 35.0, 6.0, 0.95},
					  {500.0, 2000.0, 20.0, 0.96}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const double *c = cases[i];
		struct pl_interval b = pl_stats_bracket(c[0], c[1], c[2], c[3]);

		printf("{\"what\": \"bracket\", \"a\": %.17g, \"b\": %.17g, \"slack\": %.17g, "
		       "\"level\": %.17g, \"low\": %.17g, \"high\": %.17g}\n",
		       c[0], c[1], c[2], c[3], b.low, b.high);
	}
}

static void print_limits(void)
{
	static const double df[] = {4.0, 11.0, 23.0}, alpha[] = {0.01, 0.001, 1e-5};

	for (size_t d = 0; d < 3; d++)
		for (size_t i = 0; i < 3; i++)
			printf("{\"what\": \"limit\", \"df\": %.17g, \"alpha\": %.17g, \"value\": "
			       "%.17g}\n",
			       df[d], alpha[i], pl_stats_detection_limit(1.0, df[d], alpha[i]));
}

int main(void)
{
	struct pl_rng rng;

	pl_rng_init(&rng, 20261130);
	print_distributions();
	print_estimates(&rng);
	print_ranks();
	print_steps(&rng);
	print_brackets();
	print_limits();
	return 0;
}
