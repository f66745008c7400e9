/* What stands beside the grid: links off again, slept gaps, links woken first, APST. */
#include "tests/t.h"

#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "model/summary.h"
#include "report/attribute.h"
#include "report/report.h"

#define BLOCKS 12
#define SAMPLES 40
#define NOISE_NS 30.0
#define TAU_NS 30000
#define EXIT_NS 20000.0

static const uint64_t gaps[] = {0, 5000, 10000, 20000, 50000, 100000, 500000};

/* One drive below a port. */
struct board {
	struct pl_run run;
	struct pl_rng rng;
	struct pl_device device;
	struct pl_bdf path[2];
};

static void init(struct board *b)
{
	struct pl_slot *slot;

	memset(b, 0, sizeof(*b));
	pl_run_init(&b->run);
	pl_rng_init(&b->rng, 11);
	b->run.machine.is_live = true;
	b->run.is_complete = true;
	assert_int_equal(pl_bdf_parse("00:01.1", &b->path[0]), 0);
	assert_int_equal(pl_bdf_parse("01:00.0", &b->path[1]), 0);
	b->device = (struct pl_device){.bdf = b->path[1], .kind = PL_DEVICE_NVME};
	slot = pl_run_add_slot(&b->run);
	*slot = (struct pl_slot){.key = "0000:00:01.1/00.0",
				 .label = "M2_1",
				 .device = &b->device,
				 .path = b->path,
				 .path_count = 2};
	slot->link = (struct pl_link){.is_present = true,
				      .l0s_exit_ns = -1,
				      .l1_exit_ns = -1,
				      .aspm_enabled = PL_ASPM_L1};
}

static struct pl_measurement *add(struct board *b, const char *state, uint64_t gap_ns, double ns)
{
	struct pl_measurement *m = pl_run_add_measurement(&b->run);
	struct pl_arena *arena = &b->run.arena;

	m->slot = &b->run.slots[0];
	m->device = b->device.bdf;
	m->has_device = true;
	m->probe = PL_PROBE_NVME;
	m->metric = "read_4k";
	m->conditions.state = state;
	m->conditions.gap_ns = gap_ns;
	m->conditions.size_bytes = 4096;
	m->outcome = PL_OUTCOME_MEASURED;
	m->is_valid = true;
	m->ns_per_tick = 1.0;
	m->blocks = m->blocks_done = BLOCKS;
	m->samples_per_block = SAMPLES;
	m->n = (size_t)BLOCKS * SAMPLES;
	m->ticks = pl_arena_array(arena, m->n, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(arena, BLOCKS + 1, sizeof(m->block_start[0]));
	for (size_t i = 0; i <= BLOCKS; i++)
		m->block_start[i] = i * SAMPLES;
	for (size_t i = 0; i < m->n; i++)
		m->ticks[i] = (uint64_t)(ns + NOISE_NS * pl_rng_normal(&b->rng));
	pl_measurement_summarise(m);
	return m;
}

/* The grid of one drive: links off, and as found with an exit beyond the entry timer. */
static void add_grid(struct board *b)
{
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		add(b, "off", gaps[i], 80000.0);
		add(b, "as_found", gaps[i], 80000.0 + (gaps[i] > TAU_NS ? EXIT_NS : 0.0));
	}
}

static const struct pl_effect *find(struct board *b, enum pl_effect_kind kind, size_t expected)
{
	const struct pl_effect *found = NULL;
	size_t count = 0;

	assert_int_equal(pl_report_attribute(&b->run, NULL), 0);
	for (size_t i = 0; i < b->run.effect_count; i++) {
		if (b->run.effects[i].kind != kind)
			continue;
		found = &b->run.effects[i];
		count++;
	}
	assert_int_equal(count, expected);
	return found;
}

static const char *find_warning(const struct board *b, const char *code)
{
	for (size_t i = 0; i < b->run.warning_count; i++)
		if (!strcmp(b->run.warnings[i].code, code))
			return b->run.warnings[i].message;
	return NULL;
}

static void assert_near(double ns, double truth_ns)
{
	assert_true(fabs(ns - truth_ns) < 60.0);
}

/* The number after some words of a sentence, in µs. */
static double number_after(const char *sentence, const char *words)
{
	const char *at = strstr(sentence, words);

	if (!at)
		fail_msg("not said: %s: %s", words, sentence);
	return strtod(at + strlen(words), NULL);
}

static void the_state_as_found_is_named(void **state)
{
	const struct pl_effect *exit;
	struct board b;

	(void)state;
	init(&b);
	add_grid(&b);
	exit = find(&b, PL_EFFECT_EXIT, 1);
	assert_non_null(strstr(exit->sentence, "Waking the link of M2_1 from L1 (as found) adds"));
	pl_run_fini(&b.run);
}

static void links_off_again_are_the_control(void **state)
{
	/* None; one that is nothing beside 20 µs; one that is a tenth of it. */
	static const double differences[] = {0.0, 400.0, 2000.0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		bool is_broken = i == 2;
		const struct pl_effect *exit;
		struct board b;

		init(&b);
		add_grid(&b);
		add(&b, "off_again", 0, 80000.0);
		add(&b, "off_again", 10000, 80000.0 + differences[i]);
		exit = find(&b, PL_EFFECT_EXIT, 1);
		assert_int_equal(exit->status, is_broken ? PL_CLAIM_NOT_MADE : PL_CLAIM_RESOLVED);
		assert_int_equal(find_warning(&b, "W-CONTROL-OFF") != NULL, is_broken);
		if (is_broken) {
			assert_non_null(strstr(exit->reason, "fails its own control"));
			assert_non_null(strstr(find_warning(&b, "W-CONTROL-OFF"),
					       "links off differ from links off by"));
		}
		pl_run_fini(&b.run);
	}
}

