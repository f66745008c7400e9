#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

#include "report/for_scale.h"
#include "report/out.h"

/*
 * Boards on one chart: this board, the other files, and published figures. Only one kind of access
 * may share an axis: GPU reads where any board has them, else NVMe reads (nothing is published).
 */
struct bar {
	const char *board, *label;
	enum pl_str kind;
	double ns, low, high;
};

struct bars {
	struct pl_html *html;
	struct bar *items;
	size_t count, capacity;
};

static void add(struct bars *bars, const struct bar *bar)
{
	void *items = bars->items;

	*(struct bar *)pl_arena_push(&bars->html->arena, &items, &bars->count, &bars->capacity,
				     sizeof(*bar)) = *bar;
	bars->items = items;
}

static void add_run(struct bars *bars, const struct pl_run *run, enum pl_probe probe,
		    enum pl_str kind)
{
	struct pl_arena *arena = &bars->html->arena;

	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		if (e->kind != PL_EFFECT_HOP || e->probe != probe || !e->slot ||
		    !pl_effect_is_headline(run, i))
			continue;
		add(bars,
		    &(struct bar){pl_arena_printf(arena, "%s %s",
						  pl_out_short(arena, run->machine.board_name, "?"),
						  pl_row_label(arena, e->slot)),
				  pl_row_ns(arena, e->estimate_ns), kind, e->estimate_ns,
				  isfinite(e->low_ns) ? e->low_ns : e->estimate_ns,
				  isfinite(e->high_ns) ? e->high_ns : e->estimate_ns});
	}
}

static void add_all(struct bars *bars, enum pl_probe probe)
{
	const struct pl_html_options *options = bars->html->options;

	add_run(bars, bars->html->run, probe, PL_STR_THIS_BOARD);
	for (size_t i = 0; i < options->other_count; i++)
		add_run(bars, options->others[i], probe, PL_STR_OTHER_FILE);
}

static void add_published(struct bars *bars)
{
	struct pl_arena *arena = &bars->html->arena;

	size_t count;
	const struct pl_published *table = pl_published_gpu(&count);

	for (size_t i = 0; i < count; i++) {
		const struct pl_published *p = &table[i];

		if (isnan(p->adds_ns))
			continue;
		add(bars, &(struct bar){pl_arena_printf(arena, "%s, %s", p->board, p->place),
					pl_row_ns(arena, p->adds_ns), PL_STR_PUBLISHED, p->adds_ns,
					p->adds_ns, p->adds_ns});
	}
}

static int by_ns(const void *a, const void *b)
{
	double x = ((const struct bar *)a)->ns, y = ((const struct bar *)b)->ns;

	return (x > y) - (x < y);
}

static json_t *values_of(const struct bars *bars)
{
	json_t *values = json_array();

	for (size_t i = 0; i < bars->count; i++) {
		const struct bar *b = &bars->items[i];

		json_array_append_new(
			values, json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "board", b->board,
					  "kind", pl_html_str(bars->html, b->kind), "ns", b->ns,
					  "low", b->low, "high", b->high, "label", b->label));
	}
	return values;
}

static void table(const struct bars *bars)
{
	static const enum pl_str columns[] = {PL_STR_BOARD, PL_STR_SOURCE, PL_STR_HOP_AXIS,
					      PL_STR_INTERVAL};
	struct pl_html *html = bars->html;
	struct pl_arena *arena = &html->arena;
	bool has_published = false;

	pl_html_table(html, PL_STR_COMPARE, columns, 4);
	for (size_t i = 0; i < bars->count; i++) {
		const struct bar *b = &bars->items[i];

		has_published |= b->kind == PL_STR_PUBLISHED;
		pl_html(html,
			"<tr><th scope=\"row\">$</th><td>$</td><td class=\"n\">$</td>"
			"<td class=\"n\">$</td></tr>\n",
			b->board, pl_html_str(html, b->kind), b->label,
			b->low < b->high
				? pl_arena_printf(arena, "%s … %s", pl_row_ns(arena, b->low),
						  pl_row_ns(arena, b->high))
				: NULL);
	}
	pl_html_table_end(html);
	if (has_published)
		pl_html(html, "<p>$</p>\n", pl_scale_source(arena));
}

void pl_charts_compare(struct pl_html *html)
{
	struct bars bars = {.html = html};

	add_all(&bars, PL_PROBE_GPU);
	if (bars.count)
		add_published(&bars);
	else
		add_all(&bars, PL_PROBE_NVME);
	if (!bars.count || (bars.count == 1 && !html->options->other_count))
		return;
	qsort(bars.items, bars.count, sizeof(*bars.items), by_ns);
	pl_html_section(html, "compare", PL_STR_COMPARE);
	pl_chart_put(html, &(struct pl_chart){"compare", "compare.json",
					      pl_html_str(html, PL_STR_CHART_COMPARE),
					      PL_STR_CAPTION_COMPARE, values_of(&bars)});
	table(&bars);
}
