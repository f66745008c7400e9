/* The tables of one drive: ladder, depths, software paths; and all of them in order. */

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/summary.h"
#include "report/drive_book.h"
#include "report/out.h"
#include "report/phrases.h"
#include "report/rows.h"

/* ---- the ladder ---- */

static const char *size_note(const struct pl_book *b)
{
	struct pl_drive_size size;
	char link[32];

	pl_drive_size(b->run, b->drive, &size);
	if (size.reason)
		return pl_arena_printf(b->arena, "4 KiB against 512 bytes: %s.",
				       pl_out_short(b->arena, size.reason, ""));
	return pl_arena_printf(
		b->arena,
		"4 KiB instead of 512 bytes: %s%s; carrying the difference takes %s on %s.",
		pl_book_step(b, &size.step),
		pl_book_is_resolved(&size.step) ? "" : " (not resolved)",
		size.serialisation_ns > 0.0 ? pl_fmt_ns(link, sizeof(link), size.serialisation_ns)
					    : "an unknown time",
		b->slot ? pl_row_link(b->arena, b->slot) : "its link");
}

/* "A step holds, controller: …; cache: …. " */
static const char *legend_of(const struct pl_book *b, const struct pl_drive_rung *rungs)
{
	const char *text = "";

	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++)
		if (rungs[i].step_is && !isnan(rungs[i].step.estimate))
			text = pl_arena_printf(b->arena, "%s%s%s: %s", text,
					       *text ? "; " : "A step holds, ", rungs[i].layer,
					       rungs[i].step_is);
	return *text ? pl_arena_printf(b->arena, "%s. ", text) : text;
}

static bool has_two_reads(const struct pl_drive_rung *rungs)
{
	size_t reads = 0;

	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++)
		reads += !rungs[i].reason && rungs[i].m->probe == PL_PROBE_NVME;
	return reads >= 2;
}

static void ladder_table(struct pl_book *b)
{
	static const enum pl_str heads[] = {PL_STR_LAYER,   PL_STR_ACCESS,  PL_STR_MEDIAN,
					    PL_STR_STEP_UP, PL_STR_SAMPLES, PL_STR_NOTE};
	struct pl_drive_rung rungs[PL_DRIVE_RUNGS];
	struct pl_drive_table *table;

	pl_drive_ladder(b->run, b->drive, rungs);
	if (!has_two_reads(rungs))
		return;
	table = pl_book_add(b, PL_STR_MEDIA_LADDER, heads, 6);
	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++) {
		const struct pl_drive_rung *r = &rungs[i];
		const char *step = pl_book_step(b, &r->step);

		if (!r->m)
			continue;
		pl_book_row(b, table,
			    (const char *const[]){
				    r->layer, r->access, pl_book_ns(b, r->m, r->m->summary.p50_ns),
				    step, pl_arena_printf(b->arena, "%zu", r->m->summary.n),
				    r->reason ? pl_out_short(b->arena, r->reason, NULL)
				    : !step || pl_book_is_resolved(&r->step) ? NULL
									     : "not resolved"});
	}
	table->note = pl_arena_printf(b->arena, "%s%s", legend_of(b, rungs), size_note(b));
}

/* ---- depth and load ---- */

static bool is_deep(const struct pl_book *b, const struct pl_measurement *m)
{
	return pl_book_is_of(b, m) &&
	       (m->conditions.queue_depth > 1 || m->conditions.size_bytes > 4096);
}

/* Deep or long reads, and single random ones where there are deep ones to compare them with. */
static bool is_load(const struct pl_book *b, const struct pl_measurement *m)
{
	bool is_single = pl_book_is_of(b, m) && !m->conditions.gap_ns &&
			 pl_book_is_same(m->metric, "read_4k") &&
			 pl_book_is_same(m->conditions.pattern, "random");

	for (size_t i = 0; is_single && i < b->run->measurement_count; i++)
		if (is_deep(b, b->run->measurements[i]) &&
		    pl_book_is_same(b->run->measurements[i]->conditions.state, m->conditions.state))
			return true;
	return is_deep(b, m);
}

static const char *iops_text(const struct pl_book *b, const struct pl_measurement *m)
{
	const struct pl_fact *iops = pl_measurement_find_fact(m, "iops");

	return iops ? pl_arena_printf(b->arena, "%.0f", iops->value) : NULL;
}

