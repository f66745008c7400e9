#ifndef PL_REPORT_MARKDOWN_H
#define PL_REPORT_MARKDOWN_H

#include <stdio.h>

#include "core/arena.h"
#include "report/report.h"

/*
 * Text inside Markdown: nothing of it may become markup or HTML, and nothing of it is cut. The
 * arena is for what is needed on the way.
 */
void pl_markdown_text(FILE *out, struct pl_arena *arena, const char *text);
/* Empty lines around it; level is 3 or 4. */
void pl_markdown_heading(FILE *out, struct pl_arena *arena, unsigned level, const char *title);
/* One line of a table; NULL is "–". Cells are cut to a length that a table can bear. */
void pl_markdown_cells(FILE *out, struct pl_arena *arena, const char *const *texts, size_t count);

/* What was found out about each drive; nothing without --thorough. */
void pl_markdown_drives(const struct pl_run *run, FILE *out);

/* The test system as a Markdown table: inside report.html too, because it is what gets pasted. */
void pl_markdown_system(const struct pl_run *run, enum pl_lang lang, FILE *out);

#endif
