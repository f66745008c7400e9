#include "tests/t.h"

#include <math.h>

#include "core/hist.h"
#include "core/rng.h"
#include "core/stats.h"

#define SAMPLES ((size_t)20000)

static uint64_t seed;

/* Latencies over nine decades, with ties. */
static uint64_t draw(struct pl_rng *rng)
{
	return (uint64_t)pow(10.0, 9.5 * pl_rng_unit(rng));
}

static void bins_tile_the_range(void **state)
{
	struct pl_rng rng;

	(void)state;
	assert_int_equal(pl_hist_low_ns(0), 0);
	for (size_t bin = 0; bin + 1 < PL_HIST_BINS; bin++) {
		uint64_t low = pl_hist_low_ns(bin), high = pl_hist_high_ns(bin);

		assert_int_equal(pl_hist_low_ns(bin + 1), high + 1);
		assert_true(high >= low && (high == low || low >= 256));
		if (low >= 256)
			assert_true((double)(high - low + 1) / (double)low <= 0.008);
		if (high <= PL_HIST_MAX_NS) {
			assert_int_equal(pl_hist_bin(low), bin);
			assert_int_equal(pl_hist_bin(high), bin);
		}
	}
	pl_rng_init(&rng, seed);
	for (size_t i = 0; i < 100000; i++) {
		uint64_t ns = pl_rng_below(&rng, PL_HIST_MAX_NS + 1);
		size_t bin = pl_hist_bin(ns);

		assert_true(bin < PL_HIST_BINS);
		assert_true(ns >= pl_hist_low_ns(bin) && ns <= pl_hist_high_ns(bin));
	}
	assert_int_equal(pl_hist_bin(UINT64_MAX), pl_hist_bin(PL_HIST_MAX_NS));
}

static void quantiles_equal_exact_ones_within_a_bin(void **state)
{
	static const double ps[] = {1e-9, 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0};
	static uint64_t exact[SAMPLES];
	static struct pl_hist hist;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, seed);
	for (unsigned round = 0; round < 30; round++) {
		size_t n = 1 + pl_rng_below(&rng, SAMPLES);

		memset(&hist, 0, sizeof(hist));
		for (size_t i = 0; i < n; i++)
			pl_hist_add(&hist, exact[i] = draw(&rng));
		pl_stats_sort(exact, n);
		for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
			uint64_t truth = pl_stats_quantile(exact, n, ps[i]);
			size_t bin = pl_hist_bin(pl_hist_quantile_ns(&hist, ps[i]));

			assert_int_equal(bin, pl_hist_bin(truth));
		}
		assert_int_equal(hist.min_ns, exact[0]);
		assert_int_equal(hist.max_ns, exact[n - 1]);
	}
}

static void merged_parts_equal_the_whole(void **state)
{
	static struct pl_hist whole, parts[3];
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, seed);
	memset(&whole, 0, sizeof(whole));
	memset(parts, 0, sizeof(parts));
	for (size_t i = 0; i < SAMPLES; i++) {
		uint64_t ns = draw(&rng) * (i % 100 ? 1 : 100);

		pl_hist_add(&whole, ns);
		pl_hist_add(&parts[pl_rng_below(&rng, 2)], ns);
	}
	pl_hist_merge(&parts[2], &parts[0]);
	pl_hist_merge(&parts[2], &parts[1]);
	assert_memory_equal(parts[2].counts, whole.counts, sizeof(whole.counts));
	assert_int_equal(parts[2].n, whole.n);
	assert_int_equal(parts[2].above, whole.above);
	assert_int_equal(parts[2].min_ns, whole.min_ns);
	assert_int_equal(parts[2].max_ns, whole.max_ns);
	assert_true(fabs(pl_hist_mean_ns(&parts[2]) / pl_hist_mean_ns(&whole) - 1.0) < 1e-9);
}

static void values_beyond_the_range_are_kept(void **state)
{
	static struct pl_hist hist;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	assert_int_equal(pl_hist_quantile_ns(&hist, 0.5), 0);
	assert_true(pl_hist_mean_ns(&hist) == 0.0);
	pl_hist_add(&hist, 0);
	pl_hist_add(&hist, 3 * PL_HIST_MAX_NS);
	assert_int_equal(hist.above, 1);
	assert_int_equal(pl_hist_quantile_ns(&hist, 0.5), 0);
	assert_int_equal(pl_hist_quantile_ns(&hist, 1.0), 3 * PL_HIST_MAX_NS);
}

/* Four columns, percentiles that grow, counts that end at n: what the plotter needs. */
static void hgrm_text_is_what_the_plotter_reads(void **state)
{
	static struct pl_hist hist;
	char *text = NULL, *save = NULL;
	size_t size = 0, rows = 0;
	double last_value = 0.0, last_p = -1.0, last_count = 0.0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	memset(&hist, 0, sizeof(hist));
	for (uint64_t i = 1; i <= 10000; i++)
		pl_hist_add(&hist, i * 1000);
	assert_int_equal(pl_hist_write_hgrm(&hist, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "#[Mean    =     5000.500, StdDeviation   =     2886.75"));
	assert_non_null(strstr(text, "#[Max     =    10000.000, Total count    =        10000]"));
	assert_non_null(strstr(text, "   10000.000 1.000000000000      10000\n"));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		double value, p, count, inverse;

		if (sscanf(line, "%lf %lf %lf %lf", &value, &p, &count, &inverse) != 4)
			continue;
		assert_true(value >= last_value && p > last_p && count >= last_count);
		assert_true(fabs(inverse * (1.0 - p) - 1.0) < 0.01);
		assert_true(fabs(value - 10000.0 * p) <= 0.008 * value + 1.0);
		last_value = value;
		last_p = p;
		last_count = count;
		rows++;
	}
	assert_true(rows > 50 && last_p > 0.9999);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_tile_the_range),
		cmocka_unit_test(quantiles_equal_exact_ones_within_a_bin),
		cmocka_unit_test(merged_parts_equal_the_whole),
		cmocka_unit_test(values_beyond_the_range_are_kept),
		cmocka_unit_test(hgrm_text_is_what_the_plotter_reads),
	};

	seed = t_seed();
	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
