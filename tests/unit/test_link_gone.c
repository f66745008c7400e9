/*
 * A device vanishes: its path is given up, what still answers is as found again at once, other
 * paths go on.
 */
#include "tests/t.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "link/io.h"
#include "link/journal.h"
#include "tests/fake/world.h"

#define BOTH 2 /* ways of vanishing */

static const struct pl_warning *find_warning(const struct world *w, const char *words)
{
	for (size_t i = 0; i < w->run.warning_count; i++)
		if (!strcmp(w->run.warnings[i].code, "W-GONE") &&
		    strstr(w->run.warnings[i].message, words))
			return &w->run.warnings[i];
	return NULL;
}

static bool has_text(const struct world *w, const char *words)
{
	struct pl_arena arena = {NULL};
	char *text;
	bool found = pl_sysroot_read(&w->fake.root, PL_JOURNAL_FILE, &arena, &text, NULL) == 0 &&
		     strstr(text, words);

	pl_arena_fini(&arena);
	return found;
}

static int verify(struct world *w, size_t slot)
{
	return pl_link_verify(w->control, world_path(w, slot), &w->check, &w->err);
}

static void assert_gone(const struct world *w, const char *words)
{
	assert_true(w->check.is_gone);
	assert_false(w->check.must_stop);
	if (!strstr(w->check.why, words))
		fail_msg("\"%s\" is not in \"%s\"", words, w->check.why);
	assert_int_not_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
	assert_false(world_has_warning(w, "W-ASPM-STOP"));
}

/* Another slot is set, read back, and everything that is still there is as it was in the end. */
static void assert_goes_on(struct world *w, size_t slot)
{
	assert_int_equal(world_set(w, slot, "off"), 0);
	assert_int_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(verify(w, slot), 0);
	assert_int_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_set(w, slot, "as_found"), 0);
	assert_int_equal(w->check.verdict, PL_VERDICT_CONFIRMED);
	assert_false(w->check.is_gone);
	world_end_clean(w);
}

static void start(struct world *w)
{
	world_make(w, FAKE_FULL);
	world_open(w);
	world_path(w, FAKE_SLOT_DIRECT);
	world_path(w, FAKE_SLOT_ONE_SWITCH);
}

/* Before each of its writes. The path is as found again when set_state returns. */
static void gone_while_its_state_is_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < 16; i++) {
		struct world w;

		start(&w);
		w.fake.state->remove_at = 1 + i / BOTH;
		w.fake.state->removal = i % BOTH ? FAKE_UNPLUGGED : FAKE_ONES;
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_gone(&w, i % BOTH ? "0000:07:00.0: the device is gone (the kernel has"
					 : "0000:07:00.0: the device is gone (registers read as");
		assert_non_null(find_warning(&w, "this slot is given up"));
		assert_int_equal(world_aspm(&w, "0000:00:02.1"), 3);
		assert_int_equal(world_aspm(&w, "0000:05:00.0"), 3);
		/* What is gone has left the journal, the rest stays in it until the end. */
		assert_false(has_text(&w, "0000:07:00.0"));
		assert_true(has_text(&w, "0000:05:00.0"));
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "l1"), 0);
		assert_gone(&w, "0000:07:00.0");
		assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
	}
}

static void gone_while_it_is_measured(void **state)
{
	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct world w;

		start(&w);
		assert_int_equal(pl_link_hold_power(w.control,
						    world_path(&w, FAKE_SLOT_TWO_SWITCHES), &w.err),
				 0);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), how);
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_gone(&w, "0000:07:00.0");
		/* It may only be in reset: the port above it answers and is as found, too. */
		if (how == FAKE_ONES)
			assert_int_equal(world_aspm(&w, "0000:06:00.0"), 3);
		/* Two links put back; the link and power/control of the drive went with it. */
		assert_non_null(find_warning(&w, "2 links put back to as found"));
		assert_non_null(find_warning(&w, "2 settings went with it"));
		assert_int_equal(fake_compare(&w.fake, w.snapshot) != 0, true); /* power is held */
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_gone(&w, "0000:07:00.0");
		assert_goes_on(&w, FAKE_SLOT_DIRECT);
	}
}

