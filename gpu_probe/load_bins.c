#include "gpu_probe/load_bins.h"

#include <math.h>

uint32_t pl_load_bin(uint32_t ticks)
{
	uint32_t shift = ticks < 2 * PL_BINS_OCTAVE
				 ? 0
				 : 31u - (uint32_t)__builtin_clz(ticks) - PL_BINS_SHIFT;

	return shift * PL_BINS_OCTAVE + (ticks >> shift);
}

uint64_t pl_load_bins_add(struct pl_load_bins *bins, const volatile uint32_t *words)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < PL_BINS; i++) {
		uint32_t count = words[i];

		bins->counts[i] += count;
		n += count;
	}
	bins->n += n;
	return n;
}

static double middle(uint32_t bin)
{
	uint32_t shift = bin < 2 * PL_BINS_OCTAVE ? 0 : bin / PL_BINS_OCTAVE - 1;
	double low = (double)((uint64_t)(bin - shift * PL_BINS_OCTAVE) << shift);

	return low + ((double)(UINT64_C(1) << shift) - 1) / 2;
}

double pl_load_bins_quantile(const struct pl_load_bins *bins, double p)
{
	uint64_t rank = (uint64_t)ceil(p * (double)bins->n), seen = 0;

	for (uint32_t i = 0; i < PL_BINS; i++) {
		seen += bins->counts[i];
		if (seen && seen >= rank)
			return middle(i);
	}
	return 0;
}
