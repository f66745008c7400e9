#include "tests/sim/trial.h"

/*
 * Boards that try to fool the attribution: something other than a sleeping link follows the gap,
 * or a link sleeps in another way than the textbook says. Each is measured as a real run is.
 */

/* The curve of one state looks exactly like an exit; beside links off nothing is left of it. */
static void assert_looks_like_an_exit(const struct trial *t, double least_ns)
{
	assert_true(median_after(t, "l1", 256000) - median_after(t, "l1", 0) > least_ns);
}

static void sleeping_instead_of_spinning(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 1);
	t.board.cstate_ns[0] = 3e3;
	t.board.cstate_ns[1] = 60e3;
	plan(&t, PL_PROBE_BAR, "slept");
	finish(&t);
	assert_looks_like_an_exit(&t, 50e3);
	assert_nothing_is_claimed(&t);
	pl_run_fini(&t.run);
}

/* The same with a real exit under it: what is reported is the exit, not exit and C-state. */
static void cstate_masquerading_as_aspm(void **state)
{
	struct trial t;
	const struct pl_effect *exit;

	(void)state;
	begin(&t, 2);
	t.board.cstate_ns[0] = 3e3;
	t.board.cstate_ns[1] = 60e3;
	t.truth.device_exit_ns = 8000.0;
	pl_sim_apply(&t.board, &t.truth);
	plan(&t, PL_PROBE_BAR, "slept");
	finish(&t);
	assert_looks_like_an_exit(&t, 60e3);
	exit = find(&t, PL_EFFECT_EXIT, "l1");
	assert_int_equal(exit->status, PL_CLAIM_RESOLVED);
	assert_true(fabs(exit->estimate_ns - 8000.0) < 100.0);
	assert_non_null(strstr(exit->sentence, "The gaps were slept"));
	pl_run_fini(&t.run);
}

static void apst_masquerading_as_l1(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 3);
	t.board.slots[1].device.apst_idle_ns = 50e3;
	t.board.slots[1].device.apst_exit_ns = 1e6;
	plan(&t, PL_PROBE_NVME, NULL);
	finish(&t);
	assert_looks_like_an_exit(&t, 0.9e6);
	assert_nothing_is_claimed(&t);
	pl_run_fini(&t.run);
}

static void a_drive_that_idles_in_ps0(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 4);
	t.board.slots[1].device.ps0_idle_ns = 20e3;
	t.board.slots[1].device.ps0_exit_ns = 5e3;
	plan(&t, PL_PROBE_NVME, NULL);
	finish(&t);
	assert_looks_like_an_exit(&t, 4e3);
	assert_nothing_is_claimed(&t);
	pl_run_fini(&t.run);
}

/* Other traffic all the time: the uplink never sleeps, and nothing is said to wake it. */
static void an_uplink_kept_awake_by_another_device(void **state)
{
	struct trial t;
	const struct pl_effect *exit, *chain;

	(void)state;
	begin(&t, 5);
	t.truth.device_exit_ns = 8000.0;
	t.truth.uplink_exit_ns = 30000.0;
	pl_sim_apply(&t.board, &t.truth);
	t.board.links[1].other_rate = 1.0 / 1000.0;
	plan(&t, PL_PROBE_BAR, NULL);
	finish(&t);
	exit = find(&t, PL_EFFECT_EXIT, "l1");
	chain = find(&t, PL_EFFECT_CHAIN, "l1");
	assert_int_equal(exit->status, PL_CLAIM_RESOLVED);
	assert_true(fabs(exit->estimate_ns - 8000.0) < 100.0);
	assert_int_equal(chain->status, PL_CLAIM_NOT_RESOLVED);
	assert_true(fabs(chain->estimate_ns) < 100.0);
	pl_run_fini(&t.run);
}

/* Now and then: two levels, and the series says so. */
static void an_uplink_half_awake_is_called_a_mixture(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 6);
	t.truth.device_exit_ns = 8000.0;
	t.truth.uplink_exit_ns = 30000.0;
	pl_sim_apply(&t.board, &t.truth);
	t.board.links[1].other_rate = 0.4 / t.truth.uplink_entry_ns;
	plan(&t, PL_PROBE_BAR, NULL);
	finish(&t);
	assert_true(has_warning(&t, "W-MIXTURE"));
	pl_run_fini(&t.run);
}

