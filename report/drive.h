#ifndef PL_REPORT_DRIVE_H
#define PL_REPORT_DRIVE_H

#include "core/arena.h"
#include "core/stats.h"
#include "model/run.h"
#include "report/strings.h"

/*
 * Inside report/: what a run says about one NVMe drive, as rows that text, HTML and JSON share.
 * Derived from series and from what the drive says of itself; nothing is measured or stored here.
 */

/*
 * One rung from the link outward to the media. A step is the mean paired difference of block
 * medians to the rung before that has numbers, with its 95 % interval; NAN where two rungs are not
 * the same kind of thing.
 */
struct pl_drive_rung {
	const char *layer;              /* "link", "controller", "cache", "NAND" */
	const char *access;             /* what was timed */
	const struct pl_measurement *m; /* NULL: not planned */
	struct pl_interval step;
	const char *step_is; /* what the step holds; NULL: no step is taken */
	const char *reason;  /* why there are no numbers; NULL: there are */
};

#define PL_DRIVE_RUNGS 7

/* The slot that the drive sits in; NULL. */
const struct pl_slot *pl_drive_slot(const struct pl_run *run, const struct pl_drive *drive);
/* Fills the rungs, link first; admin commands come last, beside the ladder. */
void pl_drive_ladder(const struct pl_run *run, const struct pl_drive *drive,
		     struct pl_drive_rung rungs[PL_DRIVE_RUNGS]);

/* 4 KiB instead of 512 bytes: what more data costs, against what the link takes to carry them. */
struct pl_drive_size {
	struct pl_interval step; /* ns; NAN: see reason */
	double serialisation_ns; /* of the 3584 bytes on the slowest link of the path; 0: unknown */
	const char *reason;      /* why there is no step; NULL */
};
void pl_drive_size(const struct pl_run *run, const struct pl_drive *drive,
		   struct pl_drive_size *size);

/* A table for people. Cells are arena text; NULL is "nothing to say". */
struct pl_drive_table {
	enum pl_str title;
	const enum pl_str *heads;
	size_t column_count;
	const char *const **rows;
	size_t row_count, row_capacity;
	const char *note; /* one or more sentences below; NULL */
};

/*
 * The tables of one drive that have something to say: power states, ladder, depths, software paths,
 * the first reads after idle time. *count of them, in the arena. Cells and notes are in the
 * language; heads and titles are strings.
 */
const struct pl_drive_table *pl_drive_tables(struct pl_arena *arena, const struct pl_run *run,
					     const struct pl_drive *drive, enum pl_lang lang,
					     size_t *count);

/* Whether a run looked into the drive (--thorough): then terminals show its tables too. */
bool pl_drive_is_detailed(const struct pl_run *run, const struct pl_drive *drive);
/* "Name of the slot: device" for a heading. */
const char *pl_drive_title(struct pl_arena *arena, const struct pl_run *run,
			   const struct pl_drive *drive);

#endif
