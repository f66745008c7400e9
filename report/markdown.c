#include "report/markdown.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "report/for_scale.h"
#include "report/notes.h"
#include "report/out.h"
#include "report/phrases.h"
#include "report/rows.h"
#include "report/sentence.h"

#define CELL_BYTES 600

/* An underscore inside a word is left alone: M2_1 is a name, no dialect makes emphasis of it. */
static bool is_in_word(const char *text, const char *c)
{
	return *c == '_' && c > text && isalnum((unsigned char)c[-1]) &&
	       isalnum((unsigned char)c[1]);
}

/* What makes a link of an address without being asked: "http://" and "www." (GFM, autolinks). */
static bool is_in_address(const char *text, const char *c)
{
	return (*c == ':' && c[1] == '/' && c[2] == '/') ||
	       (*c == '.' && c - text >= 3 && !strncasecmp(c - 3, "www", 3));
}

static void put_escaped(struct pl_markdown *md, const char *text)
{
	for (const char *c = text; c && *c; c++)
		if (*c == '<' || *c == '>' || *c == '&')
			fprintf(md->out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
		else if (is_in_address(text, c))
			fprintf(md->out, "&#%d;", *c);
		else if (strchr("\\`*_[]|#~!", *c) && !is_in_word(text, c))
			fprintf(md->out, "\\%c", *c);
		else
			fputc(*c, md->out);
}

void pl_markdown_text(struct pl_markdown *md, const char *text)
{
	put_escaped(md, pl_out_clean(&md->arena, text));
}

void pl_markdown_block(struct pl_markdown *md, const char *text)
{
	const char *clean = pl_out_clean(&md->arena, text);
	size_t digits;

	clean = clean ? clean + strspn(clean, " ") : "";
	digits = strspn(clean, "0123456789");
	if (digits ? strchr(".)", clean[digits]) : strchr("+-=", *clean)) {
		fprintf(md->out, "%.*s", (int)digits, clean);
		if (clean[digits])
			fprintf(md->out, "\\%c", clean[digits]);
		clean += digits + !!clean[digits];
	}
	put_escaped(md, clean);
}

void pl_markdown_heading(struct pl_markdown *md, unsigned level, const char *title)
{
	fprintf(md->out, "\n%.*s ", (int)level, "####");
	pl_markdown_text(md, title);
	fputc('\n', md->out);
}

static void put(struct pl_markdown *md, const char *text)
{
	pl_markdown_text(md, pl_out_cut(&md->arena, text, CELL_BYTES));
}

static void put_block(struct pl_markdown *md, const char *text)
{
	pl_markdown_block(md, pl_out_cut(&md->arena, text, CELL_BYTES));
}

void pl_markdown_cells(struct pl_markdown *md, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs("| ", md->out);
		put(md, texts[i] ? texts[i] : "–");
		fputc(' ', md->out);
	}
	fputs("|\n", md->out);
}

void pl_markdown_heads(struct pl_markdown *md, const enum pl_str *heads, size_t count)
{
	const char **titles = pl_arena_array(&md->arena, count, sizeof(*titles));

	for (size_t i = 0; i < count; i++)
		titles[i] = pl_str(md->lang, heads[i]);
	fputc('\n', md->out);
	pl_markdown_cells(md, titles, count);
	for (size_t i = 0; i < count; i++)
		fputs(pl_str_is_number(heads[i]) ? "| ---: " : "| --- ", md->out);
	fputs("|\n", md->out);
}

static const char *word(struct pl_markdown *md, const char *text)
{
	return pl_phrase(&md->arena, text, md->lang);
}

static const char *joined(struct pl_arena *arena, const char *a, const char *b, const char *c)
{
	const char *text = pl_arena_printf(arena, "%s%s%s%s%s", a ? a : "", a && b ? " " : "",
					   b ? b : "", c ? ", " : "", c ? c : "");

	return *text ? text : NULL;
}

static void pair(struct pl_markdown *md, const char *name, const char *value)
{
	pl_markdown_cells(md, (const char *const[]){name, value}, 2);
}

/* Cards and drives with what they run on, one per line of the table. */
static void devices(struct pl_markdown *md)
{
	for (size_t i = 0; i < md->run->slot_count; i++) {
		const struct pl_slot *slot = &md->run->slots[i];
		struct pl_row row;

		pl_row_fill(md->run, slot, &row);
		if (slot->device && pl_row_has_series(&row) &&
		    (slot->device->kind == PL_DEVICE_GPU || slot->device->kind == PL_DEVICE_NVME))
			pair(md, pl_row_label(&md->arena, slot),
			     joined(&md->arena, pl_row_device(&md->arena, slot), NULL,
				    slot->device->driver));
	}
}

static void test_system(struct pl_markdown *md)
{
	const struct pl_machine *m = &md->run->machine;
	const struct {
		enum pl_str name;
		const char *value;
	} facts[] = {
		{PL_STR_BOARD, joined(&md->arena, m->board_vendor, m->board_name, NULL)},
		{PL_STR_BIOS, joined(&md->arena, m->bios_version, NULL, m->bios_date)},
		{PL_STR_CPU, joined(&md->arena, m->cpu, NULL, m->microcode)},
		{PL_STR_OS, joined(&md->arena, m->os, NULL, m->kernel)},
		{PL_STR_ASPM_POLICY, m->aspm_policy},
		{PL_STR_DATE, md->run->started_utc},
		{PL_STR_TOOL, "pcielat " PL_VERSION},
	};

	fprintf(md->out, "| %s | |\n| --- | --- |\n", pl_str(md->lang, PL_STR_TEST_SYSTEM));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (facts[i].value)
			pair(md, pl_str(md->lang, facts[i].name), facts[i].value);
	devices(md);
}

