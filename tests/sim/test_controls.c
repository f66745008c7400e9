#include "tests/sim/trial.h"

/* The controls of a run: arms that must not differ, and what is said when they do. */

/* Links off differ from links off: the run is not fit for a verdict. */
static void a_failed_control_forbids_claims(void **state)
{
	struct trial t;
	const struct pl_effect *exit, *hop;

	(void)state;
	begin(&t, 10);
	t.truth.device_exit_ns = 8000.0;
	t.truth.hop_model_ns = 570.0;
	pl_sim_apply(&t.board, &t.truth);
	pl_sim_plan(&t.run, 0, PL_PROBE_BAR, "off", 0, BLOCKS, SAMPLES);
	plan(&t, PL_PROBE_BAR, NULL);
	for (size_t g = 0; g < SIM_GAPS; g++)
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off_again", pl_sim_gaps_ns[g], BLOCKS,
			    SAMPLES);
	finish(&t);
	assert_int_equal(find(&t, PL_EFFECT_EXIT, "l1")->status, PL_CLAIM_RESOLVED);
	assert_int_equal(find(&t, PL_EFFECT_HOP, "off")->status, PL_CLAIM_RESOLVED);
	assert_int_equal(t.run.warning_count, 0);
	for (size_t i = 0; i < t.run.measurement_count; i++) {
		struct pl_measurement *m = t.run.measurements[i];

		for (size_t k = 0; !strcmp(m->conditions.state, "off_again") && k < m->n; k++)
			m->ticks[k] += 500;
	}
	assert_int_equal(pl_report_attribute(&t.run, NULL), 0);
	exit = find(&t, PL_EFFECT_EXIT, "l1");
	assert_int_equal(exit->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(exit->reason, "fails its own control"));
	hop = find(&t, PL_EFFECT_HOP, "off");
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(hop->reason, "fails its own control"));
	assert_nothing_is_claimed(&t);
	assert_int_equal(t.run.warning_count, 1);
	assert_string_equal(t.run.warnings[0].code, "W-CONTROL-OFF");
	pl_run_fini(&t.run);
}

/* Three ns in 650 are not worth a verdict: less than the precision that is asked for. */
static void a_control_that_is_off_by_little_holds(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 10);
	t.board.noise.shape = 0.001;
	t.board.noise.drift = 0.0;
	t.truth.device_exit_ns = 8000.0;
	pl_sim_apply(&t.board, &t.truth);
	plan(&t, PL_PROBE_BAR, NULL);
	for (size_t g = 0; g < SIM_GAPS; g++)
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off_again", pl_sim_gaps_ns[g], BLOCKS,
			    SAMPLES);
	finish(&t);
	for (size_t i = 0; i < t.run.measurement_count; i++) {
		struct pl_measurement *m = t.run.measurements[i];

		for (size_t k = 0; !strcmp(m->conditions.state, "off_again") && k < m->n; k++)
			m->ticks[k] += 3;
	}
	assert_int_equal(pl_report_attribute(&t.run, NULL), 0);
	assert_int_equal(find(&t, PL_EFFECT_EXIT, "l1")->status, PL_CLAIM_RESOLVED);
	assert_int_equal(t.run.warning_count, 0);
	pl_run_fini(&t.run);
}

/* Device link off, uplink as found: by the specification nothing may sleep. */
static void the_negative_control_equals_off(void **state)
{
	struct trial t;

	(void)state;
	begin(&t, 11);
	t.truth.device_exit_ns = 8000.0;
	t.truth.uplink_exit_ns = 30000.0;
	pl_sim_apply(&t.board, &t.truth);
	plan(&t, PL_PROBE_BAR, NULL);
	for (size_t g = 0; g < SIM_GAPS; g++)
		pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "device_off_uplink_l1", pl_sim_gaps_ns[g],
			    BLOCKS, SAMPLES);
	finish(&t);
	assert_int_equal(t.run.warning_count, 0);
	for (size_t i = 0; i < t.run.measurement_count; i++) {
		struct pl_measurement *m = t.run.measurements[i];

		for (size_t k = 0; pl_state_is_control(m->conditions.state) && k < m->n; k++)
			m->ticks[k] += m->conditions.gap_ns > 20000 ? 20000 : 0;
	}
	assert_int_equal(pl_report_attribute(&t.run, NULL), 0);
	assert_int_equal(t.run.warning_count, 1);
	assert_string_equal(t.run.warnings[0].code, "W-CONTROL-UPLINK");
	pl_run_fini(&t.run);
}

/*
 * The port above a switch may send its transmitter to L0s whatever sleeps below the switch. That is
 * no broken control, as long as it is not longer than L0s takes.
 */
static void an_uplink_in_l0s_is_no_broken_control(void **state)
{
	static const struct {
		unsigned enabled;
		double exit_ns;
		const char *severity;
	} cases[] = {
		{PL_ASPM_L0S, 1500.0, "info"},
		{PL_ASPM_L0S | PL_ASPM_L1, 1500.0, "info"},
		{PL_ASPM_L0S | PL_ASPM_L1, 20000.0, "warning"},
		{PL_ASPM_L1, 1500.0, "warning"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pl_aspm_function device[1] = {{.is_readable = true}};
		struct pl_aspm_link link = {.down = device, .down_count = 1, .l0s_exit_ns = 2000};
		struct trial t;

		begin(&t, 15);
		t.truth.bits = PL_ASPM_L0S;
		t.truth.device_exit_ns = t.truth.uplink_exit_ns = cases[i].exit_ns;
		pl_sim_apply(&t.board, &t.truth);
		device[0].bdf = t.run.slots[1].path[1];
		link.up.enabled = cases[i].enabled;
		t.run.aspm_links = &link;
		t.run.aspm_link_count = 1;
		for (size_t g = 0; g < SIM_GAPS; g++) {
			pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "off", pl_sim_gaps_ns[g], BLOCKS,
				    SAMPLES);
			pl_sim_plan(&t.run, 1, PL_PROBE_BAR, "device_off_uplink_l0s",
				    pl_sim_gaps_ns[g], BLOCKS, SAMPLES);
		}
		finish(&t);
		assert_int_equal(t.run.warning_count, 1);
		assert_string_equal(t.run.warnings[0].code, "W-CONTROL-UPLINK");
		assert_string_equal(t.run.warnings[0].severity, cases[i].severity);
		pl_run_fini(&t.run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_control_forbids_claims),
		cmocka_unit_test(a_control_that_is_off_by_little_holds),
		cmocka_unit_test(the_negative_control_equals_off),
		cmocka_unit_test(an_uplink_in_l0s_is_no_broken_control),
	};

	return cmocka_run_group_tests_name("controls", tests, NULL, NULL);
}
