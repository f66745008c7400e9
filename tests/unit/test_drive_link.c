/* What the link of a drive may do while it sleeps, and whether the two hang together. */
#include "tests/t.h"

#include <math.h>

#include "core/rng.h"
#include "model/summary.h"
#include "report/drive_link.h"

#define BLOCKS 12
#define SAMPLES 40

/* One drive with root's registers: L1 and L1.2 at both ends, L1.1 at the drive only. */
struct board {
	struct pl_arena arena;
	struct pl_run run;
	struct pl_rng rng;
	struct pl_device device;
	struct pl_drive drive;
	struct pl_drive_link link;
	struct pl_drive_link_row rows[PL_DRIVE_LINK_ROWS];
};

static void init(struct board *b)
{
	const unsigned port = PL_ASPM_L1 | PL_ASPM_L1_2;
	struct pl_slot *slot;

	memset(b, 0, sizeof(*b));
	pl_run_init(&b->run);
	pl_rng_init(&b->rng, 5);
	b->run.machine.is_live = b->run.machine.is_root = true;
	b->device = (struct pl_device){.bdf = {0, 1, 0, 0}, .kind = PL_DEVICE_NVME};
	b->drive = (struct pl_drive){.bdf = b->device.bdf, .state_count = 5, .apst_enabled = 1};
	for (size_t i = 0; i < 5; i++)
		b->drive.states[i].is_operational = i < 3;
	b->drive.states[0] =
		(struct pl_power_state){.is_operational = true, .apst_after_ms = 100, .apst_to = 3};
	slot = pl_run_add_slot(&b->run);
	slot->key = slot->label = "M2_1";
	slot->device = &b->device;
	slot->link = (struct pl_link){.is_present = true,
				      .aspm_supported = port,
				      .aspm_enabled = PL_ASPM_L1,
				      .ltr_enabled = 1};
	slot->link.up.is_readable = slot->link.down.is_readable = true;
	slot->link.up.aspm_supported = port;
	slot->link.down.aspm_supported = port | PL_ASPM_L1_1;
}

static void judge(struct board *b)
{
	pl_drive_link(&b->arena, &b->run, &b->drive, &b->link);
	pl_drive_link_rows(&b->arena, &b->link, b->rows);
}

static void end(struct board *b)
{
	pl_arena_fini(&b->arena);
	pl_run_fini(&b->run);
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, text);
}

static void features_are_what_both_ends_have(void **state)
{
	struct board b;

	(void)state;
	init(&b);
	judge(&b);
	assert_null(b.link.why);
	assert_string_equal(b.rows[1].key, "l1_1");
	assert_int_equal(b.rows[1].supported, 0);
	assert_string_equal(b.rows[1].note, "the port does not have it");
	assert_int_equal(b.rows[2].supported, 1);
	assert_int_equal(b.rows[2].enabled, 0);
	assert_int_equal(b.rows[3].supported, 0);
	assert_int_equal(b.rows[4].enabled, 1);
	assert_says(b.link.follows, "L1.2 is supported and not enabled");
	b.run.slots[0].link.aspm_enabled |= PL_ASPM_L1_1;
	judge(&b);
	assert_string_equal(b.rows[1].note, "set, though not both ends have it");
	b.run.slots[0].link.aspm_supported = PL_ASPM_L1;
	judge(&b);
	assert_says(b.link.follows, "has no L1.2");
	end(&b);
}

/* CLKREQ# is what couples: named with the states of this drive. */
static void what_is_enabled_has_consequences(void **state)
{
	struct board b;
	struct pl_link *link;

	(void)state;
	init(&b);
	link = &b.run.slots[0].link;
	link->aspm_enabled |= PL_ASPM_L1_2;
	judge(&b);
	assert_int_equal(b.rows[2].enabled, 1);
	assert_says(b.link.follows, "L1.2 is enabled.");
	assert_says(b.link.follows, "do not work (PS3, PS4)");
	assert_says(b.link.follows, "is not split.");
	assert_null(strstr(b.link.follows, "Clock PM"));
	link->aspm_supported |= PL_ASPM_CLKPM;
	link->aspm_enabled |= PL_ASPM_CLKPM;
	link->ltr_enabled = 0;
	b.drive.apst_enabled = 0;
	judge(&b);
	assert_says(b.link.follows, "Clock PM is enabled");
	assert_says(b.link.follows, "with APST off, as it is here, such a drive never");
	assert_non_null(b.rows[4].note);
	assert_says(b.link.coupling_text, "enters no power state by itself");
	end(&b);
}

