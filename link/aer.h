#ifndef PL_LINK_AER_H
#define PL_LINK_AER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sysroot.h"
#include "model/bdf.h"

/*
 * Error counters that the kernel keeps for each function (aer_dev_correctable, _nonfatal, _fatal;
 * absent when the kernel does not own AER: then they stay 0 and is_watched is false).
 */
struct pl_aer_counts {
	uint64_t correctable, uncorrectable; /* as the kernel totals them: by message */
	/* Of the uncorrectable ones, by kind: a message may carry several. Surprise Down is a link
	 * that went down without being asked to (SDES); a pulled card is one. */
	uint64_t surprise_down, other_kinds;
	bool is_watched;
};

/* More correctable errors than this during a run end it; one uncorrectable does. */
#define PL_AER_CORRECTABLE_MAX 10

/* The counters of one function. */
void pl_aer_read(const struct pl_sysroot *root, struct pl_bdf bdf, struct pl_aer_counts *counts);
/*
 * What was counted since. A counter that went back belongs to a device that was removed and found
 * again: what it shows is new.
 */
struct pl_aer_counts pl_aer_since(const struct pl_aer_counts *before,
				  const struct pl_aer_counts *now);
/* The number after the word in the text of a counter file ("TOTAL_ERR_COR 3"); 0 when absent. */
uint64_t pl_aer_parse_total(const char *text, const char *word);

#endif
