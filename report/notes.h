#ifndef PL_REPORT_NOTES_H
#define PL_REPORT_NOTES_H

#include "core/arena.h"
#include "model/run.h"

/*
 * Everything that was not measured or not claimed, or warned of, gathered by reason: one line per
 * cause that names all it concerns, instead of one line per slot.
 */
struct pl_note {
	const char *what; /* "PCIEX16_1, M2_1: bar" */
	const char *why;
	const char *remedy; /* NULL: none known */
};

struct pl_notes {
	struct pl_note *items;
	size_t count, capacity;
};

/* Series without numbers (by their why) and the run's own skipped entries; text is printable. */
void pl_notes_not_measured(struct pl_arena *arena, const struct pl_run *run,
			   struct pl_notes *notes);
/* Claims that were not made or not resolved, by reason. */
void pl_notes_not_claimed(struct pl_arena *arena, const struct pl_run *run, struct pl_notes *notes);
/* The run's own warnings: what is the code and all subjects it was said of, why the message. */
void pl_notes_warnings(struct pl_arena *arena, const struct pl_run *run, struct pl_notes *notes);

#endif
