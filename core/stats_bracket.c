#include "core/stats_bracket.h"

#include <math.h>

#define HALVINGS 100u

struct bracket {
	double low, high, slack;
};

/* Share of the places below x. */
static double share(const struct bracket *b, double x)
{
	if (x <= b->low)
		return 0.0;
	if (x >= b->high)
		return 1.0;
	return b->low > 0.0 ? log(x / b->low) / log(b->high / b->low) : x / b->high;
}

/* Integral of the share from 0 to x. */
static double area(const struct bracket *b, double x)
{
	double inside = fmin(x, b->high), below;

	if (x <= b->low)
		return 0.0;
	if (b->high <= b->low)
		return x - b->low;
	if (b->low > 0.0)
		below = (inside * log(inside / b->low) - inside + b->low) / log(b->high / b->low);
	else
		below = 0.5 * inside * inside / b->high;
	return below + (x - inside);
}

/* Share of the sums of a place and a part of the slack below x. */
static double share_of_sums(const struct bracket *b, double x)
{
	/* Below that, the difference of two areas is rounding. */
	if (b->slack < 1e-6 * b->high)
		return share(b, x);
	return (area(b, x) - area(b, x - b->slack)) / b->slack;
}

static double quantile(const struct bracket *b, double p)
{
	double below = b->low, above = b->high + b->slack;

	for (unsigned i = 0; i < HALVINGS; i++) {
		double middle = 0.5 * (below + above);

		if (share_of_sums(b, middle) < p)
			below = middle;
		else
			above = middle;
	}
	return 0.5 * (below + above);
}

struct pl_interval pl_stats_bracket(double low, double high, double slack, double level)
{
	const double none = (double)NAN;
	const double tail = 0.5 * (1.0 - level);
	struct bracket b = {low, high, slack};

	if (!(low >= 0.0) || !(high >= low) || !(slack >= 0.0))
		return (struct pl_interval){none, none, none, 0};
	return (struct pl_interval){quantile(&b, 0.5), quantile(&b, tail), quantile(&b, 1.0 - tail),
				    0};
}
