#include "report/text.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "report/out.h"

/* Bytes and cells of the first character; invalid bytes count as one cell. */
static size_t character(const char *text, size_t left, int *cells)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t bytes = mbrtowc(&wide, text, left, &state);

	if (bytes == (size_t)-1 || bytes == (size_t)-2 || bytes == 0) {
		*cells = 1;
		return 1;
	}
	*cells = wcwidth(wide);
	if (*cells < 0)
		*cells = 1;
	return bytes;
}

/* Bytes of text that fit into at most cells; *used is how many they take. */
static size_t fit(const char *text, size_t cells, size_t *used)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	size_t left = strlen(text), at = 0;

	*used = 0;
	while (left > at) {
		int width;
		size_t bytes = character(text + at, left - at, &width);

		if (*used + (size_t)width > cells)
			break;
		*used += (size_t)width;
		at += bytes;
	}
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return at;
}

static bool is_ascii(const char *text)
{
	while ((unsigned char)*text - 1u < 0x7fu)
		text++;
	return !*text;
}

size_t pl_text_cells(const char *text)
{
	size_t used;

	if (is_ascii(text))
		return strlen(text);
	fit(text, (size_t)-1, &used);
	return used;
}

const char *pl_text_cut(struct pl_arena *arena, const char *text, size_t cells)
{
	size_t used;

	if (!cells || pl_text_cells(text) <= cells)
		return text;
	return pl_arena_printf(arena, "%.*s…", (int)fit(text, cells - 1, &used), text);
}

void pl_text_row(struct pl_text_table *table, const char *const *cells)
{
	void *rows = table->rows;
	const char **row = pl_arena_array(table->arena, table->column_count, sizeof(*row));

	for (size_t i = 0; i < table->column_count; i++)
		row[i] = cells[i] ? pl_out_clean(table->arena, cells[i]) : "";
	*(const char ***)pl_arena_push(table->arena, &rows, &table->row_count, &table->row_capacity,
				       sizeof(row)) = row;
	table->rows = rows;
}

static size_t natural_width(const struct pl_text_table *table, size_t column)
{
	size_t width = pl_text_cells(table->columns[column].title);

	for (size_t i = 0; i < table->row_count; i++) {
		size_t cells = pl_text_cells(table->rows[i][column]);

		width = cells > width ? cells : width;
	}
	return width;
}

/* Takes single cells from the widest column that may still shrink until the line fits. */
static void shrink(const struct pl_text_table *table, size_t *widths, size_t total, size_t most)
{
	while (total > most) {
		size_t widest = table->column_count;

		for (size_t i = 0; i < table->column_count; i++)
			if (table->columns[i].least && widths[i] > table->columns[i].least &&
			    (widest == table->column_count || widths[i] > widths[widest]))
				widest = i;
		if (widest == table->column_count)
			return;
		widths[widest]--;
		total--;
	}
}

static void print_cell(const struct pl_text_table *table, size_t column, size_t width,
		       const char *text, bool is_last, FILE *out)
{
	const char *cell = pl_text_cut(table->arena, text, width);
	size_t pad = width - pl_text_cells(cell);

	if (table->columns[column].is_number)
		fprintf(out, "%*s%s", (int)pad, "", cell);
	else
		fprintf(out, "%s%*s", cell, is_last ? 0 : (int)pad, "");
	fputs(is_last ? "\n" : "  ", out);
}

/* Cells after the last filled one are left out: no line ends in blanks. */
static void print_row(const struct pl_text_table *table, const size_t *widths,
		      const char *const *cells, FILE *out)
{
	size_t count = table->column_count;

	while (count > 1 && !*cells[count - 1])
		count--;
	for (size_t i = 0; i < count; i++)
		print_cell(table, i, widths[i], cells[i], i + 1 == count, out);
}

void pl_text_print(const struct pl_text_table *table, const struct pl_text_style *style, FILE *out)
{
	size_t *widths = pl_arena_array(table->arena, table->column_count, sizeof(*widths));
	const char **titles = pl_arena_array(table->arena, table->column_count, sizeof(*titles));
	size_t total = 2 * (table->column_count - 1);

	for (size_t i = 0; i < table->column_count; i++) {
		titles[i] = table->columns[i].title;
		total += widths[i] = natural_width(table, i);
	}
	shrink(table, widths, total, style->columns ? style->columns : 80);
	fputs(pl_text_ink(style, PL_INK_DIM), out);
	print_row(table, widths, titles, out);
	fputs(pl_text_ink(style, PL_INK_PLAIN), out);
	for (size_t r = 0; r < table->row_count; r++)
		print_row(table, widths, table->rows[r], out);
}

const char *pl_text_ink(const struct pl_text_style *style, enum pl_text_ink ink)
{
	static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[33m"};

	return style->color ? codes[ink] : "";
}

void pl_text_stamp(const struct pl_text_style *style, const char *stamp, FILE *out)
{
	struct pl_arena arena = {NULL};

	fprintf(out, "%s%s%s\n", pl_text_ink(style, PL_INK_WARN), pl_out_short(&arena, stamp, ""),
		pl_text_ink(style, PL_INK_PLAIN));
	pl_arena_fini(&arena);
}

void pl_text_heading(const struct pl_text_style *style, const char *title, FILE *out)
{
	fprintf(out, "\n%s%s%s\n", pl_text_ink(style, PL_INK_BOLD), title,
		pl_text_ink(style, PL_INK_PLAIN));
}

/* Bytes of the longest run of whole words that fits; a longer word is cut where it must be. */
static size_t line_bytes(const char *text, size_t cells)
{
	size_t used, most = fit(text, cells, &used);
	size_t at = most;

	if (!text[most])
		return most;
	while (at && text[at] != ' ')
		at--;
	return at ? at : most ? most : 1;
}

void pl_text_wrap(const struct pl_text_style *style, const char *lead, unsigned indent,
		  const char *text, FILE *out)
{
	size_t columns = style->columns ? style->columns : 80;
	size_t margin = pl_text_cells(lead);
	size_t bytes;

	fputs(lead, out);
	do {
		bytes = line_bytes(text, columns > margin + 20 ? columns - margin : 20);
		fprintf(out, "%.*s\n", (int)bytes, text);
		text += bytes;
		text += strspn(text, " ");
		margin = indent;
		if (*text)
			fprintf(out, "%*s", (int)indent, "");
	} while (*text);
}
