#include "report/notes.h"

#include <string.h>

#include "report/out.h"
#include "report/rows.h"
#include "report/sentence.h"

/* The longest list of subjects in one note; more are counted, not named. */
#define WHAT_BYTES 400

static bool is_named(const char *list, const char *name)
{
	size_t length = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name)) != NULL) {
		bool starts = at == list || at[-1] == ' ';

		if (starts && (at[length] == ',' || !at[length]))
			return true;
		at += length;
	}
	return false;
}

static void extend(struct pl_arena *arena, struct pl_note *note, const char *what)
{
	size_t used = strlen(note->what);

	if (is_named(note->what, what) || !strcmp(note->what + (used > 3 ? used - 3 : 0), "…"))
		return;
	note->what = used + strlen(what) > WHAT_BYTES
			     ? pl_arena_printf(arena, "%s, …", note->what)
			     : pl_arena_printf(arena, "%s, %s", note->what, what);
}

static void add(struct pl_arena *arena, struct pl_notes *notes, const char *what, const char *why,
		const char *remedy)
{
	void *items = notes->items;
	struct pl_note *note;

	for (size_t i = 0; i < notes->count; i++)
		if (!strcmp(notes->items[i].why, why)) {
			extend(arena, &notes->items[i], what);
			return;
		}
	note = pl_arena_push(arena, &items, &notes->count, &notes->capacity, sizeof(*note));
	notes->items = items;
	*note = (struct pl_note){what, why, remedy};
}

void pl_notes_not_measured(struct pl_arena *arena, const struct pl_run *run, struct pl_notes *notes)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (pl_series_has_numbers(m))
			continue;
		add(arena, notes,
		    pl_arena_printf(arena, "%s %s",
				    m->slot ? pl_row_label(arena, m->slot)
					    : pl_out_short(arena, m->subject, "?"),
				    pl_probe_name(m->probe)),
		    m->why ? pl_out_clean(arena, m->why) : "no reason was recorded", NULL);
	}
	for (size_t i = 0; i < run->skip_count; i++)
		add(arena, notes, pl_out_short(arena, run->skipped[i].what, "?"),
		    run->skipped[i].why ? pl_out_clean(arena, run->skipped[i].why)
					: "no reason was recorded",
		    pl_out_clean(arena, run->skipped[i].remedy));
}

void pl_notes_not_claimed(struct pl_arena *arena, const struct pl_run *run, struct pl_notes *notes)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		/* A config step that was not seen is in the ladder, with its limit. */
		if (e->status == PL_CLAIM_RESOLVED ||
		    (e->kind == PL_EFFECT_CONFIG_STEP && e->status == PL_CLAIM_NOT_RESOLVED))
			continue;
		add(arena, notes,
		    pl_arena_printf(arena, "%s %s", e->slot ? pl_row_label(arena, e->slot) : "?",
				    pl_effect_kind_name(e->kind)),
		    e->reason ? pl_out_clean(arena, e->reason)
			      : pl_sentence(arena, run, e, PL_LANG_EN),
		    NULL);
	}
}

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool is_same_warning(const struct pl_warning *a, const struct pl_warning *b)
{
	return is_same_text(a->code, b->code) && is_same_text(a->message, b->message);
}

/* The code, and the subjects of every warning like the one at index; NULL: an earlier one has it.
 */
static const char *code_and_subjects(struct pl_arena *arena, const struct pl_run *run, size_t index)
{
	const struct pl_warning *all = run->warnings;
	const char *text = pl_out_short(arena, all[index].code, "");
	bool has_subject = false;

	for (size_t i = 0; i < run->warning_count; i++) {
		if (!is_same_warning(&all[i], &all[index]))
			continue;
		if (i < index)
			return NULL;
		if (!all[i].subject)
			continue;
		text = pl_arena_printf(arena, "%s%s%s", text, has_subject ? ", " : " ",
				       pl_out_short(arena, all[i].subject, ""));
		has_subject = true;
	}
	return text;
}

void pl_notes_warnings(struct pl_arena *arena, const struct pl_run *run, struct pl_notes *notes)
{
	for (size_t i = 0; i < run->warning_count; i++) {
		const char *what = code_and_subjects(arena, run, i);
		const char *message = pl_out_clean(arena, run->warnings[i].message);
		void *items = notes->items;
		struct pl_note *note;

		if (!what)
			continue;
		note = pl_arena_push(arena, &items, &notes->count, &notes->capacity, sizeof(*note));
		notes->items = items;
		*note = (struct pl_note){what, message ? message : "", NULL};
	}
}