static void a_slope_instead_of_a_step(void **state)
{
	struct trial t;
	const struct pl_effect *exit;

	(void)state;
	begin(&t, 7);
	t.board.slots[1].slope_ns = 400.0;
	plan(&t, PL_PROBE_BAR, NULL);
	finish(&t);
	assert_looks_like_an_exit(&t, 3000.0);
	exit = find(&t, PL_EFFECT_EXIT, "l1");
	assert_int_equal(exit->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(exit->reason, "slope"));
	assert_int_equal(find(&t, PL_EFFECT_ENTRY_TIMER, "l1")->status, PL_CLAIM_NOT_MADE);
	pl_run_fini(&t.run);
}

/* One slot trains down half way: its level jumps, the other's does not. */
static void a_retrained_link(void **state)
{
	struct trial t;
	struct pl_measurement *m;
	const struct pl_effect *hop;

	(void)state;
	begin(&t, 8);
	m = pl_sim_plan(&t.run, 0, PL_PROBE_BAR, "off", 0, BLOCKS, SAMPLES);
	m = pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", 0, BLOCKS, SAMPLES);
	t.board.slots[1].retrained_from_ns = 6.0 * 2.0 * SAMPLES * 700.0;
	t.board.slots[1].retrained_factor = 1.6;
	pl_sim_measure(&t.board, &t.run, 0, 2);
	/* What the walk reads from the registers before and after. */
	pl_measurement_set_number(&t.run, m, "link_speed_before_mts", 16000.0);
	pl_measurement_set_number(&t.run, m, "link_speed_after_mts", 2500.0);
	assert_int_equal(pl_report_attribute(&t.run, NULL), 0);
	hop = find(&t, PL_EFFECT_HOP, "off");
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(hop->reason, "trained anew"));
	assert_true(has_warning(&t, "W-RETRAINED"));
	pl_run_fini(&t.run);
}

/* Nobody read the speed: the jump itself is seen. */
static void a_retrained_link_is_seen_without_registers(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 9);
	pl_sim_plan(&t.run, 0, PL_PROBE_BAR, "off", 0, BLOCKS, SAMPLES);
	pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", 0, BLOCKS, SAMPLES);
	t.board.slots[1].retrained_from_ns = 6.0 * 2.0 * SAMPLES * 700.0;
	t.board.slots[1].retrained_factor = 1.6;
	finish(&t);
	assert_true(has_warning(&t, "W-THROTTLED"));
	pl_run_fini(&t.run);
}

/* The timer at a gap of the grid: half of its accesses find the link asleep. One timer, not two. */
static void a_gap_at_the_timer_is_one_step(void **state)
{
	struct trial t;
	size_t timers = 0;

	(void)state;
	begin(&t, 16);
	t.truth.device_exit_ns = 8000.0;
	t.truth.device_entry_ns = 16e3 * 1.01 + t.board.software_ns;
	pl_sim_apply(&t.board, &t.truth);
	plan(&t, PL_PROBE_BAR, NULL);
	finish(&t);
	for (size_t i = 0; i < t.run.effect_count; i++) {
		const struct pl_effect *effect = &t.run.effects[i];

		if (effect->kind != PL_EFFECT_ENTRY_TIMER ||
		    strcmp(effect->state, t.truth.device_state) != 0)
			continue;
		assert_int_equal(effect->status, PL_CLAIM_RESOLVED);
		assert_true(effect->low_ns < 9e3 && 30e3 < effect->high_ns);
		timers++;
	}
	assert_int_equal(timers, 1);
	/* Half an exit is no part of the plateau. */
	assert_true(fabs(find(&t, PL_EFFECT_EXIT, t.truth.device_state)->estimate_ns - 8000.0) <
		    100.0);
	pl_run_fini(&t.run);
}

