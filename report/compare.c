#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats_infer.h"
#include "model/summary.h"
#include "report/compare_match.h"
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
	bool has_means; /* a row has means of block medians */
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

static const char *refusal(struct comparison *c, const struct pl_measurement *a,
			   const struct pl_measurement *b)
{
	const struct pl_conditions *x = &a->conditions, *y = &b->conditions;

	if (!a->is_valid || !b->is_valid)
		return "a series is not valid";
	if (!pl_match_is_same_series(a, b))
		return "not measured the same way";
	if (!is_same_text(x->path, y->path))
		return pl_arena_printf(&c->arena, "different software paths: %s, %s",
				       pl_out_short(&c->arena, x->path, "unknown"),
				       pl_out_short(&c->arena, y->path, "unknown"));
	return NULL;
}

static double *centres_of(struct comparison *c, const struct pl_measurement *m)
{
	double *centres = pl_arena_array(&c->arena, m->blocks_done, sizeof(*centres));

	pl_measurement_block_centres(m, centres);
	return centres;
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0.0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			n++;
		}
	return n ? sum / (double)n : (double)NAN;
}

/* Both values are what the difference is made of, so that a row agrees with itself. */
static void subtract(struct comparison *c, struct difference *d, const struct pl_measurement *a,
		     const struct pl_measurement *b)
{
	double *of_a = centres_of(c, a), *of_b = centres_of(c, b);
	struct pl_estimate e = pl_stats_estimate_groups(of_b, b->blocks_done, of_a, a->blocks_done);

	if (!isfinite(e.mean) || !isfinite(e.low)) {
		d->reason = "too few blocks";
		return;
	}
	d->base_ns = mean_of(of_a, a->blocks_done);
	d->other_ns = mean_of(of_b, b->blocks_done);
	d->ns = e.mean;
	d->low_ns = e.low;
	d->high_ns = e.high;
	c->has_means = true;
}

static void compare_series(struct comparison *c, const char *place, const struct pl_measurement *a,
			   const struct pl_measurement *b)
{
	struct difference *d;

	if (!pl_series_has_numbers(a) || !pl_series_has_numbers(b))
		return;
	d = add(c, place,
		pl_arena_printf(&c->arena, "%s %s", pl_probe_name(a->probe),
				pl_out_short(&c->arena, a->metric, "")));
	d->base_ns = a->summary.p50_ns;
	d->other_ns = b->summary.p50_ns;
	d->reason = refusal(c, a, b);
	if (!d->reason)
		subtract(c, d, a, b);
}

/* What the base shows of a slot against the same of the other; else what that one shows. */
static void compare_column(struct comparison *c, const struct pl_slot *slot,
			   const struct pl_measurement *a, const struct pl_measurement *shown)
{
	const struct pl_measurement *b = a ? pl_match_series(c->base, a, c->other) : NULL;

	compare_series(c, pl_row_label(&c->arena, slot), a, pl_series_has_numbers(b) ? b : shown);
}

static void compare_slot(struct comparison *c, const struct pl_slot *slot)
{
	const struct pl_slot *twin = pl_match_slot(c->other, slot);
	struct pl_row a, b;

	if (!twin)
		return;
	pl_row_fill(c->base, slot, &a);
	pl_row_fill(c->other, twin, &b);
	compare_column(c, slot, a.config, b.config);
	compare_column(c, slot, a.bar, b.bar);
	compare_column(c, slot, a.nvme, b.nvme);
	compare_column(c, slot, a.gpu, b.gpu);
}

/* Files and what else is in no slot: every series but the control of the host has a row. */
static void compare_subject(struct comparison *c, const struct pl_measurement *m)
{
	if (!m->slot && m->probe != PL_PROBE_HOST)
		compare_series(c, pl_out_short(&c->arena, m->subject, "(no slot)"), m,
			       pl_match_series(c->base, m, c->other));
}

static bool is_compared(const struct pl_effect *e)
{
	return e->slot && e->status == PL_CLAIM_RESOLVED && e->kind != PL_EFFECT_CONFIG_STEP &&
	       e->kind != PL_EFFECT_ENTRY_TIMER;
}

