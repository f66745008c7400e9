/* The tables of one drive: power states, ladder, depths, software paths. */

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/summary.h"
#include "report/drive.h"
#include "report/out.h"
#include "report/rows.h"

/* What the table makers share. */
struct book {
	struct pl_arena *arena;
	const struct pl_run *run;
	const struct pl_drive *drive;
	const struct pl_slot *slot;
	struct pl_drive_table *tables;
	size_t count, capacity;
};

static struct pl_drive_table *add_table(struct book *b, enum pl_str title, const enum pl_str *heads,
					size_t columns)
{
	void *items = b->tables;
	struct pl_drive_table *table =
		pl_arena_push(b->arena, &items, &b->count, &b->capacity, sizeof(*table));

	b->tables = items;
	*table = (struct pl_drive_table){.title = title, .heads = heads, .column_count = columns};
	return table;
}

static void add_row(struct book *b, struct pl_drive_table *table, const char *const *cells)
{
	const char **copy = pl_arena_array(b->arena, table->column_count, sizeof(*copy));
	void *rows = table->rows;

	memcpy(copy, cells, table->column_count * sizeof(*copy));
	*(const char *const **)pl_arena_push(b->arena, &rows, &table->row_count,
					     &table->row_capacity, sizeof(copy)) = copy;
	table->rows = rows;
}

/* A table without rows was not worth adding; it is the last one. */
static void drop_empty(struct book *b)
{
	if (!b->tables[b->count - 1].row_count)
		b->count--;
}

static const char *ns_text(const struct book *b, const struct pl_measurement *m, double ns)
{
	return m && pl_series_has_numbers(m) && !isnan(ns) ? pl_row_ns(b->arena, ns) : NULL;
}

static const char *step_text(const struct book *b, const struct pl_interval *step)
{
	char text[64];

	if (isnan(step->estimate))
		return NULL;
	if (isnan(step->low))
		return pl_row_ns(b->arena, step->estimate);
	return pl_arena_printf(
		b->arena, "%s%s", step->estimate < 0.0 ? "" : "+",
		pl_fmt_ns_pm(text, sizeof(text), step->estimate, step->high - step->estimate));
}

static bool is_resolved(const struct pl_interval *step)
{
	return step->low > 0.0 || step->high < 0.0;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_of(const struct book *b, const struct pl_measurement *m)
{
	return m->probe == PL_PROBE_NVME && m->has_device &&
	       pl_bdf_is_equal(m->device, b->drive->bdf);
}

/* ---- power states ---- */

static const char *us_text(const struct book *b, uint32_t us)
{
	return us ? pl_row_ns(b->arena, (double)us * 1e3) : NULL;
}

static const char *ms_text(const struct book *b, uint64_t ms)
{
	char text[32];

	return pl_arena_strdup(b->arena, pl_fmt_ns(text, sizeof(text), (double)ms * 1e6));
}

/* The same series with the drive's power states held off; NULL. */
static const struct pl_measurement *held_awake(const struct book *b, const struct pl_measurement *m)
{
	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *other = b->run->measurements[i];
		const struct pl_conditions *x = &m->conditions, *y = &other->conditions;

		if (is_of(b, other) && is_same_text(y->apst, "off") && x->gap_ns == y->gap_ns &&
		    is_same_text(m->metric, other->metric) && is_same_text(x->state, y->state) &&
		    is_same_text(x->prewake, y->prewake) && is_same_text(x->idle, y->idle) &&
		    m->boot == other->boot && pl_series_has_numbers(other))
			return other;
	}
	return NULL;
}

/*
 * The arm that shows the exit of this state best: the drive left to itself for long enough to be in
 * it, and a counterpart; with the link woken first where there is one. NULL.
 */
static const struct pl_measurement *exit_arm(const struct book *b, size_t state)
{
	const struct pl_measurement *best = NULL;

	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *m = b->run->measurements[i];

		if (!is_of(b, m) || !is_same_text(m->conditions.apst, "as_found") ||
		    !pl_series_has_numbers(m) ||
		    pl_drive_state_after(b->drive, m->conditions.gap_ns / 1000000u) != state ||
		    !held_awake(b, m))
			continue;
		if (!best || (!best->conditions.prewake && m->conditions.prewake))
			best = m;
	}
	return best;
}

static const char *measured_text(const struct book *b, size_t state)
{
	const struct pl_measurement *arm = exit_arm(b, state);
	struct pl_interval step;

	if (!state || b->drive->states[state].is_operational)
		return NULL;
	if (b->drive->apst_enabled != 1)
		return "not entered";
	if (!arm)
		return "not measured";
	step = pl_series_step(b->arena, held_awake(b, arm), arm);
	return step_text(b, &step);
}

