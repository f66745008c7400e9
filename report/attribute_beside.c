#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "model/summary.h"
#include "report/attribute.h"

/*
 * What stands beside the grid: gaps that were slept, reads with the link woken first, and the power
 * states of the drive itself. None of it enters an exit.
 */

/* The longest slept gap of the access of `like` in this state; NULL. */
static const struct pl_measurement *find_slept(const struct pl_run *run,
					       const struct pl_measurement *like, const char *state)
{
	const struct pl_measurement *longest = NULL;
	struct pl_measurement slept = *like;

	slept.conditions.idle = "slept";
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->slot != like->slot || m->boot != like->boot || !m->is_valid ||
		    !m->conditions.gap_ns || !pl_bdf_is_equal(m->device, like->device) ||
		    !pl_state_is_same(m->conditions.state, state) ||
		    !pl_measurement_is_same_access(m, &slept))
			continue;
		if (!longest || m->conditions.gap_ns > longest->conditions.gap_ns)
			longest = m;
	}
	return longest;
}

/* "4.2 ± 0.3 µs". */
static void put(char *out, size_t size, const struct pl_estimate *e)
{
	pl_fmt_ns_pm(out, size, e->mean, 0.5 * (e->high - e->low));
}

void pl_claim_note_slept(struct pl_attribution *a, struct pl_claim *claim,
			 const struct pl_curve *curve)
{
	const struct pl_measurement *like = curve->arm[curve->positions - 1], *arm, *off, *spun;
	struct pl_estimate host, exit;
	char host_text[48], exit_text[48], gap[32];
	const char *unit;

	if (pl_measurement_is_slept(like) || !like->conditions.gap_ns)
		return;
	arm = find_slept(a->run, like, like->conditions.state);
	off = find_slept(a->run, like, "off");
	if (!arm || !off || arm->conditions.gap_ns != off->conditions.gap_ns)
		return;
	spun = pl_series_find(a->run, like, like->slot, "off", off->conditions.gap_ns);
	if (!spun || !spun->is_valid)
		return;
	host = pl_series_difference(a->run, off, spun, &unit);
	exit = pl_series_difference(a->run, arm, off, &unit);
	if (isnan(host.low) || isnan(exit.low))
		return;
	put(host_text, sizeof(host_text), &host);
	put(exit_text, sizeof(exit_text), &exit);
	pl_fmt_ns(gap, sizeof(gap), (double)off->conditions.gap_ns);
	pl_claim_note(a, claim,
		      "Beside it, with gaps of %s slept and not spun: the processor and its timer "
		      "add %s with the links off, and the state then adds %s.",
		      gap, host_text, exit_text);
}

/* ---- link or drive ---- */

static bool is_first_prewoken(const struct pl_run *run, size_t index)
{
	const struct pl_measurement *m = run->measurements[index];

	if (!m->slot || !m->conditions.prewake || m->conditions.apst ||
	    pl_state_is_off(m->conditions.state) || pl_state_is_control(m->conditions.state))
		return false;
	for (size_t i = 0; i < index; i++) {
		const struct pl_measurement *other = run->measurements[i];

		if (other->slot == m->slot && other->boot == m->boot &&
		    pl_state_is_same(other->conditions.state, m->conditions.state) &&
		    pl_measurement_is_same_access(other, m))
			return false;
	}
	return true;
}

/* State against links off, the link woken first in both: what is left of an exit is the drive's. */
static void add_prewoken(struct pl_attribution *a, const struct pl_measurement *m)
{
	struct pl_curve curve;
	struct pl_claim *claim;
	struct pl_estimate e;
	size_t last;

	if (!pl_curve_build(a, m, "off", &curve))
		return;
	last = curve.positions - 1;
	claim = pl_claim_add(a, PL_EFFECT_PREWOKEN, curve.arm[last], curve.reference[last]);
	claim->words = PL_WORDS_PREWOKEN;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	claim->gap_ns = curve.arm[last]->conditions.gap_ns;
	e = pl_curve_at(&curve, last);
	pl_claim_set(claim, &e);
}

/* ---- power states of the drive ---- */

/* The cell of the factorial ASPM x APST beside m; NULL. */
static const struct pl_measurement *cell(const struct pl_run *run, const struct pl_measurement *m,
					 const char *state, const char *apst)
{
	struct pl_measurement like = *m;
	const struct pl_measurement *found;

	like.conditions.apst = apst;
	found = pl_series_find(run, &like, m->slot, state, m->conditions.gap_ns);
	return found && found->is_valid && found->boot == m->boot ? found : NULL;
}

