#ifndef PL_REPORT_MARKDOWN_H
#define PL_REPORT_MARKDOWN_H

#include <stdio.h>

#include "core/arena.h"
#include "report/report.h"
#include "report/strings.h"

/* Inside report/: one Markdown document being written. */
struct pl_markdown {
	const struct pl_run *run;
	enum pl_lang lang;
	struct pl_arena arena;
	FILE *out;
};

/* Text inside Markdown: nothing of it may become markup, a link or HTML, and nothing of it is cut.
 */
void pl_markdown_text(struct pl_markdown *md, const char *text);
/* The same where a line or an entry of a list begins: no list comes of "1. Slot" or "+ x". */
void pl_markdown_block(struct pl_markdown *md, const char *text);
/* An empty line before it; level is 3 or 4. */
void pl_markdown_heading(struct pl_markdown *md, unsigned level, const char *title);
/* The first two lines of a table, an empty one before them; columns of numbers are aligned to the
 * right. */
void pl_markdown_heads(struct pl_markdown *md, const enum pl_str *heads, size_t count);
/* One line of a table; NULL is "–". Cells are cut to a length that a table can bear. */
void pl_markdown_cells(struct pl_markdown *md, const char *const *texts, size_t count);

/* What was found out about each drive; nothing without --thorough. */
void pl_markdown_drives(struct pl_markdown *md);

/* The test system as a Markdown table: inside report.html too, because it is what gets pasted. */
void pl_markdown_system(const struct pl_run *run, enum pl_lang lang, FILE *out);

#endif