/* How it was measured, or why it was not; NULL: nothing to say of this state. */
static const char *measured_note(const struct book *b, size_t state)
{
	const struct pl_measurement *arm = exit_arm(b, state);
	uint64_t reaches_ms = pl_drive_reaches_ms(b->drive, state);
	char gap[32];

	if (!state || b->drive->states[state].is_operational || b->drive->apst_enabled != 1)
		return NULL;
	if (!reaches_ms)
		return pl_arena_printf(b->arena, " PS%zu is not entered by itself.", state);
	if (!arm)
		return pl_arena_printf(b->arena, " PS%zu is entered after %s of idle.", state,
				       ms_text(b, reaches_ms));
	return pl_arena_printf(
		b->arena, " PS%zu: a read after %s of idle against the same with APST off%s.",
		state, pl_fmt_ns(gap, sizeof(gap), (double)arm->conditions.gap_ns),
		arm->conditions.prewake ? ", the link woken first" : ", waking the link included");
}

static const char *apst_text(const struct book *b, const struct pl_power_state *s)
{
	return s->apst_after_ms ? pl_arena_printf(b->arena, "PS%u after %s", s->apst_to,
						  ms_text(b, s->apst_after_ms))
				: NULL;
}

static void power_row(struct book *b, struct pl_drive_table *table, size_t i)
{
	const struct pl_power_state *s = &b->drive->states[i];
	bool is_now = b->drive->current_state == (int)i;

	add_row(b, table,
		(const char *const[]){
			pl_arena_printf(b->arena, "PS%zu%s", i, is_now ? " now" : ""),
			isnan(s->max_power_w) ? NULL
					      : pl_arena_printf(b->arena, "%.4g W", s->max_power_w),
			s->is_operational ? "works" : "sleeps", us_text(b, s->entry_us),
			us_text(b, s->exit_us), apst_text(b, s), measured_text(b, i)});
}

static const char *power_note(const struct book *b)
{
	const struct pl_drive *d = b->drive;
	const char *apst = !d->is_apst_supported  ? "The drive has no autonomous transitions."
			   : d->apst_enabled == 1 ? "Autonomous transitions are on."
						  : "Autonomous transitions are off.";
	const char *measured = "";

	for (size_t i = 0; i < d->state_count; i++) {
		const char *note = measured_note(b, i);

		measured = pl_arena_printf(b->arena, "%s%s", measured, note ? note : "");
	}
	return pl_arena_printf(
		b->arena,
		"%s The kernel lets it use states of up to %s µs to enter and leave "
		"(nvme_core.default_ps_max_latency_us); this drive's tolerance is %s. Advertised "
		"latencies are upper bounds.%s",
		apst, pl_out_short(b->arena, d->max_latency, "?"),
		pl_out_short(b->arena, d->latency_tolerance, "not adjustable"), measured);
}

static void power_table(struct book *b)
{
	static const enum pl_str heads[] = {
		PL_STR_STATE_NAME, PL_STR_MAX_POWER,  PL_STR_KIND,         PL_STR_ENTRY,
		PL_STR_EXIT,       PL_STR_NEXT_STATE, PL_STR_MEASURED_EXIT};
	struct pl_drive_table *table = add_table(b, PL_STR_POWER_STATES, heads, 7);

	if (!b->drive->state_count)
		add_row(b, table,
			(const char *const[]){"not known", NULL, NULL, NULL, NULL, NULL,
					      pl_out_short(b->arena, b->drive->why, NULL)});
	for (size_t i = 0; i < b->drive->state_count; i++)
		power_row(b, table, i);
	table->note = b->drive->state_count ? power_note(b) : NULL;
}

/* ---- the ladder ---- */

static const char *size_note(const struct book *b)
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
		step_text(b, &size.step), is_resolved(&size.step) ? "" : " (not resolved)",
		size.serialisation_ns > 0.0 ? pl_fmt_ns(link, sizeof(link), size.serialisation_ns)
					    : "an unknown time",
		b->slot ? pl_row_link(b->arena, b->slot) : "its link");
}

/* "A step holds, controller: …; cache: …. " */
static const char *legend_of(const struct book *b, const struct pl_drive_rung *rungs)
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

static void ladder_table(struct book *b)
{
	static const enum pl_str heads[] = {PL_STR_LAYER,   PL_STR_ACCESS,  PL_STR_MEDIAN,
					    PL_STR_STEP_UP, PL_STR_SAMPLES, PL_STR_NOTE};
	struct pl_drive_rung rungs[PL_DRIVE_RUNGS];
	struct pl_drive_table *table;

	pl_drive_ladder(b->run, b->drive, rungs);
	if (!has_two_reads(rungs))
		return;
	table = add_table(b, PL_STR_MEDIA_LADDER, heads, 6);
	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++) {
		const struct pl_drive_rung *r = &rungs[i];
		const char *step = step_text(b, &r->step);

		if (!r->m)
			continue;
		add_row(b, table,
			(const char *const[]){r->layer, r->access,
					      ns_text(b, r->m, r->m->summary.p50_ns), step,
					      pl_arena_printf(b->arena, "%zu", r->m->summary.n),
					      r->reason ? pl_out_short(b->arena, r->reason, NULL)
					      : !step || is_resolved(&r->step) ? NULL
									       : "not resolved"});
	}
	table->note = pl_arena_printf(b->arena, "%s%s", legend_of(b, rungs), size_note(b));
}

/* ---- depth and load ---- */