/* To the digits of results.json, so that a report made again says the same. */
static double as_stored(double ns)
{
	return round(ns * 1e3) / 1e3;
}

/* Per round: (state - off) with APST as found minus the same with APST off. */
static struct pl_estimate interaction(const struct pl_measurement *const cells[2][2])
{
	struct pl_arena scratch = {NULL};
	double *centres[2][2], *values;
	size_t blocks = SIZE_MAX;
	struct pl_estimate e;

	for (size_t i = 0; i < 4; i++) {
		const struct pl_measurement *m = cells[i / 2][i % 2];
		double *of = pl_arena_array(&scratch, m->blocks_done, sizeof(double));

		pl_measurement_block_centres(m, of);
		for (size_t b = 0; b < m->blocks_done; b++)
			of[b] = as_stored(of[b]);
		centres[i / 2][i % 2] = of;
		blocks = m->blocks_done < blocks ? m->blocks_done : blocks;
	}
	values = pl_arena_array(&scratch, blocks, sizeof(*values));
	for (size_t b = 0; b < blocks; b++)
		values[b] = (centres[1][1][b] - centres[0][1][b]) -
			    (centres[1][0][b] - centres[0][0][b]);
	e = pl_stats_estimate(values, blocks,
			      fmax(pl_series_floor_ns(cells[0][0], cells[1][0]),
				   pl_series_floor_ns(cells[0][1], cells[1][1])));
	pl_arena_fini(&scratch);
	return e;
}

/* cells[link state][APST]: off and as found of both. */
static void fill_cells(const struct pl_run *run, const struct pl_measurement *m,
		       const struct pl_measurement *cells[2][2])
{
	static const char *const names[2] = {"off", "as_found"};

	for (size_t i = 0; i < 4; i++)
		cells[i / 2][i % 2] = cell(run, m, names[i / 2], names[i % 2]);
}

bool pl_apst_interaction(const struct pl_run *run, const struct pl_measurement *m,
			 struct pl_estimate *e)
{
	const struct pl_measurement *cells[2][2];

	fill_cells(run, m, cells);
	if (!cells[0][0] || !cells[0][1] || !cells[1][0] || !cells[1][1])
		return false;
	*e = interaction(cells);
	return !isnan(e->low);
}

static void note_coupling(struct pl_attribution *a, struct pl_claim *claim,
			  const struct pl_measurement *m)
{
	struct pl_estimate e;
	char text[48];

	if (!pl_apst_interaction(a->run, m, &e))
		return;
	put(text, sizeof(text), &e);
	if (e.p <= PL_CLAIM_ALPHA)
		pl_claim_note(a, claim,
			      "Coupled: the exit of the link changes by %s with it, so the two "
			      "cannot be split on this drive.",
			      text);
	else
		pl_claim_note(a, claim,
			      "That the exit of the link changes with it is not resolved (%s).",
			      text);
}

static void add_apst(struct pl_attribution *a, const struct pl_measurement *m)
{
	const struct pl_measurement *cells[2][2];
	struct pl_claim *claim;
	struct pl_estimate e;
	const char *unit;

	fill_cells(a->run, m, cells);
	claim = pl_claim_add(a, PL_EFFECT_APST, m, cells[0][0]);
	claim->words = PL_WORDS_APST;
	claim->effect.reference_class = PL_REF_SAME_SLOT;
	claim->gap_ns = m->conditions.gap_ns;
	if (!cells[0][0] || !cells[0][1]) {
		pl_claim_refuse(claim, "not measured with its power states both held off and as "
				       "found");
		return;
	}
	e = pl_series_difference(a->run, cells[0][1], cells[0][0], &unit);
	pl_claim_set(claim, &e);
	note_coupling(a, claim, m);
}

void pl_attribute_drives(struct pl_attribution *a)
{
	for (size_t i = 0; i < a->run->measurement_count; i++) {
		const struct pl_measurement *m = a->run->measurements[i];
		const char *apst = m->conditions.apst;

		if (is_first_prewoken(a->run, i))
			add_prewoken(a, m);
		if (m->slot && apst && !strcmp(apst, "as_found") && !m->conditions.prewake &&
		    pl_state_is_off(m->conditions.state))
			add_apst(a, m);
	}
}
