#ifndef PL_REPORT_DRIVE_BOOK_H
#define PL_REPORT_DRIVE_BOOK_H

#include "report/drive.h"

/* Inside report/: what the makers of a drive's tables share. Everything lives in the arena. */
struct pl_book {
	struct pl_arena *arena;
	const struct pl_run *run;
	const struct pl_drive *drive;
	const struct pl_slot *slot; /* NULL: the drive sits in none that is known */
	struct pl_drive_table *tables;
	size_t count, capacity;
};

/* An empty table at the end; the pointer is good until the next is added. */
struct pl_drive_table *pl_book_add(struct pl_book *b, enum pl_str title, const enum pl_str *heads,
				   size_t columns);
/* Copies column_count cells; NULL is an empty one. */
void pl_book_row(struct pl_book *b, struct pl_drive_table *table, const char *const *cells);
/* A table without rows was not worth adding; it is the last one. */
void pl_book_drop_empty(struct pl_book *b);

/* A number of this series; NULL when the series has none, or it is NAN. */
const char *pl_book_ns(const struct pl_book *b, const struct pl_measurement *m, double ns);
/* "+31.0 ± 0.5 µs"; "n/a" without an interval, NULL when there is none. */
const char *pl_book_step(const struct pl_book *b, const struct pl_interval *step);
/* The interval does not hold 0. */
bool pl_book_is_resolved(const struct pl_interval *step);
bool pl_book_is_same(const char *a, const char *b);
/* A series of NVMe commands of this drive. */
bool pl_book_is_of(const struct pl_book *b, const struct pl_measurement *m);

/* One maker each; a table that has nothing to say is not added. */
void pl_book_power(struct pl_book *b);
void pl_book_bursts(struct pl_book *b);

#endif