/* L0s after 5 µs, L1 after 60 µs: two timers, and the exit of both together. */
static void two_sleeps_give_two_timers(void **state)
{
	struct trial t;
	size_t timers = 0;

	(void)state;
	begin(&t, 12);
	t.board.links[2].entry_ns[0] = 5e3;
	t.board.links[2].exit_ns[0] = 2e3;
	t.board.links[2].entry_ns[1] = 60e3;
	t.board.links[2].exit_ns[1] = 20e3;
	for (size_t g = 0; g < SIM_GAPS; g++) {
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", pl_sim_gaps_ns[g], BLOCKS, SAMPLES);
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "device_l0s_l1_uplink_off", pl_sim_gaps_ns[g],
			    BLOCKS, SAMPLES);
	}
	finish(&t);
	assert_true(fabs(find(&t, PL_EFFECT_EXIT, "device_l0s_l1_uplink_off")->estimate_ns - 20e3) <
		    200.0);
	for (size_t i = 0; i < t.run.effect_count; i++) {
		const struct pl_effect *effect = &t.run.effects[i];
		double entry = timers ? 60e3 : 5e3;

		if (effect->kind != PL_EFFECT_ENTRY_TIMER)
			continue;
		assert_int_equal(effect->status, PL_CLAIM_RESOLVED);
		assert_true(effect->low_ns <= entry && entry <= effect->high_ns);
		timers++;
	}
	assert_int_equal(timers, 2);
	pl_run_fini(&t.run);
}

/* L0s, then L1 of the device's link, then of the one above: the exit counts from a link awake. */
static void below_two_steps_may_be_a_third(void **state)
{
	struct trial t;
	const struct pl_effect *exit;

	(void)state;
	begin(&t, 12);
	t.board.links[2].entry_ns[0] = 3e3;
	t.board.links[2].exit_ns[0] = 6e3;
	t.board.links[2].entry_ns[1] = 20e3;
	t.board.links[2].exit_ns[1] = 20e3;
	t.board.links[1].entry_ns[0] = 1e9;
	t.board.links[1].entry_ns[1] = 100e3;
	t.board.links[1].exit_ns[1] = 53e3;
	for (size_t g = 0; g < SIM_GAPS; g++) {
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", pl_sim_gaps_ns[g], BLOCKS, SAMPLES);
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "l0s_l1", pl_sim_gaps_ns[g], BLOCKS, SAMPLES);
	}
	finish(&t);
	exit = find(&t, PL_EFFECT_EXIT, "l0s_l1");
	assert_int_equal(exit->status, PL_CLAIM_RESOLVED);
	assert_true(fabs(exit->estimate_ns - 53e3) < 400.0);
	pl_run_fini(&t.run);
}

/* Beyond 60 µs of idle the host takes 1 % of the exit longer, or less: that is no second timer. */
static void a_small_second_step_is_no_timer(void **state)
{
	static const double changes_ns[] = {200.0, -200.0};

	(void)state;
	for (size_t c = 0; c < sizeof(changes_ns) / sizeof(changes_ns[0]); c++) {
		struct trial t;
		size_t timers = 0;

		begin(&t, 12);
		t.board.links[2].entry_ns[0] = 5e3;
		t.board.links[2].exit_ns[0] = 20e3;
		t.board.links[2].entry_ns[1] = 60e3;
		t.board.links[2].exit_ns[1] = 20e3 + changes_ns[c];
		for (size_t g = 0; g < SIM_GAPS; g++) {
			pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", pl_sim_gaps_ns[g], BLOCKS,
				    SAMPLES);
			pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "device_l0s_l1_uplink_off",
				    pl_sim_gaps_ns[g], BLOCKS, SAMPLES);
		}
		finish(&t);
		for (size_t i = 0; i < t.run.effect_count; i++) {
			const struct pl_effect *effect = &t.run.effects[i];

			if (effect->kind != PL_EFFECT_ENTRY_TIMER)
				continue;
			assert_int_equal(effect->status, PL_CLAIM_RESOLVED);
			assert_true(effect->low_ns <= 5e3 && 5e3 <= effect->high_ns);
			timers++;
		}
		assert_int_equal(timers, 1);
		assert_non_null(
			strstr(find(&t, PL_EFFECT_EXIT, "device_l0s_l1_uplink_off")->sentence,
			       "At another gap it changes by "));
		pl_run_fini(&t.run);
	}
}

