#include <math.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/attribute.h"

/* The controls of a run: arms that must not differ. */

/* Smallest p over all gaps, the search paid; the position where it is. */
static double worst_p(const struct pl_curve *curve, size_t *where)
{
	double least = 1.0;

	*where = 0;
	for (size_t g = 0; g < curve->positions; g++) {
		double p = pl_curve_at(curve, g).p;

		if (!(p < least))
			continue;
		least = p;
		*where = g;
	}
	return fmin(1.0, least * (double)curve->positions);
}

static size_t count_controls(const struct pl_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->measurement_count; i++)
		count += pl_state_is_control(run->measurements[i]->conditions.state) &&
			 !run->measurements[i]->conditions.gap_ns;
	return count ? count : 1;
}

const char *pl_control_refusal(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_measurement like = *m;
	struct pl_curve curve;
	char size[48];
	size_t where;

	like.conditions.state = "off_again";
	if (!pl_curve_build(a, &like, "off", &curve) ||
	    worst_p(&curve, &where) * (double)count_controls(a->run) > PL_CLAIM_ALPHA)
		return NULL;
	pl_fmt_ns(size, sizeof(size), fabs(pl_curve_at(&curve, where).mean));
	return pl_arena_printf(&a->run->arena,
			       "the run fails its own control: links off differ from links off by "
			       "%s",
			       size);
}

/* Links above the device's own may enter L0s by themselves, whatever is below them. */
static bool uplinks_have_l0s(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_function *up = &run->aspm_links[i].up;

		if (up->enabled == PL_ASPM_UNKNOWN || !(up->enabled & PL_ASPM_L0S))
			continue;
		for (size_t k = 0; k + 2 < slot->path_count; k++)
			if (pl_bdf_is_equal(slot->path[k], up->bdf))
				return true;
	}
	return false;
}

static void check(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_curve curve;
	char size[48];
	size_t where;

	if (!pl_curve_build(a, m, "off", &curve) ||
	    worst_p(&curve, &where) * (double)count_controls(a->run) > PL_CLAIM_ALPHA)
		return;
	pl_fmt_ns(size, sizeof(size), fabs(pl_curve_at(&curve, where).mean));
	if (uplinks_have_l0s(a->run, m->slot))
		pl_run_warn(a->run, "W-CONTROL-UPLINK", "info", m->slot->key,
			    "%s: with the link of the device off, the links above still change the "
			    "latency by %s: they may enter L0s by themselves, and this is in the "
			    "exits of this path",
			    m->slot->label, size);
	else
		pl_run_warn(
			a->run, "W-CONTROL-UPLINK", "warning", m->slot->key,
			"%s: with the link of the device off, the links above still change the "
			"latency by %s; a switch may not let its uplink enter L1 then, so exits "
			"of this path are not those of the specification",
			m->slot->label, size);
}

void pl_control_check_uplink(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->run->measurement_count; i++) {
		const struct pl_measurement *m = a->run->measurements[i];
		struct pl_state state;

		if (m->slot && !m->conditions.gap_ns &&
		    !pl_state_parse(m->conditions.state, &state) && !state.device && state.uplink)
			check(a, m);
	}
}
