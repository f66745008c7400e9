#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats_infer.h"
#include "model/state.h"
#include "model/summary.h"
#include "report/for_scale.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/sentence.h"
#include "report/text.h"

/*
 * Two runs side by side. Medians: other minus base over unpaired block medians (Student-t, pooled
 * variance). Claims: difference of two independent estimates, half widths added as squares.
 */
struct difference {
	const char *slot, *what, *reason; /* reason: why there is no number; NULL otherwise */
	double base_ns, other_ns;
	double ns, low_ns, high_ns;
};

struct comparison {
	struct pl_arena arena;
	const struct pl_run *base, *other;
	struct difference *items;
	size_t count, capacity;
};

static struct difference *add(struct comparison *c, const char *slot, const char *what)
{
	void *items = c->items;
	struct difference *d =
		pl_arena_push(&c->arena, &items, &c->count, &c->capacity, sizeof(*d));

	c->items = items;
	d->slot = slot;
	d->what = what;
	d->ns = d->low_ns = d->high_ns = (double)NAN;
	return d;
}

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* By key on one board, by label between boards (and where keys moved). */
static const struct pl_slot *slot_like(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (is_same_text(run->slots[i].key, slot->key) &&
		    is_same_text(run->slots[i].label, slot->label))
			return &run->slots[i];
	for (size_t i = 0; i < run->slot_count; i++)
		if (slot->label && slot->label_source != PL_LABEL_PATH &&
		    is_same_text(run->slots[i].label, slot->label))
			return &run->slots[i];
	return NULL;
}

static const char *refusal(struct comparison *c, const struct pl_measurement *a,
			   const struct pl_measurement *b)
{
	const struct pl_conditions *x = &a->conditions, *y = &b->conditions;

	if (!a->is_valid || !b->is_valid)
		return "a series is not valid";
	if (!is_same_text(a->metric, b->metric) || x->size_bytes != y->size_bytes ||
	    x->config_offset != y->config_offset || x->region_bytes != y->region_bytes ||
	    x->gap_ns != y->gap_ns || !pl_state_is_same(x->state, y->state))
		return "not measured the same way";
	if (!is_same_text(x->path, y->path))
		return pl_arena_printf(&c->arena, "different software paths: %s, %s",
				       pl_out_short(&c->arena, x->path, "unknown"),
				       pl_out_short(&c->arena, y->path, "unknown"));
	return NULL;
}

static void compare_series(struct comparison *c, const struct pl_slot *slot,
			   const struct pl_measurement *a, const struct pl_measurement *b)
{
	struct difference *d;
	struct pl_estimate e;
	double *of_a, *of_b;

	if (!pl_series_has_numbers(a) || !pl_series_has_numbers(b))
		return;
	d = add(c, pl_row_label(&c->arena, slot),
		pl_arena_printf(&c->arena, "%s %s", pl_probe_name(a->probe),
				a->metric ? a->metric : ""));
	d->base_ns = a->summary.p50_ns;
	d->other_ns = b->summary.p50_ns;
	d->reason = refusal(c, a, b);
	if (d->reason)
		return;
	of_a = pl_arena_array(&c->arena, a->blocks_done, sizeof(*of_a));
	of_b = pl_arena_array(&c->arena, b->blocks_done, sizeof(*of_b));
	pl_measurement_block_centres(a, of_a);
	pl_measurement_block_centres(b, of_b);
	e = pl_stats_estimate_groups(of_b, b->blocks_done, of_a, a->blocks_done);
	d->ns = e.mean;
	d->low_ns = e.low;
	d->high_ns = e.high;
	if (!isfinite(e.mean))
		d->reason = "too few blocks";
}

static void compare_slot(struct comparison *c, const struct pl_slot *slot)
{
	const struct pl_slot *twin = slot_like(c->other, slot);
	struct pl_row a, b;

	if (!twin)
		return;
	pl_row_fill(c->base, slot, &a);
	pl_row_fill(c->other, twin, &b);
	compare_series(c, slot, a.config, b.config);
	compare_series(c, slot, a.bar, b.bar);
	compare_series(c, slot, a.nvme, b.nvme);
	compare_series(c, slot, a.gpu, b.gpu);
}

static const struct pl_effect *claim_like(const struct pl_run *run, const struct pl_effect *e)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *other = &run->effects[i];

		if (other->kind == e->kind && other->probe == e->probe &&
		    other->status == PL_CLAIM_RESOLVED && other->slot &&
		    is_same_text(other->metric, e->metric) &&
		    pl_state_is_same(other->state, e->state) &&
		    (is_same_text(other->slot->key, e->slot->key) ||
		     is_same_text(other->slot->label, e->slot->label)))
			return other;
	}
	return NULL;
}

static void compare_claim(struct comparison *c, const struct pl_effect *e)
{
	const struct pl_effect *twin =
		e->slot && e->status == PL_CLAIM_RESOLVED ? claim_like(c->other, e) : NULL;
	struct difference *d;
	double half;

	if (!twin || e->kind == PL_EFFECT_CONFIG_STEP || e->kind == PL_EFFECT_ENTRY_TIMER)
		return;
	d = add(c, pl_row_label(&c->arena, e->slot),
		pl_arena_printf(&c->arena, "%s %s", pl_effect_kind_name(e->kind),
				pl_probe_name(e->probe)));
	d->base_ns = e->estimate_ns;
	d->other_ns = twin->estimate_ns;
	half = hypot((e->high_ns - e->low_ns) / 2, (twin->high_ns - twin->low_ns) / 2);
	d->ns = twin->estimate_ns - e->estimate_ns;
	d->low_ns = d->ns - half;
	d->high_ns = d->ns + half;
}

