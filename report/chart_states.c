#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "model/state.h"
#include "report/dist.h"
#include "report/out.h"

/*
 * What link power states do: medians by slot and state, latency over idle gap, tails. NVMe series
 * are shown where there are any, else the BAR or configuration reads of the endpoint.
 */
#define SLOTS_MOST 6    /* charts of one kind; more slots are in the tables */
#define POINTS_MOST 120 /* of one tail */

/* One access per chart: none of the other reads and commands of a drive, and at gap 0 not the
 * repeated block beside the random one. */
static bool is_usual_read(const struct pl_measurement *m)
{
	return m->probe != PL_PROBE_NVME || (m->metric && !strcmp(m->metric, "read_4k") &&
					     (m->conditions.gap_ns || !m->conditions.pattern ||
					      !strcmp(m->conditions.pattern, "random")));
}

/* One curve per state: what stands beside the grid (slept, woken first, drive states held) has no
 * place in it. */
static bool is_shown(const struct pl_measurement *m, const struct pl_slot *slot,
		     enum pl_probe probe)
{
	return m->slot == slot && m->probe == probe && pl_series_has_numbers(m) &&
	       is_usual_read(m) && (probe != PL_PROBE_CONFIG || pl_series_is_endpoint(m)) &&
	       m->conditions.queue_depth <= 1 &&
	       (probe != PL_PROBE_GPU || pl_series_is_host_read(m)) &&
	       (!m->conditions.size_bytes || m->conditions.size_bytes == 4096 ||
		probe != PL_PROBE_NVME) &&
	       !m->conditions.prewake && !m->conditions.apst && !m->conditions.burst &&
	       !(m->conditions.idle && !strcmp(m->conditions.idle, "slept"));
}

static enum pl_probe probe_of(const struct pl_run *run, const struct pl_slot *slot)
{
	static const enum pl_probe order[] = {PL_PROBE_NVME, PL_PROBE_GPU, PL_PROBE_BAR};

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (size_t i = 0; i < run->measurement_count; i++)
			if (is_shown(run->measurements[i], slot, order[k]))
				return order[k];
	return PL_PROBE_CONFIG;
}

/* The largest gap at which some state of the slot was measured. */
static uint64_t widest_gap(const struct pl_run *run, const struct pl_slot *slot,
			   enum pl_probe probe)
{
	uint64_t gap = 0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (is_shown(m, slot, probe) && m->conditions.gap_ns > gap)
			gap = m->conditions.gap_ns;
	}
	return gap;
}

/* A slot of one state says nothing about states, and may be another kind of access. */
static bool has_two_states(const struct pl_run *run, const struct pl_slot *slot,
			   enum pl_probe probe, uint64_t gap)
{
	const struct pl_measurement *first = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (!is_shown(m, slot, probe) || m->conditions.gap_ns != gap)
			continue;
		if (first && !pl_state_is_same(first->conditions.state, m->conditions.state))
			return true;
		first = first ? first : m;
	}
	return false;
}

static void heat_row(struct pl_html *html, const struct pl_slot *slot, json_t *values,
		     double *highest)
{
	enum pl_probe probe = probe_of(html->run, slot);
	uint64_t gap = widest_gap(html->run, slot, probe);

	if (!has_two_states(html->run, slot, probe, gap))
		return;
	for (size_t i = 0; i < html->run->measurement_count; i++) {
		const struct pl_measurement *m = html->run->measurements[i];

		if (!is_shown(m, slot, probe) || m->conditions.gap_ns != gap)
			continue;
		*highest = fmax(*highest, m->summary.p50_ns);
		json_array_append_new(values,
				      json_pack("{s:s, s:s, s:f, s:s}", "slot",
						pl_row_label(&html->arena, slot), "state",
						pl_chart_state(html, m->conditions.state), "ns",
						m->summary.p50_ns, "label",
						pl_row_ns(&html->arena, m->summary.p50_ns)));
	}
}

/* Text is white on the dark end of the scheme: above the geometric middle. */
static void mark_dark(json_t *values, double highest)
{
	double lowest = highest;

	for (size_t i = 0; i < json_array_size(values); i++)
		lowest = fmin(lowest,
			      json_number_value(json_object_get(json_array_get(values, i), "ns")));
	for (size_t i = 0; i < json_array_size(values); i++) {
		json_t *item = json_array_get(values, i);
		double ns = json_number_value(json_object_get(item, "ns"));

		json_object_set_new(item, "dark",
				    json_boolean(ns > pow(lowest, 0.4) * pow(highest, 0.6)));
	}
}

