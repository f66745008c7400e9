/*
 * Register files with random legal and illegal beginnings: save -> set -> restore leaves every byte
 * as it was, in every order of states, and the rules of writing hold (tests/fake checks them at
 * each write).
 */
#include "tests/t.h"

#include "link/apply.h"
#include "link/link.h"
#include "tests/fake/fake_kernel.h"

#define MACHINES 80
#define STEPS 12

/* Registers and capabilities outside of what a state may change. */
static void mask_state(uint8_t *config)
{
	config[FAKE_LNKCTL] &= (uint8_t)~3u;
	config[FAKE_L1SS_CTL1] &= (uint8_t)~0xfu;
}

static void assert_rest_untouched(const struct fake_kernel *fake, const uint8_t *snapshot)
{
	for (size_t i = 0; i < fake->function_count; i++) {
		uint8_t now[FAKE_CONFIG_BYTES], then[FAKE_CONFIG_BYTES];

		memcpy(now, fake->function[i].config, sizeof(now));
		memcpy(then, snapshot + i * FAKE_CONFIG_BYTES, sizeof(then));
		mask_state(now);
		mask_state(then);
		assert_memory_equal(now, then, sizeof(now));
	}
}

/* Independent of link/: the words at both ends and all functions. */
static void assert_shown(const struct fake_kernel *fake, const struct pl_aspm_link *link,
			 unsigned target)
{
	unsigned lnkctl = (target & PL_ASPM_L0S ? 1u : 0) | (target & PL_ASPM_L1 ? 2u : 0);
	unsigned l1ss = (target & PL_ASPM_L1_2 ? 4u : 0) | (target & PL_ASPM_L1_1 ? 8u : 0);
	bool has_l1ss = link->up.has_l1ss && link->down[0].has_l1ss;

	for (size_t i = 0; i < fake->function_count; i++) {
		const struct fake_function *f = &fake->function[i];
		bool is_end = pl_bdf_is_equal(f->bdf, link->up.bdf);

		for (size_t d = 0; d < link->down_count; d++)
			is_end |= pl_bdf_is_equal(f->bdf, link->down[d].bdf);
		if (!is_end)
			continue;
		assert_int_equal(fake_get16(f->config, FAKE_LNKCTL) & 3, lnkctl);
		if (has_l1ss && (f->bdf.fn == 0 || f->port_type))
			assert_int_equal(fake_get32(f->config, FAKE_L1SS_CTL1) & 0xc, l1ss);
	}
}

static struct {
	unsigned settable, refused, changed; /* shows that the test did something */
} seen;

/* A file of a link says that a state is on which not all registers show. */
static bool claims_more(const struct pl_link_path *path)
{
	for (size_t i = 0; i < path->link_count; i++)
		if (pl_link_found_states(path->links[i]->attr) &
		    ~pl_link_possible_states(path->links[i]))
			return true;
	return false;
}

static void try_state(struct fake_kernel *fake, struct pl_link_control *control,
		      const struct pl_link_path *path, const struct pl_link_state *state,
		      const uint8_t *snapshot)
{
	struct pl_link_check check;
	struct pl_err err = {0, ""};
	size_t before = fake->state->log_count;
	int rc = pl_link_set_state(control, path, state, &check, &err);

	if (rc)
		print_message("%s\n", err.text);
	assert_int_equal(rc, 0);
	assert_rest_untouched(fake, snapshot);
	assert_false(check.must_stop);
	if (!state->is_settable) {
		seen.refused++;
		assert_int_equal(check.verdict, PL_VERDICT_NOT_SET);
		assert_string_equal(check.why, state->why_not);
		assert_int_equal(fake->state->log_count, before);
		return;
	}
	seen.settable++;
	seen.changed += fake->state->log_count > before;
	if (check.verdict == PL_VERDICT_KERNEL_ONLY && claims_more(path)) {
		assert_int_equal(fake->state->log_count,
				 before); /* odd from the start: untouched */
		return;
	}
	if (check.verdict != PL_VERDICT_CONFIRMED)
		print_message("%s: %s\n", state->name, check.why);
	assert_int_equal(check.verdict, PL_VERDICT_CONFIRMED);
	for (size_t i = 0; state->kind != PL_LINK_STATE_AS_FOUND && i < path->link_count; i++)
		if (state->targets[i] != pl_link_possible_states(path->links[i]))
			assert_shown(fake, path->links[i], state->targets[i]);
	assert_int_equal(pl_link_verify(control, path, &check, &err), 0);
	assert_int_equal(check.verdict, PL_VERDICT_CONFIRMED);
}

