#ifndef PL_TOPOLOGY_WALK_H
#define PL_TOPOLOGY_WALK_H

#include "topology/platform.h"

/* Inside of the classification: what its files share. */
struct pl_walk {
	struct pl_tree *tree;
	const struct pl_platform *platform;
};

/* "00:01.1 [1022:14db]". */
const char *pl_walk_ids(struct pl_walk *w, const struct pl_node *node);
void pl_walk_set(struct pl_place *place, enum pl_attachment attachment, int hops,
		 enum pl_origin origin);
/* Unknown, closed: nothing seen below changes it. */
void pl_walk_unknown(struct pl_place *place, const char *reason);
/* One more half sentence; long chains of switches stop adding after a few. */
void pl_walk_reason(struct pl_walk *w, struct pl_place *place, const char *text);
void pl_walk_via(struct pl_walk *w, struct pl_place *place, enum pl_via_kind kind, const char *name,
		 const struct pl_node *node);

/* Bridges on a root bus: rule 1. Endpoints and bridges to PCI there: rule 5. */
void pl_place_root_bridge(struct pl_walk *w, struct pl_node *node);
void pl_place_root_function(struct pl_walk *w, struct pl_node *node);

#endif
