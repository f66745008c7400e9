#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "report/out.h"
#include "report/sentence.h"

/*
 * Where the time goes. Per kind of access: the path through the CPU, and what each chip adds, from
 * the claims about hops; a second chip alone is the slot behind both minus the slot behind the
 * first, when the same card (or another unit of its model) was measured in both. For configuration
 * reads: the ladder, cut at the chips.
 */
#define CHIPS_MOST 3

struct parts {
	double base_ns, chip_ns[CHIPS_MOST], end_ns;
	unsigned chips;
	bool is_whole; /* one part for all chips: there is nothing to tell them apart by */
};

/* One stacked bar that is being put; the last part carries the label. */
struct bar {
	struct pl_html *html;
	const struct pl_slot *slot;
	json_t *values;
	double end;
	const char *label;
};

static void put_part(struct bar *bar, const char *name, int order, double ns, bool is_last)
{
	struct pl_arena *arena = &bar->html->arena;

	bar->end += ns;
	bar->label = pl_arena_printf(arena, "%s%s%s", bar->label, *bar->label ? " + " : "",
				     pl_row_ns(arena, ns));
	json_array_append_new(bar->values, json_pack("{s:s, s:s, s:i, s:f, s:f, s:s}", "slot",
						     pl_row_label(arena, bar->slot), "part", name,
						     "order", order, "ns", ns, "end", bar->end,
						     "label", is_last ? bar->label : ""));
}

static const char *chip_name(struct pl_html *html, const struct parts *p, unsigned chip)
{
	if (p->is_whole)
		return pl_html_str(html, PL_STR_PART_HOP);
	return pl_arena_printf(&html->arena, "%s %u", pl_html_str(html, PL_STR_PART_CHIP),
			       chip + 1);
}

#define LAST_ORDER 9

static void put_parts(struct pl_html *html, const struct pl_slot *slot, const struct parts *p,
		      enum pl_str base_name, json_t *values)
{
	struct bar bar = {html, slot, values, 0.0, ""};
	bool has_end = p->end_ns > 0.0;

	put_part(&bar, pl_html_str(html, base_name), 0, p->base_ns, !p->chips && !has_end);
	for (unsigned i = 0; i < p->chips; i++)
		put_part(&bar, chip_name(html, p, i), (int)i + 1, p->chip_ns[i],
			 i + 1 == p->chips && !has_end);
	if (has_end)
		put_part(&bar, pl_html_str(html, PL_STR_PART_DEVICE), LAST_ORDER, p->end_ns, true);
}

/* ---- from claims ---- */

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static const struct pl_effect *hop_of(const struct pl_run *run, const struct pl_slot *slot,
				      const struct pl_measurement *m)
{
	for (size_t i = 0; m && i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		if (e->kind == PL_EFFECT_HOP && e->slot == slot && e->probe == m->probe &&
		    e->status == PL_CLAIM_RESOLVED &&
		    (!e->metric || is_same_text(e->metric, m->metric)))
			return e;
	}
	return NULL;
}

/* What a slot behind the first `chips` chips of the same path adds, against the same slot. */
static const struct pl_effect *hop_through(struct pl_html *html, const struct pl_effect *e,
					   int chips)
{
	const struct pl_run *run = html->run;

	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *other = &run->effects[i];

		if (other->kind == e->kind && other->status == PL_CLAIM_RESOLVED && other->slot &&
		    other->slot->chipset_hops == chips && other->probe == e->probe &&
		    is_same_text(other->metric, e->metric) &&
		    other->reference_slot == e->reference_slot && other->slot->via_count &&
		    e->slot->via_count &&
		    pl_bdf_is_equal(other->slot->via[0].bdf, e->slot->via[0].bdf))
			return other;
	}
	return NULL;
}

/* Chip by chip when every stage on the way was measured, else all of them as one. */
static void fill_chips(struct pl_html *html, const struct pl_effect *e, struct parts *p)
{
	int hops = e->slot->chipset_hops;
	double before = 0.0;

	p->chips = 0;
	for (int k = 1; k <= hops && hops <= CHIPS_MOST; k++) {
		const struct pl_effect *stage = k == hops ? e : hop_through(html, e, k);

		if (!stage || stage->estimate_ns <= before)
			break;
		p->chip_ns[p->chips++] = stage->estimate_ns - before;
		before = stage->estimate_ns;
	}
	if (hops >= 1 && (int)p->chips == hops)
		return;
	p->chips = 1;
	p->is_whole = true;
	p->chip_ns[0] = e->estimate_ns;
}

static const struct pl_measurement *series_of(const struct pl_row *row, enum pl_probe probe)
{
	return probe == PL_PROBE_GPU    ? row->gpu
	       : probe == PL_PROBE_NVME ? row->nvme
	       : probe == PL_PROBE_BAR  ? row->bar
					: NULL;
}

