#ifndef PL_MODEL_PUBLISHED_H
#define PL_MODEL_PUBLISHED_H

#include <stddef.h>

/*
 * Figures that others published for the same questions, to stand beside a user's own numbers: other
 * boards, other cards, another tool. Never a reference of a claim.
 */
struct pl_published {
	const char *subject; /* "AM5 (B650), chipset slot" */
	const char
		*metric; /* as in measurements: "chase" (ns per load), "read" (GB/s, cache hits) */
	double value;    /* in the unit; NaN: not published */
	double over_cpu_ns; /* what the slot adds over the CPU's slot of that board; NaN: n/a */
	const char *unit;   /* "ns" or "GB/s" */
	const char *device, *source;
};

/* The whole table; *count entries, in the order to print. */
const struct pl_published *pl_published_gpu(size_t *count);

#endif