static void walk(struct fake_kernel *fake, struct pl_run *run, struct pl_rng *rng,
		 const uint8_t *snapshot)
{
	struct pl_link_options options = {.mode = PL_LINK_AUTO, .io = &fake->io};
	struct pl_link_control *control;
	struct pl_err err = {0, ""};

	assert_int_equal(pl_link_open(run, &fake->root, &options, &control, &err), 0);
	for (int i = 0; i < STEPS; i++) {
		const struct pl_slot *slot = &run->slots[pl_rng_below(rng, FAKE_SLOTS)];
		const struct pl_link_path *path = pl_link_find_path(control, slot);

		assert_true(path->state_count > 0);
		try_state(fake, control, path, &path->states[pl_rng_below(rng, path->state_count)],
			  snapshot);
		if (pl_rng_below(rng, 6) == 0)
			assert_int_equal(pl_link_hold_power(control, path, &err), 0);
		if (pl_rng_below(rng, 6) == 0)
			pl_link_set_apst(control, slot, (enum pl_link_apst)pl_rng_below(rng, 2),
					 &err);
		if (pl_rng_below(rng, 8) == 0) {
			assert_int_equal(pl_link_restore(control, &err), 0);
			assert_int_equal(fake_compare(fake, snapshot), 0);
			assert_false(fake_has_journal(fake));
		}
	}
	assert_int_equal(pl_link_close(control, &err), 0);
}

/* The kernel's marks: none lifted; none added but substates that were off below an L1 that was on.
 */
static void assert_marks(const struct fake_kernel *fake, const unsigned *before)
{
	for (size_t i = 0; i < fake->link_count; i++) {
		unsigned now = fake->state->link[i].disabled, added = now & ~before[i], allowed = 0;

		assert_int_equal(before[i] & ~now, 0);
		if (fake->state->link[i].start[PL_ATTR_L1] == 1)
			for (int a = PL_ATTR_L1_1; a < PL_ATTR_COUNT; a++)
				if (fake->state->link[i].start[a] != 1)
					allowed |= 8u << (a - PL_ATTR_L1_1);
		assert_int_equal(added & ~allowed, 0);
	}
}

static void try_machine(struct pl_rng *rng, enum fake_start start)
{
	unsigned marks[FAKE_LINKS_MAX];
	struct fake_kernel fake;
	struct pl_run run;
	uint8_t *snapshot;

	pl_run_init(&run);
	fake_open(&fake, &run, rng, start);
	fake.state->is_old = pl_rng_below(rng, 3) == 0;
	for (size_t i = 0; i < fake.link_count; i++)
		marks[i] = fake.state->link[i].disabled;
	snapshot = fake_snapshot(&fake, NULL);
	walk(&fake, &run, rng, snapshot);
	assert_int_equal(fake_compare(&fake, snapshot), 0);
	assert_marks(&fake, marks);
	assert_string_equal(fake.state->violation, "");
	assert_false(fake_has_journal(&fake));
	free(snapshot);
	fake_close(&fake);
	pl_run_fini(&run);
}

static void test_random_machines(void **state)
{
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, t_seed());
	for (int i = 0; i < MACHINES; i++)
		try_machine(&rng, (enum fake_start)(i % 4));
	print_message("%u states set, %u of them with writes, %u refused\n", seen.settable,
		      seen.changed, seen.refused);
	assert_true(seen.changed > MACHINES && seen.refused > MACHINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_machines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
