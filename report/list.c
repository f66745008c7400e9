#include <inttypes.h>
#include <string.h>

#include "core/fmt.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

/* `list`: the machine in two lines, one row per slot, what is not certain, what is missing. */

struct page {
	const struct pl_run *run;
	const struct pl_text_style *style;
	FILE *out;
	struct pl_arena arena;
};

/* On the root bus without a link: inside the processor or, in a virtual machine, inside nothing. */
static bool is_on_root_bus(const struct pl_slot *slot)
{
	return slot->path_count <= 1 && !slot->link.is_present;
}

/* Functions inside a chip that nobody measures: host bridges, power management, counters. */
static bool is_plumbing(const struct pl_slot *slot)
{
	unsigned class_base, sub;

	if (!slot->device || !(slot->built_in || is_on_root_bus(slot)))
		return false;
	class_base = slot->device->class_code >> 16;
	sub = slot->device->class_code >> 8 & 0xff;
	return slot->device->kind == PL_DEVICE_OTHER &&
	       !(class_base == 0x01 || class_base == 0x04 || (class_base == 0x0c && sub == 0x03));
}

static const char *attachment_text(struct page *page, const struct pl_slot *slot)
{
	const char *hops = slot->chipset_hops > 1
				   ? pl_arena_printf(&page->arena, " (%d hops)", slot->chipset_hops)
				   : "";

	if (slot->attachment == PL_ATTACH_CHIPSET)
		return pl_arena_printf(&page->arena, "%s%s%s",
				       slot->chipset ? slot->chipset : "chipset", hops,
				       slot->built_in ? ", built in" : "");
	if (slot->attachment == PL_ATTACH_SWITCH || slot->attachment == PL_ATTACH_TUNNEL)
		return pl_arena_printf(
			&page->arena, "%s, lanes of %s%s", pl_attachment_name(slot->attachment),
			slot->chipset ? slot->chipset : pl_origin_name(slot->origin), hops);
	return pl_attachment_name(slot->attachment);
}

static const char *device_text(struct page *page, const struct pl_slot *slot)
{
	const struct pl_device *d = slot->device;
	char size[32] = "";

	if (!d)
		return "(empty)";
	if (d->namespace_count)
		pl_fmt_bytes(size, sizeof(size), d->namespaces[0].size_bytes);
	return pl_arena_printf(&page->arena, "%s%s%s",
			       pl_out_short(&page->arena, d->model ? d->model : d->name, "?"),
			       *size ? " " : "", size);
}

static const char *address_text(struct page *page, const struct pl_slot *slot)
{
	char text[PL_BDF_TEXT];

	if (!slot->path_count)
		return "";
	pl_bdf_format(slot->path[slot->path_count - 1], text);
	return pl_arena_printf(&page->arena, "%s%s", slot->device ? "" : "port ",
			       slot->path[0].domain ? text : text + 5);
}

static const char *aspm_text(struct page *page, const struct pl_slot *slot)
{
	const unsigned states = PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_L1_1 | PL_ASPM_L1_2;
	char enabled[48];

	if (!slot->link.is_present)
		return "";
	if (slot->link.aspm_enabled == PL_ASPM_UNKNOWN)
		return "?";
	pl_aspm_format(slot->link.aspm_enabled & states, enabled, sizeof(enabled));
	return pl_arena_printf(&page->arena, "%s", enabled);
}

static void print_slots(struct page *page)
{
	static const struct pl_text_column columns[] = {
		{"Slot", false, 12},  {"Named by", false, 5}, {"Attached to", false, 12},
		{"Link", false, 8},   {"ASPM", false, 4},     {"Address", false, 0},
		{"Device", false, 10}};
	struct pl_text_table table = {.arena = &page->arena, .columns = columns, .column_count = 7};
	size_t hidden = 0;

	for (size_t i = 0; i < page->run->slot_count; i++) {
		const struct pl_slot *slot = &page->run->slots[i];

		if (is_plumbing(slot)) {
			hidden++;
			continue;
		}
		pl_text_row(&table, (const char *const[]){
					    pl_row_label(&page->arena, slot),
					    pl_label_source_name(slot->label_source),
					    attachment_text(page, slot),
					    pl_row_link(&page->arena, slot), aspm_text(page, slot),
					    address_text(page, slot), device_text(page, slot)});
	}
	if (table.row_count)
		pl_text_print(&table, page->style, page->out);
	else
		fprintf(page->out, "No slot, no drive, no graphics or network card is visible.\n");
	if (hidden)
		fprintf(page->out,
			"\n%zu more functions inside CPU and chipset (--json lists them).\n",
			hidden);
}

static void print_machine(struct page *page)
{
	const struct pl_machine *m = &page->run->machine;
	struct pl_arena *a = &page->arena;

	fprintf(page->out, "%s%s%s  BIOS %s  %s\n", pl_out_short(a, m->board_vendor, ""),
		m->board_vendor ? " " : "", pl_out_short(a, m->board_name, "unknown board"),
		pl_out_short(a, m->bios_version, "?"), pl_out_short(a, m->cpu, "unknown CPU"));
	fprintf(page->out, "kernel %s  ASPM policy %s%s\n\n", pl_out_short(a, m->kernel, "?"),
		pl_out_short(a, m->aspm_policy, "?"),
		m->aspm_is_disabled ? " (pcie_aspm=off)" : "");
}

static void print_warnings(struct page *page)
{
	const struct pl_run *run = page->run;
	bool is_first = true;

	for (size_t i = 0; i < run->slot_count; i++)
		for (size_t k = 0; k < run->slots[i].warning_count; k++) {
			if (is_first)
				pl_text_heading(page->style, "To know", page->out);
			is_first = false;
			pl_text_wrap(page->style, "  ", 4,
				     pl_arena_printf(
					     &page->arena, "%s: %s",
					     pl_row_label(&page->arena, &run->slots[i]),
					     pl_out_clean(&page->arena, run->slots[i].warnings[k])),
				     page->out);
		}
	for (size_t i = 0; i < run->warning_count; i++) {
		if (is_first)
			pl_text_heading(page->style, "To know", page->out);
		is_first = false;
		pl_text_wrap(page->style, "  ", 4,
			     pl_arena_printf(&page->arena, "%s: %s", run->warnings[i].code,
					     pl_out_clean(&page->arena, run->warnings[i].message)),
			     page->out);
	}
}

static void print_skipped(struct page *page)
{
	const struct pl_run *run = page->run;

	if (run->skip_count)
		pl_text_heading(page->style, "Not seen", page->out);
	for (size_t i = 0; i < run->skip_count; i++) {
		const struct pl_skip *skip = &run->skipped[i];

		pl_text_wrap(page->style, "  ", 4,
			     pl_arena_printf(&page->arena, "%s: %s%s%s", skip->what, skip->why,
					     skip->remedy ? "; to fix: " : "",
					     skip->remedy ? skip->remedy : ""),
			     page->out);
	}
}

int pl_report_write_list(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err)
{
	struct page page = {run, style, out, {NULL}};
	const char *stamp;
	char text[256];

	stamp = pl_run_stamp(run, text, sizeof(text));
	if (stamp)
		pl_text_stamp(style, stamp, out);
	print_machine(&page);
	print_slots(&page);
	print_warnings(&page);
	print_skipped(&page);
	pl_arena_fini(&page.arena);
	return pl_out_finish(out, err);
}
