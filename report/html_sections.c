#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"

#include "report/assets.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/out.h"
#include "report/report.h"
#include "report/sentence.h"

/* The verdict, the test system, and the sections that are a chart and its table. */

#define VERDICTS_MOST 4

/* What a reader wants first: hops, then exits, then the rest. Config steps are in the ladder. */
static unsigned rank_of(const struct pl_effect *e)
{
	static const unsigned ranks[] = {[PL_EFFECT_HOP] = 1,
					 [PL_EFFECT_EXIT] = 2,
					 [PL_EFFECT_EXIT_IN_COMMAND] = 3,
					 [PL_EFFECT_TAIL] = 4,
					 [PL_EFFECT_ENTRY_TIMER] = 5,
					 [PL_EFFECT_CHAIN] = 6,
					 [PL_EFFECT_PREWOKEN] = 7,
					 [PL_EFFECT_APST] = 8,
					 [PL_EFFECT_CONFIG_STEP] = 0};

	return e->status == PL_CLAIM_RESOLVED ? ranks[e->kind] : 0;
}

static size_t put_ranked(struct pl_html *html, unsigned rank, size_t from, size_t to, size_t at,
			 const char *markup)
{
	for (size_t i = 0; i < html->run->effect_count; i++) {
		const struct pl_effect *e = &html->run->effects[i];

		if (rank_of(e) != rank || !pl_effect_is_headline(html->run, i))
			continue;
		if (at >= from && at < to)
			pl_html(html, markup,
				pl_sentence(&html->arena, html->run, e, html->options->lang));
		at++;
	}
	return at;
}

static size_t put_verdicts(struct pl_html *html, size_t from, size_t to, const char *markup)
{
	size_t at = 0;

	for (unsigned rank = 1; rank <= 6; rank++)
		at = put_ranked(html, rank, from, to, at, markup);
	return at;
}

void pl_html_verdict(struct pl_html *html)
{
	size_t count;

	pl_html(html,
		"<section class=\"verdict\" aria-labelledby=\"verdict\">"
		"<h2 id=\"verdict\">$</h2>\n",
		pl_html_str(html, PL_STR_VERDICT));
	count = put_verdicts(html, 0, VERDICTS_MOST, "<p>$</p>\n");
	if (!count)
		pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_NO_VERDICT));
	if (count > VERDICTS_MOST) {
		pl_html(html, "<details><summary>$</summary><ul>",
			pl_html_str(html, PL_STR_MORE_CLAIMS));
		put_verdicts(html, VERDICTS_MOST, count, "<li>$</li>\n");
		pl_html(html, "</ul></details>");
	}
	pl_html(html, "</section>\n");
}

/* As Markdown, because that is what gets pasted. */
void pl_html_system(struct pl_html *html)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	pl_markdown_system(html->run, html->options->lang, memory);
	fclose(memory);
	pl_html(html, "<details><summary>$</summary><pre id=\"test-system\">",
		pl_html_str(html, PL_STR_TEST_SYSTEM));
	pl_html_lines(html, text, size);
	pl_html(html, "</pre><p class=\"screen\" data-copies=\"test-system\"></p></details>\n");
	free(text);
}

void pl_html_where(struct pl_html *html)
{
	if (!html->run->effect_count)
		return;
	pl_html_section(html, "where", PL_STR_WHERE);
	pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_WHERE_NOTE));
	pl_charts_parts(html);
	pl_charts_exits(html);
	pl_html_effects(html);
}

/* How well a claim stands for the exit of its slot; 0: not at all, as a rung on the way to it. */
static unsigned fitness(const struct pl_run *run, size_t index)
{
	const struct pl_effect *e = &run->effects[index];

	if (e->kind != PL_EFFECT_EXIT)
		return 0;
	if (e->status != PL_CLAIM_RESOLVED)
		return 1;
	if (!pl_effect_is_headline(run, index))
		return 0;
	return pl_state_is_same(e->state, NULL) ? 3 : 2;
}

