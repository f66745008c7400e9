#include <stdlib.h>
#include <string.h>

#include "core/fmt.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

/*
 * `list --tree`: CPU, chipset chips and switches as branches, slots as leaves, the link on every
 * edge. Made from via[] of the slots: two slots share a branch when they share the chip.
 */

#define NAME_CELLS 34u
#define LINK_CELLS 15u

/* A chip, or the slot at the end of a branch. */
struct branch {
	const char *name, *edge; /* edge: the link above it; NULL: none is visible */
	const struct pl_via *via;
	const struct pl_slot *slot; /* NULL: a chip */
	struct branch **children;
	size_t count, capacity;
};

struct page {
	const struct pl_run *run;
	const struct pl_text_style *style;
	FILE *out;
	struct pl_arena arena;
};

static struct branch *grow(struct page *page, struct branch *above)
{
	struct branch *made = pl_arena_alloc(&page->arena, sizeof(*made));

	*(struct branch **)pl_arena_push(&page->arena, (void **)&above->children, &above->count,
					 &above->capacity, sizeof(made)) = made;
	return made;
}

static const char *link_text(struct page *page, unsigned speed_mts, unsigned width)
{
	unsigned generation = pl_row_generation(speed_mts);

	if (!generation || !width)
		return NULL;
	return pl_arena_printf(&page->arena, "Gen%u x%u", generation, width);
}

/*
 * A chip that carries a root bus (PCH, hub) shows through many root ports: there the name says
 * whether it is the same chip; below a port the address does.
 */
static bool is_same_chip(const struct branch *branch, const struct pl_via *via)
{
	if (!branch->via || branch->via->kind != via->kind || strcmp(branch->via->name, via->name))
		return false;
	if (!branch->via->width && !via->width && via->kind == PL_VIA_CHIPSET)
		return true;
	return pl_bdf_is_equal(branch->via->bdf, via->bdf);
}

/* Two PROM21 in series are "#1" and "#2", as in the names of their ports. */
static const char *chip_name(struct page *page, const struct branch *above,
			     const struct pl_via *via, const struct pl_slot *slot)
{
	const char *name = pl_out_short(&page->arena, via->name, "chip");

	if (above->via && strcmp(above->via->name, via->name) == 0)
		return pl_arena_printf(&page->arena, "%s #2", name);
	if (slot->chipset && strstr(slot->chipset, " x2") && via->kind == PL_VIA_CHIPSET)
		return pl_arena_printf(&page->arena, "%s #1", name);
	return name;
}

static struct branch *chip_below(struct page *page, struct branch *above, const struct pl_via *via,
				 const struct pl_slot *slot)
{
	struct branch *made;

	for (size_t i = 0; i < above->count; i++)
		if (is_same_chip(above->children[i], via))
			return above->children[i];
	made = grow(page, above);
	made->via = via;
	made->name = chip_name(page, above, via, slot);
	made->edge = link_text(page, via->speed_mts, via->width);
	return made;
}

static bool is_shown_as_chip(const struct pl_via *via)
{
	return via->kind != PL_VIA_CARD_SWITCH && via->kind != PL_VIA_PCI_BRIDGE;
}

/* Functions that nobody looks for, and host bridges: counted, not drawn. */
static bool is_plumbing(const struct pl_slot *slot)
{
	unsigned class_code;

	if (!slot->device || !slot->built_in || slot->device->kind != PL_DEVICE_OTHER)
		return false;
	class_code = slot->device->class_code >> 8;
	return class_code >> 8 != 0x01 && class_code >> 8 != 0x04 && class_code != 0x0c03;
}

/* Below its chip a slot need not repeat the chip's name. */
static const char *leaf_name(struct page *page, const struct branch *above,
			     const struct pl_slot *slot)
{
	const char *name = pl_row_label(&page->arena, slot);
	const char *chip = slot->chipset && slot->attachment == PL_ATTACH_CHIPSET ? slot->chipset
										  : above->name;
	size_t length = chip ? strlen(chip) : 0;

	if (slot->label_source != PL_LABEL_PATH || !length)
		return name;
	if (above->name && strncmp(name, above->name, strlen(above->name)) == 0)
		length = strlen(above->name);
	else if (strncmp(name, chip, length) != 0)
		return name;
	return name[length] == ' ' ? name + length + 1 : name;
}

/* The vendor's name takes the room that the device's needs. */
static const char *short_device(struct page *page, const struct pl_slot *slot)
{
	static const struct {
		const char *full, *brief;
	} vendors[] = {
		{"Advanced Micro Devices, Inc. [AMD/ATI]", "AMD"},
		{"Advanced Micro Devices, Inc. [AMD]", "AMD"},
		{"Intel Corporation", "Intel"},
		{"NVIDIA Corporation", "NVIDIA"},
		{"Samsung Electronics Co Ltd", "Samsung"},
		{"Realtek Semiconductor Co., Ltd.", "Realtek"},
		{"ASMedia Technology Inc.", "ASMedia"},
		{"Broadcom Inc. and subsidiaries", "Broadcom"},
		{"Mellanox Technologies", "Mellanox"},
		{"Micron/Crucial Technology", "Crucial"},
	};
	const char *name = pl_row_device(&page->arena, slot);

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strncmp(name, vendors[i].full, strlen(vendors[i].full)) == 0)
			return pl_arena_printf(&page->arena, "%s%s", vendors[i].brief,
					       name + strlen(vendors[i].full));
	return name;
}

