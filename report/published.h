#ifndef PL_REPORT_PUBLISHED_H
#define PL_REPORT_PUBLISHED_H

#include <stddef.h>

/* Figures that others printed, for scale: another tool, another system, no interval. */
struct pl_published {
	const char *board, *chips;
	double cpu_ns;  /* GPU read of host memory through the CPU's own lanes */
	double adds_ns; /* what the chipset added */
	const char *source;
};

extern const struct pl_published pl_published[];
extern const size_t pl_published_count;

#endif