static const char *rate_text(const struct pl_book *b, const struct pl_measurement *m)
{
	const struct pl_fact *iops = pl_measurement_find_fact(m, "iops");

	return iops ? pl_arena_printf(b->arena, "%.0f MB/s",
				      iops->value * m->conditions.size_bytes / 1e6)
		    : NULL;
}

/* "4K random": short enough to stand whole beside eight columns. */
static const char *reads_text(const struct pl_book *b, const struct pl_conditions *c)
{
	return pl_arena_printf(b->arena, "%uK %s", c->size_bytes / 1024,
			       pl_book_is_same(c->pattern, "sequential") ? "seq."
			       : c->pattern                              ? c->pattern
									 : "");
}

static void depth_row(struct pl_book *b, struct pl_drive_table *table,
		      const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;
	const struct pl_summary *s = &m->summary;

	pl_book_row(
		b, table,
		(const char *const[]){
			reads_text(b, c), c->state, pl_arena_printf(b->arena, "%u", c->queue_depth),
			pl_book_ns(b, m, s->p50_ns), pl_book_ns(b, m, s->p90_ns),
			pl_book_ns(b, m, s->p99_ns), pl_book_ns(b, m, s->p999_ns), iops_text(b, m),
			pl_series_has_numbers(m) ? rate_text(b, m)
						 : pl_out_short(b->arena, m->why, NULL)});
}

static void depth_table(struct pl_book *b)
{
	static const enum pl_str heads[] = {PL_STR_READS,  PL_STR_LINKS, PL_STR_DEPTH,
					    PL_STR_MEDIAN, PL_STR_P90,   PL_STR_P99,
					    PL_STR_P999,   PL_STR_IOPS,  PL_STR_RATE};
	struct pl_drive_table *table = pl_book_add(b, PL_STR_DEPTHS, heads, 9);

	for (size_t i = 0; i < b->run->measurement_count; i++)
		if (is_load(b, b->run->measurements[i]))
			depth_row(b, table, b->run->measurements[i]);
	table->note = "A closed loop: the next read is issued when one is done. Nothing is "
		      "corrected for reads that a stall kept from being issued.";
	pl_book_drop_empty(b);
}

/* ---- software paths ---- */

static void path_table(struct pl_book *b)
{
	static const enum pl_str heads[] = {PL_STR_SOFTWARE_PATH, PL_STR_MEDIAN, PL_STR_P99,
					    PL_STR_SAMPLES, PL_STR_NOTE};
	struct pl_drive_table *table = pl_book_add(b, PL_STR_PATHS, heads, 5);

	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *m = b->run->measurements[i];
		const struct pl_fact *proof = pl_measurement_find_fact(m, "polling_proof");

		if (!pl_book_is_of(b, m) || !pl_book_is_same(m->metric, "read_4k_path"))
			continue;
		pl_book_row(b, table,
			    (const char *const[]){
				    m->conditions.path, pl_book_ns(b, m, m->summary.p50_ns),
				    pl_book_ns(b, m, m->summary.p99_ns),
				    pl_arena_printf(b->arena, "%zu", m->summary.n),
				    !pl_series_has_numbers(m) ? pl_out_short(b->arena, m->why, NULL)
				    : proof                   ? proof->text
							      : NULL});
	}
	table->note = "The same 4 KiB, read by each software path in turn.";
	pl_book_drop_empty(b);
}

/* ---- all of them ---- */

static void translate(struct pl_arena *arena, struct pl_drive_table *table, enum pl_lang lang)
{
	table->note = pl_phrase_sentences(arena, table->note, lang);
	for (size_t r = 0; r < table->row_count; r++) {
		const char **row = pl_arena_array(arena, table->column_count, sizeof(*row));

		for (size_t i = 0; i < table->column_count; i++)
			row[i] = pl_phrase(arena, table->rows[r][i], lang);
		table->rows[r] = row;
	}
}

const struct pl_drive_table *pl_drive_tables(struct pl_arena *arena, const struct pl_run *run,
					     const struct pl_drive *drive, enum pl_lang lang,
					     size_t *count)
{
	struct pl_book b = {.arena = arena, .run = run, .drive = drive};

	b.slot = pl_drive_slot(run, drive);
	pl_book_power(&b);
	ladder_table(&b);
	depth_table(&b);
	pl_book_bursts(&b);
	path_table(&b);
	for (size_t i = 0; i < b.count; i++)
		translate(arena, &b.tables[i], lang);
	*count = b.count;
	return b.tables;
}
