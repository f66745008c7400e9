#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/out.h"
#include "report/sentence.h"

/* Bars of the headline series per probe, and what waking the link adds. */

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
			 "group", pl_html_word(html, pl_row_chips(&html->arena, slot)), "ns",
			 s->p50_ns, "low", or_else(s->p50_low_ns, s->p50_ns), "high",
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

/* ---- exits ---- */

/* Registers and media before rungs of a ladder: what a reader knows. */
static unsigned exit_rank(const struct pl_effect *e)
{
	static const unsigned ranks[] = {[PL_PROBE_CONFIG] = 1,
					 [PL_PROBE_BAR] = 2,
					 [PL_PROBE_NVME] = 3,
					 [PL_PROBE_GPU] = 4,
					 [PL_PROBE_NET] = 0};

	return e->kind == PL_EFFECT_EXIT && e->status == PL_CLAIM_RESOLVED && e->slot
		       ? ranks[e->probe]
		       : 0;
}

static bool is_same_exit(const struct pl_effect *a, const struct pl_effect *b)
{
	return a->slot == b->slot && pl_state_is_same(a->state, b->state);
}

/* One bar per slot and state: of the best kind of access, the first claim. */
static bool is_exit_shown(const struct pl_run *run, size_t index)
{
	const struct pl_effect *e = &run->effects[index];

	if (!exit_rank(e) || !pl_effect_is_headline(run, index))
		return false;
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *other = &run->effects[i];

		if (i == index || !is_same_exit(e, other) || !pl_effect_is_headline(run, i))
			continue;
		if (exit_rank(other) > exit_rank(e) ||
		    (exit_rank(other) == exit_rank(e) && i < index))
			return false;
	}
	return true;
}

static json_t *exit_of(struct pl_html *html, const struct pl_effect *e)
{
	struct pl_arena *arena = &html->arena;
	const char *label = pl_arena_printf(arena, "%s (%s)", pl_row_ns(arena, e->estimate_ns),
					    pl_sentence_access(e->probe, html->options->lang));

	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "slot", pl_row_label(arena, e->slot),
			 "group", pl_chart_state(html, e->state), "ns", e->estimate_ns, "low",
			 or_else(e->low_ns, e->estimate_ns), "high",
			 or_else(e->high_ns, e->estimate_ns), "label", label);
}

/* Exits are µs: a chart of their own, never beside ns on one axis. */
void pl_charts_exits(struct pl_html *html)
{
	json_t *values = json_array();

	for (size_t i = 0; i < html->run->effect_count; i++)
		if (is_exit_shown(html->run, i))
			json_array_append_new(values, exit_of(html, &html->run->effects[i]));
	pl_chart_put(html, &(struct pl_chart){"exits", "exits.json",
					      pl_html_str(html, PL_STR_CHART_EXITS),
					      PL_STR_CAPTION_EXITS, values});
}
