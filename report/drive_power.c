/* The power states of one drive: advertised, and measured where they were. */

#include "report/drive_book.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/drive_link.h"
#include "report/out.h"
#include "report/rows.h"

static const char *us_text(const struct pl_book *b, uint32_t us)
{
	return us ? pl_row_ns(b->arena, (double)us * 1e3) : NULL;
}

static const char *ms_text(const struct pl_book *b, uint64_t ms)
{
	char text[32];

	return pl_arena_strdup(b->arena, pl_fmt_ns(text, sizeof(text), (double)ms * 1e6));
}

/* The same series with the drive's power states held off; NULL. */
static const struct pl_measurement *held_awake(const struct pl_book *b,
					       const struct pl_measurement *m)
{
	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *other = b->run->measurements[i];
		const struct pl_conditions *x = &m->conditions, *y = &other->conditions;

		if (pl_book_is_of(b, other) && pl_book_is_same(y->apst, "off") &&
		    x->gap_ns == y->gap_ns && pl_book_is_same(m->metric, other->metric) &&
		    pl_book_is_same(x->state, y->state) &&
		    pl_book_is_same(x->prewake, y->prewake) && pl_book_is_same(x->idle, y->idle) &&
		    m->boot == other->boot && pl_series_has_numbers(other))
			return other;
	}
	return NULL;
}

/*
 * The arm that shows the exit of this state best: the drive left to itself for long enough to be in
 * it, and a counterpart; with the link woken first where there is one. NULL.
 */
static const struct pl_measurement *exit_arm(const struct pl_book *b, size_t state)
{
	const struct pl_measurement *best = NULL;

	for (size_t i = 0; i < b->run->measurement_count; i++) {
		const struct pl_measurement *m = b->run->measurements[i];

		if (!pl_book_is_of(b, m) || !pl_book_is_same(m->conditions.apst, "as_found") ||
		    !pl_series_has_numbers(m) ||
		    pl_drive_state_after(b->drive, m->conditions.gap_ns / 1000000u) != state ||
		    !held_awake(b, m))
			continue;
		if (!best || (!best->conditions.prewake && m->conditions.prewake))
			best = m;
	}
	return best;
}

static const char *measured_text(const struct pl_book *b, size_t state)
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
	return pl_book_step(b, &step);
}

/* How it was measured, or why it was not; NULL: nothing to say of this state. */
static const char *measured_note(const struct pl_book *b, size_t state)
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
		b->arena,
		" PS%zu: a read after %s of idle against the same with APST off, links %s%s.",
		state, pl_fmt_ns(gap, sizeof(gap), (double)arm->conditions.gap_ns),
		pl_state_is_off(arm->conditions.state) ? "off" : "as found",
		arm->conditions.prewake ? ", the link woken first" : ", waking the link included");
}

static const char *apst_text(const struct pl_book *b, const struct pl_power_state *s)
{
	return s->apst_after_ms ? pl_arena_printf(b->arena, "PS%u after %s", s->apst_to,
						  ms_text(b, s->apst_after_ms))
				: NULL;
}

static void power_row(struct pl_book *b, struct pl_drive_table *table, size_t i)
{
	const struct pl_power_state *s = &b->drive->states[i];
	bool is_now = b->drive->current_state == (int)i;

	pl_book_row(b, table,
		    (const char *const[]){
			    pl_arena_printf(b->arena, "PS%zu%s", i, is_now ? " now" : ""),
			    isnan(s->max_power_w)
				    ? NULL
				    : pl_arena_printf(b->arena, "%.4g W", s->max_power_w),
			    s->is_operational ? "works" : "sleeps", us_text(b, s->entry_us),
			    us_text(b, s->exit_us), apst_text(b, s), measured_text(b, i)});
}

static const char *power_note(const struct pl_book *b)
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

static const char *yes_no(int value)
{
	return value < 0 ? "?" : value ? "yes" : "no";
}

/* What the link may do meanwhile: a part of the same question. */
static void link_table(struct pl_book *b)
{
	static const enum pl_str heads[] = {PL_STR_LINK_FEATURE, PL_STR_SUPPORTED, PL_STR_ENABLED,
					    PL_STR_NOTE};
	struct pl_drive_table *table = pl_book_add(b, PL_STR_LINK_POWER, heads, 4);
	struct pl_drive_link_row rows[PL_DRIVE_LINK_ROWS];
	struct pl_drive_link link;

	pl_drive_link(b->arena, b->run, b->drive, &link);
	pl_drive_link_rows(b->arena, &link, rows);
	for (size_t i = 0; i < PL_DRIVE_LINK_ROWS; i++)
		pl_book_row(b, table,
			    (const char *const[]){
				    rows[i].name,
				    strcmp(rows[i].key, "ltr") ? yes_no(rows[i].supported) : NULL,
				    yes_no(rows[i].enabled), rows[i].note});
	table->note = pl_arena_printf(b->arena, "%s ASPM × APST: %s.", link.follows,
				      pl_out_short(b->arena, link.coupling_text, ""));
}

void pl_book_power(struct pl_book *b)
{
	static const enum pl_str heads[] = {
		PL_STR_STATE_NAME, PL_STR_MAX_POWER,  PL_STR_KIND,         PL_STR_ENTRY,
		PL_STR_EXIT,       PL_STR_NEXT_STATE, PL_STR_MEASURED_EXIT};
	struct pl_drive_table *table = pl_book_add(b, PL_STR_POWER_STATES, heads, 7);

	if (!b->drive->state_count)
		pl_book_row(b, table,
			    (const char *const[]){"not known", NULL, NULL, NULL, NULL, NULL,
						  pl_out_short(b->arena, b->drive->why, NULL)});
	for (size_t i = 0; i < b->drive->state_count; i++)
		power_row(b, table, i);
	table->note = b->drive->state_count ? power_note(b) : NULL;
	link_table(b);
}
