#ifndef PL_REPORT_ROWS_H
#define PL_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/stats.h"
#include "model/run.h"

/*
 * What every document shows, found once: which series is the headline of a slot for a probe, how a
 * link or a path reads. Text, CSV, Markdown and HTML ask here, so that they cannot disagree.
 */

/* The headline series of a slot, one per column of the result table. NULL: none planned. */
struct pl_row {
	const struct pl_slot *slot;
	const struct pl_measurement *config; /* of the endpoint, or of the port of an empty slot */
	const struct pl_measurement *bar, *nvme, *gpu;
};

/* Fills the row; continuous traffic with links as found is preferred, measured over skipped. */
void pl_row_fill(const struct pl_run *run, const struct pl_slot *slot, struct pl_row *row);
/* Something was planned for this slot. */
bool pl_row_has_series(const struct pl_row *row);
/* Worth a line in the result table: has series, or is a place for a card. */
bool pl_row_is_shown(const struct pl_row *row);

/*
 * Worth a line among the first: has a link of its own, or was measured by more than configuration
 * reads. Functions inside the CPU are shown when there is nothing else.
 */
bool pl_row_is_headline(const struct pl_row *row);
/*
 * Worth a sentence in the verdict: resolved, not a config step, of the best kind of access (an exit
 * that a register read shows is not told again by every rung of the ladder), and not told already.
 */
bool pl_effect_is_headline(const struct pl_run *run, size_t index);

/* A GPU series that times single reads of host memory: what "GPU load" means in every table. */
bool pl_series_is_host_read(const struct pl_measurement *m);
/* There are numbers (whole or partial). */
bool pl_series_has_numbers(const struct pl_measurement *m);
/*
 * b minus a: the mean of the paired differences of block centres, with its 95 % interval. For the
 * steps of ladders; claims have their own ways. scratch is the caller's.
 */
struct pl_interval pl_series_step(struct pl_arena *scratch, const struct pl_measurement *a,
				  const struct pl_measurement *b);
/* The function that a series of a ladder reads is at the end of the slot's path. */
bool pl_series_is_endpoint(const struct pl_measurement *m);

/*
 * ns for tables: whole ns below 10 µs ("1221 ns"), so that neighbours can be compared, else as
 * pl_fmt_ns. Arena text.
 */
const char *pl_row_ns(struct pl_arena *arena, double ns);

/* "Gen4 x4", "Gen3 x16 (of Gen4)", "up to Gen4 x4" when empty, "no link"; arena text. */
const char *pl_row_link(struct pl_arena *arena, const struct pl_slot *slot);
/* "CPU", "chipset x2 PROM21", "CPU, switch", … */
const char *pl_row_path(struct pl_arena *arena, const struct pl_slot *slot);
/* Generation of a speed in MT/s, 1 … 6; 0: unknown. */
unsigned pl_row_generation(unsigned speed_mts);
/* One chip of the chipset: "PROM21", where the chipset is "PROM21 x2 (X670E)"; NULL: none. */
const char *pl_row_chip_name(const struct pl_slot *slot);
/* The same in short, for a legend: "CPU", "1 × PROM21", "2 × PROM21", "integrated". */
const char *pl_row_chips(struct pl_arena *arena, const struct pl_slot *slot);
/* "Gen4 x4"; NULL when either is not known. */
const char *pl_row_speed(struct pl_arena *arena, unsigned speed_mts, unsigned width);
/* The device's own model, else its name, printable and short; "(empty)". */
const char *pl_row_device(struct pl_arena *arena, const struct pl_slot *slot);
/* The label, printable and short; the key when there is no label. */
const char *pl_row_label(struct pl_arena *arena, const struct pl_slot *slot);
/* One line that says what a series is: "PCIEX16_1 0000:01:00.0 nvme read_4k random L1 40 µs". */
const char *pl_series_title(struct pl_arena *arena, const struct pl_measurement *m);

#endif
