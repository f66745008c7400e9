/* What set, verify and restore say and do when things go well, and when they do not. */
#include "tests/t.h"

#include <errno.h>

#include "tests/fake/world.h"

static void test_states_of_a_chain(void **state)
{
	struct world w;
	const struct pl_link_path *path;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	path = world_path(&w, FAKE_SLOT_TWO_SWITCHES);
	assert_int_equal(path->link_count, 3);
	assert_null(path->why_fixed);
	assert_true(path->is_control_meaningful);
	assert_string_equal(path->states[0].name, "off");
	assert_string_equal(path->states[1].name, "as_found");
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "device_only"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_aspm(&w, "0000:07:00.0"), 3);
	assert_int_equal(world_aspm(&w, "0000:06:00.0"), 3);
	assert_int_equal(world_aspm(&w, "0000:05:00.0"), 0);
	assert_int_equal(world_aspm(&w, "0000:00:02.1"), 0);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "uplink_only"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_aspm(&w, "0000:07:00.0"), 0);
	assert_int_equal(world_aspm(&w, "0000:03:08.0"), 3);
	world_end_clean(&w);
}

static void test_all_functions(void **state)
{
	struct world w;
	uint8_t *second;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_aspm(&w, "0000:00:01.1"), 2);
	assert_int_equal(world_aspm(&w, "0000:01:00.0"), 2);
	assert_int_equal(world_aspm(&w, "0000:01:00.1"), 2);
	/* One function that does not follow is seen. */
	second = world_config(&w, "0000:01:00.1");
	fake_put16(second, FAKE_LNKCTL, (uint16_t)(fake_get16(second, FAKE_LNKCTL) & ~3));
	assert_int_equal(
		pl_link_verify(w.control, world_path(&w, FAKE_SLOT_DIRECT), &w.check, &w.err), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_REVERTED);
	world_end_clean(&w);
}

/* One bit that flips in one word of one function at one end: seen, and the only thing wrong. */
static void flip(struct world *w, const char *state, size_t function, unsigned offset, uint8_t bit)
{
	const struct pl_link_path *path = world_path(w, FAKE_SLOT_DIRECT);
	uint8_t *config = w->fake.function[function].config;

	assert_int_equal(world_set(w, FAKE_SLOT_DIRECT, state), 0);
	assert_int_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
	config[offset] ^= bit;
	assert_int_equal(pl_link_verify(w->control, path, &w->check, &w->err), 0);
	if (w->check.verdict != PL_VERDICT_REVERTED)
		fail_msg("%s: function %zu, offset %x, bit %x: %s", state, function, offset, bit,
			 pl_aspm_verdict_name(w->check.verdict));
	config[offset] ^= bit;
	assert_int_equal(pl_link_verify(w->control, path, &w->check, &w->err), 0);
	assert_int_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
}

static void test_every_word_counts(void **state)
{
	static const char *const names[] = {"off", "l1_2", "as_found"};
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	for (size_t n = 0; n < 3; n++) {
		for (size_t function = 0; function < 3; function++) {
			flip(&w, names[n], function, FAKE_LNKCTL, 1);
			flip(&w, names[n], function, FAKE_LNKCTL, 2);
			flip(&w, names[n], function, FAKE_LNKCTL + 1, 1); /* clock PM */
		}
		for (size_t function = 0; function < 2; function++) {
			flip(&w, names[n], function, FAKE_L1SS_CTL1, 4);
			flip(&w, names[n], function, FAKE_L1SS_CTL1, 8);
		}
	}
	world_end_clean(&w);
}

static void test_other_paths_go_back(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "off"), 0);
	assert_int_equal(world_aspm(&w, "0000:01:00.0"), 3);
	assert_int_equal(world_aspm(&w, "0000:00:02.1"), 0);
	/* The shared uplink belongs to the path that is set. */
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "as_found"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_aspm(&w, "0000:00:02.1"), 3);
	assert_int_equal(world_aspm(&w, "0000:04:00.0"), 3);
	world_end_clean(&w);
}

static void test_lying_hardware(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	w.fake.state->link[0].is_stuck = true;
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_KERNEL_ONLY);
	assert_non_null(strstr(w.check.why, "kernel says yes, hardware says no"));
	assert_int_equal(w.check.enabled[0] & 3, 3);
	world_end_clean(&w);
}