/* The claim that the verdict tells, so that both say the same; else why there is none. */
static const struct pl_effect *exit_of(const struct pl_run *run, const struct pl_slot *slot)
{
	const struct pl_effect *found = NULL;
	unsigned best = 0;

	for (size_t i = 0; i < run->effect_count; i++) {
		if (run->effects[i].slot != slot || fitness(run, i) <= best)
			continue;
		best = fitness(run, i);
		found = &run->effects[i];
	}
	return found;
}

/* With the bounds it was judged by: those of all links that were woken, not of one. */
static const char *judgement(struct pl_html *html, const struct pl_effect *e)
{
	const char *range = pl_sentence_advertised(&html->arena, e);

	if (!e->verdict)
		return "–";
	return range ? pl_arena_printf(&html->arena, "%s (%s)", pl_html_word(html, e->verdict),
				       range)
		     : pl_html_word(html, e->verdict);
}

static const char *known_ns(struct pl_html *html, int64_t ns)
{
	return ns < 0 ? NULL
		      : pl_arena_printf(&html->arena, "≤ %s", pl_row_ns(&html->arena, (double)ns));
}

static void advertised_row(struct pl_html *html, const struct pl_slot *slot)
{
	const struct pl_effect *e = exit_of(html->run, slot);
	const char *l0s = known_ns(html, slot->link.l0s_exit_ns);
	const char *l1 = known_ns(html, slot->link.l1_exit_ns);

	pl_html(html, "<tr><th scope=\"row\">$</th><td>L0s $, L1 $</td><td>$</td><td>$</td></tr>\n",
		pl_row_label(&html->arena, slot), l0s, l1,
		e && e->status == PL_CLAIM_RESOLVED ? pl_sentence_value(&html->arena, e) : NULL,
		!e ? pl_html_str(html, PL_STR_NOT_MEASURED)
		: e->status == PL_CLAIM_RESOLVED
			? judgement(html, e)
			: pl_sentence_reason(&html->arena, e->reason, html->options->lang));
}

void pl_html_states(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_SLOT, PL_STR_ADVERTISED_EXIT,
					      PL_STR_MEASURED_EXIT, PL_STR_JUDGEMENT};

	pl_html_section(html, "states", PL_STR_STATES);
	pl_charts_states(html);
	pl_html(html, "<h3>$</h3>\n", pl_html_str(html, PL_STR_ADVERTISED));
	pl_html_table(html, PL_STR_ADVERTISED, columns, 4);
	for (size_t i = 0; i < html->row_count; i++)
		if (html->rows[i].slot->link.is_present)
			advertised_row(html, html->rows[i].slot);
	pl_html_table_end(html);
}

/* bytes / ns = GB/s (10^9 bytes). */
static const char *rate_text(struct pl_html *html, const struct pl_measurement *m)
{
	bool is_rate = m->metric && (!strcmp(m->metric, "read") || !strncmp(m->metric, "copy", 4));

	if (!is_rate || !(m->summary.p50_ns > 0.0))
		return NULL;
	return pl_arena_printf(&html->arena, "%.1f GB/s",
			       (double)m->conditions.region_bytes / m->summary.p50_ns);
}

static void gpu_row(struct pl_html *html, const struct pl_measurement *m)
{
	struct pl_arena *arena = &html->arena;
	char size[32];

	pl_html(html, "<tr><th scope=\"row\">$ $</th><td>$</td><td class=\"n\">$</td>",
		m->slot ? pl_row_label(arena, m->slot) : pl_out_short(arena, m->subject, "?"),
		m->metric, pl_out_short(arena, m->conditions.memory, NULL),
		pl_fmt_bytes(size, sizeof(size), m->conditions.region_bytes));
	pl_html(html, "<td class=\"n\">$</td><td class=\"n\">$</td></tr>\n",
		pl_html_ns(html, m, m->summary.p50_ns), rate_text(html, m));
}

