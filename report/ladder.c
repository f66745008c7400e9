#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

/*
 * trace: one ladder per path and offset class. A rung is one configuration-read series; the step is
 * the mean of the paired differences of block medians to the rung before it that has numbers.
 */

static const char *step_text(struct pl_arena *arena, const struct pl_measurement *before,
			     const struct pl_measurement *m)
{
	struct pl_interval step;
	char text[64];

	if (!before || !pl_series_has_numbers(m))
		return "";
	step = pl_series_step(arena, before, m);
	if (isnan(step.low))
		return isnan(step.estimate) ? "" : pl_row_ns(arena, step.estimate);
	return pl_arena_strdup(
		arena, pl_fmt_ns_pm(text, sizeof(text), step.estimate, step.high - step.estimate));
}

static void add_rung(struct pl_text_table *table, const struct pl_measurement *before,
		     const struct pl_measurement *m)
{
	struct pl_arena *arena = table->arena;
	char bdf[PL_BDF_TEXT];
	const struct pl_summary *s = &m->summary;

	pl_bdf_format(m->device, bdf);
	if (!pl_series_has_numbers(m)) {
		pl_text_row(table, (const char *const[]){pl_arena_strdup(arena, bdf), "gap", "", "",
							 "", "", ""});
		return;
	}
	pl_text_row(table, (const char *const[]){
				   pl_arena_strdup(arena, bdf), pl_row_ns(arena, s->min_ns),
				   pl_row_ns(arena, s->p50_ns), pl_row_ns(arena, s->p90_ns),
				   pl_row_ns(arena, s->p99_ns), pl_arena_printf(arena, "%zu", s->n),
				   step_text(arena, before, m)});
}

static const struct pl_measurement *rung_at(const struct pl_run *run, struct pl_bdf bdf,
					    unsigned offset)
{
	const struct pl_measurement *best = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->probe == PL_PROBE_CONFIG && m->has_device &&
		    pl_bdf_is_equal(m->device, bdf) && m->conditions.config_offset == offset &&
		    m->conditions.gap_ns == 0 && (!best || !pl_series_has_numbers(best)))
			best = m;
	}
	return best;
}

/* The host bridge of the domain stands below every ladder when it was read. */
static struct pl_bdf host_bridge(const struct pl_slot *slot)
{
	return (struct pl_bdf){slot->path[0].domain, 0, 0, 0};
}

static void fill_ladder(const struct pl_run *run, const struct pl_slot *slot, unsigned offset,
			struct pl_text_table *table)
{
	const struct pl_measurement *before = NULL;
	const struct pl_measurement *m = rung_at(run, host_bridge(slot), offset);

	if (m && !pl_bdf_is_equal(slot->path[0], host_bridge(slot))) {
		add_rung(table, NULL, m);
		before = pl_series_has_numbers(m) ? m : NULL;
	}
	for (size_t i = 0; i < slot->path_count; i++) {
		m = rung_at(run, slot->path[i], offset);
		if (!m)
			continue;
		add_rung(table, before, m);
		before = pl_series_has_numbers(m) ? m : before;
	}
}

static bool has_own_rung(const struct pl_run *run, const struct pl_slot *slot, unsigned offset)
{
	return slot->path_count && rung_at(run, slot->path[slot->path_count - 1], offset) != NULL;
}

static void print_ladder(const struct pl_run *run, const struct pl_slot *slot, unsigned offset,
			 const struct pl_text_style *style, FILE *out)
{
	static const struct pl_text_column columns[] = {
		{"Function", false, 0}, {"min", true, 0}, {"p50", true, 0},  {"p90", true, 0},
		{"p99", true, 0},       {"n", true, 0},   {"step", true, 0},
	};
	struct pl_arena arena = {NULL};
	struct pl_text_table table = {.arena = &arena, .columns = columns, .column_count = 7};

	if (has_own_rung(run, slot, offset)) {
		fill_ladder(run, slot, offset, &table);
		pl_text_heading(style,
				pl_arena_printf(&arena, "%s: %s, offset 0x%x %s",
						pl_row_label(&arena, slot),
						pl_row_device(&arena, slot), offset,
						offset >= 0x100 ? "(ECAM)" : "(compatible access)"),
				out);
		pl_text_print(&table, style, out);
	}
	pl_arena_fini(&arena);
}

static void print_gaps(const struct pl_run *run, const struct pl_text_style *style, FILE *out)
{
	struct pl_arena arena = {NULL};

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->probe != PL_PROBE_CONFIG || pl_series_has_numbers(m))
			continue;
		pl_text_wrap(style, "  gap: ", 4,
			     pl_arena_printf(&arena, "%s: %s", pl_series_title(&arena, m),
					     pl_out_short(&arena, m->why, "no reason recorded")),
			     out);
	}
	pl_arena_fini(&arena);
}

int pl_report_write_ladder(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			   struct pl_err *err)
{
	static const unsigned offsets[] = {0, 0x100};
	char text[256];
	const char *stamp = pl_run_stamp(run, text, sizeof(text));

	if (stamp)
		pl_text_stamp(style, stamp, out);
	for (size_t i = 0; i < run->slot_count; i++)
		for (size_t k = 0; k < sizeof(offsets) / sizeof(offsets[0]); k++)
			print_ladder(run, &run->slots[i], offsets[k], style, out);
	print_gaps(run, style, out);
	fputs("\nA step is the difference of two functions' own answers, not what a chip adds to "
	      "traffic\nthat passes through it.\n",
	      out);
	return pl_out_finish(out, err);
}
