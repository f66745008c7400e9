#ifndef PL_CLI_PROGRESS_H
#define PL_CLI_PROGRESS_H

#include "model/run.h"

/* One line on stderr, redrawn between blocks and at most ten times a second. */
struct pl_progress {
	bool is_on;
	uint64_t begin_ns, drawn_ns;
};

void pl_progress_init(struct pl_progress *progress, bool is_on);
void pl_progress_draw(struct pl_progress *progress, const struct pl_measurement *m, size_t done,
		      size_t total);
void pl_progress_clear(const struct pl_progress *progress);

#endif