/* Exits overlap: the slower link and at most 1 µs, not the sum. */
static void exits_in_series_are_not_summed(void **state)
{
	struct trial t;
	const struct pl_effect *whole, *part, *chain;

	(void)state;
	begin(&t, 13);
	t.truth.device_exit_ns = 16000.0;
	t.truth.uplink_exit_ns = 30000.0;
	pl_sim_apply(&t.board, &t.truth);
	plan(&t, PL_PROBE_BAR, NULL);
	finish(&t);
	whole = find(&t, PL_EFFECT_EXIT, "l1");
	part = find(&t, PL_EFFECT_EXIT, "device_l1_uplink_off");
	chain = find(&t, PL_EFFECT_CHAIN, "l1");
	assert_true(fabs(part->estimate_ns - 16000.0) < 200.0);
	assert_true(fabs(whole->estimate_ns - 30000.0) < 200.0);
	assert_int_equal(chain->status, PL_CLAIM_RESOLVED);
	assert_true(fabs(chain->estimate_ns - 14000.0) < 200.0);
	assert_non_null(strstr(chain->sentence, "not summed"));
	pl_run_fini(&t.run);
}

static const struct pl_effect *judged(struct trial *t, double exit_ns, int64_t l1_exit_ns)
{
	begin(t, 14);
	t->truth.device_exit_ns = exit_ns;
	pl_sim_apply(&t->board, &t->truth);
	t->run.slots[1].link.l1_exit_ns = l1_exit_ns;
	plan(t, PL_PROBE_BAR, NULL);
	finish(t);
	return find(t, PL_EFFECT_EXIT, "device_l1_uplink_off");
}

static void advertised_is_compared_with_measured(void **state)
{
	static const struct {
		double exit_ns;
		int64_t advertised_ns;
		const char *verdict;
	} cases[] = {
		{30e3, 32000, "within"},          {20e3, 32000, "within"},
		{33e3, 32000, "within"}, /* a round trip and credits are allowed for */
		{35e3, 32000, "exceeds"},         {8e3, 32000, "faster"},
		{90e3, 65000, "not falsifiable"}, {0.0, 32000, "not entered"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trial t;
		const struct pl_effect *exit = judged(&t, cases[i].exit_ns, cases[i].advertised_ns);

		assert_string_equal(exit->verdict, cases[i].verdict);
		assert_non_null(strstr(exit->sentence, cases[i].verdict));
		pl_run_fini(&t.run);
	}
}

static void clock_power_management_is_not_comparable(void **state)
{
	struct trial t;

	(void)state;
	judged(&t, 30e3, 32000);
	t.run.slots[1].link.clkpm_enabled = 1;
	assert_int_equal(pl_report_attribute(&t.run, NULL), 0);
	assert_string_equal(find(&t, PL_EFFECT_EXIT, "device_l1_uplink_off")->verdict,
			    "not comparable");
	pl_run_fini(&t.run);
}

/* The whole X670E-like sentence, with the numbers that were put in. */
static void the_sentence_says_what_was_put_in(void **state)
{
	struct trial t;
	const struct pl_effect *timer;

	(void)state;
	assert_non_null(strstr(judged(&t, 30e3, 32000)->sentence, "Waking the link of M2_2 from "));
	timer = find(&t, PL_EFFECT_ENTRY_TIMER, "device_l1_uplink_off");
	assert_int_equal(timer->status, PL_CLAIM_RESOLVED);
	assert_true(timer->low_ns < 12e3 && 12e3 < timer->high_ns && timer->high_ns < 20e3);
	assert_non_null(strstr(timer->sentence, "Gaps of 8.00 µs and 16.0 µs were asked for"));
	pl_run_fini(&t.run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeping_instead_of_spinning),
		cmocka_unit_test(cstate_masquerading_as_aspm),
		cmocka_unit_test(apst_masquerading_as_l1),
		cmocka_unit_test(a_drive_that_idles_in_ps0),
		cmocka_unit_test(an_uplink_kept_awake_by_another_device),
		cmocka_unit_test(an_uplink_half_awake_is_called_a_mixture),
		cmocka_unit_test(a_slope_instead_of_a_step),
		cmocka_unit_test(a_retrained_link),
		cmocka_unit_test(a_retrained_link_is_seen_without_registers),
		cmocka_unit_test(a_gap_at_the_timer_is_one_step),
		cmocka_unit_test(two_sleeps_give_two_timers),
		cmocka_unit_test(below_two_steps_may_be_a_third),
		cmocka_unit_test(a_small_second_step_is_no_timer),
		cmocka_unit_test(exits_in_series_are_not_summed),
		cmocka_unit_test(advertised_is_compared_with_measured),
		cmocka_unit_test(clock_power_management_is_not_comparable),
		cmocka_unit_test(the_sentence_says_what_was_put_in),
	};

	return cmocka_run_group_tests_name("adversarial", tests, NULL, NULL);
}
