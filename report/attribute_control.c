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

static void check(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_curve curve;
	char size[48];
	size_t where;

	if (!pl_curve_build(a, m, "off", &curve) ||
	    worst_p(&curve, &where) * (double)count_controls(a->run) > PL_CLAIM_ALPHA)
		return;
	pl_fmt_ns(size, sizeof(size), fabs(pl_curve_at(&curve, where).mean));
	pl_run_warn(a->run, "W-CONTROL-UPLINK", "warning", m->slot->key,
		    "%s: with the link of the device off, the links above still change the latency "
		    "by %s; a switch may not let its uplink sleep then, so exits of this path are "
		    "not those of the specification",
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
