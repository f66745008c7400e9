#ifndef PL_TOPOLOGY_ENTRIES_H
#define PL_TOPOLOGY_ENTRIES_H

#include "model/run.h"
#include "topology/platform.h"

/* The nodes of one slot; run->slots[i] and entries[i] belong together. */
struct pl_entry {
	int device;  /* the function that stands for the device; PL_NO_NODE: empty slot */
	int port;    /* the board's port above, switches on the card skipped; PL_NO_NODE */
	int far_end; /* what the port's link leads to: the device, or its card's upstream port */
};

struct pl_entries {
	struct pl_entry *items;
	size_t count;
};

/*
 * One slot for each place where something is or can be attached, with key, path, attachment, via,
 * reason and the device's ids and functions. Functions of one card are one slot; functions on a
 * root bus and inside a chip are slots of their own; a port with a connector and nothing below is
 * an empty slot. A port that registers say has no connector is none.
 */
void pl_entries_build(struct pl_run *run, struct pl_tree *tree, struct pl_entries *entries);

/* Attachment, via, reason, path and key of a slot that ends at this node; slot->device is set or
 * NULL already. */
void pl_entry_describe(struct pl_slot *slot, const struct pl_tree *tree, int node);

/* A port that could hold a card: nothing below it, and a connector unless registers deny it. */
bool pl_is_empty_port(const struct pl_tree *tree, int node);

#endif
