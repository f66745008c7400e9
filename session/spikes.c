#include "session/spikes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/stats.h"

#define DRAWS 1000u
#define LEVELS_MAX 40u
#define LEVEL_FACTOR 0.85
#define EACH_LEVEL 20.0
#define CV_MAX 0.25
#define CV_MIN 1e-6
#define STALLS_MIN ((size_t)6)

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Small spikes may be noise between large stalls, so the largest 100 %, 85 %, 72 % … are tried, and
 * each number of them from 20 downward. The latency of the k-th largest is the level of a try;
 * levels depend on the latencies alone.
 */
struct levels {
	size_t count;
	double least_ns[LEVELS_MAX];
};

static void fill_levels(const struct pl_spike *spikes, size_t count, struct levels *levels)
{
	double sorted[PL_WATCH_SPIKES], k = (double)count;

	for (size_t i = 0; i < count; i++)
		sorted[i] = spikes[i].latency_ns;
	qsort(sorted, count, sizeof(sorted[0]), compare_double);
	levels->count = 0;
	for (; k >= (double)STALLS_MIN && levels->count<LEVELS_MAX; k = k * LEVEL_FACTOR> EACH_LEVEL
		       ? k * LEVEL_FACTOR
		       : floor(fmin(k - 1.0, EACH_LEVEL)))
		levels->least_ns[levels->count++] = sorted[count - (size_t)k];
}

/*
 * -ln of the probability that n distances between random times scatter by no more than cv (standard
 * deviation over mean). Divided by their sum, such distances are a point drawn evenly from the
 * simplex; those up to cv lie in a ball of n - 1 dimensions and radius cv / sqrt(n) around its
 * middle. The share of that ball (exact while it lies inside, more than the truth beyond) tells few
 * stalls that come like clockwork from many that are a little too even.
 */
static double evidence_of(double cv, double n)
{
	double d = n - 1.0;
	double ball =
		d / 2.0 * log(M_PI) - lgamma(d / 2.0 + 1.0) + d * log(fmax(cv, CV_MIN) / sqrt(n));
	double simplex = log(n) / 2.0 - lgamma(n);

	return fmax(simplex - ball, 0.0);
}

/*
 * How regular the spikes at or above a level are. None are whose distances differ by more than a
 * quarter of their mean, however much more even than random times they may be.
 */
static double regularity(const struct pl_spike *spikes, size_t count, double least_ns)
{
	double sum = 0.0, squares = 0.0, last_s = 0.0, mean, variance, cv;
	size_t n = 0, stalls = 0;

	for (size_t i = 0; i < count; i++) {
		if (spikes[i].latency_ns < least_ns)
			continue;
		if (stalls++) {
			double distance = spikes[i].t_s - last_s;

			sum += distance;
			squares += distance * distance;
			n++;
		}
		last_s = spikes[i].t_s;
	}
	if (n + 1 < STALLS_MIN || sum <= 0.0)
		return 0.0;
	mean = sum / (double)n;
	variance = (squares - sum * mean) / (double)(n - 1);
	cv = sqrt(variance > 0.0 ? variance : 0.0) / mean;
	return cv <= CV_MAX ? evidence_of(cv, (double)n) : 0.0;
}

static double most_regular(const struct pl_spike *spikes, size_t count, const struct levels *levels,
			   double *least_ns)
{
	double most = 0.0;

	for (size_t i = 0; i < levels->count; i++) {
		double r = regularity(spikes, count, levels->least_ns[i]);

		if (r <= most)
			continue;
		most = r;
		*least_ns = levels->least_ns[i];
	}
	return most;
}

/* The same latencies, in another order, at random times with the same rate. */
static void scatter(const struct pl_spike *spikes, size_t count, double join_s, struct pl_rng *rng,
		    struct pl_spike *out)
{
	double span_s = spikes[count - 1].t_s - spikes[0].t_s, t_s = 0.0;
	double beyond_s = span_s / (double)(count - 1) - join_s;
	size_t order[PL_WATCH_SPIKES];

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	pl_rng_shuffle(rng, order, count);
	for (size_t i = 0; i < count; i++) {
		t_s += join_s - (beyond_s > 0.0 ? beyond_s : 0.0) * log(1.0 - pl_rng_unit(rng));
		out[i] = (struct pl_spike){t_s, spikes[order[i]].latency_ns};
	}
}

static double p_of_regularity(const struct pl_spike *spikes, size_t count, double join_s,
			      const struct levels *levels, double observed, uint64_t seed)
{
	struct pl_spike drawn[PL_WATCH_SPIKES];
	unsigned as_regular = 0;
	struct pl_rng rng;
	double least_ns;

	pl_rng_init(&rng, seed);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		scatter(spikes, count, join_s, &rng, drawn);
		as_regular += most_regular(drawn, count, levels, &least_ns) >= observed;
	}
	return (1.0 + as_regular) / (1.0 + DRAWS);
}

static void describe(const struct pl_spike *spikes, size_t count, double least_ns,
		     struct pl_period *period)
{
	double distances_s[PL_WATCH_SPIKES], latencies_ns[PL_WATCH_SPIKES], last_s = 0.0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (spikes[i].latency_ns < least_ns)
			continue;
		if (n)
			distances_s[n - 1] = spikes[i].t_s - last_s;
		latencies_ns[n++] = spikes[i].latency_ns;
		last_s = spikes[i].t_s;
	}
	period->n = n;
	if (n < STALLS_MIN)
		return;
	qsort(distances_s, n - 1, sizeof(distances_s[0]), compare_double);
	qsort(latencies_ns, n, sizeof(latencies_ns[0]), compare_double);
	period->low_s = distances_s[(n - 1) / 10];
	period->high_s = distances_s[n - 2 - (n - 1) / 10];
	period->median_s = distances_s[(n - 1) / 2];
	period->latency_ns = latencies_ns[n / 2];
}

struct pl_period pl_spikes_find_period(const struct pl_spike *spikes, size_t count, double join_s,
				       uint64_t seed)
{
	struct pl_period period = {.p_value = 1.0, .why = "fewer than 6 stalls"};
	double observed, least_ns = 0.0;
	struct levels levels;

	if (count < STALLS_MIN)
		return period;
	fill_levels(spikes, count, &levels);
	observed = most_regular(spikes, count, &levels, &least_ns);
	period.why = "the times between the stalls differ by more than a quarter of their mean";
	if (observed <= 0.0)
		return period;
	period.why = "the stalls come at no more regular times than by chance";
	period.p_value = p_of_regularity(spikes, count, join_s, &levels, observed, seed);
	period.is_found = period.p_value <= PL_SPIKES_ALPHA;
	if (period.is_found)
		period.why = NULL;
	describe(spikes, count, least_ns, &period);
	return period;
}