void pl_markdown_system(const struct pl_run *run, enum pl_lang lang, FILE *out)
{
	struct pl_markdown md = {.run = run, .lang = lang, .out = out};

	test_system(&md);
	pl_arena_fini(&md.arena);
}

static const char *ns_text(struct pl_markdown *md, const struct pl_measurement *m, double ns)
{
	return pl_series_has_numbers(m) ? pl_row_ns(&md->arena, ns) : NULL;
}

static const char *median_text(struct pl_markdown *md, const struct pl_measurement *m)
{
	return ns_text(md, m, m ? m->summary.p50_ns : 0.0);
}

static void latency(struct pl_markdown *md)
{
	static const enum pl_str heads[] = {PL_STR_SLOT,        PL_STR_PATH,     PL_STR_LINK,
					    PL_STR_CONFIG_READ, PL_STR_BAR_READ, PL_STR_NVME_READ,
					    PL_STR_P99,         PL_STR_GPU_LOAD};

	pl_markdown_heads(md, heads, 8);
	for (size_t i = 0; i < md->run->slot_count; i++) {
		const struct pl_slot *slot = &md->run->slots[i];
		struct pl_row r;

		pl_row_fill(md->run, slot, &r);
		if (!pl_row_has_series(&r))
			continue;
		pl_markdown_cells(
			md,
			(const char *const[]){
				pl_row_label(&md->arena, slot),
				pl_sentence_path(&md->arena, slot, md->lang),
				word(md, pl_row_link(&md->arena, slot)), median_text(md, r.config),
				median_text(md, r.bar), median_text(md, r.nvme),
				ns_text(md, r.nvme, r.nvme ? r.nvme->summary.p99_ns : 0.0),
				median_text(md, r.gpu)},
			8);
	}
}

/* The first of a list has the heading above it. */
static void bullet(struct pl_markdown *md, bool is_first, enum pl_str heading)
{
	if (is_first) {
		pl_markdown_heading(md, 3, pl_str(md->lang, heading));
		fputc('\n', md->out);
	}
	fputs("* ", md->out);
}

static void verdict(struct pl_markdown *md)
{
	size_t shown = 0;

	for (size_t i = 0; i < md->run->effect_count; i++) {
		const struct pl_effect *e = &md->run->effects[i];

		if (e->status != PL_CLAIM_RESOLVED || e->kind == PL_EFFECT_CONFIG_STEP)
			continue;
		bullet(md, !shown++, PL_STR_VERDICT);
		put_block(md, pl_sentence(&md->arena, md->run, e, md->lang));
		fputc('\n', md->out);
	}
}

static void for_scale(struct pl_markdown *md)
{
	static const enum pl_str heads[] = {PL_STR_BOARD, PL_STR_PLACE, PL_STR_GPU_LOAD,
					    PL_STR_HOP_AXIS, PL_STR_RATE};
	struct pl_scale scale = pl_for_scale(&md->arena, md->run);

	if (!scale.count)
		return;
	pl_markdown_heading(md, 3, pl_str(md->lang, PL_STR_FOR_SCALE));
	pl_markdown_heads(md, heads, 5);
	for (size_t i = 0; i < scale.count; i++) {
		const struct pl_scale_row *r = &scale.rows[i];

		pl_markdown_cells(md,
				  (const char *const[]){word(md, r->board), r->place, r->read,
							r->adds, r->rate},
				  5);
	}
	fputc('\n', md->out);
	put_block(md, pl_scale_source(&md->arena));
	fputc('\n', md->out);
}

static void missing(struct pl_markdown *md)
{
	struct pl_notes notes = {NULL, 0, 0};

	pl_notes_not_claimed(&md->arena, md->run, &notes);
	pl_notes_not_measured(&md->arena, md->run, &notes);
	for (size_t i = 0; i < notes.count; i++) {
		bullet(md, !i, PL_STR_MISSING);
		put_block(md, notes.items[i].what);
		fputs(": ", md->out);
		put(md, pl_sentence_reason(&md->arena, notes.items[i].why, md->lang));
		fputc('\n', md->out);
	}
}

/* Of the run itself, as in the terminal; nothing of a warning is cut. */
static void warnings(struct pl_markdown *md)
{
	struct pl_notes notes = {NULL, 0, 0};

	pl_notes_warnings(&md->arena, md->run, &notes);
	for (size_t i = 0; i < notes.count; i++) {
		bullet(md, !i, PL_STR_WARNINGS);
		pl_markdown_block(md, notes.items[i].what);
		fputs(": ", md->out);
		pl_markdown_text(md, pl_sentence_reason(&md->arena, notes.items[i].why, md->lang));
		fputc('\n', md->out);
	}
}

static void bold_line(struct pl_markdown *md, const char *text)
{
	fputs("**", md->out);
	put(md, text);
	fputs("**\n\n", md->out);
}

/* What everything below stands under. */
static void stamps(struct pl_markdown *md)
{
	char text[256];
	const char *stamp = pl_run_stamp(md->run, text, sizeof(text));

	if (stamp)
		bold_line(md, stamp);
	if (!md->run->is_complete && md->run->measurement_count)
		bold_line(md, pl_str(md->lang, PL_STR_PARTIAL));
}

int pl_report_write_markdown(const struct pl_run *run, enum pl_lang lang, FILE *out,
			     struct pl_err *err)
{
	struct pl_markdown md = {.run = run, .lang = lang, .out = out};

	stamps(&md);
	test_system(&md);
	latency(&md);
	pl_markdown_drives(&md);
	verdict(&md);
	for_scale(&md);
	missing(&md);
	warnings(&md);
	pl_arena_fini(&md.arena);
	return pl_out_finish(out, err);
}