/* On the way to another slot: at each write that puts this one back. */
static void gone_while_it_is_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < 16; i++) {
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		w.fake.state->remove_at = w.fake.state->log_count + 1 + i / BOTH;
		w.fake.state->removal = i % BOTH;
		/* Once by as found, once by setting another slot at once. */
		if (i % 4 < 2) {
			assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "as_found"), 0);
			assert_gone(&w, "0000:07:00.0");
		}
		assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
		assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
		assert_non_null(find_warning(&w, "this slot is given up"));
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_gone(&w, "0000:07:00.0");
		assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
	}
}

/* Nobody looked after it was gone: closing finds nothing to put back, which is no error. */
static void gone_before_the_end(void **state)
{
	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_int_equal(pl_link_set_apst(w.control, &w.run.slots[FAKE_SLOT_TWO_SWITCHES],
						  PL_LINK_APST_OFF, &w.err),
				 0);
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), how);
		assert_int_equal(pl_link_restore(w.control, &w.err), 0);
		assert_non_null(find_warning(&w, "2 settings belonged to devices that are no"));
		world_end_clean(&w);
	}
}

/* A link that answers and is not as it was is an error all the same, and the journal stays. */
static void what_answers_must_be_as_found(void **state)
{
	struct world w;

	(void)state;
	start(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), FAKE_UNPLUGGED);
	w.fake.state->link[3].is_stuck = true; /* the link between the switches */
	assert_true(verify(&w, FAKE_SLOT_TWO_SWITCHES) < 0);
	assert_non_null(strstr(w.err.text, "0000:05:00.0"));
	assert_true(fake_has_journal(&w.fake));
	assert_true(has_text(&w, "0000:05:00.0"));
	assert_int_not_equal(world_shut(&w), 0);
	assert_true(fake_has_journal(&w.fake));
	world_free(&w);
}

/* A bridge takes the links below it along: both slots, each when it is looked at. */
static void a_bridge_vanishes_with_two_slots(void **state)
{
	const unsigned all = FAKE_BIT(FAKE_UP1) | FAKE_BIT(FAKE_DOWN1) | FAKE_BIT(FAKE_DOWN2) |
			     FAKE_BIT(FAKE_DRIVE1) | FAKE_BIT(FAKE_UP2) | FAKE_BIT(FAKE_DOWN3) |
			     FAKE_BIT(FAKE_DRIVE2);

	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct world w;
		size_t written;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		fake_remove(&w.fake, &w.fake.root, all, how);
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_gone(&w, "0000:02:00.0: the bridge above the device is gone");
		written = w.fake.state->log_count;
		assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "off"), 0);
		assert_int_equal(w.fake.state->log_count, written); /* to nothing that is gone */
		assert_gone(&w, "0000:02:00.0: the bridge above the device is gone");
		assert_int_equal(w.run.warning_count, 2);
		assert_goes_on(&w, FAKE_SLOT_DIRECT);
	}
}

/* Both ends of the link: a port that is gone has nothing to put back either. */
static void both_ends_are_gone(void **state)
{
	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DOWN3) | FAKE_BIT(FAKE_DRIVE2),
			    how);
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_gone(&w, "0000:06:00.0: the bridge above the device is gone");
		assert_non_null(find_warning(&w, "2 links put back"));
		assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
	}
}

/* A card of two functions, pulled; or the second one removed, which may hold the link awake. */
static void a_card_of_two_functions(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * BOTH; i++) {
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
		fake_remove(&w.fake, &w.fake.root,
			    FAKE_BIT(FAKE_AUDIO) | (i / BOTH ? FAKE_BIT(FAKE_GPU) : 0), i % BOTH);
		assert_int_equal(verify(&w, FAKE_SLOT_DIRECT), 0);
		assert_gone(&w, i / BOTH ? "0000:01:00.0: the device is gone"
					 : "0000:01:00.1: the device is gone");
		if (i < BOTH) /* its link is there: put back, and in the journal until the end */
			assert_non_null(find_warning(&w, "1 link put back to as found"));
		assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
	}
}

