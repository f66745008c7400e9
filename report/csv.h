#ifndef PL_REPORT_CSV_H
#define PL_REPORT_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "core/arena.h"

/*
 * One CSV file being written (RFC 4180, LF). A field is empty when its value is missing. Text that
 * a spreadsheet would take for a formula gets a leading ' (also after quoting).
 */
struct pl_csv {
	FILE *out;
	struct pl_arena *arena; /* scratch of the caller */
	size_t column;          /* of the row being written */
};

void pl_csv_text(struct pl_csv *csv, const char *text); /* made printable; NULL: empty */
void pl_csv_ns(struct pl_csv *csv, double ns);          /* three decimals, C locale; NAN: empty */
void pl_csv_u64(struct pl_csv *csv, uint64_t value);
void pl_csv_positive(struct pl_csv *csv, uint64_t value); /* 0: empty */
void pl_csv_bool(struct pl_csv *csv, int value);          /* negative: empty */
void pl_csv_end(struct pl_csv *csv);

#endif