static void claimed(struct pl_html *html, enum pl_probe probe, const char *id, enum pl_str title)
{
	json_t *values = json_array();

	for (size_t i = 0; i < html->row_count; i++) {
		const struct pl_measurement *m = series_of(&html->rows[i], probe);
		const struct pl_effect *e = hop_of(html->run, html->rows[i].slot, m);
		struct parts p = {0};

		if (!e || e->estimate_ns <= 0.0 || !pl_series_has_numbers(m))
			continue;
		p.base_ns = m->summary.p50_ns - e->estimate_ns;
		fill_chips(html, e, &p);
		if (p.base_ns > 0.0)
			put_parts(html, html->rows[i].slot, &p, PL_STR_PART_BASE, values);
	}
	pl_chart_put(html, &(struct pl_chart){id, "stack.json", pl_html_str(html, title),
					      PL_STR_CAPTION_PARTS, values});
}

/* ---- from the ladder ---- */

static double rung_ns(const struct pl_run *run, struct pl_bdf bdf)
{
	const struct pl_measurement *found = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->probe == PL_PROBE_CONFIG && m->has_device && !m->conditions.gap_ns &&
		    pl_series_has_numbers(m) && pl_bdf_is_equal(m->device, bdf) &&
		    (!found || m->conditions.config_offset > found->conditions.config_offset))
			found = m;
	}
	return found ? found->summary.p50_ns : (double)NAN;
}

/* Index in the slot's path of the last function of chip `chip` (its port on the way); -1. */
static int last_of_chip(const struct pl_slot *slot, unsigned chip)
{
	unsigned seen = 0;

	for (size_t v = 0; v < slot->via_count; v++) {
		if (slot->via[v].kind != PL_VIA_CHIPSET || seen++ != chip)
			continue;
		for (size_t i = 0; i + 1 < slot->path_count; i++)
			if (pl_bdf_is_equal(slot->path[i], slot->via[v].bdf))
				return (int)i + 1 < (int)slot->path_count - 1 ? (int)i + 1 : (int)i;
	}
	return -1;
}

/* A level never falls: a chip that answers faster than the port above it adds nothing. */
static double rise(double *level, double ns)
{
	double added = fmax(0.0, ns - *level);

	*level += added;
	return added;
}

static bool ladder_parts(const struct pl_run *run, const struct pl_slot *slot, struct parts *p)
{
	double level, end;

	*p = (struct parts){0};
	if (slot->path_count < 2 || slot->chipset_hops > CHIPS_MOST || !slot->device)
		return false;
	p->base_ns = level = rung_ns(run, slot->path[0]);
	for (int k = 0; k < slot->chipset_hops; k++) {
		int last = last_of_chip(slot, (unsigned)k);
		double ns = last < 0 ? (double)NAN : rung_ns(run, slot->path[last]);

		if (!isfinite(ns))
			return false;
		p->chip_ns[p->chips++] = rise(&level, ns);
	}
	end = rung_ns(run, slot->path[slot->path_count - 1]);
	p->end_ns = isfinite(end) ? rise(&level, end) : 0.0;
	return isfinite(p->base_ns) && p->base_ns > 0.0;
}

static void ladder(struct pl_html *html)
{
	json_t *values = json_array();
	struct parts p;

	for (size_t i = 0; i < html->row_count; i++)
		if (ladder_parts(html->run, html->rows[i].slot, &p))
			put_parts(html, html->rows[i].slot, &p, PL_STR_PART_PORT, values);
	pl_chart_put(html, &(struct pl_chart){"parts-config", "stack.json",
					      pl_html_str(html, PL_STR_CHART_PARTS_CONFIG),
					      PL_STR_CAPTION_LADDER, values});
}

/* ---- why not ---- */

static bool has_resolved(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->effect_count; i++)
		if (run->effects[i].kind == PL_EFFECT_HOP && run->effects[i].slot == slot &&
		    run->effects[i].status == PL_CLAIM_RESOLVED)
			return true;
	return false;
}

/* The first reason of each slot that has no hop: a reader asks. */
static void reasons(struct pl_html *html)
{
	const struct pl_run *run = html->run;
	const struct pl_slot *last = NULL;

	pl_html(html, "<ul>\n");
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		if (e->kind != PL_EFFECT_HOP || !e->slot || e->slot == last || !e->reason ||
		    has_resolved(run, e->slot))
			continue;
		last = e->slot;
		pl_html(html, "<li>$: $: $</li>\n", pl_row_label(&html->arena, e->slot),
			pl_html_str(html, PL_STR_NO_SPLIT),
			pl_sentence_reason(&html->arena, e->reason, html->options->lang));
	}
	pl_html(html, "</ul>\n");
}

void pl_charts_parts(struct pl_html *html)
{
	claimed(html, PL_PROBE_GPU, "parts-gpu", PL_STR_CHART_PARTS_GPU);
	claimed(html, PL_PROBE_NVME, "parts-nvme", PL_STR_CHART_PARTS_NVME);
	claimed(html, PL_PROBE_BAR, "parts-bar", PL_STR_CHART_PARTS_BAR);
	reasons(html);
	ladder(html);
}
