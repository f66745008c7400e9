#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats_bracket.h"
#include "core/stats_step.h"
#include "model/aspm.h"
#include "model/state.h"
#include "report/attribute.h"

/*
 * Exits: what waking a link costs, within one slot, from the arm with the links off at the same
 * gap. A1, the exit at the start of a command, is the plateau beyond the entry timer minus the
 * plateau below it; A0, the exit inside a command, is there without any gap.
 */

/* Middle part of the bracket. The set of splits is at 99 %, so that hardly any bracket is wrong. */
#define BRACKET_LEVEL 0.95
/* A later step is a state of its own from this part of the first one on. */
#define MINOR_SHARE 0.05

/* Plateaus that are used for A1: positions 0 … low - 1 against high … end. */
struct plateaus {
	size_t low, high;
};

/* Where no step is known: no gap at all against the longest quarter of the gaps. */
static struct plateaus unsearched(const struct pl_curve *curve)
{
	size_t quarter = curve->positions / 4;

	return (struct plateaus){1, curve->positions - (quarter ? quarter : 1)};
}

/*
 * One gap is left out on each side of the step where there are enough: the neighbour may hold
 * half-asleep links, or the bump of an access that met the link while it fell asleep.
 */
static struct plateaus around(const struct pl_curve *curve, const struct pl_step *step)
{
	size_t last = step->second ? step->second : step->split;
	/* Below two steps there may be a third one (L0s below the L1 of two links): what is counted
	 * from then is the link that never rested. */
	struct plateaus p = {step->second ? 1 : step->split, last};

	if (p.low > 1)
		p.low--;
	if (p.high + 1 < curve->positions)
		p.high++;
	return p;
}

/* The largest standard error that a step anywhere (but at the ends) would be measured with. */
static double error_anywhere(const struct pl_curve *curve)
{
	double worst = pl_curve_contrast(curve, 1, unsearched(curve).high).error;

	for (size_t k = 2; k + 2 < curve->positions; k++)
		worst = fmax(worst, pl_curve_contrast(curve, k - 1, k + 1).error);
	return worst;
}

/* Where in the curve something happened decides what may be said. */
static void set_exit(struct pl_attribution *a, struct pl_claim *claim, const struct pl_curve *curve,
		     const struct pl_step *step)
{
	bool is_found = step->shape == PL_SHAPE_STEP || step->shape == PL_SHAPE_TWO_STEPS;
	struct plateaus p = is_found ? around(curve, step) : unsearched(curve);
	struct pl_estimate e = pl_curve_contrast(curve, p.low, p.high);

	/* The best of all splits was taken: its p-value pays for them. Without a step, the test of
	 * the step is the test of the exit. */
	claim->searches = (double)(curve->positions - 1);
	e.p = is_found ? fmin(1.0, e.p * claim->searches) : step->p;
	pl_claim_set(claim, &e);
	claim->gap_ns = curve->arm[p.high]->conditions.gap_ns;
	if (!is_found) {
		claim->error = error_anywhere(curve);
		claim->gap_ns = curve->arm[curve->positions - 1]->conditions.gap_ns;
	}
	if (step->shape == PL_SHAPE_SLOPE)
		pl_claim_refuse(claim, "the difference rises with the gap as a slope and has no "
				       "plateau: not the exit of a link");
	if (step->shape == PL_SHAPE_TWO_STEPS)
		pl_claim_note(a, claim, "It comes in two steps.");
	if (pl_measurement_is_slept(curve->like))
		pl_claim_note(a, claim,
			      "The gaps were slept: power states of the processor that "
			      "follow the link are in it.");
}

/*
 * The idle time of the link is the gap plus the software around it. Whoever measured may say what
 * it really was ("real_gap_min_ns", "real_gap_max_ns" of the series); else the requested gap
 * stands.
 */
static double idle_ns(const struct pl_measurement *m, const char *fact)
{
	const struct pl_fact *found = pl_measurement_find_fact(m, fact);

	return found ? found->value : (double)m->conditions.gap_ns;
}

/*
 * The link rests a little longer than the gap between two accesses: part of the timed access is
 * software before its first packet and after its last, and the gap was read by a clock. How much
 * is not known, only that it is less than one access with the links off and the software around it,
 * up to the stamps of the gap ("access_span_ns" of the series).
 */
static double hidden_ns(const struct pl_run *run, const struct pl_measurement *off)
{
	const struct pl_fact *span = pl_measurement_find_fact(off, "access_span_ns");

	if (!off->summary.n || off->probe == PL_PROBE_GPU)
		return 0.0;
	return span ? span->value : off->summary.p50_ns + run->clock.cost_ns;
}

