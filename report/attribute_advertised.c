#include <stdint.h>

#include "model/state.h"
#include "report/attribute.h"

/*
 * Advertised against measured. LnkCap gives a class of exit latency for L0s and L1 (PCI Express
 * Base, 7.5.3.6); the exit of a path is the slowest link, plus up to 1 µs for every switch passed
 * (5.4.1.2.2). L1.1, L1.2 and clock power management are outside of it.
 */

#define SWITCH_NS INT64_C(1000)
/* A round trip of the link and the return of credits after an exit: not yet a violation. */
#define TOLERANCE_NS 2000.0
#define L0S_OPEN_NS 5000 /* code 7: more than 4 µs */
#define L1_OPEN_NS 65000 /* code 7: more than 64 µs */

struct bound {
	int64_t low_ns, high_ns; /* high -1: no upper bound; low -1: nothing advertised */
	bool is_comparable;
};

/* Classes double: the lower end of a class is half its upper end, the first starts at 0. */
static struct bound class_bound(int64_t exit_ns, int64_t open_ns, int64_t first_ns)
{
	if (exit_ns < 0)
		return (struct bound){-1, -1, true};
	if (exit_ns >= open_ns)
		return (struct bound){open_ns == L1_OPEN_NS ? 64000 : 4096, -1, true};
	return (struct bound){exit_ns <= first_ns ? 0 : exit_ns / 2, exit_ns, true};
}

static struct bound link_bound(int64_t l0s_ns, int64_t l1_ns, int clkpm, unsigned enabled,
			       unsigned state)
{
	unsigned seen = state & PL_STATE_AS_FOUND ? enabled : state;
	struct bound b = {-1, -1, true};

	if (seen & PL_ASPM_L1)
		b = class_bound(l1_ns, L1_OPEN_NS, 1000);
	else if (seen & PL_ASPM_L0S)
		b = class_bound(l0s_ns, L0S_OPEN_NS, 64);
	/* Without knowing what is enabled nothing can be compared. */
	b.is_comparable =
		clkpm <= 0 && seen != PL_ASPM_UNKNOWN && !(seen & (PL_ASPM_L1_1 | PL_ASPM_L1_2));
	return b;
}

/* Adds the next link of the path, towards the device; the slowest counts. */
static void add_link(struct bound *path, struct bound link, int64_t position)
{
	path->is_comparable &= link.is_comparable;
	if (link.low_ns < 0)
		return;
	if (path->low_ns < 0 || link.low_ns > path->low_ns)
		path->low_ns = link.low_ns;
	if (link.high_ns < 0)
		path->high_ns = INT64_MAX;
	else if (path->high_ns < link.high_ns + position * SWITCH_NS)
		path->high_ns = link.high_ns + position * SWITCH_NS;
}

/* What a state asks of the link above function i of the path. */
static unsigned wanted_on(const struct pl_run *run, const struct pl_slot *slot,
			  const struct pl_state *state, size_t i)
{
	size_t below = 0;

	for (size_t k = i + 1; k < slot->path_count; k++)
		below += pl_links_above(run, slot->path[k]) != NULL;
	if (!below)
		return state->device;
	return below > state->uplinks ? 0 : state->uplink;
}

static struct bound path_bound(const struct pl_run *run, const struct pl_slot *slot,
			       const struct pl_state *state, struct pl_bdf target)
{
	struct bound path = {-1, -1, true};
	int64_t position = 0;

	for (size_t i = 0; i < slot->path_count; i++) {
		const struct pl_aspm_link *link = pl_links_above(run, slot->path[i]);
		unsigned wanted = wanted_on(run, slot, state, i);

		if (link && wanted)
			add_link(&path,
				 link_bound(link->l0s_exit_ns, link->l1_exit_ns,
					    link->clkpm_enabled, link->enabled, wanted),
				 position);
		position += link != NULL;
		if (pl_bdf_is_equal(slot->path[i], target))
			break;
	}
	return path;
}

/* Without a survey of the links: what the slot knows of its own. */
static struct bound slot_bound(const struct pl_link *link, const struct pl_state *state)
{
	struct bound path = {-1, -1, true};

	add_link(&path,
		 link_bound(link->l0s_exit_ns, link->l1_exit_ns, link->clkpm_enabled,
			    link->aspm_enabled, state->device),
		 0);
	return path;
}

static const char *verdict_of(const struct pl_effect *effect, const struct bound *bound)
{
	if (!bound->is_comparable)
		return "not comparable";
	if (bound->low_ns < 0)
		return NULL;
	if (effect->status != PL_CLAIM_RESOLVED)
		return "not entered";
	if (bound->high_ns == INT64_MAX || bound->high_ns < 0)
		return "not falsifiable";
	if (effect->low_ns > (double)bound->high_ns + TOLERANCE_NS)
		return "exceeds";
	return effect->high_ns < (double)bound->low_ns ? "faster" : "within";
}

void pl_claim_judge(struct pl_attribution *a, struct pl_claim *claim)
{
	struct pl_effect *effect = &claim->effect;
	struct pl_state state;
	struct bound bound;

	if (effect->kind != PL_EFFECT_EXIT || effect->status == PL_CLAIM_NOT_MADE ||
	    pl_state_parse(effect->state, &state))
		return;
	bound = a->run->aspm_link_count ? path_bound(a->run, effect->slot, &state, effect->function)
					: slot_bound(&effect->slot->link, &state);
	effect->verdict = verdict_of(effect, &bound);
	effect->advertised_low_ns = bound.low_ns;
	effect->advertised_high_ns = bound.high_ns == INT64_MAX ? -1 : bound.high_ns;
}
