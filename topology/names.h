#ifndef PL_TOPOLOGY_NAMES_H
#define PL_TOPOLOGY_NAMES_H

#include "topology/entries.h"

/*
 * Gives every slot its neutral name, made from the path: "CPU x16 00:01.1", "PROM21 #2 port 08 x4",
 * "Z790 PCH x4 00:1c.4". Unique within a run; also the label until a better one is found.
 */
void pl_names_neutral(struct pl_run *run, const struct pl_tree *tree,
		      const struct pl_entries *entries);

#endif
