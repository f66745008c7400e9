#include "model/state.h"
#include "report/attribute.h"

/*
 * Config steps: differences between neighbouring rungs of one ladder. A rung is a function on the
 * path of a slot; a ladder is one slot and one offset (0 and 0x100 take different ways). Never
 * called a hop: ports answer from internal engines, some endpoints from firmware.
 */

struct ladder {
	const struct pl_slot *slot;
	const struct pl_measurement *like; /* offset, state, gap, boot */
};

static const struct pl_measurement *rung(const struct pl_run *run, const struct ladder *ladder,
					 struct pl_bdf bdf)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->slot == ladder->slot && m->has_device && pl_bdf_is_equal(m->device, bdf) &&
		    m->boot == ladder->like->boot && !m->conditions.gap_ns &&
		    pl_measurement_is_same_access(m, ladder->like) &&
		    pl_state_is_same(m->conditions.state, ladder->like->conditions.state))
			return m;
	}
	return NULL;
}

static void add_step(struct pl_attribution *a, const struct pl_measurement *far,
		     const struct pl_measurement *near, size_t missing)
{
	struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_CONFIG_STEP, far, near);
	const char *refusal = pl_series_refusal(a, far), *unit;
	struct pl_estimate e;

	claim->words = PL_WORDS_CONFIG_STEP;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	if (!refusal)
		refusal = pl_series_refusal(a, near);
	if (refusal) {
		pl_claim_refuse(claim, refusal);
		return;
	}
	e = pl_series_difference(a->run, far, near, &unit);
	pl_claim_set(claim, &e);
	if (missing)
		pl_claim_note(a, claim, "%zu function%s between them did not answer there.",
			      missing, missing > 1 ? "s" : "");
}

/* Two slots share the upper part of their paths: the step is told once. */
static bool is_told(const struct pl_attribution *a, const struct pl_measurement *far,
		    const struct pl_measurement *near)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct pl_claim *claim = &a->claims[i];

		if (claim->effect.kind == PL_EFFECT_CONFIG_STEP &&
		    pl_bdf_is_equal(claim->effect.function, far->device) &&
		    pl_bdf_is_equal(claim->effect.reference_function, near->device) &&
		    pl_measurement_is_same_access(claim->arm, far) &&
		    pl_state_is_same(claim->effect.state, far->conditions.state))
			return true;
	}
	return false;
}

static void climb(struct pl_attribution *a, const struct ladder *ladder)
{
	const struct pl_measurement *near = NULL;
	size_t missing = 0;

	for (size_t i = 0; i < ladder->slot->path_count; i++) {
		const struct pl_measurement *far = rung(a->run, ladder, ladder->slot->path[i]);

		missing += !far;
		if (!far)
			continue;
		if (near && !is_told(a, far, near))
			add_step(a, far, near, missing);
		near = far;
		missing = 0;
	}
}

static bool is_first_rung(const struct pl_run *run, size_t index)
{
	const struct pl_measurement *m = run->measurements[index];

	for (size_t i = 0; i < index; i++) {
		const struct pl_measurement *other = run->measurements[i];

		if (other->slot == m->slot && other->boot == m->boot && !other->conditions.gap_ns &&
		    pl_measurement_is_same_access(other, m) &&
		    pl_state_is_same(other->conditions.state, m->conditions.state))
			return false;
	}
	return m->probe == PL_PROBE_CONFIG && m->slot && !m->conditions.gap_ns;
}

void pl_attribute_config_steps(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->run->measurement_count; i++) {
		const struct pl_measurement *m = a->run->measurements[i];
		struct ladder ladder = {m->slot, m};

		if (is_first_rung(a->run, i))
			climb(a, &ladder);
	}
}
