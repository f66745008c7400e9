#include <math.h>

#include "model/state.h"
#include "model/summary.h"
#include "report/attribute.h"

/* Difference of two link states over the idle gap. */

static bool is_usable(const struct pl_measurement *m)
{
	return m && m->is_valid && !m->is_off_path && m->blocks_done > 0;
}

/* Adds a gap in ascending order. */
static void insert(struct pl_curve *curve, const struct pl_measurement *arm,
		   const struct pl_measurement *reference)
{
	size_t i = curve->positions++;

	while (i > 0 && curve->arm[i - 1]->conditions.gap_ns > arm->conditions.gap_ns) {
		curve->arm[i] = curve->arm[i - 1];
		curve->reference[i] = curve->reference[i - 1];
		i--;
	}
	curve->arm[i] = arm;
	curve->reference[i] = reference;
}

static void fill_column(struct pl_curve *curve, size_t g, struct pl_arena *scratch)
{
	const struct pl_measurement *x = curve->arm[g], *y = curve->reference[g];
	double *a = pl_arena_array(scratch, x->blocks_done, sizeof(*a));
	double *b = pl_arena_array(scratch, y->blocks_done, sizeof(*b));

	pl_measurement_block_centres(x, a);
	pl_measurement_block_centres(y, b);
	for (size_t i = 0; i < curve->blocks; i++) {
		bool is_there = i < x->blocks_done && i < y->blocks_done;

		curve->values[i * curve->positions + g] = is_there ? a[i] - b[i] : (double)NAN;
	}
}

static void fill(struct pl_curve *curve, struct pl_arena *arena)
{
	struct pl_arena scratch = {NULL};

	for (size_t g = 0; g < curve->positions; g++) {
		size_t x = curve->arm[g]->blocks_done, y = curve->reference[g]->blocks_done;

		size_t both = x < y ? x : y;

		curve->blocks = both > curve->blocks ? both : curve->blocks;
		curve->floor_ns = fmax(curve->floor_ns,
				       pl_series_floor_ns(curve->arm[g], curve->reference[g]));
	}
	curve->values = pl_arena_array(arena, curve->blocks * curve->positions, sizeof(double));
	for (size_t g = 0; g < curve->positions; g++)
		fill_column(curve, g, &scratch);
	pl_arena_fini(&scratch);
}

bool pl_curve_build(struct pl_attribution *a, const struct pl_measurement *like,
		    const char *reference_state, struct pl_curve *curve)
{
	struct pl_run *run = a->run;

	*curve = (struct pl_curve){.like = like};
	curve->arm = pl_arena_array(&run->arena, run->measurement_count, sizeof(*curve->arm));
	curve->reference =
		pl_arena_array(&run->arena, run->measurement_count, sizeof(*curve->reference));
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i], *other;

		if (m->slot != like->slot || m->boot != like->boot ||
		    !pl_bdf_is_equal(m->device, like->device) || !is_usable(m) ||
		    !pl_state_is_same(m->conditions.state, like->conditions.state) ||
		    !pl_measurement_is_same_access(m, like))
			continue;
		other = pl_series_find(run, m, m->slot, reference_state, m->conditions.gap_ns);
		if (is_usable(other) && other->boot == m->boot)
			insert(curve, m, other);
	}
	if (!curve->positions)
		return false;
	fill(curve, &run->arena);
	return true;
}

struct pl_estimate pl_curve_contrast(const struct pl_curve *curve, size_t low, size_t high)
{
	struct pl_arena scratch = {NULL};
	double *values = pl_arena_array(&scratch, curve->blocks, sizeof(*values));
	struct pl_estimate e;

	pl_stats_step_contrast(curve->values, curve->blocks, curve->positions, low, high, values);
	e = pl_stats_estimate(values, curve->blocks, curve->floor_ns);
	pl_arena_fini(&scratch);
	return e;
}

struct pl_estimate pl_curve_at(const struct pl_curve *curve, size_t position)
{
	struct pl_arena scratch = {NULL};
	double *values = pl_arena_array(&scratch, curve->blocks, sizeof(*values));
	struct pl_estimate e;

	for (size_t b = 0; b < curve->blocks; b++)
		values[b] = curve->values[b * curve->positions + position];
	e = pl_stats_estimate(values, curve->blocks, curve->floor_ns);
	pl_arena_fini(&scratch);
	return e;
}

double pl_curve_largest(const struct pl_curve *curve)
{
	double most = 0.0;

	for (size_t g = 0; g < curve->positions; g++)
		most = fmax(most, fabs(pl_curve_at(curve, g).mean));
	return most;
}
