/* `monitor --hold-links`: a find vanishes only where the middle shows that it is gone. */
#include "tests/t.h"

#include <math.h>

#include "core/rng.h"
#include "report/drive_book.h"
#include "session/gap_step.h"
#include "session/hold.h"
#include "session/spikes.h"

#define GAPS 12u
#define STEP_AT 6u

static struct pl_watch phases[3];
static uint64_t seed;

/* Reads of 80 us, and step_ns more from a gap on; each block is off by up to noise_ns. */
static void fill(struct pl_watch *watch, size_t blocks, double step_ns, double noise_ns,
		 uint64_t run_seed)
{
	struct pl_rng rng;

	memset(watch, 0, sizeof(*watch));
	pl_rng_init(&rng, run_seed);
	watch->gap_count = GAPS;
	watch->block_count = blocks;
	watch->elapsed_s = 60.0;
	for (size_t k = 0; k < GAPS; k++)
		watch->gaps_ns[k] = k * 1000;
	for (size_t b = 0; b < blocks; b++)
		for (size_t k = 0; k < GAPS; k++)
			watch->gap_medians_ns[b][k] = 80000.0 + (k >= STEP_AT ? step_ns : 0.0) +
						      noise_ns * pl_rng_normal(&rng);
	watch->gap_step = pl_gap_step_find(watch, run_seed);
}

static enum pl_held step_of(size_t blocks, double held_ns, double noise_ns)
{
	fill(&phases[0], 40, 30000.0, 500.0, seed);
	fill(&phases[1], blocks, held_ns, noise_ns, seed + 1);
	fill(&phases[2], 40, 30000.0, 500.0, seed + 2);
	assert_true(phases[0].gap_step.is_found && phases[2].gap_step.is_found);
	return pl_hold_compare(phases).step;
}

static void a_step_vanishes_only_where_it_is_shown(void **state)
{
	(void)state;
	assert_int_equal(step_of(40, 0.0, 500.0), PL_HELD_VANISHES);
	assert_int_equal(step_of(40, 30000.0, 500.0), PL_HELD_STAYS);
	assert_int_equal(step_of(40, 15000.0, 2000.0), PL_HELD_NOT_RESOLVED);
	/* Nothing is found in these, and nothing is shown. */
	assert_int_equal(step_of(0, 0.0, 500.0), PL_HELD_NOT_RESOLVED);
	assert_int_equal(step_of(2, 30000.0, 500.0), PL_HELD_NOT_RESOLVED);
	assert_false(phases[1].gap_step.is_found);
	fill(&phases[2], 40, 0.0, 500.0, seed + 3);
	assert_int_equal(pl_hold_compare(phases).step, PL_HELD_NONE);
}

static void fill_stalls(struct pl_watch *watch, size_t count, double elapsed_s)
{
	memset(watch, 0, sizeof(*watch));
	watch->elapsed_s = elapsed_s;
	for (size_t i = 0; i < count; i++)
		watch->spikes[watch->spike_count++] = (struct pl_spike){5.0 * (double)i + 1.0, 2e7};
	watch->period = pl_spikes_find_period(watch->spikes, watch->spike_count, 0.03, seed);
}

static enum pl_held stalls_of(size_t count, double elapsed_s)
{
	fill_stalls(&phases[0], 12, 60.0);
	fill_stalls(&phases[1], count, elapsed_s);
	fill_stalls(&phases[2], 12, 60.0);
	assert_true(phases[0].period.is_found && phases[2].period.is_found);
	return pl_hold_compare(phases).stalls;
}

static void stalls_vanish_only_where_they_were_expected(void **state)
{
	(void)state;
	assert_int_equal(stalls_of(0, 60.0), PL_HELD_VANISHES);
	assert_int_equal(stalls_of(12, 60.0), PL_HELD_STAYS);
	assert_int_equal(stalls_of(0, 15.0), PL_HELD_NOT_RESOLVED); /* 3 expected */
	assert_int_equal(stalls_of(5, 30.0), PL_HELD_NOT_RESOLVED); /* too few to be regular */
	assert_false(phases[1].period.is_found);
	assert_true(fabs(pl_hold_compare(phases).stalls_expected - 6.0) < 1e-9);
	assert_int_equal(pl_hold_compare(phases).stalls_seen, 5);
}

/* Some hundred stalls seen of as many expected: exp(-mean) is 0 there. */
static void many_stalls_that_stay_do_not_vanish(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		memset(&phases[i], 0, sizeof(phases[i]));
		phases[i].elapsed_s = 800.0;
		for (size_t k = 0; k < 800; k++)
			phases[i].spikes[phases[i].spike_count++] = (struct pl_spike){
				1.0 * (double)k + 0.3 * (double)(k % 2 && i == 1), 2e7};
		phases[i].period.is_found = i != 1;
		phases[i].period.latency_ns = 2e7;
	}
	assert_int_equal(pl_hold_compare(phases).stalls, PL_HELD_NOT_RESOLVED);
	phases[1].spike_count = 600;
	assert_int_equal(pl_hold_compare(phases).stalls, PL_HELD_VANISHES);
	phases[1].spikes_dropped = 1; /* then nobody knows how many there were */
	assert_int_equal(pl_hold_compare(phases).stalls, PL_HELD_NOT_RESOLVED);
}

/* Of two blocks there is no interval, and so no difference in a table. */
static void a_step_without_an_interval_is_not_shown(void **state)
{
	static struct pl_book book;
	const struct pl_interval step = {31000.0, (double)NAN, (double)NAN, 2};

	(void)state;
	assert_string_equal(pl_book_step(&book, &step), "n/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_vanishes_only_where_it_is_shown),
		cmocka_unit_test(stalls_vanish_only_where_they_were_expected),
		cmocka_unit_test(many_stalls_that_stay_do_not_vanish),
		cmocka_unit_test(a_step_without_an_interval_is_not_shown),
	};

	seed = t_seed();
	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
