#ifndef PL_CLI_WATCH_VIEW_H
#define PL_CLI_WATCH_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "model/watch.h"
#include "session/hold.h"
#include "report/report.h"

/* "42 s  200/s  p50 81 µs  p99 120 µs  max 20 ms  spikes 3  ▁▁▂█": one line, no newline. */
void pl_watch_view_line(const struct pl_watch *watch, const struct pl_text_style *style, FILE *out);

/* That line and below it the latest spikes, newest first. Returns how many lines are below. */
size_t pl_watch_view_live(const struct pl_watch *watch, const struct pl_text_style *style,
			  FILE *out);

/* What a finished watch showed, in sentences: percentiles, spikes, finds, outages. */
void pl_watch_view_summary(const struct pl_watch *watch, FILE *out);

/* What became of the finds while the links were held in L0; nothing where there was none. */
void pl_watch_view_hold(const struct pl_hold *hold, FILE *out);

#endif
