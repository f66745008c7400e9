#include <math.h>
#include <string.h>

#include "model/state.h"
#include "report/attribute.h"

/*
 * Hops: the same kind of access under continuous traffic in two slots. Every readable link of both
 * paths is confirmed off, or is as found without L0s; links without registers are named.
 */

/* How far from the CPU: chips of the chipset first, then everything passed. */
static size_t distance_of(const struct pl_slot *slot)
{
	size_t hops = slot->chipset_hops > 0 ? (size_t)slot->chipset_hops : 0;

	return 100 * hops + slot->via_count + (slot->attachment == PL_ATTACH_CPU_DIRECT ? 0 : 1);
}

/* The series of continuous traffic: links off when that was measured, else as found. */
static const struct pl_measurement *
continuous(const struct pl_run *run, const struct pl_measurement *like, const struct pl_slot *slot)
{
	const struct pl_measurement *off = pl_series_find(run, like, slot, "off", 0);

	return off ? off : pl_series_find(run, like, slot, "as_found", 0);
}

static bool is_nearer(const struct pl_slot *a, const struct pl_slot *b)
{
	size_t x = distance_of(a), y = distance_of(b);

	return x < y || (x == y && a < b);
}

struct choice {
	const struct pl_measurement *arm, *reference;
	enum pl_reference_class class;
};

/* The best slot to compare with: same unit before same model, then nearest to the CPU. */
static void choose(const struct pl_run *run, const struct pl_measurement *like,
		   struct choice *choice)
{
	*choice = (struct choice){continuous(run, like, like->slot), NULL, PL_REF_NONE};
	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *slot = &run->slots[i];
		const struct pl_measurement *m;
		enum pl_reference_class class;

		if (slot == like->slot || !is_nearer(slot, like->slot))
			continue;
		m = continuous(run, like, slot);
		class = pl_slot_reference_class(slot, like->slot);
		if (!m)
			continue;
		if (choice->reference &&
		    (class < choice->class ||
		     (class == choice->class && !is_nearer(slot, choice->reference->slot))))
			continue;
		choice->reference = m;
		choice->class = class;
	}
}

/* The controls of both slots. */
static const char *control_refusal(struct pl_attribution *a, const struct choice *choice)
{
	double hop_ns = fabs(choice->arm->summary.p50_ns - choice->reference->summary.p50_ns);
	const char *refusal = pl_control_refusal(a, choice->arm, hop_ns);

	return refusal ? refusal : pl_control_refusal(a, choice->reference, hop_ns);
}

static const char *refusal_of(struct pl_attribution *a, const struct choice *choice)
{
	const char *refusal = pl_series_refusal(a, choice->arm);

	if (!choice->reference)
		return "nothing to compare with: no slot nearer to the CPU was measured this way";
	if (choice->class == PL_REF_NONE)
		return choice->arm->probe == PL_PROBE_NVME ? "different drives: not attributable"
							   : "different devices: not attributable";
	if (!refusal)
		refusal = pl_series_refusal(a, choice->reference);
	if (!refusal &&
	    !pl_state_is_same(choice->arm->conditions.state, choice->reference->conditions.state))
		refusal = "the two slots were not measured in the same link state";
	if (!refusal)
		refusal = control_refusal(a, choice);
	if (!refusal)
		refusal = pl_links_refusal(a, choice->arm);
	return refusal ? refusal : pl_links_refusal(a, choice->reference);
}

/* What a session went on with although it had changed; NULL. */
static const char *changed_in(const struct pl_run *run)
{
	for (size_t i = 0; i < run->warning_count; i++)
		if (!strcmp(run->warnings[i].code, "W-CHANGED"))
			return run->warnings[i].subject;
	return NULL;
}

static void add_notes(struct pl_attribution *a, struct pl_claim *claim, const struct choice *choice)
{
	uint32_t size = choice->arm->conditions.size_bytes;
	double arm_ns = pl_link_serialisation_ns(choice->arm->slot, size);
	double reference_ns = pl_link_serialisation_ns(choice->reference->slot, size);

	pl_links_note(a, claim);
	if (arm_ns > 0.0 && reference_ns > 0.0 && arm_ns - reference_ns >= 1.0)
		pl_claim_note(a, claim,
			      "Up to %.0f ns of it is the narrower or slower link carrying the "
			      "data.",
			      arm_ns - reference_ns);
	else if (arm_ns > 0.0 && reference_ns - arm_ns >= 1.0)
		pl_claim_note(a, claim,
			      "The reference has the narrower or slower link: carrying the data "
			      "takes up to %.0f ns more there.",
			      reference_ns - arm_ns);
	if (choice->arm->boot != choice->reference->boot && changed_in(a->run))
		pl_claim_note(a, claim, "The %s changed between the boots.", changed_in(a->run));
	if (choice->arm->boot != choice->reference->boot &&
	    !strcmp(claim->effect.unit_of_n, "blocks"))
		pl_claim_note(a, claim,
			      "Within one boot: the spread between boots is not in the "
			      "interval.");
}

static void add_hop(struct pl_attribution *a, const struct choice *choice)
{
	struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_HOP, choice->arm, choice->reference);
	const char *refusal = refusal_of(a, choice);
	struct pl_estimate e;

	claim->words = PL_WORDS_HOP;
	claim->effect.reference_class = choice->class;
	if (refusal) {
		pl_claim_refuse(claim, refusal);
		return;
	}
	e = pl_series_difference(a->run, choice->arm, choice->reference, &claim->effect.unit_of_n);
	pl_claim_set(claim, &e);
	if (choice->arm->slot->attachment == PL_ATTACH_CHIPSET &&
	    choice->reference->slot->attachment == PL_ATTACH_CPU_DIRECT && e.mean >= 0.0)
		claim->words = PL_WORDS_HOP_CHIPSET;
	add_notes(a, claim, choice);
}

/* The first series of its access, slot and boot stands for all states. */
static bool is_candidate(const struct pl_run *run, size_t index)
{
	const struct pl_measurement *m = run->measurements[index];

	if (!pl_measurement_is_claimable(m) || m->conditions.gap_ns ||
	    m->probe == PL_PROBE_CONFIG || !continuous(run, m, m->slot))
		return false;
	for (size_t i = 0; i < index; i++) {
		const struct pl_measurement *other = run->measurements[i];

		if (other->slot == m->slot && !other->conditions.gap_ns &&
		    pl_measurement_is_same_access(other, m))
			return false;
	}
	return true;
}

void pl_attribute_hops(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->run->measurement_count; i++) {
		struct choice choice;

		if (!is_candidate(a->run, i))
			continue;
		choose(a->run, a->run->measurements[i], &choice);
		/* The nearest slot is what others are compared with: it has no hop of its own. */
		if (choice.reference || distance_of(choice.arm->slot) > 0)
			add_hop(a, &choice);
	}
}