/* "exit 09:00.0": the function of a configuration read, else the access. */
static const char *claim_text(struct comparison *c, const struct pl_effect *e)
{
	const char *kind = pl_effect_kind_name(e->kind);
	const char *pattern = e->conditions ? e->conditions->pattern : NULL;
	char bdf[PL_BDF_TEXT];

	if (e->probe == PL_PROBE_CONFIG)
		return pl_arena_printf(&c->arena, "%s %s", kind,
				       pl_bdf_format(e->function, bdf) +
					       (e->function.domain ? 0 : strlen("0000:")));
	return pl_arena_printf(&c->arena, "%s %s%s%s", kind,
			       pl_out_short(&c->arena, e->metric, pl_probe_name(e->probe)),
			       pattern ? " " : "",
			       pattern ? pl_out_short(&c->arena, pattern, "") : "");
}

static void subtract_claims(struct difference *d, const struct pl_effect *a,
			    const struct pl_effect *b)
{
	double half = hypot((a->high_ns - a->low_ns) / 2, (b->high_ns - b->low_ns) / 2);

	d->base_ns = a->estimate_ns;
	d->other_ns = b->estimate_ns;
	d->ns = b->estimate_ns - a->estimate_ns;
	d->low_ns = d->ns - half;
	d->high_ns = d->ns + half;
}

/* A claim of one of the two: gone or new. The slot must be in both, else there is nothing to say.
 */
static void add_single(struct comparison *c, const struct pl_effect *e, bool is_base,
		       const char *reason)
{
	struct difference *d;

	if (!pl_match_slot(is_base ? c->other : c->base, e->slot))
		return;
	d = add(c, pl_row_label(&c->arena, e->slot), claim_text(c, e));
	d->base_ns = is_base ? e->estimate_ns : (double)NAN;
	d->other_ns = is_base ? (double)NAN : e->estimate_ns;
	d->reason = reason;
}

static void compare_claim(struct comparison *c, size_t index, bool is_base)
{
	const struct pl_run *run = is_base ? c->base : c->other;
	const struct pl_effect *e = &run->effects[index], *twin;
	bool is_mixed;

	if (!is_compared(e))
		return;
	twin = pl_match_claim(run, index, is_base ? c->other : c->base, &is_mixed);
	if (is_mixed)
		add_single(c, e, is_base, "several are alike");
	else if (!twin || !is_compared(twin))
		add_single(c, e, is_base, is_base ? "not in the new one" : "not in the base");
	else if (is_base)
		subtract_claims(add(c, pl_row_label(&c->arena, e->slot), claim_text(c, e)), e,
				twin);
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

#define NOTHING "no slot, file or claim with numbers is in both"

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
		fprintf(out, "%s\n", NOTHING);
	if (c->has_means)
		pl_text_wrap(style, "", 0,
			     "Base and New of a series are the means of its block medians: the "
			     "difference is made of them.",
			     out);
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

/* How many rows have a number, and what the limit makes of them. */
static void judge(const struct comparison *c, double limit_ns, struct pl_compare_result *result)
{
	size_t compared = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct difference *d = &c->items[i];

		compared += !d->reason;
		result->exceeded += !d->reason && d->low_ns > 0.0 && d->ns > limit_ns;
		result->differing += !d->reason && is_resolved(d);
	}
	if (compared)
		return;
	result->undecided++;
	snprintf(result->reason, sizeof(result->reason), "%s",
		 c->count ? c->items[0].reason : NOTHING);
}

static void compare_one(const struct pl_run *base, const struct pl_run *other,
			const struct pl_compare_options *options, const struct pl_text_style *style,
			FILE *out, struct pl_compare_result *result)
{
	struct comparison c = {.base = base, .other = other};

	for (size_t i = 0; i < base->slot_count; i++)
		compare_slot(&c, &base->slots[i]);
	for (size_t i = 0; i < base->measurement_count; i++)
		compare_subject(&c, base->measurements[i]);
	for (size_t i = 0; i < base->effect_count; i++)
		compare_claim(&c, i, true);
	for (size_t i = 0; i < other->effect_count; i++)
		compare_claim(&c, i, false);
	print_head(&c, style, out);
	print_differences(&c, options, style, out);
	if (has_gpu_hop(base) || has_gpu_hop(other))
		print_published(&c, style, out);
	judge(&c, options->fail_over_ns, result);
	pl_arena_fini(&c.arena);
}

int pl_report_compare(const struct pl_run *base, const struct pl_run *const *others, size_t count,
		      const struct pl_compare_options *options, const struct pl_text_style *style,
		      FILE *out, struct pl_compare_result *result, struct pl_err *err)
{
	*result = (struct pl_compare_result){0};
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		compare_one(base, others[i], options, style, out, result);
	}
	return pl_out_finish(out, err);
}
