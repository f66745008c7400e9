#include "model/state.h"
#include "report/attribute.h"

/*
 * Links in series wake together: a switch starts waking the next link within 1 µs of the first.
 * What the links above add is the state on all links minus the same on the link of the device
 * only, beyond the entry timers minus below.
 */

/* The state with the links above off that goes with this one; NULL when it was not measured. */
static const struct pl_measurement *device_only(const struct pl_run *run,
						const struct pl_measurement *m)
{
	struct pl_state whole, part;

	if (pl_state_parse(m->conditions.state, &whole) || whole.device != whole.uplink ||
	    whole.uplinks != PL_STATE_ALL_UPLINKS)
		return NULL;
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *other = run->measurements[i];

		if (other->slot == m->slot && other->boot == m->boot &&
		    pl_bdf_is_equal(other->device, m->device) &&
		    pl_measurement_is_same_access(other, m) &&
		    !pl_state_parse(other->conditions.state, &part) && !part.uplink &&
		    part.device && part.device == whole.device)
			return other;
	}
	return NULL;
}

void pl_attribute_chain(struct pl_attribution *a, const struct pl_measurement *m)
{
	const struct pl_measurement *part = device_only(a->run, m);
	struct pl_claim *claim;
	struct pl_curve curve;
	struct pl_estimate e;
	size_t quarter;

	if (!part || !pl_curve_build(a, m, part->conditions.state, &curve))
		return;
	claim = pl_claim_add(a, PL_EFFECT_CHAIN, m, part);
	claim->words = PL_WORDS_CHAIN;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	if (curve.positions < 3) {
		pl_claim_refuse(claim, "fewer than 3 idle gaps were measured in both states");
		return;
	}
	quarter = curve.positions / 4 ? curve.positions / 4 : 1;
	e = pl_curve_contrast(&curve, 1, curve.positions - quarter);
	pl_claim_set(claim, &e);
	claim->gap_ns = curve.arm[curve.positions - quarter]->conditions.gap_ns;
}