static void set_bracket(struct pl_attribution *a, struct pl_claim *claim,
			const struct pl_measurement *before, const struct pl_measurement *after,
			const struct pl_measurement *off)
{
	struct pl_interval interval = pl_stats_bracket(idle_ns(before, "real_gap_min_ns"),
						       idle_ns(after, "real_gap_max_ns"),
						       hidden_ns(a->run, off), BRACKET_LEVEL);
	char low[32], high[32];

	claim->effect.low_ns = interval.low;
	claim->effect.high_ns = interval.high;
	claim->effect.estimate_ns = interval.estimate;
	if (!pl_measurement_find_fact(after, "real_gap_max_ns"))
		return;
	pl_fmt_ns(low, sizeof(low), (double)before->conditions.gap_ns);
	pl_fmt_ns(high, sizeof(high), (double)after->conditions.gap_ns);
	pl_claim_note(a, claim,
		      "Gaps of %s and %s were asked for; this is what the link had, one "
		      "access on top.",
		      low, high);
}

static void add_timer(struct pl_attribution *a, const struct pl_curve *curve,
		      const struct pl_step *step, size_t low, size_t high, int gate)
{
	struct pl_claim *claim =
		pl_claim_add(a, PL_EFFECT_ENTRY_TIMER, curve->like, curve->reference[0]);
	size_t last = curve->positions - 1;

	claim->words = PL_WORDS_ENTRY_TIMER;
	claim->gate = gate;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	claim->effect.status = PL_CLAIM_NOT_RESOLVED;
	claim->effect.n = step->blocks;
	claim->effect.p_value = step->p;
	claim->gap_ns = curve->arm[last]->conditions.gap_ns;
	if (step->shape == PL_SHAPE_FLAT) {
		claim->effect.reason = "no step up to the longest gap";
		return;
	}
	if (step->shape == PL_SHAPE_SLOPE) {
		pl_claim_refuse(claim, "the difference has no step");
		return;
	}
	set_bracket(a, claim, curve->arm[low - 1], curve->arm[high], curve->reference[high]);
	claim->effect.status = PL_CLAIM_RESOLVED;
}

static void add_timers(struct pl_attribution *a, const struct pl_curve *curve,
		       const struct pl_step *step, int gate)
{
	if (step->shape != PL_SHAPE_TWO_STEPS) {
		add_timer(a, curve, step, step->low, step->high, gate);
		return;
	}
	add_timer(a, curve, step, step->split, step->split, gate);
	add_timer(a, curve, step, step->second, step->second, gate);
}

/* Whether this state lets the link of the device sleep in one way only. */
static bool has_one_sleep(const struct pl_curve *curve)
{
	struct pl_state state;

	return !pl_state_parse(curve->like->conditions.state, &state) &&
	       (state.device == PL_ASPM_L0S || state.device == PL_ASPM_L1);
}

/*
 * Two steps on both sides of one gap: the timer is so near to this gap that the link sleeps in some
 * of its accesses only. Where there is one sleep there is one timer, between the gaps beside it.
 */
static void join_steps(const struct pl_curve *curve, struct pl_step *step)
{
	if (step->shape != PL_SHAPE_TWO_STEPS || step->second != step->split + 1 ||
	    !has_one_sleep(curve))
		return;
	step->shape = PL_SHAPE_STEP;
	step->low = step->split;
	step->high = step->second;
}

/* Mean of positions first … end - 1 over the rounds; missing values are left out. */
static double plateau(const struct pl_curve *curve, size_t first, size_t end)
{
	double sum = 0.0;
	size_t n = 0;

	for (size_t b = 0; b < curve->blocks; b++)
		for (size_t g = first; g < end; g++) {
			double value = curve->values[b * curve->positions + g];

			sum += isnan(value) ? 0.0 : value;
			n += !isnan(value);
		}
	return n ? sum / (double)n : (double)NAN;
}

/*
 * Of two steps the one that is no entry: a fall, or a later one that is small beside the first. A
 * host that is busy or half asleep after long gaps makes such a one, and a deeper state of a link
 * takes longer to leave by more than that. Returns what the cost changes there, NAN: none is.
 */
static double drop_minor_step(const struct pl_curve *curve, struct pl_step *step)
{
	double below, between, beyond, dropped;

	if (step->shape != PL_SHAPE_TWO_STEPS)
		return (double)NAN;
	below = plateau(curve, 0, step->split);
	between = plateau(curve, step->split, step->second);
	beyond = plateau(curve, step->second, curve->positions);
	if (between > below && beyond - between >= MINOR_SHARE * (between - below))
		return (double)NAN;
	dropped = beyond - between;
	if (between <= below) {
		dropped = between - below;
		step->split = step->second;
	}
	step->shape = PL_SHAPE_STEP;
	step->low = step->high = step->split;
	step->second = 0;
	return dropped;
}

static void note_dropped(struct pl_attribution *a, struct pl_claim *claim, double dropped_ns)
{
	char text[32];

	if (!isnan(dropped_ns))
		pl_claim_note(a, claim,
			      "At another gap it changes by %s more: too little beside it, or a "
			      "fall, and no state of a link.",
			      pl_fmt_ns(text, sizeof(text), dropped_ns));
}