/* The shared uplink is as found for the other slot, and is set for it as if nothing had been. */
static void a_shared_uplink_goes_on(void **state)
{
	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_int_equal(world_aspm(&w, "0000:02:00.0"), 0);
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), how);
		assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
		assert_int_equal(world_aspm(&w, "0000:02:00.0"), 3);
		assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "uplink_only"), 0);
		assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
		assert_int_equal(world_aspm(&w, "0000:02:00.0"), 3);
		assert_int_equal(world_aspm(&w, "0000:04:00.0"), 0);
		assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
	}
}

/* Registers of all ones although configuration space answers: all links are put back. */
static void given_up_by_the_caller(void **state)
{
	const struct pl_link_path *path;
	struct world w;

	(void)state;
	start(&w);
	path = world_path(&w, FAKE_SLOT_TWO_SWITCHES);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_int_equal(pl_link_give_up(w.control, path, "its registers are dead", &w.err), 0);
	assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
	assert_non_null(find_warning(&w, "its registers are dead; this slot is given up"));
	assert_non_null(find_warning(&w, "3 links put back to as found"));
	assert_int_equal(pl_link_give_up(w.control, path, "again", &w.err), 0);
	assert_int_equal(w.run.warning_count, 1);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_gone(&w, "its registers are dead");
	/* It never stopped answering, so it does not return. */
	pl_link_look_for_returned(w.control);
	assert_int_equal(w.run.warning_count, 1);
	assert_goes_on(&w, FAKE_SLOT_ONE_SWITCH);
}

static void it_returns_and_stays_given_up(void **state)
{
	struct world w;

	(void)state;
	start(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), FAKE_ONES);
	assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
	pl_link_look_for_returned(w.control);
	assert_null(find_warning(&w, "answers again"));
	fake_return(&w.fake, FAKE_DRIVE2, w.snapshot);
	pl_link_look_for_returned(w.control);
	pl_link_look_for_returned(w.control);
	assert_non_null(find_warning(&w, "answers again"));
	assert_int_equal(w.run.warning_count, 2);
	assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
	assert_gone(&w, "0000:07:00.0");
	assert_int_equal(world_set(&w, FAKE_SLOT_ONE_SWITCH, "off"), 0);
	/* Reset as it is, its link is not as found, and that is nobody's doing. */
	assert_int_equal(world_shut(&w), 0);
	assert_false(fake_has_journal(&w.fake));
	world_free(&w);
}

/* The driver gave up the controller: its file went, the drive's function answers. */
static void the_knob_of_a_dead_controller(void **state)
{
	const struct pl_slot *slot;
	struct world w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		start(&w);
		slot = &w.run.slots[FAKE_SLOT_TWO_SWITCHES];
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_int_equal(pl_link_set_apst(w.control, slot, PL_LINK_APST_OFF, &w.err), 0);
		assert_int_equal(unlinkat(w.fake.root.fd,
					  "sys/bus/pci/devices/0000:07:00.0/nvme/nvme1/power/"
					  "pm_qos_latency_tolerance_us",
					  0),
				 0);
		if (i) {
			assert_int_equal(
				pl_link_set_apst(w.control, slot, PL_LINK_APST_AS_FOUND, &w.err),
				0);
			assert_non_null(find_warning(&w, "the controller of the drive is gone"));
			assert_false(has_text(&w, "pm_qos"));
		}
		assert_int_equal(world_shut(&w), 0);
		assert_false(fake_has_journal(&w.fake));
		world_free(&w);
	}
}

/* --- error counters --- */

static void count_errors(struct world *w, const char *bdf, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/aer_dev_fatal", bdf);
	fd = openat(w->fake.root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* What the port above says together with a drive that is gone, or not. */
static void try_surprise(const char *bdf, const char *text, bool is_gone, bool must_stop)
{
	struct world w;

	world_make(&w, FAKE_FULL);
	count_errors(&w, bdf, "DLP 0\nSDES 2\nTLP 0\nCmpltTO 1\nTOTAL_ERR_FATAL 3\n");
	world_open(&w);
	world_path(&w, FAKE_SLOT_DIRECT);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	count_errors(&w, bdf, text);
	if (is_gone)
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), FAKE_UNPLUGGED);
	assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
	assert_int_equal(w.check.must_stop, must_stop);
	assert_int_equal(world_has_warning(&w, "W-ASPM-STOP"), must_stop);
	if (!must_stop) {
		assert_gone(&w, "the port above it counted that (Surprise Down)");
		assert_int_equal(w.check.uncorrectable, 0);
		assert_goes_on(&w, FAKE_SLOT_DIRECT);
		return;
	}
	assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
	world_end_clean(&w);
}

