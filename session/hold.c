#include "session/hold.h"

#include <math.h>

#include "session/gap_step.h"
#include "session/spikes.h"

#define HALF 0.5
#define MANY 500.0

static enum pl_held judge_step(const struct pl_gap_step *a, const struct pl_interval *held,
			       const struct pl_gap_step *c)
{
	if (!a->is_found || !c->is_found)
		return PL_HELD_NONE;
	if (held->high < HALF * fmin(a->low_ns, c->low_ns))
		return PL_HELD_VANISHES;
	if (held->low > HALF * fmax(a->high_ns, c->high_ns))
		return PL_HELD_STAYS;
	return PL_HELD_NOT_RESOLVED;
}

static size_t count_stalls(const struct pl_watch *watch, double least_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < watch->spike_count; i++)
		n += watch->spikes[i].latency_ns >= least_ns;
	return n;
}

/* P(X <= count) of a Poisson count; of a large one by the normal law, where exp(-mean) is 0. */
static double poisson_below(size_t count, double mean)
{
	double term = exp(-mean), sum = term;

	if (mean > MANY)
		return 0.5 * erfc((mean - (double)count - 0.5) / sqrt(2.0 * mean));

	for (size_t i = 1; i <= count; i++) {
		term *= mean / (double)i;
		sum += term;
	}
	return sum;
}

static void judge_stalls(const struct pl_watch w[3], struct pl_hold *hold)
{
	double least_ns = HALF * fmin(w[0].period.latency_ns, w[2].period.latency_ns);
	double beside_s = w[0].elapsed_s + w[2].elapsed_s;

	if (!w[0].period.is_found || !w[2].period.is_found || beside_s <= 0.0)
		return;
	hold->stalls_seen = count_stalls(&w[1], least_ns);
	hold->stalls_expected =
		(double)(count_stalls(&w[0], least_ns) + count_stalls(&w[2], least_ns)) *
		w[1].elapsed_s / beside_s;
	hold->stalls = PL_HELD_NOT_RESOLVED;
	/* Where spikes were dropped it is not known how many there were. */
	if (w[0].spikes_dropped || w[1].spikes_dropped || w[2].spikes_dropped)
		return;
	if (w[1].period.is_found)
		hold->stalls = PL_HELD_STAYS;
	else if (poisson_below(hold->stalls_seen, hold->stalls_expected) <= PL_SPIKES_ALPHA)
		hold->stalls = PL_HELD_VANISHES;
}

struct pl_hold pl_hold_compare(const struct pl_watch phases[3])
{
	struct pl_hold hold = {.step = PL_HELD_NONE};

	hold.held_step = pl_gap_step_at(&phases[1], &phases[0].gap_step);
	hold.step = judge_step(&phases[0].gap_step, &hold.held_step, &phases[2].gap_step);
	judge_stalls(phases, &hold);
	return hold;
}