/* Slept gaps cost 7 µs of processor and change the exit: said, and in no estimate. */
static void slept_gaps_stand_beside_the_claim(void **state)
{
	const struct pl_effect *exit;
	struct board b;

	(void)state;
	init(&b);
	add_grid(&b);
	for (size_t i = 4; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		add(&b, "off", gaps[i], 87000.0)->conditions.idle = "slept";
		add(&b, "as_found", gaps[i], 87000.0 + 25000.0)->conditions.idle = "slept";
	}
	exit = find(&b, PL_EFFECT_EXIT, 1);
	assert_int_equal(exit->status, PL_CLAIM_RESOLVED);
	assert_near(exit->estimate_ns, EXIT_NS);
	assert_non_null(strstr(exit->sentence, "gaps of 500 µs slept and not spun"));
	assert_near(1e3 * number_after(exit->sentence, "and its timer add "), 7000.0);
	assert_near(1e3 * number_after(exit->sentence, "the state then adds "), 25000.0);
	pl_run_fini(&b.run);
}

static void add_prewoken(struct board *b, double left_ns)
{
	static const uint64_t at[] = {20000, 500000};

	for (size_t i = 0; i < 4; i++) {
		bool is_found = i % 2;
		struct pl_measurement *m = add(b, is_found ? "as_found" : "off", at[i / 2],
					       80000.0 + (is_found && i > 1 ? left_ns : 0.0));

		m->metric = "read_4k_prewoken";
		m->conditions.prewake = "config";
	}
}

static void what_a_woken_link_leaves_is_the_drives(void **state)
{
	static const double left[] = {0.0, 6000.0};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct pl_effect *e;
		struct board b;

		init(&b);
		add_grid(&b);
		add_prewoken(&b, left[i]);
		e = find(&b, PL_EFFECT_PREWOKEN, 1);
		assert_int_equal(e->status, i ? PL_CLAIM_RESOLVED : PL_CLAIM_NOT_RESOLVED);
		assert_near(e->estimate_ns, left[i]);
		assert_non_null(
			strstr(e->sentence, i ? "(coupled)" : "is the link's, not the drive's"));
		assert_near(find(&b, PL_EFFECT_EXIT, 1)->estimate_ns, EXIT_NS);
		pl_run_fini(&b.run);
	}
}

/* Cells of the factorial: what the drive's sleep and the link's exit add, and what both add more.
 */
static void add_factorial(struct board *b, double drive_ns, double both_ns)
{
	for (size_t i = 0; i < 4; i++) {
		bool is_found = i / 2, has_apst = i % 2;
		double ns = 80000.0 + (is_found ? EXIT_NS : 0.0) + (has_apst ? drive_ns : 0.0) +
			    (is_found && has_apst ? both_ns : 0.0);

		add(b, is_found ? "as_found" : "off", 200000000, ns)->conditions.apst =
			has_apst ? "as_found" : "off";
	}
}

static void power_states_of_the_drive_are_a_claim_of_their_own(void **state)
{
	static const struct {
		double drive_ns, both_ns;
		enum pl_claim_status status;
		const char *words;
	} cases[] = {
		{0.0, 0.0, PL_CLAIM_NOT_RESOLVED, "changes with it is not resolved"},
		{50000.0, 0.0, PL_CLAIM_RESOLVED, "changes with it is not resolved"},
		{50000.0, 9000.0, PL_CLAIM_RESOLVED, "Coupled: the exit of the link changes by "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pl_effect *e;
		struct board b;

		init(&b);
		add_grid(&b);
		add_factorial(&b, cases[i].drive_ns, cases[i].both_ns);
		e = find(&b, PL_EFFECT_APST, 1);
		assert_int_equal(e->status, cases[i].status);
		assert_near(e->estimate_ns, cases[i].drive_ns);
		if (!strstr(e->sentence, cases[i].words))
			fail_msg("%s", e->sentence);
		if (cases[i].both_ns > 0.0)
			assert_near(1e3 * number_after(e->sentence, cases[i].words),
				    cases[i].both_ns);
		/* The factorial is no part of the curve over the gap. */
		assert_near(find(&b, PL_EFFECT_EXIT, 1)->estimate_ns, EXIT_NS);
		pl_run_fini(&b.run);
	}
}

static void half_a_factorial_is_refused(void **state)
{
	const struct pl_effect *e;
	struct board b;

	(void)state;
	init(&b);
	add_grid(&b);
	add(&b, "off", 200000000, 80000.0)->conditions.apst = "as_found";
	e = find(&b, PL_EFFECT_APST, 1);
	assert_int_equal(e->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(e->reason, "held off"));
	pl_run_fini(&b.run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_as_found_is_named),
		cmocka_unit_test(links_off_again_are_the_control),
		cmocka_unit_test(slept_gaps_stand_beside_the_claim),
		cmocka_unit_test(what_a_woken_link_leaves_is_the_drives),
		cmocka_unit_test(power_states_of_the_drive_are_a_claim_of_their_own),
		cmocka_unit_test(half_a_factorial_is_refused),
	};

	return cmocka_run_group_tests_name("attribute_beside", tests, NULL, NULL);
}
