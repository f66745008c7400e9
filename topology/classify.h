#ifndef PL_TOPOLOGY_CLASSIFY_H
#define PL_TOPOLOGY_CLASSIFY_H

#include "topology/platform.h"

/*
 * Decides node->place of every function: attachment, hops, origin, chips passed, and the sentence
 * that says which rule and which ids decided. Ids come from bridge_ids.tsv, the rules are here:
 *
 *  1. The root port decides: processor, chipset (one hop, two behind a north bridge), tunnel,
 *     inside the processor. An id that is not listed decides nothing.
 *  2. Each upstream port of an AMD chipset chip below adds a hop; functions beside it are in it.
 *  3. Switches on graphics cards and bridges to PCI are passed; any other switch makes it "switch".
 *  4. Thunderbolt/USB4: two ports are the host controller, a third is in the cable's far end.
 *  5. Functions on a root bus belong to the chip that carries the bus (device numbers: Intel).
 *
 * Nothing is concluded from bus numbers or names.
 */
void pl_classify(struct pl_tree *tree, const struct pl_platform *platform);

#endif
