/* The first reads after idle time, one by one. */

#include "report/drive_book.h"

#include <math.h>

#include "core/fmt.h"
#include "report/burst.h"
#include "report/out.h"
#include "report/rows.h"

/* The places that have a row; results.json has all of them. */
static const struct {
	unsigned place;
	const char *name;
} shown[] = {{0, "1st"}, {1, "2nd"}, {2, "3rd"}, {3, "4th"}, {7, "8th"}, {15, "16th"}};

/* An interval that would reach below 0 has only its upper end: no latency is negative. */
static const char *median_text(const struct pl_book *b, double ns, double low, double high)
{
	char text[64];

	if (isnan(ns))
		return NULL;
	if (isnan(low))
		return pl_row_ns(b->arena, ns);
	if (0.5 * (high - low) > ns)
		return pl_arena_printf(b->arena, "%s (< %s)", pl_row_ns(b->arena, ns),
				       pl_row_ns(b->arena, high));
	return pl_arena_strdup(b->arena, pl_fmt_ns_pm(text, sizeof(text), ns, 0.5 * (high - low)));
}

/* Link state and gap stand in the first row of a series only. */
static void place_rows(struct pl_book *b, struct pl_drive_table *table,
		       const struct pl_burst *burst)
{
	const struct pl_conditions *c = &burst->m->conditions;
	char gap[32];

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		unsigned at = shown[i].place;
		const struct pl_burst_place *place = &burst->places[at];

		if (at >= c->burst)
			break;
		pl_book_row(
			b, table,
			(const char *const[]){
				at ? NULL : c->state,
				at ? NULL
				   : pl_arena_strdup(b->arena, pl_fmt_ns(gap, sizeof(gap),
									 (double)c->gap_ns)),
				shown[i].name,
				median_text(b, place->p50_ns, place->p50_low_ns,
					    place->p50_high_ns),
				isnan(place->p99_ns) ? NULL : pl_row_ns(b->arena, place->p99_ns),
				pl_book_step(b, &burst->over[at])});
	}
}

static void steady_row(struct pl_book *b, struct pl_drive_table *table,
		       const struct pl_measurement *steady)
{
	const struct pl_summary *s;

	if (!steady)
		return;
	s = &steady->summary;
	pl_book_row(b, table,
		    (const char *const[]){NULL, NULL, "steady",
					  median_text(b, s->p50_ns, s->p50_low_ns, s->p50_high_ns),
					  pl_book_ns(b, steady, s->p99_ns), NULL});
}

/* "as_found, 2.00 ms: back to … ." */
static const char *verdict_text(const struct pl_book *b, const struct pl_burst *burst)
{
	const struct pl_conditions *c = &burst->m->conditions;
	size_t asleep = pl_drive_state_after(b->drive, c->gap_ns / 1000000u);
	char gap[32];

	return pl_arena_printf(
		b->arena, " %s, %s, %zu bursts in %u blocks%s: %s.",
		pl_out_short(b->arena, c->state, "?"),
		pl_fmt_ns(gap, sizeof(gap), (double)c->gap_ns),
		burst->places ? burst->places[0].n : 0, burst->m->blocks_done,
		asleep ? pl_arena_printf(b->arena, " (the drive is in PS%zu then)", asleep) : "",
		burst->sentence);
}

/* Whether a gap of the table was long enough for the drive's own power states. */
static const char *power_text(const struct pl_book *b, uint64_t longest_ns)
{
	const struct pl_drive *d = b->drive;

	if (d->apst_enabled < 0)
		return " Whether the drive entered a power state of its own is not known.";
	if (d->apst_enabled == 0 || !d->state_count || !d->states[0].apst_after_ms)
		return " The drive enters no power state by itself.";
	if (pl_drive_state_after(d, longest_ns / 1000000u))
		return "";
	return pl_arena_printf(b->arena,
			       " No gap here lets the drive enter a power state: the first "
			       "begins after %u ms.",
			       d->states[0].apst_after_ms);
}

void pl_book_bursts(struct pl_book *b)
{
	static const enum pl_str heads[] = {PL_STR_LINKS,  PL_STR_GAP, PL_STR_WHICH_READ,
					    PL_STR_MEDIAN, PL_STR_P99, PL_STR_OVER_STEADY};
	struct pl_drive_table *table = pl_book_add(b, PL_STR_BURSTS, heads, 6);
	const char *verdicts = "";
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *m = b->run->measurements[i];
		struct pl_burst burst;

		if (!pl_book_is_of(b, m) || !m->conditions.burst)
			continue;
		pl_burst_judge(b->arena, b->run, m, &burst);
		verdicts = pl_arena_printf(b->arena, "%s%s", verdicts, verdict_text(b, &burst));
		if (!burst.places)
			continue;
		if (m->conditions.gap_ns > longest_ns)
			longest_ns = m->conditions.gap_ns;
		place_rows(b, table, &burst);
		steady_row(b, table, burst.steady);
	}
	table->note = pl_arena_printf(
		b->arena,
		"After the idle time, spun, the reads of one 4 KiB block follow each other at "
		"depth 1; steady is the same read without idle time. ± and < are 95 %% for one "
		"read, over steady is the mean over the blocks; after how many it is back is 95 %% "
		"for all of them together.%s What the "
		"host itself "
		"needs after idle time is in the first reads, in every link state.%s",
		verdicts, power_text(b, longest_ns));
	pl_book_drop_empty(b);
}
