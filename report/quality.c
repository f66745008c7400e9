#include "report/quality.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats.h"
#include "core/stats_dist.h"
#include "core/stats_infer.h"
#include "model/state.h"
#include "model/summary.h"

#define ENOUGH_BLOCKS 12u
#define SURE 0.001 /* of a gate: a healthy series meets it once in a thousand */

/* One series on its way through the gates. */
struct look {
	struct pl_run *run;
	struct pl_measurement *m;
	double *centres; /* of rounds that have data, in order */
	size_t count;
	double level; /* their mean */
};

static void few_blocks(struct look *look)
{
	if (look->count < ENOUGH_BLOCKS)
		pl_measurement_warn(
			look->run, look->m,
			"W-BLOCKS: only %zu rounds have data; intervals over fewer than "
			"%u are wide and lean on the shape of the noise; measure "
			"longer",
			look->count, ENOUGH_BLOCKS);
}

/* Against the spread of all other rounds (a prediction interval). */
static void first_block(struct look *look)
{
	struct pl_estimate rest;
	double spread, t;

	if (look->count < 6)
		return;
	rest = pl_stats_estimate(look->centres + 1, look->count - 1, 0.0);
	spread = rest.error * sqrt((double)rest.n) * sqrt(1.0 + 1.0 / (double)rest.n);
	t = (look->centres[0] - rest.mean) / spread;
	if (!(fabs(t) > pl_stats_t95((size_t)rest.df) * 3.0) ||
	    fabs(look->centres[0] - rest.mean) < 0.02 * rest.mean)
		return;
	pl_measurement_warn(look->run, look->m,
			    "W-FIRST-BLOCK: the first round is %.0f %% off the others; caches, "
			    "clocks or the drive were still cold; measure again without a pause",
			    100.0 * (look->centres[0] - rest.mean) / rest.mean);
}

/* Change of level from the first to the last round by a straight line; its p in *p. */
static double line(const double *values, size_t n, double *p)
{
	double centre = 0.5 * (double)(n - 1), mean = pl_stats_mean(values, n);
	double xx = 0.0, xy = 0.0, rest = 0.0, slope;

	for (size_t i = 0; i < n; i++) {
		xx += ((double)i - centre) * ((double)i - centre);
		xy += ((double)i - centre) * (values[i] - mean);
	}
	slope = xy / xx;
	for (size_t i = 0; i < n; i++) {
		double e = values[i] - mean - slope * ((double)i - centre);

		rest += e * e;
	}
	*p = rest > 0.0 ? pl_stats_t_p(slope / sqrt(rest / (double)(n - 2) / xx), (double)n - 2.0)
			: 1.0;
	return slope * (double)(n - 1);
}

/* Whether it was said. */
static bool drift(struct look *look)
{
	double change, p, share;

	if (look->count < 6)
		return false;
	change = line(look->centres, look->count, &p);
	share = change / look->level;
	if (p > SURE || fabs(share) < 0.02)
		return false;
	if (share > 0.2)
		pl_measurement_warn(
			look->run, look->m,
			"W-THROTTLED: it got %.0f %% slower during the run; the device "
			"or the processor probably throttles; cool it and measure again",
			100.0 * share);
	else
		pl_measurement_warn(
			look->run, look->m,
			"W-DRIFT: the level moved by %.0f %% during the run; pairing by "
			"round takes out what all series share; let the machine warm up",
			100.0 * share);
	return true;
}

static void alike(struct look *look)
{
	double effective;

	if (look->count < ENOUGH_BLOCKS)
		return;
	effective = pl_stats_effective_count(look->centres, look->count);
	if (effective < 0.25 * (double)look->count)
		pl_measurement_warn(look->run, look->m,
				    "W-AUTOCORRELATED: %zu rounds say as much as %.0f independent "
				    "ones; an unpaired interval is too narrow; measure longer",
				    look->count, effective);
}

static size_t most_frequent(const uint64_t *sorted, size_t n)
{
	size_t best = 0, run = 0;

	for (size_t i = 0; i < n; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		best = run > best ? run : best;
	}
	return best;
}

static void tick(struct look *look, const uint64_t *sorted)
{
	char step[32];

	if (look->m->n < 20 || 2 * most_frequent(sorted, look->m->n) < look->m->n)
		return;
	pl_fmt_ns(step, sizeof(step), pl_measurement_step_ns(look->m));
	pl_measurement_warn(look->run, look->m,
			    "W-TICK: half of the samples fall on one step of the clock (%s); "
			    "smaller differences show only in the mean of many rounds; use a finer "
			    "clock (--clock tsc)",
			    step);
}

