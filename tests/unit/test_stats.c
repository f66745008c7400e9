#include "tests/t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/stats.h"

static void quantiles_are_order_statistics(void **state)
{
	uint64_t values[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		values[i] = 100 - i;
	pl_stats_sort(values, 100);
	assert_int_equal(pl_stats_quantile(values, 100, 0.5), 50);
	assert_int_equal(pl_stats_quantile(values, 100, 0.9), 90);
	assert_int_equal(pl_stats_quantile(values, 100, 0.99), 99);
	assert_int_equal(pl_stats_quantile(values, 100, 1.0), 100);
	assert_int_equal(pl_stats_quantile(values, 1, 0.5), 1);
	assert_int_equal(pl_stats_quantile(values, 3, 0.0001), 1);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Short and long arrays, narrow and wide values, many ties: as the library's own sort has it. */
static void sorting_sorts(void **state)
{
	static const size_t counts[] = {0, 1, 2, 31, 32, 33, 250, 4000};
	uint64_t ours[4000], theirs[4000];
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 4);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (unsigned shift = 0; shift < 64; shift += 7) {
			for (size_t i = 0; i < counts[c]; i++)
				ours[i] = theirs[i] = pl_rng_u64(&rng) >> shift;
			pl_stats_sort(ours, counts[c]);
			qsort(theirs, counts[c], sizeof(theirs[0]), compare_u64);
			assert_memory_equal(ours, theirs, counts[c] * sizeof(ours[0]));
		}
}

static void tails_need_ten_exceedances(void **state)
{
	(void)state;
	assert_true(pl_stats_quantile_is_carried(1000, 0.99));
	assert_false(pl_stats_quantile_is_carried(999, 0.99));
	assert_true(pl_stats_quantile_is_carried(10000, 0.999));
	assert_false(pl_stats_quantile_is_carried(9999, 0.999));
	assert_true(pl_stats_quantile_is_carried(20, 0.5));
}

static void student_t_matches_the_tables(void **state)
{
	(void)state;
	assert_true(fabs(pl_stats_t95(11) - 2.2010) < 1e-4);
	assert_true(fabs(pl_stats_t95(30) - 2.0423) < 1e-4);
	assert_true(fabs(pl_stats_t95(40) - 2.0211) < 2e-4);
	assert_true(fabs(pl_stats_t95(120) - 1.9799) < 2e-4);
	assert_true(isnan(pl_stats_t95(0)));
}

static void block_interval_covers_at_twelve_blocks(void **state)
{
	const unsigned rounds = 4000;
	unsigned covered = 0;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 20261130);
	for (unsigned r = 0; r < rounds; r++) {
		double blocks[12];
		struct pl_interval interval;

		for (unsigned b = 0; b < 12; b++)
			blocks[b] = 570.0 + 30.0 * pl_rng_normal(&rng);
		interval = pl_stats_block_interval(blocks, 12);
		covered += interval.low <= 570.0 && 570.0 <= interval.high;
	}
	/* 95 % of 4000 within four standard errors (0.34 %): a fixed seed, so this cannot flake. */
	assert_in_range(covered, 3745, 3855);
}

static void few_blocks_give_no_bounds(void **state)
{
	const double values[] = {1.0, 2.0};
	struct pl_interval interval = pl_stats_block_interval(values, 2);

	(void)state;
	assert_true(interval.estimate == 1.5);
	assert_true(isnan(interval.low) && isnan(interval.high));
	assert_true(isnan(pl_stats_block_interval(values, 0).estimate));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_order_statistics),
		cmocka_unit_test(sorting_sorts),
		cmocka_unit_test(tails_need_ten_exceedances),
		cmocka_unit_test(student_t_matches_the_tables),
		cmocka_unit_test(block_interval_covers_at_twelve_blocks),
		cmocka_unit_test(few_blocks_give_no_bounds),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
