#ifndef PL_NVME_PROBE_FAST_H
#define PL_NVME_PROBE_FAST_H

#include "nvme_probe/read.h"

/*
 * Finds a place that the drive answers without its media, or nearly: a read-only scan of random
 * places, the one with the lowest median wins and becomes reader->fast_place. Deallocated blocks
 * usually win (their data read as zeros, and some drives skip the transfer altogether).
 */
struct pl_fast_place {
	uint64_t offset_bytes, median_ticks;
	bool is_zero; /* the data there are all zero */
	size_t scanned;
};

int pl_fast_find(struct pl_reader *reader, struct pl_fast_place *fast, struct pl_err *err);

#endif