static void hang(struct page *page, struct branch *root, const struct pl_slot *slot)
{
	struct branch *at = root, *leaf;

	for (size_t i = 0; i < slot->via_count; i++)
		if (is_shown_as_chip(&slot->via[i]))
			at = chip_below(page, at, &slot->via[i], slot);
	leaf = grow(page, at);
	leaf->slot = slot;
	leaf->name = leaf_name(page, at, slot);
	leaf->edge = slot->link.is_present ? pl_row_link(&page->arena, slot) : NULL;
}

static const char *pad(struct page *page, const char *text, size_t cells)
{
	const char *cut = pl_text_cut(&page->arena, text, cells);
	size_t used = pl_text_cells(cut);

	return pl_arena_printf(&page->arena, "%s%*s", cut, (int)(used < cells ? cells - used : 0),
			       "");
}

static const char *where_text(struct page *page, const struct pl_slot *slot)
{
	char bdf[PL_BDF_TEXT];

	if (!slot->path_count)
		return "";
	pl_bdf_format(slot->path[slot->path_count - 1], bdf);
	return pl_arena_printf(&page->arena, "%s ", slot->path[0].domain ? bdf : bdf + 5);
}

static const char *chip_note(struct page *page, const struct branch *branch)
{
	static const char *const kinds[] = {
		[PL_VIA_CHIPSET] = "chipset",       [PL_VIA_BOARD_SWITCH] = "switch",
		[PL_VIA_CONTROLLER] = "controller", [PL_VIA_TUNNEL] = "beyond the cable",
		[PL_VIA_VMD] = "storage domain",
	};

	return pl_arena_printf(&page->arena, "%s", kinds[branch->via->kind]);
}

static void print_branch(struct page *page, const struct branch *branch, const char *lead)
{
	const struct pl_slot *slot = branch->slot;
	size_t room = page->style->columns, lead_cells = pl_text_cells(lead), name, link;
	const char *ink = pl_text_ink(page->style, slot ? PL_INK_PLAIN : PL_INK_BOLD);
	const char *tail;

	if (slot && slot->warning_count)
		ink = pl_text_ink(page->style, PL_INK_WARN);
	name = lead_cells + 8 < NAME_CELLS ? NAME_CELLS - lead_cells : 8;
	link = LINK_CELLS;
	tail = slot ? pl_arena_printf(&page->arena, "%s%s", where_text(page, slot),
				      short_device(page, slot))
		    : chip_note(page, branch);
	room = room > lead_cells + name + link + 2 ? room - lead_cells - name - link - 2 : 8;
	fprintf(page->out, "%s%s%s%s %s%s%s %s\n", lead, ink, pad(page, branch->name, name),
		*ink ? pl_text_ink(page->style, PL_INK_PLAIN) : "",
		pl_text_ink(page->style, PL_INK_DIM),
		pad(page, branch->edge ? branch->edge : "", link),
		page->style->color ? pl_text_ink(page->style, PL_INK_PLAIN) : "",
		pl_text_cut(&page->arena, tail, room));
}

static void print_below(struct page *page, const struct branch *above, const char *lead)
{
	bool is_utf8 = page->style->utf8;

	for (size_t i = 0; i < above->count; i++) {
		bool is_last = i + 1 == above->count;
		const char *mark = is_utf8 ? (is_last ? "└─ " : "├─ ") : (is_last ? "`- " : "|- ");
		const char *rest = is_last ? "   " : is_utf8 ? "│  " : "|  ";

		print_branch(page, above->children[i],
			     pl_arena_printf(&page->arena, "%s%s", lead, mark));
		print_below(page, above->children[i],
			    pl_arena_printf(&page->arena, "%s%s", lead, rest));
	}
}

static void print_root(struct page *page, const char *title, const struct branch *root)
{
	if (!root->count)
		return;
	fprintf(page->out, "%s%s%s\n", pl_text_ink(page->style, PL_INK_BOLD),
		pl_text_cut(&page->arena, title, page->style->columns),
		page->style->color ? pl_text_ink(page->style, PL_INK_PLAIN) : "");
	print_below(page, root, "");
}

static void print_trees(struct page *page)
{
	const struct pl_machine *m = &page->run->machine;
	struct branch cpu = {.name = NULL}, inside = {.name = NULL}, unknown = {.name = NULL};
	size_t hidden = 0;

	for (size_t i = 0; i < page->run->slot_count; i++) {
		const struct pl_slot *slot = &page->run->slots[i];

		if (is_plumbing(slot))
			hidden++;
		else if (slot->attachment == PL_ATTACH_UNKNOWN)
			hang(page, &unknown, slot);
		else if (slot->attachment == PL_ATTACH_INTEGRATED)
			hang(page, &inside, slot);
		else
			hang(page, &cpu, slot);
	}
	print_root(page,
		   pl_arena_printf(&page->arena, "CPU  %s", pl_out_short(&page->arena, m->cpu, "")),
		   &cpu);
	print_root(page, "Inside the CPU", &inside);
	print_root(page, "Attachment unknown (list --json says why)", &unknown);
	if (hidden)
		fprintf(page->out, "%zu more functions inside CPU and chipset not drawn\n", hidden);
}

int pl_report_write_tree(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err)
{
	struct page page = {run, style, out, {NULL}};
	const char *stamp;
	char text[256];

	stamp = pl_run_stamp(run, text, sizeof(text));
	if (stamp)
		pl_text_stamp(style, stamp, out);
	if (run->machine.board_name)
		fprintf(out, "%s\n",
			pl_text_cut(&page.arena,
				    pl_out_short(&page.arena, run->machine.board_name, ""),
				    style->columns));
	print_trees(&page);
	if (!run->slot_count)
		fprintf(out, "No PCI function is visible.\n");
	pl_arena_fini(&page.arena);
	return pl_out_finish(out, err);
}
