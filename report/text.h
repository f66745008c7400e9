#ifndef PL_REPORT_TEXT_H
#define PL_REPORT_TEXT_H

#include <stdio.h>

#include "core/arena.h"
#include "report/report.h"

/*
 * Tables and paragraphs for terminals: columns align by the cells a terminal draws (an ideograph
 * takes two), not by bytes. Cells must be printable already (pl_out_short, pl_fmt_printable).
 */

/* Terminal cells of UTF-8 text, by the C library's table of widths. */
size_t pl_text_cells(const char *text);
/* text cut to at most cells terminal cells, the last one "…" when something was cut. */
const char *pl_text_cut(struct pl_arena *arena, const char *text, size_t cells);

struct pl_text_column {
	const char *title;
	bool is_number; /* right aligned */
	unsigned least; /* may be cut down to this many cells to fit the screen; 0: never cut */
};

/* Columns and count are the caller's; rows live in the arena. Start zeroed but for those three. */
struct pl_text_table {
	struct pl_arena *arena;
	const struct pl_text_column *columns;
	size_t column_count;
	const char ***rows;
	size_t row_count, row_capacity;
};

/* Adds one row of column_count cells, made printable; NULL is an empty cell. */
void pl_text_row(struct pl_text_table *table, const char *const *cells);
void pl_text_print(const struct pl_text_table *table, const struct pl_text_style *style, FILE *out);

/* The escape sequence of a style, or "" without colour. */
enum pl_text_ink { PL_INK_PLAIN, PL_INK_BOLD, PL_INK_DIM, PL_INK_WARN };
const char *pl_text_ink(const struct pl_text_style *style, enum pl_text_ink ink);
/* The line that says what the numbers are not (pl_run_stamp), made printable. */
void pl_text_stamp(const struct pl_text_style *style, const char *stamp, FILE *out);
/* A bold line with an empty line before it. */
void pl_text_heading(const struct pl_text_style *style, const char *title, FILE *out);
/* One paragraph, wrapped at the columns of the style; first lead, then indent spaces. */
void pl_text_wrap(const struct pl_text_style *style, const char *lead, unsigned indent,
		  const char *text, FILE *out);

/* What was found out about each drive; nothing without --thorough. */
void pl_text_drives(const struct pl_run *run, const struct pl_text_style *style, FILE *out);

#endif
