#include "tests/t.h"

#include <math.h>

#include "model/summary.h"

#define SAMPLES 1200
#define BLOCKS 12

/* Ticks of half a nanosecond: block b holds 100 samples, 2 * (1000 + b + 0 … 99). */
static void fill(struct pl_measurement *m, uint64_t *ticks, size_t *starts)
{
	*m = (struct pl_measurement){.ns_per_tick = 0.5,
				     .ticks = ticks,
				     .block_start = starts,
				     .n = SAMPLES,
				     .blocks = BLOCKS,
				     .blocks_done = BLOCKS};
	for (size_t b = 0; b <= BLOCKS; b++)
		starts[b] = b * 100;
	for (size_t i = 0; i < SAMPLES; i++)
		ticks[i] = 2 * (1000 + i / 100 + i % 100);
}

static void summary_is_in_ns_and_exact(void **state)
{
	struct pl_measurement m;
	uint64_t ticks[SAMPLES];
	size_t starts[BLOCKS + 1];

	(void)state;
	fill(&m, ticks, starts);
	pl_measurement_summarise(&m);
	assert_int_equal(m.summary.n, SAMPLES);
	assert_true(m.summary.min_ns == 1000.0 && m.summary.max_ns == 1110.0);
	assert_true(fabs(m.summary.mean_ns - 1055.0) < 1e-9);
	/* Block medians are 1049 … 1060: mean 1054.5, sd 3.606, half width 2.291. */
	assert_true(fabs(m.summary.p50_low_ns - (1054.5 - 2.291)) < 0.01);
	assert_true(fabs(m.summary.p50_high_ns - (1054.5 + 2.291)) < 0.01);
	assert_true(m.summary.p50_ns == 1055.0);
	assert_false(isnan(m.summary.p99_ns));
	assert_true(isnan(m.summary.p999_ns));
}

/* One block of ten met a busy host: t would go below zero, and leave out the median. */
static void the_interval_of_a_median_holds_it(void **state)
{
	struct pl_measurement m;
	uint64_t ticks[SAMPLES];
	size_t starts[BLOCKS + 1];

	(void)state;
	fill(&m, ticks, starts);
	for (size_t i = 0; i < SAMPLES / BLOCKS; i++)
		ticks[i] += 100000;
	pl_measurement_summarise(&m);
	assert_true(m.summary.p50_low_ns == m.summary.min_ns);
	assert_true(m.summary.p50_high_ns > m.summary.p50_ns);
	for (size_t i = 0; i < SAMPLES; i++)
		ticks[i] = i < SAMPLES * 5 / 12 ? 1000 : 2000 + i / 100;
	pl_measurement_summarise(&m);
	assert_true(m.summary.p50_low_ns <= m.summary.p50_ns);
	assert_true(m.summary.p50_high_ns >= m.summary.p50_ns);
	for (size_t i = 0; i < SAMPLES; i++)
		ticks[i] = i < SAMPLES - SAMPLES / BLOCKS - 10 ? 3000 : 3000000;
	pl_measurement_summarise(&m);
	assert_true(m.summary.p50_low_ns >= m.summary.min_ns);
}

static void empty_series_has_no_numbers(void **state)
{
	struct pl_measurement m = {.ns_per_tick = 1.0};

	(void)state;
	pl_measurement_summarise(&m);
	assert_int_equal(m.summary.n, 0);
	assert_true(isnan(m.summary.p50_ns) && isnan(m.summary.min_ns));
	assert_true(isnan(m.summary.p50_low_ns));
}

static void block_quantiles_leave_holes(void **state)
{
	struct pl_measurement m;
	uint64_t ticks[SAMPLES];
	size_t starts[BLOCKS + 1];
	double values[BLOCKS];

	(void)state;
	fill(&m, ticks, starts);
	starts[4] = starts[3]; /* block 3 is empty, block 4 has 200 samples */
	assert_int_equal(pl_measurement_block_quantiles(&m, 0.5, values), BLOCKS - 1);
	assert_true(isnan(values[3]));
	assert_true(values[0] == 1049.0 && values[11] == 1060.0);
	/* 100 samples carry p90, 10 beyond; they do not carry p99. */
	assert_int_equal(pl_measurement_block_quantiles(&m, 0.9, values), BLOCKS - 1);
	assert_int_equal(pl_measurement_block_quantiles(&m, 0.99, values), 0);
}

static void ticks_stay_in_the_order_taken(void **state)
{
	struct pl_measurement m = {.ns_per_tick = 1.0};
	uint64_t ticks[] = {9, 3, 7, 1, 5, 2};
	size_t starts[] = {0, 3, 6};

	(void)state;
	m.ticks = ticks;
	m.block_start = starts;
	m.n = 6;
	m.blocks_done = 2;
	pl_measurement_summarise(&m);
	assert_int_equal(ticks[0], 9);
	assert_int_equal(ticks[5], 2);
	assert_true(m.summary.p50_ns == 3.0);
	assert_true(isnan(m.summary.p50_low_ns)); /* two blocks are no interval */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_is_in_ns_and_exact),
		cmocka_unit_test(the_interval_of_a_median_holds_it),
		cmocka_unit_test(empty_series_has_no_numbers),
		cmocka_unit_test(block_quantiles_leave_holes),
		cmocka_unit_test(ticks_stay_in_the_order_taken),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
