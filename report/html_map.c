#include <string.h>

#include "report/html.h"
#include "report/out.h"
#include "report/text.h"

/*
 * The slot map: a tree from the CPU over the chips of via[] to the slots, drawn as SVG. Slots are
 * lines from top to bottom, a chip stands beside the middle of its slots, depth goes right.
 */
#define ROW_PX 56
#define COLUMN_PX 254
#define BOX_PX 176
#define BOX_HEIGHT_PX 40

struct node {
	const struct pl_via *via; /* NULL: the CPU */
	struct node *parent;
	unsigned depth;
	unsigned first_row, last_row;
};

struct map {
	struct pl_html *html;
	struct node *nodes;
	size_t node_count;
	struct node **leaf_parents; /* of each row */
	unsigned depth;             /* the deepest chip */
};

static bool is_same_chip(const struct pl_via *a, const struct pl_via *b)
{
	return a->kind == b->kind && pl_bdf_is_equal(a->bdf, b->bdf) &&
	       a->vendor_id == b->vendor_id && a->device_id == b->device_id;
}

static struct node *child_of(struct map *map, struct node *parent, const struct pl_via *via,
			     unsigned row)
{
	struct node *node;

	for (size_t i = 1; i < map->node_count; i++) {
		node = &map->nodes[i];
		if (node->parent == parent && is_same_chip(node->via, via))
			return node;
	}
	node = &map->nodes[map->node_count++];
	*node = (struct node){via, parent, parent->depth + 1, row, row};
	map->depth = node->depth > map->depth ? node->depth : map->depth;
	return node;
}

static void build(struct map *map)
{
	struct pl_html *html = map->html;
	size_t most = 1;

	for (size_t i = 0; i < html->row_count; i++)
		most += html->rows[i].slot->via_count;
	map->nodes = pl_arena_array(&html->arena, most, sizeof(*map->nodes));
	map->leaf_parents = pl_arena_array(&html->arena, html->row_count, sizeof(struct node *));
	map->node_count = 1;
	for (unsigned row = 0; row < html->row_count; row++) {
		const struct pl_slot *slot = html->rows[row].slot;
		struct node *at = map->nodes;

		at->last_row = row;
		for (size_t k = 0; k < slot->via_count; k++) {
			at = child_of(map, at, &slot->via[k], row);
			at->last_row = row;
		}
		map->leaf_parents[row] = at;
	}
}

static const char *number(struct map *map, unsigned value)
{
	return pl_arena_printf(&map->html->arena, "%u", value);
}

static unsigned middle_of(const struct node *node)
{
	return (node->first_row + node->last_row) * ROW_PX / 2 + ROW_PX / 2;
}

static void draw_edge(struct map *map, const struct node *from, unsigned x, unsigned y,
		      const char *text)
{
	unsigned x0 = from->depth * COLUMN_PX + BOX_PX, y0 = middle_of(from);
	unsigned bend = x0 + 12;

	pl_html(map->html, "<path d=\"M$ $H$V$H$\"/>", number(map, x0), number(map, y0),
		number(map, bend), number(map, y), number(map, x));
	pl_html(map->html, "<text class=\"s\" x=\"$\" y=\"$\" text-anchor=\"end\">$</text>",
		number(map, x - 6), number(map, y - 5), text);
}

static void draw_box(struct map *map, const char *class_name, unsigned x, unsigned y,
		     const char *title, const char *detail)
{
	struct pl_arena *arena = &map->html->arena;

	pl_html(map->html,
		"<g class=\"$\"><rect x=\"$\" y=\"$\" width=\"$\" height=\"$\" rx=\"4\"/>",
		class_name, number(map, x), number(map, y - BOX_HEIGHT_PX / 2), number(map, BOX_PX),
		number(map, BOX_HEIGHT_PX));
	pl_html(map->html, "<text x=\"$\" y=\"$\">$</text>", number(map, x + 8),
		number(map, *detail ? y - 3 : y + 4), pl_text_cut(arena, title, 20));
	if (*detail)
		pl_html(map->html, "<text class=\"s\" x=\"$\" y=\"$\">$</text>", number(map, x + 8),
			number(map, y + 13), pl_text_cut(arena, detail, 23));
	pl_html(map->html, "</g>\n");
}

