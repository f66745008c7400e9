#include <math.h>

#include "core/stats.h"
#include "core/stats_tail.h"
#include "report/attribute.h"

/* What a link state does to one access in a hundred: p99 of the state minus p99 with links off. */

#define TAIL 0.99

static struct pl_blocks blocks_of(const struct pl_measurement *m)
{
	return (struct pl_blocks){m->ticks, m->block_start, m->blocks_done, m->ns_per_tick};
}

static bool is_carried(const struct pl_measurement *m)
{
	return pl_stats_quantile_is_carried(m->n, TAIL);
}

/* How many samples of the arm lie beyond p99.9 of the links-off arm: a thousandth would. */
static void note_beyond(struct pl_attribution *a, struct pl_claim *claim)
{
	double limit_ns = claim->reference->summary.p999_ns;
	size_t beyond = 0;

	if (isnan(limit_ns))
		return;
	for (size_t i = 0; i < claim->arm->n; i++)
		beyond += (double)claim->arm->ticks[i] * claim->arm->ns_per_tick > limit_ns;
	pl_claim_note(a, claim, "%zu of %zu lie beyond p99.9 with the links off.", beyond,
		      claim->arm->n);
}

static void add_tail(struct pl_attribution *a, const struct pl_curve *curve, size_t position)
{
	const struct pl_measurement *arm = curve->arm[position];
	const struct pl_measurement *reference = curve->reference[position];
	struct pl_claim *claim = pl_claim_add(a, PL_EFFECT_TAIL, arm, reference);
	struct pl_blocks x = blocks_of(arm), y = blocks_of(reference);
	struct pl_estimate e = pl_stats_tail_difference(&x, &y, TAIL);

	claim->words = PL_WORDS_TAIL;
	claim->gap_ns = arm->conditions.gap_ns;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	pl_claim_set(claim, &e);
	note_beyond(a, claim);
}

/* Under continuous traffic and after the longest gap, where there are samples enough. */
void pl_attribute_tails(struct pl_attribution *a, const struct pl_curve *curve)
{
	size_t last = curve->positions;

	while (last > 0 &&
	       !(is_carried(curve->arm[last - 1]) && is_carried(curve->reference[last - 1])))
		last--;
	if (!last || curve->like->probe == PL_PROBE_CONFIG)
		return;
	add_tail(a, curve, last - 1);
	if (last > 1 && !curve->arm[0]->conditions.gap_ns && is_carried(curve->arm[0]) &&
	    is_carried(curve->reference[0]))
		add_tail(a, curve, 0);
}
