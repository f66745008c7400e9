#ifndef PL_TESTS_FAKE_WORLD_H
#define PL_TESTS_FAKE_WORLD_H

/* A fake machine with an open control, for tests of one thing at a time. Include after tests/t.h.
 */

#include "link/link.h"
#include "tests/fake/fake_kernel.h"

struct world {
	struct fake_kernel fake;
	struct pl_run run;
	struct pl_link_options options;
	struct pl_link_control *control;
	struct pl_link_check check;
	struct pl_err err;
	uint8_t *snapshot;
};

static inline void world_make(struct world *w, enum fake_start start)
{
	struct pl_rng rng;

	memset(w, 0, sizeof(*w));
	pl_rng_init(&rng, 7);
	pl_run_init(&w->run);
	fake_open(&w->fake, &w->run, &rng, start);
	w->options.io = &w->fake.io;
	w->snapshot = fake_snapshot(&w->fake, NULL);
}

static inline void world_open(struct world *w)
{
	int rc = pl_link_open(&w->run, &w->fake.root, &w->options, &w->control, &w->err);

	if (rc)
		fail_msg("%s", w->err.text);
}

static inline const struct pl_link_path *world_path(struct world *w, size_t slot)
{
	return pl_link_find_path(w->control, &w->run.slots[slot]);
}

static inline const struct pl_link_state *world_state(struct world *w, size_t slot,
						      const char *name)
{
	const struct pl_link_state *state = pl_link_find_state(world_path(w, slot), name);

	if (!state)
		fail_msg("there is no state %s", name);
	return state;
}

/* The return value of set_state; the verdict is in w->check. */
static inline int world_set(struct world *w, size_t slot, const char *name)
{
	return pl_link_set_state(w->control, world_path(w, slot), world_state(w, slot, name),
				 &w->check, &w->err);
}

/* The register words of a function by address. */
static inline uint8_t *world_config(struct world *w, const char *bdf)
{
	struct pl_bdf want;

	pl_bdf_parse(bdf, &want);
	for (size_t i = 0; i < w->fake.function_count; i++)
		if (pl_bdf_is_equal(w->fake.function[i].bdf, want))
			return w->fake.function[i].config;
	fail_msg("no %s", bdf);
	return NULL;
}

/* The ASPM bits of its LnkCtl. */
static inline unsigned world_aspm(struct world *w, const char *bdf)
{
	return fake_get16(world_config(w, bdf), FAKE_LNKCTL) & 3;
}

static inline bool world_has_warning(const struct world *w, const char *code)
{
	for (size_t i = 0; i < w->run.warning_count; i++)
		if (!strcmp(w->run.warnings[i].code, code))
			return true;
	return false;
}

/* Closes the control when it is open. Returns what close returned. */
static inline int world_shut(struct world *w)
{
	int rc = pl_link_close(w->control, &w->err);

	w->control = NULL;
	return rc;
}

static inline void world_free(struct world *w)
{
	if (w->control)
		pl_link_close(w->control, NULL);
	free(w->snapshot);
	fake_close(&w->fake);
	pl_run_fini(&w->run);
}

/* Closed without an error, everything as it was, no rule of writing broken. */
static inline void world_end_clean(struct world *w)
{
	assert_int_equal(world_shut(w), 0);
	assert_int_equal(fake_compare(&w->fake, w->snapshot), 0);
	assert_false(fake_has_journal(&w->fake));
	assert_string_equal(w->fake.state->violation, "");
	world_free(w);
}

#endif
