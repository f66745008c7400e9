#ifndef PL_CORE_HIST_H
#define PL_CORE_HIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Log-linear histogram of latencies in whole ns: every ns has a bin of its own below 256 ns, above
 * that each octave has 128 bins (a bin is at most 1/128 = 0.79 % wide). 1 ns … 60 s in constant
 * memory; longer values are counted in the last bin and in `above`. Zero counts as zero.
 */
#define PL_HIST_MAX_NS UINT64_C(60000000000)
#define PL_HIST_PER_OCTAVE 128u
/* 2 linear octave's worth of bins, then the octaves up to 2^36 ns. */
#define PL_HIST_BINS (2u * PL_HIST_PER_OCTAVE + 28u * PL_HIST_PER_OCTAVE)

struct pl_hist {
	uint64_t counts[PL_HIST_BINS];
	uint64_t n, above;       /* all values; those over PL_HIST_MAX_NS */
	uint64_t min_ns, max_ns; /* exact; 0 when empty */
	double sum_ns, sum_square_ns2;
};

/* The bin of a value; values over the maximum give the bin of the maximum. */
static inline size_t pl_hist_bin(uint64_t ns)
{
	unsigned shift;

	if (ns > PL_HIST_MAX_NS)
		ns = PL_HIST_MAX_NS;
	if (ns < 2 * PL_HIST_PER_OCTAVE)
		return (size_t)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - 7u;
	return (size_t)shift * PL_HIST_PER_OCTAVE + (size_t)(ns >> shift);
}

/* Lowest and highest value of a bin. */
uint64_t pl_hist_low_ns(size_t bin);
uint64_t pl_hist_high_ns(size_t bin);

/* A zeroed struct is an empty histogram. */
void pl_hist_add(struct pl_hist *hist, uint64_t ns);
/* into += from. */
void pl_hist_merge(struct pl_hist *into, const struct pl_hist *from);
/*
 * The nearest-rank quantile x(ceil(p n)), 0 < p <= 1, to within its bin: the middle of the bin, but
 * never outside min … max. 0 for an empty histogram.
 */
uint64_t pl_hist_quantile_ns(const struct pl_hist *hist, double p);
/* The same where the values carry it (10 beyond it, for the median 1 value); else NAN. */
double pl_hist_carried_ns(const struct pl_hist *hist, double p);
double pl_hist_mean_ns(const struct pl_hist *hist);

/*
 * The percentile distribution as the text that HdrHistogram's plotter reads (.hgrm), values in us.
 * Returns 0 or -EIO.
 */
int pl_hist_write_hgrm(const struct pl_hist *hist, FILE *out);

#endif