static void gpu_table(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_METRIC, PL_STR_MEMORY, PL_STR_SIZE,
					      PL_STR_MEDIAN, PL_STR_RATE};
	const struct pl_run *run = html->run;
	size_t rows = 0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		if (run->measurements[i]->probe != PL_PROBE_GPU ||
		    !pl_series_has_numbers(run->measurements[i]))
			continue;
		if (!rows++)
			pl_html_table(html, PL_STR_REGION, columns,
				      sizeof(columns) / sizeof(columns[0]));
		gpu_row(html, run->measurements[i]);
	}
	if (rows)
		pl_html_table_end(html);
}

void pl_html_region(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_NAME, PL_STR_KIND, PL_STR_DRIVER, PL_STR_NOTE};
	const struct pl_run *run = html->run;

	if (!run->gpu_count)
		return;
	pl_html_section(html, "gpu", PL_STR_REGION);
	pl_charts_region(html);
	gpu_table(html);
	pl_html_table(html, PL_STR_GPU_DEVICES, columns, 4);
	for (size_t i = 0; i < run->gpu_count; i++)
		pl_html(html, "<tr><th scope=\"row\">$</th><td>$</td><td>$</td><td>$</td></tr>\n",
			pl_out_short(&html->arena, run->gpus[i].name, NULL),
			pl_gpu_kind_name(run->gpus[i].kind),
			pl_out_short(&html->arena, run->gpus[i].driver, NULL),
			pl_out_short(&html->arena, run->gpus[i].no_path_reason, NULL));
	pl_html_table_end(html);
}

static void rung_row(struct pl_html *html, const struct pl_measurement *m)
{
	const struct pl_summary *s = &m->summary;
	char bdf[PL_BDF_TEXT];

	pl_html(html, "<tr><th scope=\"row\">$ $</th><td>$</td>",
		m->slot ? pl_row_label(&html->arena, m->slot) : "", pl_bdf_format(m->device, bdf),
		pl_arena_printf(&html->arena, "0x%x", m->conditions.config_offset));
	pl_html(html,
		"<td class=\"n\">$</td><td class=\"n\">$</td><td class=\"n\">$</td>"
		"<td class=\"n\">$</td><td class=\"n\">$</td></tr>\n",
		pl_html_ns(html, m, s->min_ns), pl_html_ns(html, m, s->p50_ns),
		pl_html_ns(html, m, s->p90_ns), pl_html_ns(html, m, s->p99_ns),
		pl_arena_printf(&html->arena, "%zu", s->n));
}

void pl_html_ladder(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_FUNCTION, PL_STR_OFFSET, PL_STR_MIN,
					      PL_STR_MEDIAN,   PL_STR_P90,    PL_STR_P99,
					      PL_STR_SAMPLES};
	const struct pl_run *run = html->run;

	pl_html_section(html, "ladder", PL_STR_LADDER);
	pl_charts_ladder(html);
	pl_html_fold(html, PL_STR_LADDER_TABLE);
	pl_html_table(html, PL_STR_LADDER, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->probe == PL_PROBE_CONFIG &&
		    run->measurements[i]->has_device && !run->measurements[i]->conditions.gap_ns)
			rung_row(html, run->measurements[i]);
	pl_html_table_end(html);
	pl_html_fold_end(html);
}

void pl_html_method(struct pl_html *html)
{
	pl_html_section(html, "method", PL_STR_METHOD);
	pl_html(html, "<ol>\n");
	for (unsigned i = 0; i < 8; i++)
		pl_html(html, "<li>$</li>\n", pl_html_str(html, PL_STR_METHOD_1 + i));
	pl_html(html, "</ol>\n");
}

void pl_html_notices(struct pl_html *html)
{
	const struct pl_asset *notices = pl_asset_notices();

	if (!html->charts || !notices)
		return;
	pl_html(html, "<details><summary>$</summary><pre>\n", pl_html_str(html, PL_STR_NOTICES));
	pl_html_lines(html, notices->start, (size_t)(notices->end - notices->start));
	pl_html(html, "</pre></details>\n");
}
