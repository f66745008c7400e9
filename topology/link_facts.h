#ifndef PL_TOPOLOGY_LINK_FACTS_H
#define PL_TOPOLOGY_LINK_FACTS_H

#include "core/sysroot.h"
#include "topology/entries.h"

/*
 * slot->link and what hangs on it: both ends, trained and maximum speed and width, ASPM, latencies,
 * LTR, AtomicOp routing, bottleneck of the path, bifurcation, slot number; and the warnings that
 * follow (W-LINK, W-ASPM-ONE-END, W-BOTTLENECK, W-AER, W-TUNNEL, W-SWITCH). root NULL: no sysfs to
 * ask for what registers do not say (a dump).
 */
void pl_link_facts(struct pl_run *run, const struct pl_tree *tree, const struct pl_entries *entries,
		   const struct pl_sysroot *root);

/* A link of which nothing is known. */
void pl_link_set_unknown(struct pl_link *link);

/* "W-…: sentence" onto a slot. */
void pl_slot_warn(struct pl_run *run, struct pl_slot *slot, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
