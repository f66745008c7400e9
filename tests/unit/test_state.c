#include "tests/t.h"

#include <errno.h>

#include "model/aspm.h"
#include "model/state.h"

static void names_say_what_is_allowed(void **state)
{
	static const struct {
		const char *name;
		unsigned device, uplink;
	} cases[] = {
		{"as_found", PL_STATE_AS_FOUND, PL_STATE_AS_FOUND},
		{NULL, PL_STATE_AS_FOUND, PL_STATE_AS_FOUND},
		{"off", 0, 0},
		{"l0s", PL_ASPM_L0S, PL_ASPM_L0S},
		{"l0s_l1", PL_ASPM_L0S | PL_ASPM_L1, PL_ASPM_L0S | PL_ASPM_L1},
		{"l1", PL_ASPM_L1, PL_ASPM_L1},
		{"l1_2", PL_ASPM_L1 | PL_ASPM_L1_2, PL_ASPM_L1 | PL_ASPM_L1_2},
		{"device_l1_uplink_off", PL_ASPM_L1, 0},
		{"device_off_uplink_as_found", 0, PL_STATE_AS_FOUND},
		{"device_only", PL_STATE_AS_FOUND, 0},
		{"uplink_only", 0, PL_STATE_AS_FOUND},
		{"device_l0s_l1_uplink_l1", PL_ASPM_L0S | PL_ASPM_L1, PL_ASPM_L1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pl_state parsed;

		assert_int_equal(pl_state_parse(cases[i].name, &parsed), 0);
		assert_int_equal(parsed.device, cases[i].device);
		assert_int_equal(parsed.uplink, cases[i].uplink);
	}
}

static void other_names_are_refused(void **state)
{
	static const char *const names[] = {"",
					    "l2",
					    "l1x",
					    "off ",
					    "device_l1",
					    "device_l1_uplink_",
					    "device_x_uplink_off",
					    "uplink_l1"};
	struct pl_state parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(pl_state_parse(names[i], &parsed), -EINVAL);
}

static void off_means_every_link(void **state)
{
	(void)state;
	assert_true(pl_state_is_off("off"));
	assert_true(pl_state_is_off("device_off_uplink_off"));
	assert_false(pl_state_is_off("device_off_uplink_as_found"));
	assert_false(pl_state_is_off("l1"));
	assert_false(pl_state_is_off(NULL));
	assert_string_equal(pl_state_text("l1_2"), "L1.2");
	assert_string_equal(pl_state_text("device_l1_uplink_off"), "device_l1_uplink_off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_say_what_is_allowed),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(off_means_every_link),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
