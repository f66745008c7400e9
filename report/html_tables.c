#include <math.h>

#include "core/fmt.h"
#include "report/chart.h"
#include "report/for_scale.h"
#include "report/html.h"
#include "report/out.h"
#include "report/sentence.h"

static const char *aspm_text(struct pl_html *html, const struct pl_link *link)
{
	char supported[64], enabled[64];

	if (!link->is_present)
		return NULL;
	return pl_arena_printf(&html->arena, "%s / %s",
			       pl_aspm_format(link->aspm_supported, supported, sizeof(supported)),
			       pl_aspm_format(link->aspm_enabled, enabled, sizeof(enabled)));
}

static const char *path_of(struct pl_html *html, const struct pl_slot *slot)
{
	return pl_sentence_path(&html->arena, slot, html->options->lang);
}

static void slot_row(struct pl_html *html, const struct pl_slot *slot)
{
	struct pl_arena *arena = &html->arena;

	pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td><td>$</td><td>$</td></tr>\n",
		pl_row_label(arena, slot), path_of(html, slot),
		pl_html_word(html, pl_row_link(arena, slot)),
		pl_html_word(html, pl_row_device(arena, slot)), aspm_text(html, &slot->link));
}

static void reason_row(struct pl_html *html, const struct pl_slot *slot)
{
	struct pl_arena *arena = &html->arena;

	pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td><td>$</td><td>$</td></tr>\n",
		pl_row_label(arena, slot),
		pl_html_word(html, pl_label_source_name(slot->label_source)),
		slot->chipset_hops < 0 ? "?" : pl_arena_printf(arena, "%d", slot->chipset_hops),
		pl_row_device(arena, slot), pl_out_short(arena, slot->reason, NULL));
}

/* Every entry, with what decided its place and its name. */
static void reasons(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SLOT, PL_STR_NAMED_BY, PL_STR_HOPS,
					      PL_STR_DEVICE, PL_STR_WHY};

	pl_html_fold(html, PL_STR_SLOT_REASONS);
	pl_html_table(html, PL_STR_SLOT_REASONS, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < html->all_count; i++)
		reason_row(html, html->rows[i].slot);
	pl_html_table_end(html);
	pl_html_fold_end(html);
}

void pl_html_slots(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SLOT, PL_STR_PATH, PL_STR_LINK, PL_STR_DEVICE,
					      PL_STR_ASPM};

	pl_html_table(html, PL_STR_SLOTS, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < html->row_count; i++)
		slot_row(html, html->rows[i].slot);
	pl_html_table_end(html);
	reasons(html);
}

static void cell(struct pl_html *html, const struct pl_measurement *m, double ns)
{
	pl_html(html, "<td class=\"n\">$</td>", pl_html_ns(html, m, ns));
}

static void median_cell(struct pl_html *html, const struct pl_measurement *m)
{
	cell(html, m, m ? m->summary.p50_ns : 0.0);
}

void pl_html_latency(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SLOT,     PL_STR_PATH,      PL_STR_CONFIG_READ,
					      PL_STR_BAR_READ, PL_STR_NVME_READ, PL_STR_P99,
					      PL_STR_P999,     PL_STR_GPU_LOAD};

	pl_html_section(html, "latency", PL_STR_LATENCY);
	pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_LATENCY_NOTE));
	pl_charts_latency(html);
	pl_html_table(html, PL_STR_LATENCY, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < html->row_count; i++) {
		const struct pl_row *row = &html->rows[i];

		if (!pl_row_has_series(row))
			continue;
		pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td>",
			pl_row_label(&html->arena, row->slot), path_of(html, row->slot));
		median_cell(html, row->config);
		median_cell(html, row->bar);
		median_cell(html, row->nvme);
		cell(html, row->nvme, row->nvme ? row->nvme->summary.p99_ns : 0.0);
		cell(html, row->nvme, row->nvme ? row->nvme->summary.p999_ns : 0.0);
		median_cell(html, row->gpu);
		pl_html(html, "</tr>\n");
	}
	pl_html_table_end(html);
	pl_html_series(html);
}