static bool is_on_a_path(const struct pl_html *html, struct pl_bdf bdf)
{
	for (size_t i = 0; i < html->row_count; i++)
		for (size_t k = 0; k < html->rows[i].slot->path_count; k++)
			if (pl_bdf_is_equal(html->rows[i].slot->path[k], bdf))
				return true;
	return false;
}

/* Of the link above a chip: DMI and its like show no registers, and no port of their own. */
static const char *edge_text(struct pl_html *html, const struct pl_via *via)
{
	const char *text = pl_row_speed(&html->arena, via->speed_mts, via->width);

	if (text)
		return text;
	return is_on_a_path(html, via->bdf) ? "" : pl_html_str(html, PL_STR_MAP_HIDDEN);
}

static void draw_chips(struct map *map)
{
	for (size_t i = 0; i < map->node_count; i++) {
		const struct node *node = &map->nodes[i];
		unsigned x = node->depth * COLUMN_PX, y = middle_of(node);

		if (node->parent)
			draw_edge(map, node->parent, x, y, edge_text(map->html, node->via));
		draw_box(map, "chip", x, y,
			 node->via ? pl_out_short(&map->html->arena, node->via->name, "?") : "CPU",
			 node->via ? pl_html_word(map->html, pl_via_kind_name(node->via->kind))
				   : "");
	}
}

/* More than its answers to configuration reads, unless the run had nothing else. */
static bool is_tested(const struct pl_html *html, const struct pl_row *row)
{
	bool has_more = false;

	for (size_t i = 0; i < html->row_count; i++)
		has_more |= html->rows[i].bar || html->rows[i].nvme || html->rows[i].gpu;
	return has_more ? row->bar || row->nvme || row->gpu : row->config != NULL;
}

/* Short: the gap between two boxes is narrow. */
static const char *slot_edge(struct pl_html *html, const struct pl_slot *slot)
{
	const char *most =
		pl_row_speed(&html->arena, slot->link.max_speed_mts, slot->link.max_width);

	if (!slot->device && most)
		return pl_arena_printf(&html->arena, "≤ %s", most);
	return pl_html_word(html, pl_row_link(&html->arena, slot));
}

static void draw_slots(struct map *map)
{
	struct pl_html *html = map->html;
	unsigned x = (map->depth + 1) * COLUMN_PX;

	for (unsigned row = 0; row < html->row_count; row++) {
		const struct pl_slot *slot = html->rows[row].slot;
		unsigned y = row * ROW_PX + ROW_PX / 2;

		draw_edge(map, map->leaf_parents[row], x, y, slot_edge(html, slot));
		draw_box(map, is_tested(html, &html->rows[row]) ? "slot tested" : "slot", x, y,
			 pl_row_label(&html->arena, slot),
			 pl_html_word(html, pl_row_device(&html->arena, slot)));
	}
}

void pl_html_map(struct pl_html *html)
{
	struct map map = {.html = html};
	const char *title = pl_html_str(html, PL_STR_SLOT_MAP);

	if (!html->row_count)
		return;
	build(&map);
	pl_html(html,
		"<figure><div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"$\">"
		"<svg class=\"map\" role=\"img\" aria-label=\"$\" width=\"$\" height=\"$\" "
		"viewBox=\"-2 0 $ $\">",
		title, pl_html_str(html, PL_STR_MAP_ALT),
		number(&map, (map.depth + 1) * COLUMN_PX + BOX_PX + 4),
		number(&map, (unsigned)html->row_count * ROW_PX),
		number(&map, (map.depth + 1) * COLUMN_PX + BOX_PX + 4),
		number(&map, (unsigned)html->row_count * ROW_PX));
	draw_chips(&map);
	draw_slots(&map);
	pl_html(html, "</svg></div><figcaption>$</figcaption></figure>\n",
		pl_html_str(html, PL_STR_MAP_TESTED));
}