/* Plain QEMU: the kernel's file says on, LnkCtl cannot hold it. */
static void test_kernel_claims_more(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_OFF);
	w.fake.link[0].attr[PL_ATTR_L0S][0] = '1';
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_KERNEL_ONLY);
	assert_non_null(strstr(w.check.why, "its files say L0s, the registers show none above"));
	assert_int_equal(w.fake.state->log_count, 0);
	world_free(&w);
}

static void test_reverted(void **state)
{
	struct world w;
	uint8_t *config;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "off"), 0);
	config = world_config(&w, "0000:04:00.0");
	fake_put16(config, FAKE_LNKCTL, (uint16_t)(fake_get16(config, FAKE_LNKCTL) | 3));
	assert_int_equal(
		pl_link_verify(w.control, world_path(&w, FAKE_SLOT_ONE_SWITCH), &w.check, &w.err),
		0);
	assert_int_equal(w.check.verdict, PL_VERDICT_REVERTED);
	assert_int_equal(w.check.link[0], PL_VERDICT_CONFIRMED);
	assert_int_equal(w.check.link[1], PL_VERDICT_REVERTED);
	world_end_clean(&w);
}

static void test_policy_changed_by_others(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "off"), 0);
	memcpy(w.fake.policy_text, "default performance [powersave] powersupersave \n", 48);
	assert_int_equal(
		pl_link_verify(w.control, world_path(&w, FAKE_SLOT_ONE_SWITCH), &w.check, &w.err),
		0);
	assert_int_equal(w.check.verdict, PL_VERDICT_REVERTED);
	assert_non_null(strstr(w.check.why, "from default to powersave"));
	world_free(&w);
}

static void test_marks_are_announced(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "l1_1"), 0);
	assert_false(world_has_warning(&w, "W-ASPM-MARK"));
	assert_int_equal(world_shut(&w), 0);
	world_free(&w);

	world_make(&w, FAKE_FULL);
	/* Somebody had turned L1.2 off before. */
	w.fake.io.write_text(&w.fake, &w.fake.root,
			     "sys/bus/pci/devices/0000:01:00.0/link/l1_2_aspm", "0");
	w.fake.state->violation[0] = '\0';
	w.fake.state->link[0].start[PL_ATTR_L1_2] = 0;
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "l1_1"), 0);
	assert_true(world_has_warning(&w, "W-ASPM-MARK"));
	assert_int_equal(world_shut(&w), 0);
	assert_string_equal(w.fake.state->violation, "");
	world_free(&w);
}

static void test_power_and_apst(void **state)
{
	struct world w;
	const struct pl_slot *slot;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	slot = &w.run.slots[FAKE_SLOT_TWO_SWITCHES];
	assert_int_equal(
		pl_link_hold_power(w.control, world_path(&w, FAKE_SLOT_TWO_SWITCHES), &w.err), 0);
	for (size_t i = 0; i < w.fake.function_count; i++) {
		const struct fake_function *f = &w.fake.function[i];
		bool is_on_path = f->bdf.bus >= 5 || (f->bdf.bus == 0 && f->bdf.dev == 2) ||
				  f->bdf.bus == 2 || (f->bdf.bus == 3 && f->bdf.dev == 8);

		assert_int_equal(strncmp(f->power, "on\n", 3) == 0, is_on_path);
	}
	assert_int_equal(pl_link_set_apst(w.control, slot, PL_LINK_APST_OFF, &w.err), 0);
	assert_memory_equal(w.fake.latency, "0\n", 2);
	assert_int_equal(pl_link_set_apst(w.control, slot, PL_LINK_APST_AS_FOUND, &w.err), 0);
	assert_memory_equal(w.fake.latency, "100000\n", 7);
	assert_int_equal(pl_link_set_apst(w.control, slot, PL_LINK_APST_OFF, &w.err), 0);
	assert_int_equal(pl_link_set_apst(w.control, &w.run.slots[FAKE_SLOT_DIRECT],
					  PL_LINK_APST_OFF, &w.err),
			 -ENOTSUP);
	world_end_clean(&w);
}

