#ifndef PL_MODEL_WATCH_H
#define PL_MODEL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"

/* What `monitor` records: constant memory however long it watches. Times are since its start. */

#define PL_WATCH_POINTS 2048u
#define PL_WATCH_SPIKES 1024u
#define PL_WATCH_OUTAGES 64u
#define PL_WATCH_GAPS 17u
#define PL_WATCH_BLOCKS 256u

/* One window of time. When all points are used, neighbours are joined and windows double: p50_ns is
 * then their weighted mean, p99_ns and max_ns the larger of both, others the sum of what was
 * counted. NAN: no read in it; p99_ns also where a window has fewer than 1000. */
struct pl_watch_point {
	double t_s;
	uint64_t n;
	double p50_ns, p99_ns, max_ns;
	unsigned spikes;
	int64_t others; /* operations of others on the device; -1: not counted */
};

/* Reads far above the rest, joined to one when they follow each other within the join time. */
struct pl_spike {
	double t_s, latency_ns;
};

struct pl_outage {
	double from_s, to_s; /* to_s 0: still gone at the end */
};

/* Stalls that come at regular times. */
struct pl_period {
	bool is_found;
	double low_s, high_s, median_s; /* 10 %, 90 % and median of the distances */
	double latency_ns;              /* median of the stalls that belong to it */
	size_t n;                       /* stalls */
	double p_value;                 /* against stalls at random times, all tries counted */
	const char *why;                /* it is not found; NULL when it is. A literal */
};

/* Reads that take longer when the drive was idle before; beyond what the control does. */
struct pl_gap_step {
	bool is_found;
	uint64_t below_ns, above_ns;     /* last gap before the step, first after it */
	double step_ns, low_ns, high_ns; /* 95 %, blocks are the unit */
	double base_ns;                  /* median after the short gaps */
	size_t blocks;
	double p_value;  /* against a step anywhere by chance */
	const char *why; /* it is not found; NULL when it is. A literal */
};

struct pl_watch {
	uint64_t interval_ns;
	double elapsed_s, window_s, join_s;
	size_t failed;  /* reads that failed; in no statistic */
	size_t stopped; /* reads during which this program was stopped; in no statistic */
	/* Reads that took as long as a spike, but not without the time in which this program waited
	 * for a processor; -1: nobody counted. */
	int64_t host_waits;
	int64_t others; /* operations of others on the device meanwhile; -1: nobody counted */
	size_t late;    /* ticks that were left out because a read took longer than an interval */
	char failure[256]; /* the sentence of the last failed read */
	struct pl_hist hist;
	struct pl_watch_point points[PL_WATCH_POINTS];
	size_t point_count;
	struct pl_spike spikes[PL_WATCH_SPIKES];
	size_t spike_count,
		spikes_dropped; /* dropped: the smaller ones, when there were too many */
	double spike_threshold_ns;
	struct pl_outage outages[PL_WATCH_OUTAGES];
	size_t outage_count;
	uint64_t gaps_ns[PL_WATCH_GAPS];
	size_t gap_count;
	/* Median of the reads after each gap, block by block; blocks are joined when all are used.
	 */
	double gap_medians_ns[PL_WATCH_BLOCKS][PL_WATCH_GAPS];
	/* The same of an operation that touches no device: what moves here is the host. */
	bool has_control;
	double control_medians_ns[PL_WATCH_BLOCKS][PL_WATCH_GAPS];
	size_t block_count;
	struct pl_period period;
	struct pl_gap_step gap_step;
};

#endif