static void what_cannot_be_read_is_said(void **state)
{
	struct board b;

	(void)state;
	init(&b);
	b.run.slots[0].link.aspm_supported = b.run.slots[0].link.aspm_enabled = PL_ASPM_UNKNOWN;
	judge(&b);
	assert_says(b.link.why, "could not be read");
	b.run.machine.is_root = false;
	judge(&b);
	assert_says(b.link.why, "run pcielat as root");
	assert_says(b.link.follows, "not known");
	for (size_t i = 0; i < 4; i++)
		assert_true(b.rows[i].supported < 0 && b.rows[i].enabled < 0);
	b.run.slots[0].link.is_present = false;
	judge(&b);
	assert_says(b.link.why, "no link of its own");
	b.drive.bdf.bus = 9;
	judge(&b);
	assert_says(b.link.why, "no slot");
	end(&b);
}

static void add(struct board *b, const char *state, const char *apst, double ns)
{
	struct pl_measurement *m = pl_run_add_measurement(&b->run);

	m->slot = &b->run.slots[0];
	m->device = b->device.bdf;
	m->has_device = true;
	m->probe = PL_PROBE_NVME;
	m->metric = "read_4k";
	m->conditions.state = state;
	m->conditions.apst = apst;
	m->conditions.gap_ns = 200000000;
	m->outcome = PL_OUTCOME_MEASURED;
	m->is_valid = true;
	m->ns_per_tick = 1.0;
	m->blocks = m->blocks_done = BLOCKS;
	m->n = (size_t)BLOCKS * SAMPLES;
	m->ticks = pl_arena_array(&b->run.arena, m->n, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(&b->run.arena, BLOCKS + 1, sizeof(m->block_start[0]));
	for (size_t i = 0; i <= BLOCKS; i++)
		m->block_start[i] = i * SAMPLES;
	for (size_t i = 0; i < m->n; i++)
		m->ticks[i] = (uint64_t)(ns + 30.0 * pl_rng_normal(&b->rng));
	pl_measurement_summarise(m);
}

/* An exit of 20 us, a power state of 1 ms, and what both together add. */
static void add_factorial(struct board *b, double both_ns)
{
	add(b, "off", "as_found", 1080000.0);
	add(b, "off", "off", 80000.0);
	add(b, "as_found", "as_found", 1100000.0 + both_ns);
	add(b, "as_found", "off", 100000.0);
}

static void coupling_is_measured_or_not_said(void **state)
{
	static const struct {
		double both_ns;
		enum pl_coupling coupling;
		const char *words;
	} cases[] = {{0.0, PL_COUPLING_NOT_RESOLVED, "not resolved: after 200 ms"},
		     {9000.0, PL_COUPLING_COUPLED, "coupled: after 200 ms"},
		     {-9000.0, PL_COUPLING_COUPLED, "coupled: after 200 ms"}};
	struct board b;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		init(&b);
		add_factorial(&b, cases[i].both_ns);
		judge(&b);
		assert_int_equal(b.link.coupling, cases[i].coupling);
		assert_says(b.link.coupling_text, cases[i].words);
		assert_true(fabs(b.link.change.mean - cases[i].both_ns) < 60.0);
		assert_true(b.link.change.low <= cases[i].both_ns + 60.0 &&
			    b.link.change.high >= cases[i].both_ns - 60.0);
		b.run.machine.hypervisor = "QEMU";
		judge(&b);
		assert_int_equal(b.link.coupling, PL_COUPLING_NOT_MEASURED);
		assert_says(b.link.coupling_text, "no verdict");
		end(&b);
	}
}

static void without_the_arms_nothing_is_said(void **state)
{
	struct board b;

	(void)state;
	init(&b);
	judge(&b);
	assert_int_equal(b.link.coupling, PL_COUPLING_NOT_MEASURED);
	assert_says(b.link.coupling_text, "not measured: only --thorough");
	add_factorial(&b, 9000.0);
	b.run.measurements[3]->is_valid = false;
	judge(&b);
	assert_says(b.link.coupling_text, "an arm of link states");
	b.run.measurements[3]->is_valid = true;
	b.drive.states[0].apst_after_ms = 2000; /* awake after 200 ms: the arms are alike */
	judge(&b);
	assert_int_equal(b.link.coupling, PL_COUPLING_NOT_MEASURED);
	assert_says(b.link.coupling_text, "in no power state of its own");
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_are_what_both_ends_have),
		cmocka_unit_test(what_is_enabled_has_consequences),
		cmocka_unit_test(what_cannot_be_read_is_said),
		cmocka_unit_test(coupling_is_measured_or_not_said),
		cmocka_unit_test(without_the_arms_nothing_is_said),
	};

	return cmocka_run_group_tests_name("drive_link", tests, NULL, NULL);
}
