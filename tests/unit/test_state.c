#include "tests/t.h"

#include <errno.h>

#include "link/apply.h"
#include "link/states.h"
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
		{"device_and_2_uplinks", PL_STATE_AS_FOUND, PL_STATE_AS_FOUND},
		{"raised_l1_1", PL_ASPM_L1 | PL_ASPM_L1_1, PL_ASPM_L1 | PL_ASPM_L1_1},
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
					    "uplink_l1",
					    "device_and_",
					    "device_and_0_uplinks",
					    "device_and_1_uplinks",
					    "device_and_2_uplink",
					    "raised_",
					    "raised_l3"};
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
	assert_string_equal(pl_state_text("device_l1_uplink_off"), "L1, the links above it off");
	assert_string_equal(pl_state_text("device_l2_uplink_off"), "device_l2_uplink_off");
}

static void partial_states_count_their_links(void **state)
{
	struct pl_state parsed;

	(void)state;
	assert_int_equal(pl_state_parse("device_and_2_uplinks", &parsed), 0);
	assert_int_equal(parsed.uplinks, 2);
	assert_int_equal(pl_state_parse("device_and_1_uplink", &parsed), 0);
	assert_int_equal(parsed.uplinks, 1);
	assert_int_equal(pl_state_parse("l1", &parsed), 0);
	assert_int_equal(parsed.uplinks, PL_STATE_ALL_UPLINKS);
	assert_false(parsed.is_raised);
	assert_int_equal(pl_state_parse("raised_l1", &parsed), 0);
	assert_true(parsed.is_raised);
}

/*
 * Every name that link/ makes must be read back as what the links are set to: three links with
 * different states each, nothing and everything to raise.
 */
static void assert_means_its_targets(const struct pl_link_state *made,
				     const struct pl_link_choice *links, size_t count)
{
	struct pl_state parsed;

	if (pl_state_parse(made->name, &parsed))
		fail_msg("%s is not a state name", made->name);
	for (size_t i = 0; i < count; i++) {
		size_t above = count - 1 - i; /* 0: the link of the device */
		unsigned wanted = above ? parsed.uplink : parsed.device;

		if (above > parsed.uplinks)
			wanted = 0;
		if (wanted == PL_STATE_AS_FOUND)
			wanted = links[i].found;
		else
			wanted &= parsed.is_raised ? links[i].available : links[i].found;
		if (pl_link_normalise(wanted) != made->targets[i])
			fail_msg("%s: link %zu is set to %u, the name says %u", made->name, i,
				 made->targets[i], wanted);
	}
	if (made->kind != PL_LINK_STATE_OFF && made->kind != PL_LINK_STATE_CONTROL)
		assert_string_not_equal(pl_state_text(made->name), made->name);
	assert_int_equal(pl_state_is_control(made->name), made->kind == PL_LINK_STATE_CONTROL);
	assert_int_equal(pl_state_is_off(made->name), made->kind == PL_LINK_STATE_OFF);
}

static void names_of_link_states_are_read_back(void **state)
{
	static const struct pl_link_choice links[] = {
		{PL_ASPM_L0S | PL_ASPM_L1, PL_ASPM_L0S | PL_ASPM_L1, NULL},
		{PL_ASPM_L1, PL_ASPM_STATES, NULL},
		{PL_ASPM_STATES, PL_ASPM_STATES, NULL},
		{PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_L1_1, PL_ASPM_STATES, NULL},
	};

	(void)state;
	for (size_t count = 1; count <= sizeof(links) / sizeof(links[0]); count++) {
		struct pl_arena arena = {NULL};
		struct pl_link_path path = {.state_count = 0};

		pl_link_build_states(&arena, links, count, true, &path);
		assert_true(path.state_count > 3);
		for (size_t i = 0; i < path.state_count; i++)
			assert_means_its_targets(&path.states[i], links, count);
		pl_arena_fini(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_say_what_is_allowed),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(off_means_every_link),
		cmocka_unit_test(partial_states_count_their_links),
		cmocka_unit_test(names_of_link_states_are_read_back),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