static bool is_deep(const struct book *b, const struct pl_measurement *m)
{
	return is_of(b, m) && (m->conditions.queue_depth > 1 || m->conditions.size_bytes > 4096);
}

/* Deep or long reads, and single random ones where there are deep ones to compare them with. */
static bool is_load(const struct book *b, const struct pl_measurement *m)
{
	bool is_single = is_of(b, m) && !m->conditions.gap_ns &&
			 is_same_text(m->metric, "read_4k") &&
			 is_same_text(m->conditions.pattern, "random");

	for (size_t i = 0; is_single && i < b->run->measurement_count; i++)
		if (is_deep(b, b->run->measurements[i]) &&
		    is_same_text(b->run->measurements[i]->conditions.state, m->conditions.state))
			return true;
	return is_deep(b, m);
}

static const char *iops_text(const struct book *b, const struct pl_measurement *m)
{
	const struct pl_fact *iops = pl_measurement_find_fact(m, "iops");

	return iops ? pl_arena_printf(b->arena, "%.0f", iops->value) : NULL;
}

static const char *rate_text(const struct book *b, const struct pl_measurement *m)
{
	const struct pl_fact *iops = pl_measurement_find_fact(m, "iops");

	return iops ? pl_arena_printf(b->arena, "%.0f MB/s",
				      iops->value * m->conditions.size_bytes / 1e6)
		    : NULL;
}

/* "4K random": short enough to stand whole beside eight columns. */
static const char *reads_text(const struct book *b, const struct pl_conditions *c)
{
	return pl_arena_printf(b->arena, "%uK %s", c->size_bytes / 1024,
			       is_same_text(c->pattern, "sequential") ? "seq."
			       : c->pattern                           ? c->pattern
								      : "");
}

static void depth_row(struct book *b, struct pl_drive_table *table, const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;
	const struct pl_summary *s = &m->summary;

	add_row(b, table,
		(const char *const[]){
			reads_text(b, c), c->state, pl_arena_printf(b->arena, "%u", c->queue_depth),
			ns_text(b, m, s->p50_ns), ns_text(b, m, s->p90_ns),
			ns_text(b, m, s->p99_ns), ns_text(b, m, s->p999_ns), iops_text(b, m),
			pl_series_has_numbers(m) ? rate_text(b, m)
						 : pl_out_short(b->arena, m->why, NULL)});
}

static void depth_table(struct book *b)
{
	static const enum pl_str heads[] = {PL_STR_READS,  PL_STR_LINKS, PL_STR_DEPTH,
					    PL_STR_MEDIAN, PL_STR_P90,   PL_STR_P99,
					    PL_STR_P999,   PL_STR_IOPS,  PL_STR_RATE};
	struct pl_drive_table *table = add_table(b, PL_STR_DEPTHS, heads, 9);

	for (size_t i = 0; i < b->run->measurement_count; i++)
		if (is_load(b, b->run->measurements[i]))
			depth_row(b, table, b->run->measurements[i]);
	table->note = "A closed loop: the next read is issued when one is done. Nothing is "
		      "corrected for reads that a stall kept from being issued.";
	drop_empty(b);
}

/* ---- software paths ---- */

static void path_table(struct book *b)
{
	static const enum pl_str heads[] = {PL_STR_SOFTWARE_PATH, PL_STR_MEDIAN, PL_STR_P99,
					    PL_STR_SAMPLES, PL_STR_NOTE};
	struct pl_drive_table *table = add_table(b, PL_STR_PATHS, heads, 5);

	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *m = b->run->measurements[i];
		const struct pl_fact *proof = pl_measurement_find_fact(m, "polling_proof");

		if (!is_of(b, m) || !is_same_text(m->metric, "read_4k_path"))
			continue;
		add_row(b, table,
			(const char *const[]){m->conditions.path, ns_text(b, m, m->summary.p50_ns),
					      ns_text(b, m, m->summary.p99_ns),
					      pl_arena_printf(b->arena, "%zu", m->summary.n),
					      !pl_series_has_numbers(m)
						      ? pl_out_short(b->arena, m->why, NULL)
					      : proof ? proof->text
						      : NULL});
	}
	table->note = "The same 4 KiB, read by each software path in turn.";
	drop_empty(b);
}

bool pl_drive_is_number(enum pl_str head)
{
	static const enum pl_str numbers[] = {PL_STR_MAX_POWER, PL_STR_ENTRY,   PL_STR_EXIT,
					      PL_STR_MEDIAN,    PL_STR_P90,     PL_STR_P99,
					      PL_STR_P999,      PL_STR_SAMPLES, PL_STR_DEPTH,
					      PL_STR_IOPS,      PL_STR_STEP_UP};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == head)
			return true;
	return false;
}

const struct pl_drive_table *pl_drive_tables(struct pl_arena *arena, const struct pl_run *run,
					     const struct pl_drive *drive, size_t *count)
{
	struct book b = {.arena = arena, .run = run, .drive = drive};

	b.slot = pl_drive_slot(run, drive);
	power_table(&b);
	ladder_table(&b);
	depth_table(&b);
	path_table(&b);
	*count = b.count;
	return b.tables;
}
