#include "tests/t.h"

#include "tests/sim/sim_score.h"

/*
 * The small form of bench/calibration: fixed seed, so the same numbers on every machine of one
 * floating-point kind; tolerances leave four standard errors of 120 boards, so that a change that
 * is only noise does not fail it, and one that breaks an interval does.
 */

#define BOARDS 120u
#define SEED 20261130u

static struct sim_calibration calibration;

static int measure_once(void **state)
{
	struct sim_calibration_options options = {
		.boards = BOARDS, .seed = SEED, .power_every = 10};

	(void)state;
	pl_sim_calibrate(&options, &calibration);
	pl_sim_calibration_print(&calibration, stdout);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	pl_sim_calibration_fini(&calibration);
	return 0;
}

/* 0.95 plus or minus 4 * sqrt(0.95 * 0.05 / 120) = 0.08; twice the claims: 0.056. */
static void intervals_cover(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIM_CLAIMS; i++) {
		const struct sim_score *score = &calibration.claims[i];

		assert_true(score->planned >= BOARDS / 2);
		assert_true(pl_sim_coverage(score) >= 0.87);
	}
	assert_true(pl_sim_coverage(&calibration.claims[SIM_A1]) <= 0.995);
	assert_true(pl_sim_coverage(&calibration.claims[SIM_TAU]) <= 0.995);
	assert_true(pl_sim_coverage(&calibration.claims[SIM_HOP_SAME_MODEL]) <= 0.995);
}

/* What the tool calls longer than advertised is longer: 2.5 % of exits near the bound may be off.
 */
static void verdicts_hold(void **state)
{
	(void)state;
	assert_true(calibration.exceeds >= 10);
	assert_true(calibration.exceeds_wrong <= 3);
}

static void shown_claims_cover_too(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIM_CLAIMS; i++) {
		const struct sim_score *score = &calibration.claims[i];

		assert_true(score->shown > 0);
		assert_true(score->shown_covered >= 0.86 * score->shown);
	}
}

/* A true rate of 1 % gives 7 or more of 120 once in 3000 seeds. */
static void boards_without_effects_claim_nothing(void **state)
{
	(void)state;
	assert_int_equal(calibration.null_boards, BOARDS);
	assert_true(calibration.null_claimed <= 6);
}

/* 12 boards each: at four times the printed limit (nearly) everything is found. */
static void effects_at_four_limits_are_found(void **state)
{
	static const enum sim_claim sharp[] = {SIM_HOP_SAME_MODEL, SIM_A0, SIM_A1, SIM_CHAIN};

	(void)state;
	for (size_t i = 0; i < sizeof(sharp) / sizeof(sharp[0]); i++) {
		const struct sim_score *score = &calibration.claims[sharp[i]];

		assert_true(score->tried[2] >= 10);
		assert_true(score->found[2] >= 0.8 * score->tried[2]);
		assert_true(score->found[0] >= 0.4 * score->tried[0]);
	}
}

static void stopping_early_saves_half(void **state)
{
	(void)state;
	assert_true(calibration.time.sequential_s <= 0.5 * calibration.time.same_width_s);
	/* 6 boards with 4 claims each: 0.95 - 4 * sqrt(0.95 * 0.05 / 24). */
	assert_true(calibration.time.coverage >= 0.77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(verdicts_hold),
		cmocka_unit_test(shown_claims_cover_too),
		cmocka_unit_test(boards_without_effects_claim_nothing),
		cmocka_unit_test(effects_at_four_limits_are_found),
		cmocka_unit_test(stopping_early_saves_half),
	};

	return cmocka_run_group_tests_name("calibration", tests, measure_once, forget);
}
