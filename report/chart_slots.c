#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "report/out.h"

/* Bars of the headline series per probe, and what they are made of. */

static const struct pl_measurement *of_row(const struct pl_row *row, enum pl_probe probe)
{
	const struct pl_measurement *const columns[] = {row->config, row->bar, row->nvme, row->gpu};

	return probe <= PL_PROBE_GPU ? columns[probe] : NULL;
}

static double or_else(double value, double other)
{
	return isfinite(value) ? value : other;
}

static json_t *bar_of(struct pl_html *html, const struct pl_slot *slot,
		      const struct pl_measurement *m)
{
	const struct pl_summary *s = &m->summary;

	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "slot", pl_row_label(&html->arena, slot),
			 "group", pl_row_path(&html->arena, slot), "ns", s->p50_ns, "low",
			 or_else(s->p50_low_ns, s->p50_ns), "high",
			 or_else(s->p50_high_ns, s->p50_ns), "label",
			 pl_row_ns(&html->arena, s->p50_ns));
}

void pl_charts_latency(struct pl_html *html)
{
	static const struct {
		enum pl_probe probe;
		const char *id;
		enum pl_str title;
	} charts[] = {{PL_PROBE_GPU, "latency-gpu", PL_STR_CHART_GPU},
		      {PL_PROBE_NVME, "latency-nvme", PL_STR_CHART_NVME},
		      {PL_PROBE_BAR, "latency-bar", PL_STR_CHART_BAR},
		      {PL_PROBE_CONFIG, "latency-config", PL_STR_CHART_CONFIG}};

	for (size_t c = 0; c < sizeof(charts) / sizeof(charts[0]); c++) {
		json_t *values = json_array();

		for (size_t i = 0; i < html->row_count; i++) {
			const struct pl_measurement *m = of_row(&html->rows[i], charts[c].probe);

			if (pl_series_has_numbers(m))
				json_array_append_new(values, bar_of(html, html->rows[i].slot, m));
		}
		pl_chart_put(html, &(struct pl_chart){charts[c].id, "bars.json",
						      pl_html_str(html, charts[c].title),
						      PL_STR_CAPTION_BARS, values});
	}
}

/* ---- where the time goes ---- */

static json_t *part_of(struct pl_html *html, const struct pl_effect *e, enum pl_str part, double ns,
		       double end, unsigned order)
{
	return json_pack("{s:s, s:s, s:f, s:f, s:i, s:s}", "slot",
			 pl_row_label(&html->arena, e->slot), "part", pl_html_str(html, part), "ns",
			 ns, "end", end, "order", (int)order, "label",
			 order ? pl_arena_printf(&html->arena, "+%s",
						 pl_row_ns(&html->arena, e->estimate_ns))
			       : "");
}

static const struct pl_measurement *headline(struct pl_html *html, const struct pl_effect *e)
{
	for (size_t i = 0; i < html->row_count; i++)
		if (html->rows[i].slot == e->slot)
			return of_row(&html->rows[i], e->probe);
	return NULL;
}

/* ns: the median of the slot is the path through the CPU plus what the hop adds. */
static void hop_parts(struct pl_html *html)
{
	json_t *values = json_array();

	for (size_t i = 0; i < html->run->effect_count; i++) {
		const struct pl_effect *e = &html->run->effects[i];
		const struct pl_measurement *m;
		double base;

		if (e->kind != PL_EFFECT_HOP || e->status != PL_CLAIM_RESOLVED || !e->slot ||
		    e->probe == PL_PROBE_NVME)
			continue;
		m = headline(html, e);
		base = pl_series_has_numbers(m) ? m->summary.p50_ns - e->estimate_ns : -1.0;
		if (base <= 0.0 || e->estimate_ns <= 0.0)
			continue;
		json_array_append_new(values, part_of(html, e, PL_STR_PART_BASE, base, base, 0));
		json_array_append_new(values, part_of(html, e, PL_STR_PART_HOP, e->estimate_ns,
						      base + e->estimate_ns, 1));
	}
	pl_chart_put(html, &(struct pl_chart){"parts", "stack.json",
					      pl_html_str(html, PL_STR_CHART_PARTS),
					      PL_STR_CAPTION_PARTS, values});
}

/* Exits are µs: a chart of their own, never beside ns on one axis. */
static void exits(struct pl_html *html)
{
	json_t *values = json_array();

	for (size_t i = 0; i < html->run->effect_count; i++) {
		const struct pl_effect *e = &html->run->effects[i];

		if ((e->kind != PL_EFFECT_EXIT && e->kind != PL_EFFECT_EXIT_IN_COMMAND) ||
		    e->status != PL_CLAIM_RESOLVED || !e->slot)
			continue;
		json_array_append_new(
			values, json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "slot",
					  pl_row_label(&html->arena, e->slot), "group",
					  pl_chart_state(html, e->state), "ns", e->estimate_ns,
					  "low", or_else(e->low_ns, e->estimate_ns), "high",
					  or_else(e->high_ns, e->estimate_ns), "label",
					  pl_row_ns(&html->arena, e->estimate_ns)));
	}
	pl_chart_put(html,
		     &(struct pl_chart){"exits", "bars.json", pl_html_str(html, PL_STR_CHART_EXITS),
					PL_STR_CAPTION_EXITS, values});
}

void pl_charts_parts(struct pl_html *html)
{
	hop_parts(html);
	exits(html);
}
