#include "report/compare_match.h"

#include <string.h>

#include "model/state.h"

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool pl_match_is_same_slot(const struct pl_slot *a, const struct pl_slot *b)
{
	if (!a || !b)
		return a == b;
	return is_same_text(a->label, b->label) &&
	       (is_same_text(a->key, b->key) || (a->label && a->label_source != PL_LABEL_PATH));
}

static bool is_exact(const struct pl_slot *a, const struct pl_slot *b)
{
	return is_same_text(a->key, b->key) && is_same_text(a->label, b->label);
}

static bool has_same_device(const struct pl_slot *a, const struct pl_slot *b)
{
	return !a->device == !b->device &&
	       (!a->device || pl_bdf_is_equal(a->device->bdf, b->device->bdf));
}

/* A key may be there twice, with different functions of a device. */
const struct pl_slot *pl_match_slot(const struct pl_run *run, const struct pl_slot *slot)
{
	const struct pl_slot *exact = NULL, *like = NULL;

	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *s = &run->slots[i];

		if (is_exact(s, slot) && has_same_device(s, slot))
			return s;
		if (!exact && is_exact(s, slot))
			exact = s;
		if (!like && pl_match_is_same_slot(slot, s))
			like = s;
	}
	return exact ? exact : like;
}

/* Functions before the end of the path: bus numbers differ between boards. -1: not on the path. */
static int before_end(const struct pl_slot *slot, struct pl_bdf function)
{
	for (size_t i = slot ? slot->path_count : 0; i-- > 0;)
		if (pl_bdf_is_equal(slot->path[i], function))
			return (int)(slot->path_count - 1 - i);
	return -1;
}

static bool is_same_function(const struct pl_slot *a, struct pl_bdf x, const struct pl_slot *b,
			     struct pl_bdf y)
{
	int place = before_end(a, x);

	return place == before_end(b, y) && (place >= 0 || pl_bdf_is_equal(x, y));
}

static bool is_same_idle(const struct pl_conditions *x, const struct pl_conditions *y)
{
	return (!x->gap_ns && !y->gap_ns) ||
	       is_same_text(x->idle ? x->idle : "spun", y->idle ? y->idle : "spun");
}

/* All but link state, gap and software path. */
static bool is_same_access(const struct pl_conditions *x, const struct pl_conditions *y)
{
	return x->size_bytes == y->size_bytes && x->queue_depth == y->queue_depth &&
	       x->config_offset == y->config_offset && x->region_bytes == y->region_bytes &&
	       x->burst == y->burst && is_same_text(x->pattern, y->pattern) &&
	       is_same_text(x->memory, y->memory) && is_same_text(x->prewake, y->prewake) &&
	       is_same_text(x->apst, y->apst) && is_same_idle(x, y);
}

static bool is_same_place(const struct pl_measurement *a, const struct pl_measurement *b)
{
	if (!a->slot && !b->slot)
		return is_same_text(a->subject, b->subject);
	return pl_match_is_same_slot(a->slot, b->slot) && a->has_device == b->has_device &&
	       (!a->has_device || is_same_function(a->slot, a->device, b->slot, b->device));
}

bool pl_match_is_same_series(const struct pl_measurement *a, const struct pl_measurement *b)
{
	const struct pl_conditions *x = &a->conditions, *y = &b->conditions;

	return a->probe == b->probe && is_same_text(a->metric, b->metric) && is_same_place(a, b) &&
	       x->gap_ns == y->gap_ns && pl_state_is_same(x->state, y->state) &&
	       is_same_access(x, y);
}

const struct pl_measurement *pl_match_series(const struct pl_run *run,
					     const struct pl_measurement *m,
					     const struct pl_run *other)
{
	size_t before = 0;

	for (size_t i = 0; i < run->measurement_count && run->measurements[i] != m; i++)
		before += pl_match_is_same_series(run->measurements[i], m);
	for (size_t i = 0; i < other->measurement_count; i++)
		if (pl_match_is_same_series(m, other->measurements[i]) && !before--)
			return other->measurements[i];
	return NULL;
}

/* The gap of these was found in the data: it belongs to the answer. */
static bool is_gap_found(enum pl_effect_kind kind)
{
	return kind == PL_EFFECT_EXIT || kind == PL_EFFECT_ENTRY_TIMER;
}

static bool is_same_condition(const struct pl_effect *a, const struct pl_effect *b)
{
	const struct pl_conditions *x = a->conditions, *y = b->conditions;

	if (!x || !y)
		return true;
	return is_same_access(x, y) && (x->gap_ns == y->gap_ns || is_gap_found(a->kind));
}

/* Of a configuration read alone the function is recorded. */
static bool is_same_rung(const struct pl_effect *a, const struct pl_effect *b)
{
	if (a->probe != PL_PROBE_CONFIG)
		return true;
	if (!is_same_function(a->slot, a->function, b->slot, b->function))
		return false;
	return a->kind != PL_EFFECT_CONFIG_STEP ||
	       is_same_function(a->slot, a->reference_function, b->slot, b->reference_function);
}

bool pl_match_is_same_claim(const struct pl_effect *a, const struct pl_effect *b)
{
	return a->kind == b->kind && a->probe == b->probe && is_same_text(a->metric, b->metric) &&
	       pl_state_is_same(a->state, b->state) && pl_match_is_same_slot(a->slot, b->slot) &&
	       pl_match_is_same_slot(a->reference_slot, b->reference_slot) && is_same_rung(a, b) &&
	       is_same_condition(a, b);
}

static size_t count_alike(const struct pl_run *run, const struct pl_effect *e, size_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < end; i++)
		count += pl_match_is_same_claim(e, &run->effects[i]);
	return count;
}

const struct pl_effect *pl_match_claim(const struct pl_run *run, size_t index,
				       const struct pl_run *other, bool *is_mixed)
{
	const struct pl_effect *e = &run->effects[index];
	size_t here = count_alike(run, e, run->effect_count);
	size_t there = count_alike(other, e, other->effect_count);
	size_t before = count_alike(run, e, index);

	*is_mixed = there && here != there;
	for (size_t i = 0; i < other->effect_count && !*is_mixed; i++)
		if (pl_match_is_same_claim(e, &other->effects[i]) && !before--)
			return &other->effects[i];
	return NULL;
}