/* What a probe or the walk noted before and after: any change of speed or width. */
static void retrained(struct look *look)
{
	static const char *const pairs[][2] = {
		{"link_speed_before_mts", "link_speed_after_mts"},
		{"link_width_before", "link_width_after"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct pl_fact *before = pl_measurement_find_fact(look->m, pairs[i][0]);
		const struct pl_fact *after = pl_measurement_find_fact(look->m, pairs[i][1]);

		if (!before || !after || before->value == after->value)
			continue;
		pl_measurement_warn(
			look->run, look->m,
			"W-RETRAINED: the link trained anew during the run (%s %.0f, "
			"then %.0f); its numbers are of two links; keep the device busy "
			"or fix its speed in the firmware",
			i ? "width" : "MT/s", before->value, after->value);
		look->m->is_valid = false;
		look->m->why = "the link trained anew during the run";
	}
}

/* A probe that watches the speed itself leaves such samples out and counts them. */
static void dropped(struct look *look)
{
	const struct pl_fact *fact = pl_measurement_find_fact(look->m, "dropped_link_retrained");

	if (fact && fact->value > 0.0)
		pl_measurement_warn(
			look->run, look->m,
			"W-RETRAINED: %.0f samples were left out; the link trained anew "
			"meanwhile and they are of another link; keep the device busy "
			"or fix its speed in the firmware",
			fact->value);
}

static const struct pl_measurement *find_control(const struct pl_run *run, uint64_t gap_ns)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->probe == PL_PROBE_HOST && run->measurements[i]->n &&
		    run->measurements[i]->conditions.gap_ns == gap_ns)
			return run->measurements[i];
	return NULL;
}

/* The same gap without PCIe: what moves there is the host. */
static void contaminated(struct look *look)
{
	const struct pl_measurement *zero = find_control(look->run, 0);
	const struct pl_measurement *here = find_control(look->run, look->m->conditions.gap_ns);
	double moved;

	if (!zero || !here || zero == here || look->m->probe == PL_PROBE_HOST)
		return;
	moved = here->summary.p50_ns - zero->summary.p50_ns;
	if (moved < 0.1 * look->level)
		return;
	pl_measurement_warn(look->run, look->m,
			    "W-CONTAMINATED: after this gap the host alone is %.0f ns slower, "
			    "without any access; only the difference to links off is of the link; "
			    "hold the processor awake (run as root)",
			    moved);
}

/*
 * Two levels, as the largest hole between neighbouring quantiles shows it: a hole wider than the
 * rest of the middle 90 %, with a share of samples on both sides. Neighbours on the clock are no
 * two levels, and a burst has its slow reads at known places.
 */
static void mixture(struct look *look, const uint64_t *sorted)
{
	size_t n = look->m->n, first = n / 20, last = n - 1 - n / 20, where = first;
	uint64_t widest = 0;
	double rest;

	if (n < 200 || pl_state_is_off(look->m->conditions.state) || !look->m->conditions.gap_ns ||
	    look->m->conditions.burst)
		return;
	for (size_t i = first; i < last; i++)
		if (sorted[i + 1] - sorted[i] > widest) {
			widest = sorted[i + 1] - sorted[i];
			where = i;
		}
	rest = (double)(sorted[last] - sorted[first]) - (double)widest;
	if ((double)widest < 2.0 * rest || (double)widest * look->m->ns_per_tick < 100.0 ||
	    (double)widest * look->m->ns_per_tick < 1.5 * pl_measurement_step_ns(look->m))
		return;
	pl_measurement_warn(
		look->run, look->m,
		"W-MIXTURE: two levels, %.0f %% of the accesses on the upper one; other "
		"traffic keeps a link awake part of the time, and the median is of neither; "
		"quiet the other devices on this path",
		100.0 * (double)(n - 1 - where) / (double)n);
}

static void check(struct pl_run *run, struct pl_measurement *m)
{
	struct pl_arena scratch = {NULL};
	struct look look = {.run = run, .m = m};
	uint64_t *sorted = pl_arena_array(&scratch, m->n, sizeof(*sorted));

	look.centres = pl_arena_array(&scratch, m->blocks_done, sizeof(double));
	for (size_t b = 0; b < m->blocks_done; b++) {
		double centre = pl_measurement_block_centre(m, b);

		if (!isnan(centre))
			look.centres[look.count++] = centre;
	}
	memcpy(sorted, m->ticks, m->n * sizeof(*sorted));
	pl_stats_sort(sorted, m->n);
	look.level = pl_stats_mean(look.centres, look.count);
	few_blocks(&look);
	first_block(&look);
	/* Rounds along a slope are alike, too: the slope is what is wrong with them. */
	if (!drift(&look))
		alike(&look);
	tick(&look, sorted);
	retrained(&look);
	dropped(&look);
	contaminated(&look);
	mixture(&look, sorted);
	pl_arena_fini(&scratch);
}

void pl_quality_check(struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		if (m->n && m->ticks && m->block_start &&
		    (m->outcome == PL_OUTCOME_MEASURED || m->outcome == PL_OUTCOME_PARTIAL))
			check(run, m);
	}
}
