#include "report/attribute.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/sequence.h"
#include "report/quality.h"
#include "report/report.h"

static const struct pl_conditions *conditions_of(struct pl_attribution *a,
						 const struct pl_measurement *arm)
{
	struct pl_conditions *c = pl_arena_alloc(&a->run->arena, sizeof(*c));

	*c = arm->conditions;
	return c;
}

struct pl_claim *pl_claim_add(struct pl_attribution *a, enum pl_effect_kind kind,
			      const struct pl_measurement *arm,
			      const struct pl_measurement *reference)
{
	const double none = (double)NAN;
	void *items = a->claims;
	struct pl_claim *claim =
		pl_arena_push(&a->run->arena, &items, &a->count, &a->capacity, sizeof(*claim));

	a->claims = items;
	claim->arm = arm;
	claim->reference = reference;
	claim->gate = -1;
	claim->error = claim->df = none;
	claim->effect = (struct pl_effect){
		.kind = kind,
		.slot = arm->slot,
		.reference_slot = reference ? reference->slot : NULL,
		.function = arm->device,
		.probe = arm->probe,
		.metric = arm->metric,
		.state = arm->conditions.state,
		.conditions = conditions_of(a, arm),
		.estimate_ns = none,
		.low_ns = none,
		.high_ns = none,
		.detection_limit_ns = none,
		.p_value = none,
		.unit_of_n = "blocks",
		.advertised_low_ns = -1,
		.advertised_high_ns = -1,
	};
	if (reference)
		claim->effect.reference_function = reference->device;
	return claim;
}

static bool is_stopped(const struct pl_measurement *m)
{
	return m && pl_measurement_find_fact(m, PL_SEQUENCE_FACT);
}

void pl_claim_set(struct pl_claim *claim, const struct pl_estimate *given)
{
	struct pl_estimate widened = *given;
	const struct pl_estimate *estimate = &widened;

	if (is_stopped(claim->arm) || is_stopped(claim->reference))
		pl_sequence_widen(&widened);

	claim->effect.estimate_ns = estimate->mean;
	claim->effect.low_ns = estimate->low;
	claim->effect.high_ns = estimate->high;
	claim->effect.n = estimate->n;
	claim->effect.p_value = estimate->p;
	claim->error = estimate->error;
	claim->df = estimate->df;
	claim->is_tested = !isnan(estimate->p);
	if (isnan(estimate->low))
		pl_claim_refuse(claim, "fewer than 3 rounds were measured in both arms");
	else
		claim->effect.status = PL_CLAIM_NOT_RESOLVED;
}

void pl_claim_refuse(struct pl_claim *claim, const char *reason)
{
	claim->effect.status = PL_CLAIM_NOT_MADE;
	claim->effect.reason = reason;
	claim->is_tested = false;
}

void pl_claim_note(struct pl_attribution *a, struct pl_claim *claim, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	claim->note = claim->note ? pl_arena_printf(&a->run->arena, "%s %s", claim->note, text)
				  : pl_arena_strdup(&a->run->arena, text);
}

/* How many claims Holm has not let through yet when it stops: the level the rest was held to. */
static size_t adjust(struct pl_attribution *a, double *p)
{
	size_t left = 0;

	for (size_t i = 0; i < a->count; i++)
		p[i] = a->claims[i].is_tested ? a->claims[i].effect.p_value : (double)NAN;
	pl_stats_holm(p, a->count);
	for (size_t i = 0; i < a->count; i++)
		left += p[i] > PL_CLAIM_ALPHA;
	return left ? left : 1;
}

void pl_claims_resolve(struct pl_attribution *a)
{
	double *p = pl_arena_array(&a->run->arena, a->count, sizeof(*p));
	double level = PL_CLAIM_ALPHA / (double)adjust(a, p);

	for (size_t i = 0; i < a->count; i++) {
		struct pl_claim *claim = &a->claims[i];

		if (claim->effect.status == PL_CLAIM_NOT_MADE)
			continue;
		claim->effect.detection_limit_ns = pl_stats_detection_limit(
			claim->error, claim->df, level / fmax(1.0, claim->searches));
		if (claim->is_tested && p[i] <= PL_CLAIM_ALPHA)
			claim->effect.status = PL_CLAIM_RESOLVED;
	}
	for (size_t i = 0; i < a->count; i++) {
		struct pl_claim *claim = &a->claims[i];

		if (claim->gate >= 0 && claim->effect.status != PL_CLAIM_NOT_MADE &&
		    a->claims[claim->gate].effect.status != PL_CLAIM_RESOLVED)
			claim->effect.status = PL_CLAIM_NOT_RESOLVED;
	}
}

const char *pl_claims_withheld(const struct pl_run *run)
{
	if (!run->machine.is_live)
		return "not measured on this machine: no verdict from a capture";
	if (run->machine.hypervisor && !run->allow_virtual)
		return "this is a virtual machine: its exits hide the links; no verdict without "
		       "--allow-virtual";
	return NULL;
}

void pl_claims_withhold(struct pl_attribution *a)
{
	const char *reason = pl_claims_withheld(a->run);
	const double none = (double)NAN;

	for (size_t i = 0; reason && i < a->count; i++) {
		struct pl_effect *effect = &a->claims[i].effect;

		if (effect->status == PL_CLAIM_NOT_MADE)
			continue;
		pl_claim_refuse(&a->claims[i], reason);
		effect->estimate_ns = effect->low_ns = effect->high_ns = none;
		effect->detection_limit_ns = effect->p_value = none;
		effect->verdict = NULL;
		effect->n = 0;
	}
}

int pl_report_attribute(struct pl_run *run, struct pl_err *err)
{
	struct pl_attribution a = {.run = run, .seed = run->seed};

	(void)err;
	run->effects = NULL;
	run->effect_count = run->effect_capacity = 0;
	pl_quality_check(run);
	pl_attribute_hops(&a);
	pl_attribute_exits(&a);
	pl_attribute_drives(&a);
	pl_attribute_config_steps(&a);
	pl_control_check_uplink(&a);
	pl_claims_resolve(&a);
	for (size_t i = 0; i < a.count; i++)
		pl_claim_judge(&a, &a.claims[i]);
	pl_claims_withhold(&a);
	pl_claims_word(&a);
	for (size_t i = 0; i < a.count; i++)
		*pl_run_add_effect(run) = a.claims[i].effect;
	return 0;
}
