/* Ten million latencies into the histogram: time per value, memory, error of its quantiles. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/hist.h"
#include "core/rng.h"
#include "core/stats.h"

#define SAMPLES ((size_t)10000000)

static double worst_error(const struct pl_hist *hist, const uint64_t *sorted)
{
	static const double ps[] = {0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999};
	double worst = 0.0;

	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
		double truth = (double)pl_stats_quantile(sorted, SAMPLES, ps[i]);
		double error = fabs((double)pl_hist_quantile_ns(hist, ps[i]) - truth) / truth;

		if (error > worst)
			worst = error;
	}
	return worst;
}

int main(void)
{
	static struct pl_hist hist;
	uint64_t *values = malloc(SAMPLES * sizeof(*values)), begin, filled, done;
	struct pl_rng rng;

	if (!values)
		return 1;
	pl_rng_init(&rng, 1);
	for (size_t i = 0; i < SAMPLES; i++)
		values[i] = (uint64_t)(20000.0 * exp(0.5 * pl_rng_normal(&rng)));
	begin = pl_raw_ns();
	for (size_t i = 0; i < SAMPLES; i++)
		pl_hist_add(&hist, values[i]);
	filled = pl_raw_ns();
	for (int i = 0; i < 1000; i++)
		(void)pl_hist_quantile_ns(&hist, 0.999);
	done = pl_raw_ns();
	pl_stats_sort(values, SAMPLES);
	printf("{\"samples\": %zu, \"add_ns\": %.2f, \"quantile_us\": %.2f, \"bytes\": %zu, "
	       "\"worst_quantile_error\": %.5f}\n",
	       SAMPLES, (double)(filled - begin) / (double)SAMPLES, (double)(done - filled) / 1e6,
	       sizeof(hist), worst_error(&hist, values));
	free(values);
	return 0;
}
