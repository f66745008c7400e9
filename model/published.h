#ifndef PL_MODEL_PUBLISHED_H
#define PL_MODEL_PUBLISHED_H

#include <stddef.h>

/*
 * Figures that others published for the same questions, to stand beside a user's own numbers: other
 * boards, other cards, another tool, no intervals. Never a reference of a claim.
 */
struct pl_published {
	const char *board; /* "B650 PG Lightning" */
	const char *place; /* "CPU slot", "one PROM21" */
	double read_ns;    /* one dependent load of host memory by the GPU; NaN: not published */
	double adds_ns;    /* what the slot adds over the CPU slot of that board; NaN: n/a */
	double cached_gbs; /* GB/s (10^9) of reads that the GPU's cache serves; NaN: not published
			    */
	const char *conditions; /* card, tool, system */
	const char *source;
};

/* The whole table; *count entries, in the order to print. */
const struct pl_published *pl_published_gpu(size_t *count);

#endif
