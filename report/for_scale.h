#ifndef PL_REPORT_FOR_SCALE_H
#define PL_REPORT_FOR_SCALE_H

#include "core/arena.h"
#include "model/published.h"
#include "model/run.h"

/*
 * GPU reads of host memory, this machine's slots first and then what others published, for all
 * writers. Only to be looked at: no claim knows of it.
 */
struct pl_scale_row {
	const char *board, *place; /* "this machine", the slot's label; or the published ones */
	const char *read, *adds, *rate; /* "651 ns", "570 ns ± 9 ns", "25 GB/s"; NULL: none */
	const struct pl_published *published; /* NULL: measured in this run */
};

struct pl_scale {
	struct pl_scale_row *rows;
	size_t count;
};

/* Arena rows; count 0 where no GPU in a slot of this machine was measured. */
struct pl_scale pl_for_scale(struct pl_arena *arena, const struct pl_run *run);
/* "Published: NAME; conditions": where all the published rows are from. Arena text. */
const char *pl_scale_source(struct pl_arena *arena);

#define PL_SCALE_TITLE "For scale: published figures, of other machines and never part of a claim"

#endif
