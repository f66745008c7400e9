#include "tests/t.h"

#include "gpu_probe/tick_rate.h"

/* A dispatch costs 500 us, a tick is 2 ns long, 1000 and 4000 ticks are asked for. */
static struct pl_tick_run run(double ticks, double outside_ns)
{
	return (struct pl_tick_run){500e3 + 2 * ticks + outside_ns, ticks};
}

static void what_a_dispatch_costs_cancels(void **state)
{
	struct pl_tick_run brief = run(1000, 0), extended = run(4000, 0);
	double rate = 0;

	(void)state;
	assert_int_equal(pl_tick_rate(&brief, &extended, 1, &rate), 0);
	assert_float_equal(rate, 2.0, 1e-9);
}

/* Preempted inside the kernel, a run has more ticks and the best ratio of all; it is not taken. */
static void a_preempted_run_is_not_taken(void **state)
{
	struct pl_tick_run brief[] = {run(90e6, 0), run(1000, 0), run(1000, 70e3)};
	struct pl_tick_run extended[] = {run(4000, 80e3), run(9e6, 0), run(4000, 0)};
	double rate = 0;

	(void)state;
	assert_int_equal(pl_tick_rate(brief, extended, 3, &rate), 0);
	assert_float_equal(rate, 2.0, 1e-9);
}

static void no_slope_no_rate(void **state)
{
	struct pl_tick_run held_up = run(8000, 0), extended = run(4000, 0);
	struct pl_tick_run still[] = {{500e3, 0}, {800e3, 0}};
	double rate = 0;

	(void)state;
	assert_int_equal(pl_tick_rate(&held_up, &extended, 1, &rate), -1);
	assert_int_equal(pl_tick_rate(&still[0], &still[1], 1, &rate), -1);
	assert_float_equal(rate, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_dispatch_costs_cancels),
		cmocka_unit_test(a_preempted_run_is_not_taken),
		cmocka_unit_test(no_slope_no_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
