#include "model/drive.h"

const char *pl_drive_deallocated_name(int value)
{
	static const char *const names[] = {"not reported", "zeros", "ones"};

	return value < 0 || value > 2 ? NULL : names[value];
}

/* Transitions follow each other, each after its own time in the state before. */
static size_t walk(const struct pl_drive *drive, uint64_t idle_ms, size_t until, uint64_t *spent_ms)
{
	size_t state = 0;

	*spent_ms = 0;
	for (size_t i = 0; i < drive->state_count && state != until; i++) {
		const struct pl_power_state *s = &drive->states[state];

		if (drive->apst_enabled != 1 || !s->apst_after_ms ||
		    s->apst_to >= drive->state_count || *spent_ms + s->apst_after_ms > idle_ms)
			break;
		*spent_ms += s->apst_after_ms;
		state = s->apst_to;
	}
	return state;
}

size_t pl_drive_state_after(const struct pl_drive *drive, uint64_t idle_ms)
{
	uint64_t spent_ms;

	return walk(drive, idle_ms, PL_POWER_STATES_MAX, &spent_ms);
}

uint64_t pl_drive_reaches_ms(const struct pl_drive *drive, size_t state)
{
	uint64_t spent_ms;

	return state && walk(drive, UINT64_MAX, state, &spent_ms) == state ? spent_ms : 0;
}