static const char *interval_text(struct pl_html *html, const struct pl_measurement *m)
{
	char low[32], high[32];

	if (!pl_series_has_numbers(m) || isnan(m->summary.p50_low_ns))
		return NULL;
	return pl_arena_printf(&html->arena, "%s … %s",
			       pl_fmt_ns(low, sizeof(low), m->summary.p50_low_ns),
			       pl_fmt_ns(high, sizeof(high), m->summary.p50_high_ns));
}

static void series_row(struct pl_html *html, const struct pl_measurement *m)
{
	pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td><td class=\"n\">$</td>",
		pl_series_title(&html->arena, m), pl_html_word(html, pl_outcome_name(m->outcome)),
		pl_arena_printf(&html->arena, "%zu", m->summary.n));
	cell(html, m, m->summary.p50_ns);
	pl_html(html, "<td class=\"n\">$</td>", interval_text(html, m));
	cell(html, m, m->summary.p99_ns);
	cell(html, m, m->summary.p999_ns);
	pl_html(html, "</tr>\n");
}

void pl_html_series(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SERIES, PL_STR_OUTCOME,  PL_STR_SAMPLES,
					      PL_STR_MEDIAN, PL_STR_INTERVAL, PL_STR_P99,
					      PL_STR_P999};

	pl_html_fold(html, PL_STR_SERIES);
	pl_html_table(html, PL_STR_SERIES, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < html->run->measurement_count; i++)
		series_row(html, html->run->measurements[i]);
	pl_html_table_end(html);
	pl_html_fold_end(html);
}

static void effect_row(struct pl_html *html, const struct pl_effect *e)
{
	struct pl_arena *arena = &html->arena;

	pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td><td>$</td>",
		e->slot ? pl_row_label(arena, e->slot) : NULL,
		pl_sentence_effect(e->kind, html->options->lang),
		e->reference_slot ? pl_row_label(arena, e->reference_slot) : NULL,
		pl_probe_name(e->probe));
	pl_html(html, "<td class=\"n\">$</td><td class=\"n\">$</td><td>$</td></tr>\n",
		isnan(e->estimate_ns) ? NULL : pl_sentence_value(arena, e),
		pl_html_word(html, pl_arena_printf(arena, "%zu %s", e->n,
						   e->unit_of_n ? e->unit_of_n : "")),
		e->status == PL_CLAIM_RESOLVED
			? pl_sentence(arena, html->run, e, html->options->lang)
			: pl_sentence_reason(arena, e->reason, html->options->lang));
}

void pl_html_effects(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SLOT,    PL_STR_EFFECT,   PL_STR_REFERENCE,
					      PL_STR_PROBE,   PL_STR_ESTIMATE, PL_STR_SAMPLES,
					      PL_STR_SENTENCE};

	pl_html_fold(html, PL_STR_EFFECTS);
	pl_html_table(html, PL_STR_EFFECTS, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < html->run->effect_count; i++)
		effect_row(html, &html->run->effects[i]);
	pl_html_table_end(html);
	pl_html_fold_end(html);
}

void pl_html_for_scale(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_BOARD, PL_STR_PLACE, PL_STR_GPU_LOAD,
					      PL_STR_HOP_AXIS, PL_STR_RATE};
	struct pl_scale scale = pl_for_scale(&html->arena, html->run);

	if (!scale.count)
		return;
	pl_html_section(html, "for-scale", PL_STR_FOR_SCALE);
	pl_html_table(html, PL_STR_FOR_SCALE, columns, 5);
	for (size_t i = 0; i < scale.count; i++) {
		const struct pl_scale_row *r = &scale.rows[i];

		pl_html(html,
			"<tr><th scope=\"row\">$</th><td>$</td><td class=\"n\">$</td>"
			"<td class=\"n\">$</td><td class=\"n\">$</td></tr>\n",
			r->published ? r->board : pl_html_str(html, PL_STR_THIS_BOARD), r->place,
			r->read, r->adds, r->rate);
	}
	pl_html_table_end(html);
	pl_html(html, "<p>$</p>\n", pl_scale_source(&html->arena));
}
