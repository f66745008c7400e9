#include "report/markdown.h"

#include <ctype.h>
#include <string.h>

#include "report/for_scale.h"
#include "report/notes.h"
#include "report/out.h"
#include "report/rows.h"
#include "report/sentence.h"
#include "report/strings.h"

#define CELL_BYTES 600

/* An underscore inside a word is left alone: M2_1 is a name, no dialect makes emphasis of it. */
void pl_markdown_text(FILE *out, struct pl_arena *arena, const char *text)
{
	const char *clean = pl_out_clean(arena, text);

	for (const char *c = clean; c && *c; c++) {
		bool in_word = *c == '_' && c > clean && isalnum((unsigned char)c[-1]) &&
			       isalnum((unsigned char)c[1]);

		if (*c == '<' || *c == '>' || *c == '&')
			fprintf(out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
		else if (strchr("\\`*_[]|#~!", *c) && !in_word)
			fprintf(out, "\\%c", *c);
		else
			fputc(*c, out);
	}
}

void pl_markdown_heading(FILE *out, struct pl_arena *arena, unsigned level, const char *title)
{
	fprintf(out, "\n%.*s ", (int)level, "####");
	pl_markdown_text(out, arena, title);
	fputs("\n\n", out);
}

static void put(FILE *out, struct pl_arena *arena, const char *text)
{
	pl_markdown_text(out, arena, pl_out_cut(arena, text, CELL_BYTES));
}

void pl_markdown_cells(FILE *out, struct pl_arena *arena, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs("| ", out);
		put(out, arena, texts[i] ? texts[i] : "–");
		fputc(' ', out);
	}
	fputs("|\n", out);
}

static void heads(FILE *out, const char *titles, size_t count)
{
	fprintf(out, "%s\n", titles);
	for (size_t i = 0; i < count; i++)
		fputs("| --- ", out);
	fputs("|\n", out);
}

static const char *joined(struct pl_arena *arena, const char *a, const char *b, const char *c)
{
	const char *text = pl_arena_printf(arena, "%s%s%s%s%s", a ? a : "", a && b ? " " : "",
					   b ? b : "", c ? ", " : "", c ? c : "");

	return *text ? text : NULL;
}

/* Cards and drives with what they run on, one per line of the table. */
static void devices(const struct pl_run *run, struct pl_arena *arena, FILE *out)
{
	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *slot = &run->slots[i];
		struct pl_row row;

		pl_row_fill(run, slot, &row);
		if (slot->device && pl_row_has_series(&row) &&
		    (slot->device->kind == PL_DEVICE_GPU || slot->device->kind == PL_DEVICE_NVME))
			pl_markdown_cells(
				out, arena,
				(const char *const[]){pl_row_label(arena, slot),
						      joined(arena, pl_row_device(arena, slot),
							     NULL, slot->device->driver)},
				2);
	}
}

void pl_markdown_system(const struct pl_run *run, enum pl_lang lang, FILE *out)
{
	const struct pl_machine *m = &run->machine;
	struct pl_arena arena = {NULL};
	const struct {
		enum pl_str name;
		const char *value;
	} facts[] = {
		{PL_STR_BOARD, joined(&arena, m->board_vendor, m->board_name, NULL)},
		{PL_STR_BIOS, joined(&arena, m->bios_version, NULL, m->bios_date)},
		{PL_STR_CPU, joined(&arena, m->cpu, NULL, m->microcode)},
		{PL_STR_OS, joined(&arena, m->os, NULL, m->kernel)},
		{PL_STR_ASPM_POLICY, m->aspm_policy},
		{PL_STR_DATE, run->started_utc},
		{PL_STR_TOOL, "pcielat " PL_VERSION},
	};

	fprintf(out, "| %s | |\n| --- | --- |\n", pl_str(lang, PL_STR_TEST_SYSTEM));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (facts[i].value)
			pl_markdown_cells(
				out, &arena,
				(const char *const[]){pl_str(lang, facts[i].name), facts[i].value},
				2);
	devices(run, &arena, out);
	pl_arena_fini(&arena);
}

