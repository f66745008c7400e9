#ifndef PL_REPORT_CHART_H
#define PL_REPORT_CHART_H

#include <jansson.h>

#include "report/html.h"

/*
 * Inside report/ only: charts of the page. A chart is a Vega-Lite template of charts/ (its words
 * are
 * "@NAME" of strings.def) with data written here; the page draws it. Each is a figure with a
 * caption and has its numbers in a table nearby.
 */

/* A chart that is being filled: values is an array of flat objects. */
struct pl_chart {
	const char *id;       /* of the page and of saved files */
	const char *template; /* "bars.json" */
	const char *title;
	enum pl_str caption;
	json_t *values;
};

/* Puts the figure into the page and the chart into html->charts; takes values. Empty: nothing. */
void pl_chart_put(struct pl_html *html, const struct pl_chart *chart);
/* Name of a state for a legend: "as found", "L1", … */
const char *pl_chart_state(struct pl_html *html, const char *state);

void pl_charts_latency(struct pl_html *html); /* bars per probe */
void pl_charts_parts(struct pl_html *html);   /* where the time goes: path and chips */
void pl_charts_exits(struct pl_html *html);   /* and waking the link */
void pl_charts_states(struct pl_html *html);  /* heat map, idle gap, tails */
void pl_charts_region(struct pl_html *html);
void pl_charts_ladder(struct pl_html *html);
void pl_charts_blocks(struct pl_html *html);
void pl_charts_compare(struct pl_html *html);

#endif