static void test_dry_run_lists_what_a_run_writes(void **state)
{
	struct world w;
	const char *const *lines;
	char *kept[64];
	size_t count;

	(void)state;
	world_make(&w, FAKE_FULL);
	w.options.is_dry_run = true;
	world_open(&w);
	count = pl_link_list_writes(w.control, world_path(&w, FAKE_SLOT_TWO_SWITCHES),
				    world_state(&w, FAKE_SLOT_TWO_SWITCHES, "l1"), &lines);
	assert_true(count > 5 && count < 64);
	for (size_t i = 0; i < count; i++)
		kept[i] = strdup(lines[i]);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(w.fake.state->log_count, 0);
	assert_false(pl_sysroot_exists(&w.fake.root, "run/pcielat"));
	assert_int_equal(world_shut(&w), 0);

	w.options.is_dry_run = false;
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "l1"), 0);
	assert_int_equal(w.fake.state->log_count, count);
	for (size_t i = 0; i < count; i++) {
		char line[192];

		snprintf(line, sizeof(line), "/%s = %s", w.fake.state->log[i].path,
			 w.fake.state->log[i].text);
		assert_string_equal(kept[i], line);
		free(kept[i]);
	}
	world_end_clean(&w);
}

static void test_observe_changes_nothing(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	w.options.mode = PL_LINK_OBSERVE;
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "as_found"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(w.fake.state->log_count, 0);
	world_end_clean(&w);
}

static void test_firmware_left_it_off(void **state)
{
	struct world w;
	const struct pl_link_path *path;

	(void)state;
	world_make(&w, FAKE_OFF);
	world_open(&w);
	path = world_path(&w, FAKE_SLOT_TWO_SWITCHES);
	assert_int_equal(path->state_count, 1);
	assert_string_equal(path->states[0].name, "off");
	assert_ptr_equal(pl_link_find_state(path, "as_found"), &path->states[0]);
	assert_null(pl_link_find_state(path, "l1"));
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(w.fake.state->log_count, 0);
	world_end_clean(&w);
}

/* The first write to each link of the chain, in order. */
static void assert_leaf_to_root(const struct world *w)
{
	static const char *const order[] = {"0000:07:00.0", "0000:05:00.0", "0000:02:00.0"};
	size_t next = 0;

	for (size_t i = 0; i < w->fake.state->log_count; i++)
		if (next < 3 && strstr(w->fake.state->log[i].path, order[next]))
			next++;
		else if (next < 2)
			assert_null(strstr(w->fake.state->log[i].path, order[2]));
	assert_int_equal(next, 3);
}

static void test_leaf_to_root(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_leaf_to_root(&w);
	w.fake.state->log_count = 0;
	assert_int_equal(pl_link_restore(w.control, &w.err), 0);
	assert_leaf_to_root(&w);
	world_end_clean(&w);
}

/* The kernel's files are back, the registers are not: that is no restore. */
static void test_restore_is_read_back(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	w.fake.state->link[0].is_stuck = true;
	assert_int_equal(world_shut(&w), -EIO);
	assert_non_null(strstr(w.err.text, "not as it was found"));
	assert_true(fake_has_journal(&w.fake));
	world_free(&w);
}

/* L0s sleeps in each direction by itself: one end alone is not off. */
static void test_one_sided_l0s_is_not_off(void **state)
{
	const struct pl_link_path *path;
	struct world w;

	(void)state;
	for (size_t end = 0; end < 2; end++) {
		world_make(&w, FAKE_OFF);
		w.fake.function[end].config[FAKE_LNKCTL] |= 1;
		w.fake.link[0].attr[PL_ATTR_L0S][0] = '1';
		world_open(&w);
		path = world_path(&w, FAKE_SLOT_DIRECT);
		assert_int_equal(path->states[0].kind, PL_LINK_STATE_OFF);
		assert_false(path->states[0].is_settable);
		assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "as_found"), 0);
		assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_of_a_chain),
		cmocka_unit_test(test_all_functions),
		cmocka_unit_test(test_every_word_counts),
		cmocka_unit_test(test_leaf_to_root),
		cmocka_unit_test(test_restore_is_read_back),
		cmocka_unit_test(test_one_sided_l0s_is_not_off),
		cmocka_unit_test(test_other_paths_go_back),
		cmocka_unit_test(test_lying_hardware),
		cmocka_unit_test(test_kernel_claims_more),
		cmocka_unit_test(test_reverted),
		cmocka_unit_test(test_policy_changed_by_others),
		cmocka_unit_test(test_marks_are_announced),
		cmocka_unit_test(test_power_and_apst),
		cmocka_unit_test(test_dry_run_lists_what_a_run_writes),
		cmocka_unit_test(test_observe_changes_nothing),
		cmocka_unit_test(test_firmware_left_it_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