static const char *ns_text(struct pl_arena *arena, const struct pl_measurement *m, double ns)
{
	return pl_series_has_numbers(m) ? pl_row_ns(arena, ns) : NULL;
}

static void latency(const struct pl_run *run, struct pl_arena *arena, FILE *out)
{
	heads(out, "| Slot | Path | Link | Config read | BAR read | NVMe read | p99 | GPU load |",
	      8);
	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *slot = &run->slots[i];
		struct pl_row r;

		pl_row_fill(run, slot, &r);
		if (!pl_row_has_series(&r))
			continue;
		pl_markdown_cells(
			out, arena,
			(const char *const[]){
				pl_row_label(arena, slot), pl_row_path(arena, slot),
				pl_row_link(arena, slot),
				ns_text(arena, r.config, r.config ? r.config->summary.p50_ns : 0),
				ns_text(arena, r.bar, r.bar ? r.bar->summary.p50_ns : 0),
				ns_text(arena, r.nvme, r.nvme ? r.nvme->summary.p50_ns : 0),
				ns_text(arena, r.nvme, r.nvme ? r.nvme->summary.p99_ns : 0),
				ns_text(arena, r.gpu, r.gpu ? r.gpu->summary.p50_ns : 0)},
			8);
	}
}

static void verdict(const struct pl_run *run, struct pl_arena *arena, FILE *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		if (e->status != PL_CLAIM_RESOLVED || e->kind == PL_EFFECT_CONFIG_STEP)
			continue;
		if (!shown++)
			pl_markdown_heading(out, arena, 3, "Verdict");
		fputs("* ", out);
		put(out, arena, pl_sentence(arena, run, e, PL_LANG_EN));
		fputc('\n', out);
	}
}

static void for_scale(const struct pl_run *run, struct pl_arena *arena, FILE *out)
{
	struct pl_scale scale = pl_for_scale(arena, run);

	if (!scale.count)
		return;
	pl_markdown_heading(out, arena, 3, PL_SCALE_TITLE);
	heads(out, "| Board | Place | GPU load | Adds | Rate |", 5);
	for (size_t i = 0; i < scale.count; i++) {
		const struct pl_scale_row *r = &scale.rows[i];

		pl_markdown_cells(
			out, arena,
			(const char *const[]){r->board, r->place, r->read, r->adds, r->rate}, 5);
	}
	fputc('\n', out);
	put(out, arena, pl_scale_source(arena));
	fputc('\n', out);
}

static void missing(const struct pl_run *run, struct pl_arena *arena, FILE *out)
{
	struct pl_notes notes = {NULL, 0, 0};

	pl_notes_not_claimed(arena, run, &notes);
	pl_notes_not_measured(arena, run, &notes);
	for (size_t i = 0; i < notes.count; i++) {
		if (!i)
			pl_markdown_heading(out, arena, 3, "Not measured or not claimed");
		fputs("* ", out);
		put(out, arena, notes.items[i].what);
		fputs(": ", out);
		put(out, arena, notes.items[i].why);
		fputc('\n', out);
	}
}

int pl_report_write_markdown(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	struct pl_arena arena = {NULL};
	char text[256];
	const char *stamp = pl_run_stamp(run, text, sizeof(text));

	if (stamp) {
		fputs("**", out);
		put(out, &arena, stamp);
		fputs("**\n\n", out);
	}
	pl_markdown_system(run, PL_LANG_EN, out);
	fputc('\n', out);
	latency(run, &arena, out);
	pl_markdown_drives(run, out);
	verdict(run, &arena, out);
	for_scale(run, &arena, out);
	missing(run, &arena, out);
	pl_arena_fini(&arena);
	return pl_out_finish(out, err);
}
