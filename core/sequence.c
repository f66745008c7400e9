#include "core/sequence.h"

#include <math.h>

#include "core/stats.h"
#include "core/stats_dist.h"

const struct pl_precision pl_precision_hop = {0.01, 5.0};
const struct pl_precision pl_precision_exit = {0.05, 5.0};

/* 97.5 % point of chi-square (Wilson and Hilferty, 1931): error below 1 % from 3 degrees on. */
static double chi_square_high(double df)
{
	double a = 2.0 / (9.0 * df), base = 1.0 - a + 1.959964 * sqrt(a);

	return df * base * base * base;
}

/* Rounds until t * sd / sqrt(n) meets the target, for a spread that is `part` of the one seen. */
static double rounds_for(const struct pl_sequence *s, double part)
{
	double n = (double)s->estimate.n;
	double sd = s->estimate.error * sqrt(n) * part, need = n;

	/* The quantile depends on n: a few turns settle it. */
	for (unsigned i = 0; i < 4; i++) {
		double t = pl_stats_t95((size_t)fmin(1e6, fmax(2.0, need - 1.0)));

		need = pow(t * sd / s->target_ns, 2.0);
	}
	return fmax(need, (double)PL_SEQUENCE_MIN_ROUNDS);
}

void pl_sequence_widen(struct pl_estimate *e)
{
	double factor = 1.0 + PL_SEQUENCE_MARGIN / fmax(1.0, (double)e->n);

	e->low = e->mean - factor * (e->mean - e->low);
	e->high = e->mean + factor * (e->high - e->mean);
	e->error *= factor;
	if (e->error > 0.0)
		e->p = pl_stats_t_p(e->mean / e->error, e->df);
}

struct pl_sequence pl_sequence_judge(const double *block_values, size_t count, double floor,
				     const struct pl_precision *precision, double rounds_left)
{
	const double none = (double)NAN;
	struct pl_sequence s = {PL_SEQUENCE_CONTINUE, {0}, none, none, none};
	double n, least;

	s.estimate = pl_stats_estimate(block_values, count, floor);
	n = (double)s.estimate.n;
	if (s.estimate.n < 3) {
		if (rounds_left < 1.0)
			s.verdict = PL_SEQUENCE_UNRESOLVABLE;
		return s;
	}
	pl_sequence_widen(&s.estimate);
	s.half_width_ns = 0.5 * (s.estimate.high - s.estimate.low);
	s.target_ns = fmax(precision->absolute_ns, precision->relative * fabs(s.estimate.mean));
	s.rounds_needed = rounds_for(&s, 1.0);
	if (s.estimate.n >= PL_SEQUENCE_MIN_ROUNDS && s.half_width_ns <= s.target_ns) {
		s.verdict = PL_SEQUENCE_RESOLVED;
		return s;
	}
	least = rounds_for(&s, sqrt(s.estimate.df / chi_square_high(s.estimate.df)));
	if (rounds_left < 1.0 ||
	    (s.estimate.n >= PL_SEQUENCE_MIN_ROUNDS && least > n + rounds_left))
		s.verdict = PL_SEQUENCE_UNRESOLVABLE;
	return s;
}
