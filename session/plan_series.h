#ifndef PL_SESSION_PLAN_SERIES_H
#define PL_SESSION_PLAN_SERIES_H

/* Inside session/: planned series of one point of the grid, probe by probe. */

#include "session/plan.h"

struct pl_planner {
	struct pl_run *run;
	const struct pl_plan_options *options;
	const char *state; /* of the series being added */
	uint64_t gap_ns;
	const char *idle, *apst; /* NULL: spun; as found */
};

/* Whether this probe was asked for. */
bool pl_plan_wants(const struct pl_planner *p, enum pl_probe probe);
/* Whether the slot has a drive with a namespace to read. */
bool pl_plan_is_readable_drive(const struct pl_slot *slot);
/* Whether configuration space can be read at this offset. */
bool pl_plan_can_read(const struct pl_planner *p, struct pl_bdf bdf, unsigned offset);
/* A pending measurement of the planner's state and gap, sized by the effort, its time counted. */
struct pl_measurement *pl_plan_add(struct pl_planner *p, const struct pl_slot *slot,
				   enum pl_probe probe, const char *metric);
/* The same with so many samples in a block, of so many seconds each. */
struct pl_measurement *pl_plan_add_sized(struct pl_planner *p, const struct pl_slot *slot,
					 enum pl_probe probe, const char *metric, size_t samples,
					 double sample_s);
/* One rung, where it can be read; the whole ladder: both offsets without a gap, else one. */
void pl_plan_rung(struct pl_planner *p, const struct pl_slot *slot, struct pl_bdf bdf,
		  unsigned offset);
void pl_plan_ladder(struct pl_planner *p, const struct pl_slot *slot);
void pl_plan_bar(struct pl_planner *p, const struct pl_slot *slot);
/* One read of a namespace or file. slot NULL: of no slot. */
struct pl_measurement *pl_plan_nvme_read(struct pl_planner *p, const struct pl_slot *slot,
					 const char *subject, uint32_t size_bytes,
					 const char *pattern);
/* The repeated 4 KiB read of the drive's first namespace; the same with the link woken before. */
void pl_plan_nvme_repeated(struct pl_planner *p, const struct pl_slot *slot);
void pl_plan_nvme_prewoken(struct pl_planner *p, const struct pl_slot *slot);
/* All reads of a drive at this point. */
void pl_plan_nvme(struct pl_planner *p, const struct pl_slot *slot);
/*
 * Bursts: an idle gap, then PL_GRID_BURST_READS reads of one block. As found, after one gap; in
 * every state and after several gaps --thorough. The longest of gaps where the user chose them.
 */
void pl_plan_bursts(struct pl_planner *p, const struct pl_slot *slot, const uint64_t *gaps,
		    size_t count);
/* What the GPU offers; it brings its own gaps. */
void pl_plan_gpu(struct pl_planner *p, const struct pl_slot *slot, const struct pl_gpu *gpu);

#endif
