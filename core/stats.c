#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_EXCEEDANCES 10.0
#define MIN_BLOCKS 3u

#define FEW 32u
#define BYTES 8u

static void sort_few(uint64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t value = values[i];
		size_t k = i;

		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

/* One stable pass by one byte; false when all values share it and nothing was moved. */
static bool sort_by_byte(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t first[256] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		first[(from[i] >> shift) & 0xff]++;
	if (first[(from[0] >> shift) & 0xff] == count)
		return false;
	for (size_t b = 0; b < 256; b++) {
		size_t n = first[b];

		first[b] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[first[(from[i] >> shift) & 0xff]++] = from[i];
	return true;
}

/* By bytes from the lowest: latencies share their upper ones, so two or three passes do. */
void pl_stats_sort(uint64_t *values, size_t count)
{
	uint64_t *scratch, *from = values, *to;

	if (count <= FEW) {
		sort_few(values, count);
		return;
	}
	to = scratch = malloc(count * sizeof(*scratch));
	if (!scratch)
		abort();
	for (unsigned byte = 0; byte < BYTES; byte++) {
		uint64_t *swap = from;

		if (!sort_by_byte(from, to, count, 8 * byte))
			continue;
		from = to;
		to = swap;
	}
	if (from != values)
		memcpy(values, from, count * sizeof(*values));
	free(scratch);
}

uint64_t pl_stats_quantile(const uint64_t *sorted, size_t count, double p)
{
	double rank = ceil(p * (double)count - 1e-9);

	if (rank < 1.0)
		rank = 1.0;
	if (rank > (double)count)
		rank = (double)count;
	return sorted[(size_t)rank - 1];
}

double pl_stats_grouped_median(const uint64_t *sorted, size_t count)
{
	uint64_t value = sorted[(count - 1) / 2];
	size_t first = (count - 1) / 2, last = first;
	double low, high;

	while (first > 0 && sorted[first - 1] == value)
		first--;
	while (last + 1 < count && sorted[last + 1] == value)
		last++;
	/* The bin reaches half way to the neighbouring values; none beyond the ends. */
	low = first > 0 ? 0.5 * (double)(value - sorted[first - 1]) : 0.0;
	high = last + 1 < count ? 0.5 * (double)(sorted[last + 1] - value) : 0.0;
	return (double)value - low +
	       (low + high) * (0.5 * (double)count - (double)first) / (double)(last - first + 1);
}

static uint64_t *sorted_copy(const uint64_t *values, size_t count)
{
	uint64_t *sorted = malloc((count ? count : 1) * sizeof(*sorted));

	if (!sorted)
		abort();
	if (count)
		memcpy(sorted, values, count * sizeof(*sorted));
	pl_stats_sort(sorted, count);
	return sorted;
}

uint64_t pl_stats_step(const uint64_t *values, size_t count)
{
	uint64_t *sorted = sorted_copy(values, count), least = UINT64_MAX;

	for (size_t i = 1; i < count; i++)
		if (sorted[i] != sorted[i - 1] && sorted[i] - sorted[i - 1] < least)
			least = sorted[i] - sorted[i - 1];
	free(sorted);
	return least == UINT64_MAX ? 1 : least;
}

double pl_stats_centre(const uint64_t *values, size_t count)
{
	uint64_t *sorted = sorted_copy(values, count);
	double centre;

	centre = pl_stats_grouped_median(sorted, count);
	free(sorted);
	return centre;
}

bool pl_stats_quantile_is_carried(size_t count, double p)
{
	return (double)count * (1.0 - p) >= MIN_EXCEEDANCES - 1e-6;
}

double pl_stats_mean(const double *values, size_t count)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : (double)NAN;
}

double pl_stats_sd(const double *values, size_t count)
{
	double mean = pl_stats_mean(values, count), sum = 0.0;

	if (count < 2)
		return 0.0;
	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double)(count - 1));
}

/* Student's t, 97.5 % points; exact to the digits shown (Abramowitz and Stegun, table 26.10). */
static const double t975[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
			      2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
			      2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
			      2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};

double pl_stats_t95(size_t df)
{
	const size_t table = sizeof(t975) / sizeof(t975[0]);
	double z = 1.959964, z3 = z * z * z, v = (double)df;

	if (df == 0)
		return (double)NAN;
	if (df <= table)
		return t975[df - 1];
	/* Cornish-Fisher expansion, A&S 26.7.5: error below 1e-4 from 31 degrees on. */
	return z + (z3 + z) / (4.0 * v) + (5.0 * z3 * z * z + 16.0 * z3 + 3.0 * z) / (96.0 * v * v);
}

struct pl_interval pl_stats_block_interval(const double *block_values, size_t blocks)
{
	struct pl_interval out = {(double)NAN, (double)NAN, (double)NAN, blocks};
	double half;

	if (!blocks)
		return out;
	out.estimate = pl_stats_mean(block_values, blocks);
	if (blocks < MIN_BLOCKS)
		return out;
	half = pl_stats_t95(blocks - 1) * pl_stats_sd(block_values, blocks) / sqrt((double)blocks);
	out.low = out.estimate - half;
	out.high = out.estimate + half;
	return out;
}
