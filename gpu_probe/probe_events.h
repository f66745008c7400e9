#ifndef PL_GPU_PROBE_PROBE_EVENTS_H
#define PL_GPU_PROBE_PROBE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/sysroot.h"

#define PL_PROBE_COUNTERS 32

/*
 * Coherence probes that reach the CPU's caches, counted by its northbridge or uncore units through
 * perf. A GPU that keeps host memory in its cache must let the CPU look there, so cache-hit
 * bandwidth depends on these. Zeroed: none opened.
 */
struct pl_probe_events {
	const char *name; /* "amd_nb: probe responses, all" */
	size_t count;
	int fds[PL_PROBE_COUNTERS];
};

/*
 * Opens the first event of the table whose unit this CPU has, one counter per unit. Errors:
 * -ENOTSUP no unit of the table, -EACCES not permitted (the sentence says what permits it), else
 * -errno.
 */
int pl_probe_events_open(struct pl_probe_events *events, const struct pl_sysroot *root,
			 struct pl_err *err);
/* The sum over all units since they were opened. 0 or -EIO. */
int pl_probe_events_read(const struct pl_probe_events *events, uint64_t *sum);
void pl_probe_events_close(struct pl_probe_events *events);

#endif
