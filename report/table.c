#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "report/for_scale.h"
#include "report/notes.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/sentence.h"
#include "report/text.h"

/* What the sections of the result table share. */
struct page {
	const struct pl_run *run;
	const struct pl_text_style *style;
	FILE *out;
	struct pl_arena arena;
	struct pl_row *rows;
	size_t count, hidden; /* hidden: functions without a link of their own */
};

static const char *dash(const struct page *page)
{
	return page->style->utf8 ? "–" : "-";
}

static const char *ns_text(struct page *page, const struct pl_measurement *m, double ns)
{
	if (!m)
		return "";
	if (!pl_series_has_numbers(m))
		return dash(page);
	return pl_row_ns(&page->arena, ns);
}

/* Functions without a link of their own make way for the slots; a line counts them. */
static void keep_headlines(struct page *page)
{
	size_t kept = 0;

	for (size_t i = 0; i < page->count; i++)
		if (pl_row_is_headline(&page->rows[i]))
			page->rows[kept++] = page->rows[i];
	page->hidden = page->count - kept;
	page->count = kept;
}

static void fill_rows(struct page *page)
{
	const struct pl_run *run = page->run;
	size_t headlines = 0;

	page->rows = pl_arena_array(&page->arena, run->slot_count, sizeof(*page->rows));
	for (size_t i = 0; i < run->slot_count; i++) {
		pl_row_fill(run, &run->slots[i], &page->rows[page->count]);
		if (!pl_row_is_shown(&page->rows[page->count]))
			continue;
		headlines += pl_row_is_headline(&page->rows[page->count]);
		page->count++;
	}
	if (headlines)
		keep_headlines(page);
}

static void print_slots(struct page *page)
{
	static const struct pl_text_column columns[] = {{"Slot", false, 12}, {"Named by", false, 6},
							{"Path", false, 10}, {"Hops", true, 0},
							{"Link", false, 9},  {"Device", false, 12}};
	struct pl_text_table table = {.arena = &page->arena, .columns = columns, .column_count = 6};

	for (size_t i = 0; i < page->count; i++) {
		const struct pl_slot *slot = page->rows[i].slot;
		const char *hops = slot->chipset_hops < 0 ? "?"
							  : pl_arena_printf(&page->arena, "%d",
									    slot->chipset_hops);

		pl_text_row(&table, (const char *const[]){pl_row_label(&page->arena, slot),
							  pl_label_source_name(slot->label_source),
							  pl_row_path(&page->arena, slot), hops,
							  pl_row_link(&page->arena, slot),
							  pl_row_device(&page->arena, slot)});
	}
	pl_text_heading(page->style, "Slots", page->out);
	pl_text_print(&table, page->style, page->out);
	if (page->hidden)
		fprintf(page->out,
			"and %zu function(s) without a link of their own: pcielat list\n",
			page->hidden);
}

static void print_latency_row(struct page *page, struct pl_text_table *table,
			      const struct pl_row *row)
{
	const struct pl_measurement *nvme = row->nvme;

	pl_text_row(
		table,
		(const char *const[]){
			pl_row_label(&page->arena, row->slot),
			ns_text(page, row->config, row->config ? row->config->summary.p50_ns : 0),
			ns_text(page, row->bar, row->bar ? row->bar->summary.p50_ns : 0),
			ns_text(page, nvme, nvme ? nvme->summary.p50_ns : 0),
			ns_text(page, nvme, nvme ? nvme->summary.p99_ns : 0),
			ns_text(page, nvme, nvme ? nvme->summary.p999_ns : 0),
			ns_text(page, row->gpu, row->gpu ? row->gpu->summary.p50_ns : 0)});
}

static void print_latency(struct page *page)
{
	static const struct pl_text_column columns[] = {
		{"Slot", false, 12},    {"Config read", true, 0}, {"BAR read", true, 0},
		{"NVMe read", true, 0}, {"p99", true, 0},         {"p99.9", true, 0},
		{"GPU load", true, 0}};
	struct pl_text_table table = {.arena = &page->arena, .columns = columns, .column_count = 7};

	for (size_t i = 0; i < page->count; i++)
		if (pl_row_has_series(&page->rows[i]))
			print_latency_row(page, &table, &page->rows[i]);
	if (!table.row_count)
		return;
	pl_text_heading(page->style, "Latency (median; links as found, continuous traffic)",
			page->out);
	pl_text_print(&table, page->style, page->out);
}

/* "chase 64 KiB, host cached", "load_after_gap 64 KiB, host cached, after 30.0 µs". */
static const char *metric_of(struct page *page, const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;
	const char *text = m->metric;
	char part[32];

	if (c->region_bytes)
		text = pl_arena_printf(&page->arena, "%s %s", text,
				       pl_fmt_bytes(part, sizeof(part), c->region_bytes));
	if (c->memory)
		text = pl_arena_printf(&page->arena, "%s, %s", text,
				       pl_out_short(&page->arena, c->memory, ""));
	if (c->gap_ns)
		text = pl_arena_printf(&page->arena, "%s, after %s", text,
				       pl_fmt_ns(part, sizeof(part), (double)c->gap_ns));
	return text;
}

/* What it is: the name of a GPU with why it is in no slot, or what was given. */
static const char *subject_of(struct page *page, const struct pl_measurement *m)
{
	char name[16];

	for (size_t i = 0; i < page->run->gpu_count && m->probe == PL_PROBE_GPU; i++) {
		const struct pl_gpu *gpu = &page->run->gpus[i];

		snprintf(name, sizeof(name), "gpu%u", gpu->index);
		if (m->subject && !strcmp(m->subject, name))
			return pl_arena_printf(&page->arena, "%s %s", name,
					       pl_out_short(&page->arena, gpu->name, "?"));
	}
	return pl_out_short(&page->arena, m->subject, "?");
}

