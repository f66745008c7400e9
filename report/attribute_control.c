#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/sequence.h"
#include "model/state.h"
#include "report/attribute.h"

/* The controls of a run: arms that must not differ. */

#define L0S_LONGEST_NS 5000.0 /* where nothing is advertised: as class 7, more than 4 µs */
#define TOLERANCE_NS 2000.0   /* a round trip and the return of credits, as for exits */
#define HARMLESS_SHARE 0.05   /* of a claim: a difference this small changes nothing in it */

/* Less than what is asked of a hop by default is no failure, however sure it is. */
static bool is_material(const struct pl_curve *curve, size_t g, double difference)
{
	double level = curve->reference[g]->summary.p50_ns;

	return fabs(difference) >=
	       fmax(pl_precision_hop.absolute_ns, pl_precision_hop.relative * level);
}

/* Smallest p over all gaps, the search paid; the position where it is. */
static double worst_p(const struct pl_curve *curve, size_t *where)
{
	double least = 1.0;

	*where = 0;
	for (size_t g = 0; g < curve->positions; g++) {
		struct pl_estimate e = pl_curve_at(curve, g);

		if (!(e.p < least) || !is_material(curve, g, e.mean))
			continue;
		least = e.p;
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

/* Whether a control shows a difference, one that matters beside `effect_ns`; at which gap. */
static bool is_broken(struct pl_attribution *a, const struct pl_curve *control, double effect_ns,
		      size_t *where)
{
	if (worst_p(control, where) * (double)count_controls(a->run) > PL_CLAIM_ALPHA)
		return false;
	return fabs(pl_curve_at(control, *where).mean) > HARMLESS_SHARE * effect_ns;
}

/* The run says it once a slot and access; the claims it forbids say it each. */
static void warn_of_off(struct pl_attribution *a, const struct pl_measurement *m, const char *size)
{
	const char *text = pl_arena_printf(
		&a->run->arena,
		"%s: links off differ from links off by %s (%s, measured as two arms); what makes "
		"them differ is in every difference of this slot, so nothing is claimed from it; "
		"look for what disturbs it and measure longer",
		m->slot->label, size, pl_series_access(a, m));

	for (size_t i = 0; i < a->run->warning_count; i++)
		if (!strcmp(a->run->warnings[i].message, text))
			return;
	pl_run_warn(a->run, "W-CONTROL-OFF", "warning", m->slot->key, "%s", text);
}

const char *pl_control_refusal(struct pl_attribution *a, const struct pl_measurement *m,
			       double effect_ns)
{
	struct pl_measurement like = *m;
	struct pl_curve curve;
	char size[48];
	size_t where;

	like.conditions.state = "off_again";
	/* Of a ladder the last rung stands for all. */
	if (m->probe == PL_PROBE_CONFIG && m->slot->device)
		like.device = m->slot->device->bdf;
	if (!pl_curve_build(a, &like, "off", &curve) || !is_broken(a, &curve, effect_ns, &where))
		return NULL;
	pl_fmt_ns(size, sizeof(size), fabs(pl_curve_at(&curve, where).mean));
	warn_of_off(a, &like, size);
	return pl_arena_printf(&a->run->arena,
			       "the run fails its own control: links off differ from links off by "
			       "%s",
			       size);
}

/*
 * What leaving L0s may add on the links above the device's own, in ns; 0: none of them has L0s.
 * A switch keeps its transmitter to the CPU in L0 while a link below it is awake, but the port
 * above may send its own to L0s whenever it has nothing to send (PCI Express Base, 5.4.1.1).
 */
static double uplink_l0s_ns(const struct pl_run *run, const struct pl_slot *slot)
{
	double most = 0.0;

	for (size_t k = 0; k + 1 < slot->path_count; k++) {
		const struct pl_aspm_link *link = pl_links_above(run, slot->path[k]);

		if (!link || link->up.enabled == PL_ASPM_UNKNOWN ||
		    !(link->up.enabled & PL_ASPM_L0S))
			continue;
		most = fmax(most,
			    link->l0s_exit_ns > 0 ? (double)link->l0s_exit_ns : L0S_LONGEST_NS);
	}
	return most > 0.0 ? most + TOLERANCE_NS : 0.0;
}

/* The largest exit of this access in this slot. */
static double largest_exit(const struct pl_attribution *a, const struct pl_measurement *m)
{
	double most = 0.0;

	for (size_t i = 0; i < a->count; i++) {
		const struct pl_claim *claim = &a->claims[i];

		if (claim->effect.kind == PL_EFFECT_EXIT && claim->effect.slot == m->slot &&
		    claim->arm->probe == m->probe && !isnan(claim->effect.estimate_ns))
			most = fmax(most, fabs(claim->effect.estimate_ns));
	}
	return most;
}

static void check(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_curve curve;
	struct pl_estimate e;
	const char *access;
	char size[48];
	size_t where;

	if (!pl_curve_build(a, m, "off", &curve) ||
	    !is_broken(a, &curve, largest_exit(a, m), &where))
		return;
	access = pl_series_access(a, m);
	e = pl_curve_at(&curve, where);
	pl_fmt_ns(size, sizeof(size), fabs(e.mean));
	if (e.mean > 0.0 && e.low <= uplink_l0s_ns(a->run, m->slot))
		pl_run_warn(a->run, "W-CONTROL-UPLINK", "info", m->slot->key,
			    "%s: with the link of the device off, the links above still change %s "
			    "by %s: they may enter L0s by themselves, and this is in the exits of "
			    "this path",
			    m->slot->label, access, size);
	else
		pl_run_warn(
			a->run, "W-CONTROL-UPLINK", "warning", m->slot->key,
			"%s: with the link of the device off, the links above still change %s by "
			"%s; a switch may not let its uplink enter L1 then, so exits of this path "
			"are not those of the specification",
			m->slot->label, access, size);
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
