/* The step after idle time on a simulated drive: what begins at a gap, and what only grows. */
#include "tests/t.h"

#include <math.h>

#include "session/gap_step.h"
#include "tests/fake/watched_drive.h"

/* Of 30 runs at 0.5 % each; more has a probability below 1e-4. */
#define WRONG_MAX 3u

static uint64_t seed;

static void gap_dependent_exit_is_named_and_bracketed(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.entry_ns = 40000.0;
		drive.exit_ns = 30000.0;
		assert_int_equal(watch_drive(&drive, 30.0, seed + i), 0);
		assert_true(watch.gap_step.is_found);
		assert_int_equal(watch.gap_step.below_ns, 20000);
		assert_int_equal(watch.gap_step.above_ns, 50000);
		assert_true(fabs(watch.gap_step.step_ns - 30000.0) < 1500.0);
		assert_true(watch.gap_step.low_ns < watch.gap_step.high_ns);
		wrong += watch.period.is_found;
	}
	assert_true(wrong <= WRONG_MAX);
}

/* A state that begins just at a gap of the grid is there after some of its reads only. */
static void an_exit_that_begins_at_a_gap_is_named(void **state)
{
	static const double gaps_ns[] = {50000.0, 100000.0};

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct drive drive = clean;
		double at_ns = gaps_ns[i % 2];

		drive.entry_spread_ns = 40000.0;
		drive.entry_ns = at_ns - drive.entry_spread_ns * (0.1 + 0.8 * i / 60.0);
		drive.exit_ns = 100000.0;
		assert_int_equal(watch_every(&drive, 0.002, 14.0, seed + i), 0);
		assert_true(watch.gap_step.is_found);
		assert_true((double)watch.gap_step.below_ns <= at_ns);
		assert_true((double)watch.gap_step.above_ns >= at_ns);
		assert_true(fabs(watch.gap_step.step_ns - 100000.0) < 10000.0);
	}
}

/* Little growth beside the noise of the drive: where its slope is not known, neither is a step. */
static void growth_on_a_noisy_drive_is_no_step(void **state)
{
	static const struct {
		double fade_ns, tau_ns, cool_ns, noise_ns;
	} cases[] = {{10000.0, 33800.0, 0.0, 3000.0},
		     {15000.0, 33800.0, 0.0, 10000.0},
		     {20000.0, 4000.0, 0.0, 3000.0},
		     {0.0, 1.0, 2000.0, 10000.0},
		     {0.0, 1.0, 4000.0, 30000.0}};
	unsigned wrong = 0, runs = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (unsigned i = 0; i < 40; i++) {
			struct drive drive = clean;

			drive.fade_ns = cases[c].fade_ns;
			drive.fade_tau_ns = cases[c].tau_ns;
			drive.cool_ns = cases[c].cool_ns;
			drive.noise_ns = cases[c].noise_ns;
			assert_int_equal(watch_drive(&drive, 20.0, seed + i), 0);
			wrong += watch.gap_step.is_found;
			runs++;
		}
	printf("named in %u of %u runs\n", wrong, runs);
	assert_true(wrong <= 6); /* 2.5 % at the worst shape; more has a probability below 1 % */
}

/* Steps below 5 % of a read, and below 1 us, are what caches of a host make. */
static void small_steps_are_not_named(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct drive drive = clean;

		drive.entry_ns = 40000.0;
		drive.exit_ns = i % 2 ? 2500.0 : 800.0;
		drive.base_ns = i % 2 ? 80000.0 : 5000.0;
		drive.noise_ns = i % 2 ? 500.0 : 20.0;
		assert_int_equal(watch_drive(&drive, 20.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
	}
	assert_int_equal(wrong, 0);
}

static void a_few_rounds_of_gaps_are_not_enough(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.entry_ns = 40000.0;
	drive.exit_ns = 30000.0;
	drive.noise_ns = 100.0;
	assert_int_equal(watch_every(&drive, 0.01, 5.0, seed), 0);
	assert_true(watch.block_count >= 3 && watch.block_count < 8);
	assert_false(watch.gap_step.is_found);
	assert_string_equal(watch.gap_step.why, "too few rounds of gaps to tell");
}

/* What another watch has between the same gaps, wherever its own largest step is. */
static void a_step_is_compared_at_its_place(void **state)
{
	struct drive drive = clean;
	struct pl_gap_step step;

	(void)state;
	drive.entry_ns = 40000.0;
	drive.exit_ns = 30000.0;
	assert_int_equal(watch_drive(&drive, 30.0, seed), 0);
	step = watch.gap_step;
	drive = clean;
	drive.entry_ns = 400000.0;
	drive.exit_ns = 60000.0;
	assert_int_equal(watch_drive(&drive, 30.0, seed), 0);
	assert_true(watch.gap_step.is_found);
	assert_true(fabs(pl_gap_step_at(&watch, &step).estimate) < 2000.0);
}

/* Beside a control the same is found, and it is not the control's own step. */
static void an_exit_is_told_from_a_slow_host(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.has_control = true;
		drive.host_ns = 20000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		assert_true(watch.has_control);
		wrong += watch.gap_step.is_found;
		drive = clean;
		drive.has_control = true;
		drive.host_ns = 20000.0;
		drive.entry_ns = 40000.0;
		drive.exit_ns = 30000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		assert_true(watch.gap_step.is_found);
		assert_int_equal(watch.gap_step.above_ns, 50000);
		assert_true(fabs(watch.gap_step.step_ns - 30000.0) < 1500.0);
	}
	assert_true(wrong <= WRONG_MAX);
}

/* A real host with sleeping threads: +30 us at 2 ms of idle, +120 us at 5 ms. */
static void slow_growth_is_no_step(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.creep = 0.03;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
	}
	assert_true(wrong <= WRONG_MAX);
}

/* Neither is what grows with the logarithm of the gap, at no gap more than at its neighbours. */
static void growth_over_all_gaps_is_no_step(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.cool_ns = 8000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
		assert_true(watch.gap_step.is_found == !watch.gap_step.why);
	}
	assert_true(wrong <= WRONG_MAX);
}

/* Nor what fades with the idle time, however long that takes. */
static void exponential_growth_is_no_step(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct drive drive = clean;

		drive.fade_ns = 100000.0;
		drive.fade_tau_ns = 20000.0 * pow(1.1, i % 40);
		assert_int_equal(watch_every(&drive, i % 2 ? 0.002 : 0.01, 20.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
	}
	printf("named in %u of 60 runs\n", wrong);
	assert_true(wrong <= WRONG_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_dependent_exit_is_named_and_bracketed),
		cmocka_unit_test(an_exit_that_begins_at_a_gap_is_named),
		cmocka_unit_test(growth_on_a_noisy_drive_is_no_step),
		cmocka_unit_test(small_steps_are_not_named),
		cmocka_unit_test(a_few_rounds_of_gaps_are_not_enough),
		cmocka_unit_test(a_step_is_compared_at_its_place),
		cmocka_unit_test(an_exit_is_told_from_a_slow_host),
		cmocka_unit_test(slow_growth_is_no_step),
		cmocka_unit_test(growth_over_all_gaps_is_no_step),
		cmocka_unit_test(exponential_growth_is_no_step),
	};

	seed = t_seed();
	return cmocka_run_group_tests_name("gap_step", tests, NULL, NULL);
}
