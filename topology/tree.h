#ifndef PL_TOPOLOGY_TREE_H
#define PL_TOPOLOGY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "model/slot.h"
#include "pci/express.h"
#include "topology/ids.h"

#define PL_NO_NODE (-1)

/* One function as its source shows it: configuration space, or the text of lspci. */
struct pl_function {
	struct pl_bdf bdf;
	uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
	uint32_t class_code;
	uint8_t revision, header_type; /* header type without the multi-function bit */
	uint8_t secondary, subordinate;
	bool is_unreadable; /* answers ones: asleep or gone; ids from sysfs or the text */
	bool has_no_id;     /* the text has neither numbers nor a name that is listed */
	bool is_virtual;    /* SR-IOV virtual function: no ids of its own in its header */
	/* Only from texts. NULL: not said. */
	const char *name, *class_name, *driver, *firmware_name, *slot_name;
	struct pl_express express;
};

/* Where something sits: filled by pl_classify, from the root port down. */
struct pl_place {
	enum pl_attachment attachment;
	enum pl_origin origin;
	enum pl_confidence confidence;
	int hops; /* -1: unknown */
	bool is_built_in;
	bool is_closed;         /* nothing below changes "unknown" */
	bool has_chipset_maker; /* an unlisted root port of AMD or Intel: may be a chipset's */
	unsigned tunnel_ports;  /* ports of Thunderbolt/USB4 controllers passed */
	const char *chipset;    /* name of the last chipset passed */
	const char *reason;
	unsigned reason_steps;
	const struct pl_via *via;
	size_t via_count;
};

enum pl_parentage {
	PL_ON_ROOT_BUS,
	PL_BELOW_BRIDGE,
	PL_ORPHAN,    /* its bus is below a bridge that the source does not show */
	PL_AMBIGUOUS, /* two bridges claim its bus */
};

struct pl_node {
	struct pl_function function;
	const struct pl_id *id; /* NULL: not listed */
	enum pl_parentage parentage;
	int parent, first_child, next_sibling; /* indices; PL_NO_NODE */
	struct pl_place place;
};

/* All functions, ordered by address; parents before children is not guaranteed. */
struct pl_tree {
	struct pl_node *nodes;
	size_t count;
	struct pl_arena *arena;
};

/*
 * Builds parents from secondary bus numbers inside one domain. A bridge whose secondary bus is 0,
 * not above its own bus or above its subordinate bus is no parent (unconfigured ones would make
 * loops). A bus without a bridge but inside the range of one belongs to virtual functions of a
 * card there, or its bridge is hidden: such functions are orphans, and nothing is said of them.
 */
void pl_tree_build(struct pl_tree *tree, struct pl_arena *arena,
		   const struct pl_function *functions, size_t count);

bool pl_node_is_bridge(const struct pl_node *node);
enum pl_role pl_node_role(const struct pl_node *node);
/* A bridge to conventional PCI: the bus below has no link. */
bool pl_node_is_to_pci(const struct pl_node *node);
/* Index of a function, or PL_NO_NODE. */
int pl_tree_find(const struct pl_tree *tree, struct pl_bdf bdf);
/* "00:01.1", with the domain when it is not 0, in the arena. */
const char *pl_bdf_short(struct pl_arena *arena, struct pl_bdf bdf);

#endif