static void add_exit(struct pl_attribution *a, const struct pl_curve *curve)
{
	struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_EXIT, curve->like, curve->reference[0]);
	int index = (int)a->count - 1;
	struct pl_step step;
	double dropped_ns;

	claim->words = PL_WORDS_EXIT;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	if (curve->positions < 3) {
		pl_claim_refuse(claim, "fewer than 3 idle gaps were measured with the links off "
				       "beside it");
		return;
	}
	step = pl_stats_find_step(curve->values, curve->blocks, curve->positions, PL_CLAIM_ALPHA,
				  a->seed);
	join_steps(curve, &step);
	dropped_ns = drop_minor_step(curve, &step);
	set_exit(a, claim, curve, &step);
	note_dropped(a, claim, dropped_ns);
	pl_claim_note_slept(a, claim, curve);
	if (!pl_measurement_is_slept(curve->like) && pl_series_is_timer_probe(a->run, curve->like))
		add_timers(a, curve, &step, index);
}

static void add_exit_in_command(struct pl_attribution *a, const struct pl_curve *curve)
{
	struct pl_claim *claim;
	struct pl_estimate e;

	/* A register read is one round trip: nothing in it takes longer than an entry timer. */
	if (curve->arm[0]->conditions.gap_ns || curve->like->probe == PL_PROBE_CONFIG ||
	    curve->like->probe == PL_PROBE_BAR)
		return;
	claim = pl_claim_add(a, PL_EFFECT_EXIT_IN_COMMAND, curve->arm[0], curve->reference[0]);
	claim->words = PL_WORDS_EXIT_IN_COMMAND;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	e = pl_curve_at(curve, 0);
	pl_claim_set(claim, &e);
}

/* No other arm than "as found": say why there is no exit to separate. */
static void add_refusal(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_EXIT, m, NULL);

	claim->words = PL_WORDS_EXIT;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	pl_claim_refuse(claim, pl_links_no_exit_reason(a, m));
}

static bool is_of_curve(const struct pl_measurement *m, const struct pl_measurement *other)
{
	return other->slot == m->slot && other->boot == m->boot &&
	       pl_bdf_is_equal(other->device, m->device) &&
	       pl_measurement_is_same_access(other, m) &&
	       pl_state_is_same(other->conditions.state, m->conditions.state);
}

/* The first series with a gap stands for its curve; one without a gap only where there is none. */
static bool is_first(const struct pl_run *run, size_t index)
{
	const struct pl_measurement *m = run->measurements[index];

	if (!pl_measurement_is_claimable(m) || !m->slot->link.is_present)
		return false;
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *other = run->measurements[i];

		if (other == m || !is_of_curve(m, other))
			continue;
		if ((!m->conditions.gap_ns && other->conditions.gap_ns) ||
		    (i < index && !m->conditions.gap_ns == !other->conditions.gap_ns))
			return false;
	}
	return true;
}

static bool has_off_arm(const struct pl_run *run, const struct pl_measurement *m)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->slot == m->slot &&
		    pl_state_is_off(run->measurements[i]->conditions.state))
			return true;
	return false;
}

static bool is_refused_before(const struct pl_attribution *a, const struct pl_slot *slot)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->claims[i].effect.kind == PL_EFFECT_EXIT &&
		    a->claims[i].effect.slot == slot && !a->claims[i].reference)
			return true;
	return false;
}

static bool has_gaps(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->slot == slot && run->measurements[i]->conditions.gap_ns)
			return true;
	return false;
}

static void add_curve_claims(struct pl_attribution *a, const struct pl_measurement *m)
{
	const char *control;
	struct pl_curve curve;

	if (!pl_curve_build(a, m, "off", &curve))
		return;
	control = pl_control_refusal(a, m, pl_curve_largest(&curve));
	if (control) {
		struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_EXIT, m, curve.reference[0]);

		claim->words = PL_WORDS_EXIT;
		claim->effect.reference_class = PL_REF_SAME_SLOT;
		pl_claim_refuse(claim, control);
		return;
	}
	if (!pl_measurement_is_slept(m))
		add_exit_in_command(a, &curve);
	if (curve.arm[curve.positions - 1]->conditions.gap_ns || !has_gaps(a->run, m->slot))
		add_exit(a, &curve);
	if (pl_measurement_is_slept(m))
		return;
	pl_attribute_tails(a, &curve);
	pl_attribute_chain(a, m);
}

/* The same access with the gaps spun: the slept arm then stands beside it and claims nothing. */
static bool has_spun(const struct pl_run *run, const struct pl_measurement *m)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *other = run->measurements[i];
		struct pl_measurement like = *m;

		like.conditions.idle = NULL;
		if (other->conditions.gap_ns && is_of_curve(&like, other))
			return true;
	}
	return false;
}

void pl_attribute_exits(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->run->measurement_count; i++) {
		const struct pl_measurement *m = a->run->measurements[i];

		if (!is_first(a->run, i) || pl_state_is_control(m->conditions.state) ||
		    (pl_measurement_is_slept(m) && has_spun(a->run, m)))
			continue;
		if (has_off_arm(a->run, m)) {
			if (!pl_state_is_off(m->conditions.state))
				add_curve_claims(a, m);
		} else if (!is_refused_before(a, m->slot)) {
			add_refusal(a, m);
		}
	}
}
