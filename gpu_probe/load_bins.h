#ifndef PL_GPU_PROBE_LOAD_BINS_H
#define PL_GPU_PROBE_LOAD_BINS_H

#include <stdint.h>

#include "gpu_probe/push.h"

/* The histogram that load.comp keeps on chip, added up over the dispatches of a series. */
struct pl_load_bins {
	uint64_t counts[PL_BINS];
	uint64_t n;
};

/* The bin that the kernel puts a value into. */
uint32_t pl_load_bin(uint32_t ticks);
/* Adds the PL_BINS words of one dispatch; returns how many values they hold. */
uint64_t pl_load_bins_add(struct pl_load_bins *bins, const volatile uint32_t *words);
/* The nearest-rank quantile, 0 < p <= 1, as the middle of its bin in ticks; 0 when empty. */
double pl_load_bins_quantile(const struct pl_load_bins *bins, double p);

#endif
