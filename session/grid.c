#include "session/grid.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static const uint64_t quick_gaps[] = {5 * US, 20 * US, 50 * US, 100 * US, 500 * US, 2 * MS};
static const uint64_t default_gaps[] = {1 * US,  5 * US,   10 * US,  20 * US,  35 * US, 50 * US,
					75 * US, 100 * US, 200 * US, 500 * US, 2 * MS,  10 * MS};
static const uint64_t thorough_gaps[] = {1 * US,   2 * US,  3 * US,   5 * US,   7 * US,   10 * US,
					 15 * US,  20 * US, 25 * US,  30 * US,  40 * US,  50 * US,
					 60 * US,  75 * US, 100 * US, 150 * US, 200 * US, 300 * US,
					 500 * US, 1 * MS,  2 * MS,   4 * MS,   6 * MS,   10 * MS};

static const struct {
	const uint64_t *gaps;
	size_t count;
	size_t samples; /* of one block at short gaps */
} efforts[] = {
	[PL_EFFORT_QUICK] = {quick_gaps, sizeof(quick_gaps) / sizeof(quick_gaps[0]), 16},
	[PL_EFFORT_DEFAULT] = {default_gaps, sizeof(default_gaps) / sizeof(default_gaps[0]), 16},
	[PL_EFFORT_THOROUGH] = {thorough_gaps, sizeof(thorough_gaps) / sizeof(thorough_gaps[0]),
				64},
};

const uint64_t *pl_grid_gaps(enum pl_effort effort, size_t *count)
{
	*count = efforts[effort].count;
	return efforts[effort].gaps;
}

size_t pl_grid_samples(enum pl_effort effort, uint64_t gap_ns)
{
	size_t samples = efforts[effort].samples;

	if (gap_ns > 10 * MS)
		return 4;
	if (gap_ns > 200 * US)
		samples /= 2;
	return gap_ns > 2 * MS ? samples / 2 : samples;
}

size_t pl_grid_bursts(enum pl_effort effort, uint64_t gap_ns, bool is_as_found)
{
	if (gap_ns > 10 * MS)
		return 4;
	return effort == PL_EFFORT_THOROUGH && is_as_found ? 84 : 16;
}

bool pl_grid_takes_state(enum pl_effort effort, const struct pl_link_state *state)
{
	if (!state->is_settable)
		return false;
	switch (state->kind) {
	case PL_LINK_STATE_OFF:
	case PL_LINK_STATE_AS_FOUND:
	case PL_LINK_STATE_RAISED:
		return true;
	case PL_LINK_STATE_CONTROL:
		return effort != PL_EFFORT_QUICK;
	case PL_LINK_STATE_SUBSET:
	case PL_LINK_STATE_PARTIAL:
		return effort == PL_EFFORT_THOROUGH;
	}
	return false;
}

bool pl_grid_is_control_gap(size_t i, size_t count)
{
	return i == count / 3 || i == 2 * count / 3;
}

bool pl_grid_is_slept_gap(enum pl_effort effort, size_t i, size_t count)
{
	if (effort == PL_EFFORT_QUICK)
		return i == 2 * count / 3;
	return pl_grid_is_control_gap(i, count) || i + 1 == count;
}