static void heat(struct pl_html *html)
{
	json_t *values = json_array();
	double highest = 0.0;

	for (size_t i = 0; i < html->row_count; i++)
		if (pl_row_has_series(&html->rows[i]))
			heat_row(html, html->rows[i].slot, values, &highest);
	mark_dark(values, highest);
	pl_chart_put(html, &(struct pl_chart){"states", "heat.json",
					      pl_html_str(html, PL_STR_CHART_STATES),
					      PL_STR_CAPTION_STATES, values});
}

static const char *numbered(struct pl_html *html, const char *name, size_t row)
{
	return pl_arena_printf(&html->arena, "%s-%zu", name, row + 1);
}

static const char *titled(struct pl_html *html, enum pl_str title, const struct pl_slot *slot)
{
	return pl_arena_printf(&html->arena, "%s: %s", pl_row_label(&html->arena, slot),
			       pl_html_str(html, title));
}

static bool over_gaps(struct pl_html *html, size_t row)
{
	const struct pl_slot *slot = html->rows[row].slot;
	enum pl_probe probe = probe_of(html->run, slot);
	json_t *values = json_array();

	for (size_t i = 0; i < html->run->measurement_count; i++) {
		const struct pl_measurement *m = html->run->measurements[i];

		if (!is_shown(m, slot, probe) || !m->conditions.gap_ns)
			continue;
		json_array_append_new(values, json_pack("{s:s, s:I, s:f}", "series",
							pl_chart_state(html, m->conditions.state),
							"gap", (json_int_t)m->conditions.gap_ns,
							"ns", m->summary.p50_ns));
	}
	if (json_array_size(values) < 3)
		json_array_clear(values);
	bool is_put = json_array_size(values) > 0;

	pl_chart_put(html, &(struct pl_chart){numbered(html, "gap", row), "gap.json",
					      titled(html, PL_STR_CHART_GAP, slot),
					      PL_STR_CAPTION_GAP, values});
	return is_put;
}

/* Points of P(latency > x) at the upper ends of bins, thinned to POINTS_MOST. */
static void tail_of(struct pl_html *html, const struct pl_measurement *m, json_t *values)
{
	size_t count;
	const struct pl_bin *bins = pl_dist_bins(&html->arena, m, &count);
	size_t step = count / POINTS_MOST + 1;
	uint64_t above = 0;

	for (size_t i = 0; i < count; i++)
		above += bins[i].count;
	for (size_t i = 0; i < count; i++) {
		above -= bins[i].count;
		if (!above || (i % step && i + 1 < count))
			continue;
		json_array_append_new(values, json_pack("{s:s, s:f, s:f}", "series",
							pl_chart_state(html, m->conditions.state),
							"ns", bins[i].high_ns, "p",
							(double)above / (double)m->summary.n));
	}
}

static bool tails(struct pl_html *html, size_t row)
{
	const struct pl_slot *slot = html->rows[row].slot;
	enum pl_probe probe = probe_of(html->run, slot);
	uint64_t gap = widest_gap(html->run, slot, probe);
	json_t *values = json_array();
	bool is_put;

	for (size_t i = 0; i < html->run->measurement_count; i++) {
		const struct pl_measurement *m = html->run->measurements[i];

		if (is_shown(m, slot, probe) && m->conditions.gap_ns == gap && m->summary.n >= 1000)
			tail_of(html, m, values);
	}
	is_put = json_array_size(values) > 0;
	pl_chart_put(html, &(struct pl_chart){numbered(html, "tail", row), "ccdf.json",
					      titled(html, PL_STR_CHART_TAIL, slot),
					      PL_STR_CAPTION_TAIL, values});
	return is_put;
}

/* One curve of configuration reads in one state is in the tables already. */
static bool says_something(const struct pl_html *html, const struct pl_slot *slot)
{
	enum pl_probe probe = probe_of(html->run, slot);

	return probe != PL_PROBE_CONFIG ||
	       has_two_states(html->run, slot, probe, widest_gap(html->run, slot, probe));
}

static void per_slot(struct pl_html *html, bool (*put)(struct pl_html *, size_t))
{
	size_t charts = 0;

	for (size_t i = 0; i < html->row_count && charts < SLOTS_MOST; i++)
		if (pl_row_has_series(&html->rows[i]) && says_something(html, html->rows[i].slot))
			charts += put(html, i);
}

void pl_charts_states(struct pl_html *html)
{
	heat(html);
	per_slot(html, over_gaps);
	per_slot(html, tails);
}