static bool is_other(const struct pl_measurement *m)
{
	return !m->slot && m->probe != PL_PROBE_HOST && pl_series_has_numbers(m);
}

/* What may make the numbers of these series others than they seem. */
static void print_doubts(struct page *page)
{
	for (size_t i = 0; i < page->run->measurement_count; i++) {
		const struct pl_measurement *m = page->run->measurements[i];

		for (size_t k = 0; k < m->warning_count && is_other(m); k++)
			pl_text_wrap(page->style, "  ", 4,
				     pl_arena_printf(&page->arena, "%s: %s", subject_of(page, m),
						     pl_out_clean(&page->arena, m->warnings[k])),
				     page->out);
	}
}

/* Series that are not of a slot: a file, a software GPU. They never enter a claim. */
static void print_others(struct page *page)
{
	static const struct pl_text_column columns[] = {{"Not of a slot", false, 16},
							{"Metric", false, 24},
							{"Median", true, 0},
							{"p99", true, 0},
							{"Note", false, 12}};
	struct pl_text_table table = {.arena = &page->arena, .columns = columns, .column_count = 5};

	for (size_t i = 0; i < page->run->measurement_count; i++) {
		const struct pl_measurement *m = page->run->measurements[i];

		if (!is_other(m))
			continue;
		pl_text_row(&table, (const char *const[]){subject_of(page, m), metric_of(page, m),
							  ns_text(page, m, m->summary.p50_ns),
							  ns_text(page, m, m->summary.p99_ns),
							  m->is_off_path ? "no PCIe path" : ""});
	}
	if (!table.row_count)
		return;
	pl_text_heading(page->style, "Other series", page->out);
	pl_text_print(&table, page->style, page->out);
	print_doubts(page);
}

/* This machine's slots first, others' below: only where a GPU was measured. */
static void print_for_scale(struct page *page)
{
	static const struct pl_text_column columns[] = {{"Board", false, 10},
							{"Place", false, 10},
							{"GPU load", true, 0},
							{"Adds", true, 0},
							{"Rate", true, 0}};
	struct pl_text_table table = {.arena = &page->arena, .columns = columns, .column_count = 5};
	struct pl_scale scale = pl_for_scale(&page->arena, page->run);

	if (!scale.count)
		return;
	for (size_t i = 0; i < scale.count; i++) {
		const struct pl_scale_row *r = &scale.rows[i];

		pl_text_row(&table,
			    (const char *const[]){r->board, r->place, r->read, r->adds, r->rate});
	}
	pl_text_heading(page->style, PL_SCALE_TITLE, page->out);
	pl_text_print(&table, page->style, page->out);
	pl_text_wrap(page->style, "  ", 2, pl_scale_source(&page->arena), page->out);
}

static void print_notes(struct page *page, const char *title, const struct pl_notes *notes)
{
	if (!notes->count)
		return;
	pl_text_heading(page->style, title, page->out);
	for (size_t i = 0; i < notes->count; i++) {
		const struct pl_note *note = &notes->items[i];

		pl_text_wrap(page->style, "  ", 4,
			     pl_arena_printf(&page->arena, "%s: %s", note->what, note->why),
			     page->out);
		if (note->remedy)
			pl_text_wrap(page->style, "    to fix: ", 6, note->remedy, page->out);
	}
}

static void print_claims(struct page *page)
{
	size_t resolved = 0, more = 0;
	struct pl_notes none = {NULL, 0, 0};

	for (size_t i = 0; i < page->run->effect_count; i++) {
		const struct pl_effect *effect = &page->run->effects[i];

		more += effect->status == PL_CLAIM_RESOLVED;
		if (!pl_effect_is_headline(page->run, i))
			continue;
		if (!resolved++)
			pl_text_heading(page->style, "Verdict", page->out);
		pl_text_wrap(page->style, "  ", 4,
			     pl_sentence(&page->arena, page->run, effect, PL_LANG_EN), page->out);
	}
	if (more > resolved)
		fprintf(page->out,
			"  and %zu more resolved claims in report.html and effects.csv\n",
			more - resolved);
	pl_notes_not_claimed(&page->arena, page->run, &none);
	print_notes(page, "Not claimed", &none);
}

static void print_warnings(struct page *page)
{
	struct pl_notes warnings = {NULL, 0, 0};

	pl_notes_warnings(&page->arena, page->run, &warnings);
	if (warnings.count)
		pl_text_heading(page->style, "Warnings", page->out);
	for (size_t i = 0; i < warnings.count; i++)
		pl_text_wrap(page->style, "  ", 4,
			     pl_arena_printf(&page->arena, "%s: %s", warnings.items[i].what,
					     warnings.items[i].why),
			     page->out);
}

static void print_stamp(struct page *page)
{
	char text[256];
	const char *stamp = pl_run_stamp(page->run, text, sizeof(text));

	if (stamp)
		pl_text_stamp(page->style, stamp, page->out);
	if (!page->run->is_complete && page->run->measurement_count)
		fputs("PARTIAL: the run was interrupted before its end\n", page->out);
}

int pl_report_write_table(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			  struct pl_err *err)
{
	struct page page = {.run = run, .style = style, .out = out};
	struct pl_notes missing = {NULL, 0, 0};

	fill_rows(&page);
	print_stamp(&page);
	print_slots(&page);
	print_latency(&page);
	print_others(&page);
	pl_text_drives(run, style, out);
	print_claims(&page);
	print_for_scale(&page);
	pl_notes_not_measured(&page.arena, run, &missing);
	print_notes(&page, "Not measured", &missing);
	print_warnings(&page);
	pl_arena_fini(&page.arena);
	return pl_out_finish(out, err);
}
