#include "tests/t.h"

#include <errno.h>

#include "model/run.h"

static void bdf_survives_a_round_trip(void **state)
{
	static const char *const good[] = {"0000:00:01.1", "10000:e1:1f.7", "0001:ff:00.0"};
	static const char *const bad[] = {"",         "00:01",       "0000:00:20.0", "0000:00:01.8",
					  "00:01.1x", "0x0:00:01.0", " 00:01.1",     "nvme0"};
	char text[PL_BDF_TEXT];
	struct pl_bdf bdf;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(pl_bdf_parse(good[i], &bdf), 0);
		assert_string_equal(pl_bdf_format(bdf, text), good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pl_bdf_parse(bad[i], &bdf), -EINVAL);
	assert_int_equal(pl_bdf_parse("03:04.5", &bdf), 0);
	assert_int_equal(bdf.bus, 3);
	assert_int_equal(bdf.dev, 4);
	assert_int_equal(bdf.fn, 5);
}

static void warnings_are_kept_once(void **state)
{
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	pl_run_warn(&run, "W-LINK", "warning", "0000:01:00.0", "trained at %u", 4u);
	pl_run_warn(&run, "W-LINK", "warning", "0000:01:00.0", "trained at %u", 4u);
	pl_run_warn(&run, "W-LINK", "warning", "0000:02:00.0", "trained at %u", 4u);
	assert_int_equal(run.warning_count, 2);
	pl_run_skip(&run, "ladder", "not root", "sudo");
	pl_run_skip(&run, "ladder", "not root", "sudo");
	assert_int_equal(run.skip_count, 1);
	pl_run_fini(&run);
}

static void facts_keep_the_last_value(void **state)
{
	struct pl_run run;
	struct pl_measurement *m;

	(void)state;
	pl_run_init(&run);
	m = pl_run_add_measurement(&run);
	assert_null(pl_measurement_find_fact(m, "loads_issued"));
	pl_measurement_set_number(&run, m, "loads_issued", 16);
	pl_measurement_set_text(&run, m, "clocks", "1500 MHz");
	pl_measurement_set_number(&run, m, "loads_issued", 32);
	assert_int_equal(m->fact_count, 2);
	assert_true(pl_measurement_find_fact(m, "loads_issued")->value == 32);
	assert_string_equal(pl_measurement_find_fact(m, "clocks")->text, "1500 MHz");
	pl_run_fini(&run);
}

static void measurements_keep_their_address(void **state)
{
	struct pl_measurement *first, *last = NULL;
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	first = pl_run_add_measurement(&run);
	for (unsigned i = 0; i < 100; i++)
		last = pl_run_add_measurement(&run);
	assert_ptr_equal(run.measurements[0], first);
	assert_int_equal(first->id, 1);
	assert_int_equal(last->id, 101);
	pl_measurement_warn(&run, first, "W-FIRST: %d", 1);
	pl_measurement_warn(&run, first, "W-FIRST: %d", 1);
	assert_int_equal(first->warning_count, 1);
	pl_run_fini(&run);
}

static void slots_are_found_by_any_function(void **state)
{
	static const struct pl_bdf functions[] = {{0, 1, 0, 0}, {0, 1, 0, 1}};
	static const struct pl_bdf path[] = {{0, 0, 1, 1}, {0, 1, 0, 0}};
	struct pl_device device = {
		.bdf = {0, 1, 0, 0}, .functions = functions, .function_count = 2};
	struct pl_slot *slot;
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	slot = pl_run_add_slot(&run);
	slot->device = &device;
	slot->path = path;
	slot->path_count = 2;
	assert_ptr_equal(pl_run_find_slot(&run, (struct pl_bdf){0, 1, 0, 1}), slot);
	assert_ptr_equal(pl_run_find_slot(&run, (struct pl_bdf){0, 0, 1, 1}), slot);
	assert_null(pl_run_find_slot(&run, (struct pl_bdf){0, 9, 0, 0}));
	pl_run_fini(&run);
}

static void stamp_names_what_the_numbers_are_not(void **state)
{
	char text[64];
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	run.machine.is_live = true;
	assert_null(pl_run_stamp(&run, text, sizeof(text)));
	run.machine.hypervisor = "QEMU";
	assert_string_equal(pl_run_stamp(&run, text, sizeof(text)), "VIRTUAL MACHINE (QEMU)");
	run.machine.is_live = false;
	run.machine.source = "sysroot x";
	assert_string_equal(pl_run_stamp(&run, text, sizeof(text)), "NOT LIVE: sysroot x");
	pl_run_fini(&run);
}

static void aspm_sets_have_names(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(pl_aspm_format(0, text, sizeof(text)), "none");
	assert_string_equal(pl_aspm_format(PL_ASPM_UNKNOWN, text, sizeof(text)), "unknown");
	assert_string_equal(pl_aspm_format(PL_ASPM_L0S | PL_ASPM_L1_2, text, sizeof(text)),
			    "L0s L1.2");
}

static void unknown_values_have_a_name(void **state)
{
	(void)state;
	assert_string_equal(pl_attachment_name((enum pl_attachment)99), "unknown");
	assert_string_equal(pl_attachment_name(PL_ATTACH_CPU_DIRECT), "cpu-direct");
	assert_string_equal(pl_probe_name(PL_PROBE_GPU), "gpu");
	assert_string_equal(pl_effect_kind_name(PL_EFFECT_CONFIG_STEP), "config_step");
}

/* Times in a state add up; a table that leads nowhere or in a circle ends. */
static void drives_go_to_sleep_by_their_table(void **state)
{
	struct pl_drive drive = {.state_count = 5, .apst_enabled = 1};

	(void)state;
	drive.states[0] = (struct pl_power_state){.apst_after_ms = 100, .apst_to = 3};
	drive.states[3] = (struct pl_power_state){.apst_after_ms = 2000, .apst_to = 4};
	assert_int_equal(pl_drive_state_after(&drive, 99), 0);
	assert_int_equal(pl_drive_state_after(&drive, 100), 3);
	assert_int_equal(pl_drive_state_after(&drive, 2099), 3);
	assert_int_equal(pl_drive_state_after(&drive, 2100), 4);
	assert_int_equal(pl_drive_reaches_ms(&drive, 4), 2100);
	assert_int_equal(pl_drive_reaches_ms(&drive, 1), 0);
	drive.states[4] = (struct pl_power_state){.apst_after_ms = 1, .apst_to = 0};
	assert_true(pl_drive_state_after(&drive, 10000) < 5);
	drive.states[0].apst_to = 31;
	assert_int_equal(pl_drive_state_after(&drive, 10000), 0);
	drive.states[0].apst_to = 3;
	drive.apst_enabled = 0;
	assert_int_equal(pl_drive_state_after(&drive, 10000), 0);
	assert_null(pl_drive_deallocated_name(-1));
	assert_null(pl_drive_deallocated_name(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bdf_survives_a_round_trip),
		cmocka_unit_test(warnings_are_kept_once),
		cmocka_unit_test(facts_keep_the_last_value),
		cmocka_unit_test(measurements_keep_their_address),
		cmocka_unit_test(slots_are_found_by_any_function),
		cmocka_unit_test(stamp_names_what_the_numbers_are_not),
		cmocka_unit_test(aspm_sets_have_names),
		cmocka_unit_test(unknown_values_have_a_name),
		cmocka_unit_test(drives_go_to_sleep_by_their_table),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