/* ---- output ---- */

static bool is_resolved(const struct difference *d)
{
	return d->low_ns > 0.0 || d->high_ns < 0.0;
}

static const char *value_text(struct comparison *c, const struct difference *d)
{
	char text[64];

	if (d->reason)
		return d->reason;
	pl_fmt_ns_pm(text, sizeof(text), d->ns, (d->high_ns - d->low_ns) / 2);
	return pl_arena_printf(&c->arena, "%s%s", d->ns > 0.0 ? "+" : "", text);
}

static const char *verdict_text(const struct difference *d, double limit_ns)
{
	if (d->reason)
		return "not compared";
	if (!is_resolved(d))
		return "no difference";
	if (d->ns > 0.0 && d->ns > limit_ns)
		return "over the limit";
	return d->ns > 0.0 ? "slower" : "faster";
}

static void print_differences(struct comparison *c, const struct pl_compare_options *options,
			      const struct pl_text_style *style, FILE *out)
{
	static const struct pl_text_column columns[] = {
		{"Slot", false, 10}, {"What", false, 10},       {"Base", true, 0},
		{"New", true, 0},    {"Difference", false, 16}, {"", false, 0}};
	struct pl_text_table table = {.arena = &c->arena, .columns = columns, .column_count = 6};

	for (size_t i = 0; i < c->count; i++) {
		const struct difference *d = &c->items[i];

		pl_text_row(&table, (const char *const[]){
					    d->slot, d->what, pl_row_ns(&c->arena, d->base_ns),
					    pl_row_ns(&c->arena, d->other_ns), value_text(c, d),
					    verdict_text(d, options->fail_over_ns)});
	}
	if (c->count)
		pl_text_print(&table, style, out);
	else
		fputs("nothing that both have was measured the same way\n", out);
}

static const char *name_of(struct comparison *c, const struct pl_run *run)
{
	const struct pl_machine *m = &run->machine;

	return pl_arena_printf(&c->arena, "%s, BIOS %s, kernel %s, %s",
			       pl_out_short(&c->arena, m->board_name, "unknown board"),
			       pl_out_short(&c->arena, m->bios_version, "unknown"),
			       pl_out_short(&c->arena, m->kernel, "unknown"),
			       pl_out_short(&c->arena, run->started_utc, "no date"));
}

static void print_head(struct comparison *c, const struct pl_text_style *style, FILE *out)
{
	const struct pl_run *const runs[] = {c->base, c->other};
	static const char *const leads[] = {"base: ", "new:  "};
	char text[256];

	for (size_t i = 0; i < 2; i++) {
		const char *stamp = pl_run_stamp(runs[i], text, sizeof(text));

		pl_text_wrap(style, leads[i], 6, name_of(c, runs[i]), out);
		if (stamp)
			pl_text_stamp(style, stamp, out);
	}
}

static bool has_gpu_hop(const struct pl_run *run)
{
	for (size_t i = 0; i < run->effect_count; i++)
		if (run->effects[i].kind == PL_EFFECT_HOP &&
		    run->effects[i].probe == PL_PROBE_GPU &&
		    run->effects[i].status == PL_CLAIM_RESOLVED)
			return true;
	return false;
}

static void print_published(struct comparison *c, const struct pl_text_style *style, FILE *out)
{
	size_t count;
	const struct pl_published *table = pl_published_gpu(&count);

	pl_text_heading(style, "For scale, published: what the chipset added to a GPU read", out);
	for (size_t i = 0; i < count; i++)
		if (!isnan(table[i].adds_ns))
			fprintf(out, "  %s (%s): %s\n", table[i].board, table[i].place,
				pl_row_ns(&c->arena, table[i].adds_ns));
	pl_text_wrap(style, "  ", 2, pl_scale_source(&c->arena), out);
}

static size_t exceeded_by(const struct comparison *c, double limit_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += !c->items[i].reason && c->items[i].low_ns > 0.0 &&
			 c->items[i].ns > limit_ns;
	return count;
}

static size_t compare_one(const struct pl_run *base, const struct pl_run *other,
			  const struct pl_compare_options *options,
			  const struct pl_text_style *style, FILE *out)
{
	struct comparison c = {.base = base, .other = other};
	size_t exceeded;

	for (size_t i = 0; i < base->slot_count; i++)
		compare_slot(&c, &base->slots[i]);
	for (size_t i = 0; i < base->effect_count; i++)
		compare_claim(&c, &base->effects[i]);
	print_head(&c, style, out);
	print_differences(&c, options, style, out);
	if (has_gpu_hop(base) || has_gpu_hop(other))
		print_published(&c, style, out);
	exceeded = exceeded_by(&c, options->fail_over_ns);
	pl_arena_fini(&c.arena);
	return exceeded;
}

int pl_report_compare(const struct pl_run *base, const struct pl_run *const *others, size_t count,
		      const struct pl_compare_options *options, const struct pl_text_style *style,
		      FILE *out, size_t *exceeded, struct pl_err *err)
{
	*exceeded = 0;
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		*exceeded += compare_one(base, others[i], options, style, out);
	}
	return pl_out_finish(out, err);
}
