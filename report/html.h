#ifndef PL_REPORT_HTML_H
#define PL_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

#include "core/arena.h"
#include "model/run.h"
#include "report/rows.h"
#include "report/strings.h"

/* Inside report/ only: one HTML document being written, a file per group of sections. */
struct pl_html {
	FILE *out;
	const struct pl_run *run;
	const struct pl_html_options *options;
	struct pl_arena arena;
	struct pl_row *rows; /* headlines first: slots with a link or more than a ladder */
	size_t row_count;    /* of those: charts, map and tables show them */
	size_t all_count;    /* with the functions that have no link, which one table lists */
	json_t *charts;      /* id -> Vega-Lite specification; NULL: no charts in this page */
	const char *board;   /* short name for titles and file names */
};

/*
 * Markup in which every $ is replaced by the next string, made printable and escaped for text and
 * for quoted attributes. There is no other way to put a string into the document. NULL is "–".
 */
void pl_html(struct pl_html *html, const char *markup, ...);
/* Text of several lines, escaped, each line made printable. */
void pl_html_lines(struct pl_html *html, const char *text, size_t size);
/* The same for one string of the table, without arguments. */
const char *pl_html_str(const struct pl_html *html, enum pl_str id);
/* A word of a table (an outcome, a path, a judgement) in the language of the page; NULL stays. */
const char *pl_html_word(struct pl_html *html, const char *text);
/* "651 ns" or NULL when the series has no numbers. */
const char *pl_html_ns(struct pl_html *html, const struct pl_measurement *m, double ns);

/* <h2 id=…>; table heads from a list of strings; a table is closed by the caller. */
void pl_html_section(struct pl_html *html, const char *id, enum pl_str title);
void pl_html_table(struct pl_html *html, enum pl_str caption, const enum pl_str *columns,
		   size_t count);
/* One of several tables with this caption: a screen reader tells them apart by their subject. */
void pl_html_table_of(struct pl_html *html, const char *subject, enum pl_str caption,
		      const enum pl_str *columns, size_t count);
void pl_html_table_end(struct pl_html *html);
/* <details> with this summary around long tables; closed by the second. */
void pl_html_fold(struct pl_html *html, enum pl_str summary);
void pl_html_fold_end(struct pl_html *html);

void pl_html_verdict(struct pl_html *html);
void pl_html_system(struct pl_html *html); /* the test system, to copy */
void pl_html_map(struct pl_html *html);
void pl_html_slots(struct pl_html *html);
void pl_html_latency(struct pl_html *html);
void pl_html_series(struct pl_html *html);
void pl_html_effects(struct pl_html *html);
void pl_html_where(struct pl_html *html);  /* the split of the time, all claims */
void pl_html_states(struct pl_html *html); /* link power states */
void pl_html_region(struct pl_html *html); /* GPU */
void pl_html_drives(struct pl_html *html); /* what each NVMe drive and its media add */
void pl_html_ladder(struct pl_html *html);
void pl_html_for_scale(struct pl_html *html); /* published figures beside this machine's */
void pl_html_method(struct pl_html *html);
void pl_html_notices(struct pl_html *html); /* licences of the scripts */
void pl_html_quality(struct pl_html *html);
void pl_html_environment(struct pl_html *html);

#endif
