#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "report/dist.h"
#include "report/out.h"

#define SLOTS_MOST 8 /* one colour and one shape each */

/* Latency over region size, the ladder, and block medians in the order they were taken. */

void pl_charts_region(struct pl_html *html)
{
	json_t *values = json_array();

	for (size_t i = 0; i < html->run->measurement_count; i++) {
		const struct pl_measurement *m = html->run->measurements[i];
		const char *memory = pl_out_short(&html->arena, m->conditions.memory, "");

		if (m->probe != PL_PROBE_GPU || !m->conditions.region_bytes || !m->metric ||
		    strcmp(m->metric, "chase") || !pl_series_has_numbers(m))
			continue;
		json_array_append_new(
			values,
			json_pack("{s:s, s:I, s:f}", "series",
				  pl_arena_printf(
					  &html->arena, "%s %s %s",
					  m->slot ? pl_row_label(&html->arena, m->slot)
						  : pl_out_short(&html->arena, m->subject, "?"),
					  m->metric ? m->metric : "", memory),
				  "bytes", (json_int_t)m->conditions.region_bytes, "ns",
				  m->summary.p50_ns));
	}
	if (json_array_size(values) < 2)
		json_array_clear(values);
	pl_chart_put(html, &(struct pl_chart){"region", "region.json",
					      pl_html_str(html, PL_STR_CHART_REGION),
					      PL_STR_CAPTION_REGION, values});
}

static const struct pl_measurement *rung_of(const struct pl_run *run, const struct pl_slot *slot,
					    size_t rung, unsigned offset)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->probe == PL_PROBE_CONFIG && m->has_device && !m->conditions.gap_ns &&
		    m->conditions.config_offset == offset && pl_series_has_numbers(m) &&
		    pl_bdf_is_equal(m->device, slot->path[rung]))
			return m;
	}
	return NULL;
}

static void ladder_of(struct pl_html *html, const struct pl_slot *slot, unsigned offset,
		      json_t *values)
{
	char bdf[PL_BDF_TEXT];

	for (size_t k = 0; k < slot->path_count; k++) {
		const struct pl_measurement *m = rung_of(html->run, slot, k, offset);

		if (m)
			json_array_append_new(values, json_pack("{s:s, s:i, s:s, s:f}", "slot",
								pl_row_label(&html->arena, slot),
								"rung", (int)k, "function",
								pl_bdf_format(slot->path[k], bdf),
								"ns", m->summary.p50_ns));
	}
}

void pl_charts_ladder(struct pl_html *html)
{
	static const unsigned offsets[] = {0x100, 0};
	bool is_put = false;

	for (size_t k = 0; k < sizeof(offsets) / sizeof(offsets[0]); k++) {
		json_t *values = json_array();
		size_t slots = 0;

		for (size_t i = 0; i < html->row_count; i++)
			if (html->rows[i].slot->device && slots++ < SLOTS_MOST)
				ladder_of(html, html->rows[i].slot, offsets[k], values);
		/* Both classes are in the table; one chart is enough. */
		if (k && is_put)
			json_array_clear(values);
		is_put |= json_array_size(values) > 0;
		pl_chart_put(html, &(struct pl_chart){
					   offsets[k] ? "ladder" : "ladder-offset-0", "ladder.json",
					   pl_html_str(html, offsets[k] ? PL_STR_CHART_LADDER
									: PL_STR_CHART_LADDER_0),
					   PL_STR_CAPTION_LADDER, values});
	}
}

static void blocks_of(struct pl_html *html, const struct pl_slot *slot,
		      const struct pl_measurement *m, json_t *values)
{
	size_t count;
	const struct pl_block_summary *blocks = pl_dist_blocks(&html->arena, m, &count);
	double median = m->summary.p50_ns;

	for (size_t i = 0; blocks && i < count; i++)
		if (isfinite(blocks[i].p50_ns) && median > 0.0)
			json_array_append_new(
				values, json_pack("{s:s, s:i, s:f}", "series",
						  pl_arena_printf(&html->arena, "%s %s",
								  pl_row_label(&html->arena, slot),
								  pl_probe_name(m->probe)),
						  "block", (int)i + 1, "percent",
						  100.0 * (blocks[i].p50_ns / median - 1.0)));
}

void pl_charts_blocks(struct pl_html *html)
{
	json_t *values = json_array();
	bool has_more = false;
	size_t slots = 0;

	for (size_t i = 0; i < html->row_count; i++)
		has_more |= html->rows[i].gpu || html->rows[i].nvme || html->rows[i].bar;
	for (size_t i = 0; i < html->row_count && slots < SLOTS_MOST; i++) {
		const struct pl_row *row = &html->rows[i];
		const struct pl_measurement *m = row->gpu    ? row->gpu
						 : row->nvme ? row->nvme
						 : row->bar  ? row->bar
							     : row->config;

		if (!pl_series_has_numbers(m) || !row->slot->device ||
		    (has_more && m == row->config))
			continue;
		blocks_of(html, row->slot, m, values);
		slots++;
	}
	pl_chart_put(html, &(struct pl_chart){"blocks", "blocks.json",
					      pl_html_str(html, PL_STR_CHART_BLOCKS),
					      PL_STR_CAPTION_BLOCKS, values});
}