static void surprise_down_is_the_removal_itself(void **state)
{
	static const char once[] = "DLP 0\nSDES 3\nTLP 0\nCmpltTO 1\nTOTAL_ERR_FATAL 4\n";
	static const char and_more[] = "DLP 0\nSDES 3\nTLP 0\nCmpltTO 2\nTOTAL_ERR_FATAL 5\n";
	/* One message may carry two kinds. */
	static const char in_one[] = "DLP 0\nSDES 3\nTLP 0\nCmpltTO 2\nTOTAL_ERR_FATAL 4\n";

	(void)state;
	try_surprise("0000:06:00.0", once, true, false);
	try_surprise("0000:06:00.0", once, false, true);
	try_surprise("0000:06:00.0", and_more, true, true);
	try_surprise("0000:06:00.0", in_one, true, true);
	/* Of a port whose device is still there. */
	try_surprise("0000:03:08.0", once, true, true);
}

/* Errors that the vanished device had counted do not hide new ones. */
static void counters_of_what_is_gone_hide_nothing(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	memcpy(w.fake.aer, "RxErr 50\nTOTAL_ERR_COR 0050\n", 28);
	world_open(&w);
	world_path(&w, FAKE_SLOT_TWO_SWITCHES);
	fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), FAKE_UNPLUGGED);
	count_errors(&w, "0000:05:00.0", "DLP 1\nSDES 0\nTOTAL_ERR_FATAL 1\n");
	assert_int_equal(verify(&w, FAKE_SLOT_TWO_SWITCHES), 0);
	assert_true(w.check.must_stop);
	assert_int_equal(w.check.uncorrectable, 1);
	assert_int_equal(w.check.correctable, 0);
	world_free(&w);
}

/* --- a run that was killed meanwhile --- */

static void what_is_gone_is_no_failure_of_restore(void **state)
{
	(void)state;
	for (int how = 0; how < BOTH; how++) {
		struct pl_journal journal = {.pid = 0};
		struct pl_link_repair repair;
		struct world w;

		start(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		assert_int_equal(pl_journal_read(&journal, &w.fake.root, NULL), 0);
		fake_remove(&w.fake, &w.fake.root, FAKE_BIT(FAKE_DRIVE2), how);
		assert_int_equal(world_shut(&w), 0);
		assert_int_equal(pl_journal_write(&journal, &w.fake.root, NULL), 0);
		pl_journal_fini(&journal);
		assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), 0);
		assert_int_equal(repair.restored, 2);
		assert_int_equal(repair.gone, 1);
		assert_int_equal(repair.failed, 0);
		assert_non_null(strstr(repair.text, "2 settings put back; 1 belonged to devices"));
		world_end_clean(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gone_while_its_state_is_set),
		cmocka_unit_test(gone_while_it_is_measured),
		cmocka_unit_test(gone_while_it_is_left),
		cmocka_unit_test(gone_before_the_end),
		cmocka_unit_test(what_answers_must_be_as_found),
		cmocka_unit_test(a_bridge_vanishes_with_two_slots),
		cmocka_unit_test(both_ends_are_gone),
		cmocka_unit_test(a_card_of_two_functions),
		cmocka_unit_test(a_shared_uplink_goes_on),
		cmocka_unit_test(given_up_by_the_caller),
		cmocka_unit_test(it_returns_and_stays_given_up),
		cmocka_unit_test(the_knob_of_a_dead_controller),
		cmocka_unit_test(surprise_down_is_the_removal_itself),
		cmocka_unit_test(counters_of_what_is_gone_hide_nothing),
		cmocka_unit_test(what_is_gone_is_no_failure_of_restore),
	};

	return cmocka_run_group_tests_name("link_gone", tests, NULL, NULL);
}
