#include "core/hist.h"

#include <errno.h>
#include <math.h>

#include "core/stats.h"

/* HdrHistogram's default: five lines each time the distance to 100 % halves. */
#define TICKS_PER_HALVING 5.0
#define NS_PER_US 1000.0

uint64_t pl_hist_low_ns(size_t bin)
{
	size_t shift;

	if (bin < 2 * PL_HIST_PER_OCTAVE)
		return bin;
	shift = bin / PL_HIST_PER_OCTAVE - 1;
	return (uint64_t)(bin - shift * PL_HIST_PER_OCTAVE) << shift;
}

uint64_t pl_hist_high_ns(size_t bin)
{
	return pl_hist_low_ns(bin + 1) - 1;
}

void pl_hist_add(struct pl_hist *hist, uint64_t ns)
{
	double value = (double)ns;

	hist->counts[pl_hist_bin(ns)]++;
	hist->above += ns > PL_HIST_MAX_NS;
	if (!hist->n || ns < hist->min_ns)
		hist->min_ns = ns;
	if (ns > hist->max_ns)
		hist->max_ns = ns;
	hist->n++;
	hist->sum_ns += value;
	hist->sum_square_ns2 += value * value;
}

void pl_hist_merge(struct pl_hist *into, const struct pl_hist *from)
{
	if (!from->n)
		return;
	for (size_t i = 0; i < PL_HIST_BINS; i++)
		into->counts[i] += from->counts[i];
	if (!into->n || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->n += from->n;
	into->above += from->above;
	into->sum_ns += from->sum_ns;
	into->sum_square_ns2 += from->sum_square_ns2;
}

static uint64_t middle_ns(const struct pl_hist *hist, size_t bin)
{
	uint64_t low = pl_hist_low_ns(bin), middle = low + (pl_hist_high_ns(bin) - low) / 2;

	if (middle < hist->min_ns)
		return hist->min_ns;
	/* The last bin also holds what is beyond it. */
	if (middle > hist->max_ns || (hist->above && bin == pl_hist_bin(PL_HIST_MAX_NS)))
		return hist->max_ns;
	return middle;
}

/* The bin of the value with this rank (1 … n), and how many values are not above that bin. */
static size_t find_rank(const struct pl_hist *hist, uint64_t rank, uint64_t *up_to)
{
	size_t bin = 0;

	*up_to = hist->counts[0];
	while (*up_to < rank && bin + 1 < PL_HIST_BINS)
		*up_to += hist->counts[++bin];
	return bin;
}

static uint64_t rank_of(const struct pl_hist *hist, double p)
{
	double rank = ceil(p * (double)hist->n);

	if (rank < 1.0)
		return 1;
	return rank > (double)hist->n ? hist->n : (uint64_t)rank;
}

uint64_t pl_hist_quantile_ns(const struct pl_hist *hist, double p)
{
	uint64_t up_to;

	if (!hist->n)
		return 0;
	return middle_ns(hist, find_rank(hist, rank_of(hist, p), &up_to));
}

double pl_hist_carried_ns(const struct pl_hist *hist, double p)
{
	if (!hist->n || (p > 0.5 && !pl_stats_quantile_is_carried(hist->n, p)))
		return (double)NAN;
	return (double)pl_hist_quantile_ns(hist, p);
}

double pl_hist_mean_ns(const struct pl_hist *hist)
{
	return hist->n ? hist->sum_ns / (double)hist->n : 0.0;
}

static void write_line(const struct pl_hist *hist, double p, FILE *out)
{
	uint64_t up_to;
	size_t bin = find_rank(hist, rank_of(hist, p), &up_to);

	fprintf(out, "%12.3f %1.12f %10llu %14.2f\n", (double)middle_ns(hist, bin) / NS_PER_US, p,
		(unsigned long long)up_to, 1.0 / (1.0 - p));
}

static void write_tail(const struct pl_hist *hist, FILE *out)
{
	double n = (double)hist->n, mean = pl_hist_mean_ns(hist);
	double variance = hist->n ? hist->sum_square_ns2 / n - mean * mean : 0.0;

	fprintf(out, "%12.3f %1.12f %10llu\n", (double)hist->max_ns / NS_PER_US, 1.0,
		(unsigned long long)hist->n);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean / NS_PER_US,
		sqrt(variance > 0.0 ? variance : 0.0) / NS_PER_US);
	fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n",
		(double)hist->max_ns / NS_PER_US, (unsigned long long)hist->n);
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12u]\n", 29, 2 * PL_HIST_PER_OCTAVE);
}

int pl_hist_write_hgrm(const struct pl_hist *hist, FILE *out)
{
	fprintf(out, "# values in us\n%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	for (double p = 0.0; hist->n && (1.0 - p) * (double)hist->n >= 0.5;
	     p += 1.0 / (TICKS_PER_HALVING * exp2(floor(log2(1.0 / (1.0 - p))) + 1.0)))
		write_line(hist, p, out);
	write_tail(hist, out);
	return ferror(out) ? -EIO : 0;
}
