#include "tests/t.h"

#include "gpu_probe/load_bins.h"

static void bins_are_in_order_and_narrow(void **state)
{
	static const struct {
		uint32_t ticks, bin;
	} cases[] = {{0, 0},   {31, 31}, {32, 32}, {33, 32}, {34, 33},
		     {63, 47}, {64, 48}, {67, 48}, {68, 49}, {UINT32_MAX, PL_BINS - 1}};
	uint32_t last = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(pl_load_bin(cases[i].ticks), cases[i].bin);
	for (uint64_t t = 1; t <= UINT32_MAX; t += t / 50 + 1) {
		uint32_t bin = pl_load_bin((uint32_t)t);

		assert_true(bin >= last && bin < PL_BINS);
		last = bin;
	}
}

static void quantiles_are_within_their_bin(void **state)
{
	struct pl_load_bins bins = {.n = 0};
	uint32_t words[PL_BINS] = {0};

	(void)state;
	assert_true(pl_load_bins_quantile(&bins, 0.5) == 0);
	for (uint32_t t = 1; t <= 1000; t++)
		words[pl_load_bin(t)]++;
	assert_int_equal(pl_load_bins_add(&bins, words), 1000);
	assert_int_equal(pl_load_bins_add(&bins, words), 1000);
	assert_int_equal(bins.n, 2000);
	assert_float_equal(pl_load_bins_quantile(&bins, 0.5), 500, 20);
	assert_float_equal(pl_load_bins_quantile(&bins, 0.99), 990, 40);
	assert_float_equal(pl_load_bins_quantile(&bins, 0.02), 20, 0);
	assert_float_equal(pl_load_bins_quantile(&bins, 1), 1000, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_are_in_order_and_narrow),
		cmocka_unit_test(quantiles_are_within_their_bin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
