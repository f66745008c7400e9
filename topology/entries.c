#include "topology/entries.h"

#include <stdio.h>
#include <string.h>

#define MOST_DEPTH 256
#define DEVICES 32

static bool is_port_role(enum pl_role role)
{
	switch (role) {
	case PL_ROLE_CPU_PORT:
	case PL_ROLE_SOC_PORT:
	case PL_ROLE_CPU_TUNNEL:
	case PL_ROLE_CHIPSET_DOWN:
	case PL_ROLE_PCH_PORT:
	case PL_ROLE_IOH_PORT:
	case PL_ROLE_MCH_PORT:
	case PL_ROLE_ICH_PORT:
	case PL_ROLE_NB_PORT:
	case PL_ROLE_SB_PORT:
	case PL_ROLE_FCH_PORT:
		return true;
	default:
		return false;
	}
}

/* Ports that never have a connector: inside a chip or a card. */
static bool is_inner_role(enum pl_role role)
{
	return role == PL_ROLE_CPU_INTERNAL || role == PL_ROLE_CARD_SWITCH ||
	       role == PL_ROLE_UPLINK_DOWN || role == PL_ROLE_UPLINK_UP ||
	       role == PL_ROLE_CHIPSET_UP || role == PL_ROLE_CONTROLLER;
}

/* Ids of ports that exist for the chip's own purposes. */
static bool is_reserved_port(const struct pl_function *f)
{
	static const struct {
		uint16_t vendor, device;
	} reserved[] = {
		{0x1022, 0x57a4}, /* X570: internal USB and SATA */
		{0x8086, 0x1d3e}, /* C600: virtual root port */
		{0x1002, 0x5982}, /* RD790: link to the southbridge */
		{0x1022, 0x960a}, /* RS780: the same */
	};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (reserved[i].vendor == f->vendor_id && reserved[i].device == f->device_id)
			return true;
	return false;
}

bool pl_is_empty_port(const struct pl_tree *tree, int index)
{
	const struct pl_node *node = &tree->nodes[index];
	enum pl_port_type type = pl_express_port_type(&node->function.express);
	enum pl_role role = pl_node_role(node);

	if (!pl_node_is_bridge(node) || node->first_child != PL_NO_NODE || is_inner_role(role) ||
	    is_reserved_port(&node->function) || pl_node_is_to_pci(node))
		return false;
	/* USB4 ports have no connector of the card kind, yet something can be plugged in. */
	if (pl_express_has_connector(&node->function.express) == 0 && role != PL_ROLE_CPU_TUNNEL)
		return false;
	if (type == PL_PORT_ROOT || type == PL_PORT_DOWNSTREAM)
		return true;
	return type == PL_PORT_UNKNOWN && is_port_role(role);
}

/*
 * Nodes from the root port to this one; returns how many. Above an orphan there is a bridge that
 * nobody saw, so its path begins with itself.
 */
static size_t chain(const struct pl_tree *tree, int node, int out[MOST_DEPTH])
{
	size_t depth = 0;

	for (int at = node; at != PL_NO_NODE && depth < MOST_DEPTH; at = tree->nodes[at].parent) {
		out[depth++] = at;
		if (tree->nodes[at].parentage == PL_ORPHAN)
			break;
	}
	for (size_t i = 0; i < depth / 2; i++) {
		int swap = out[i];

		out[i] = out[depth - 1 - i];
		out[depth - 1 - i] = swap;
	}
	return depth;
}

/*
 * "0000:00:01.1/00.0": survives renumbering of the buses below. The key of an empty slot is the one
 * that a device in it would get, so a slot keeps its key when a card goes in.
 */
static const char *make_key(const struct pl_tree *tree, const int *nodes, size_t depth,
			    bool is_empty)
{
	char text[PL_BDF_TEXT + MOST_DEPTH * 5];
	char root[PL_BDF_TEXT];
	size_t used;

	pl_bdf_format(tree->nodes[nodes[0]].function.bdf, root);
	used = (size_t)snprintf(text, sizeof(text), "%s", root);
	for (size_t i = 1; i < depth; i++) {
		struct pl_bdf bdf = tree->nodes[nodes[i]].function.bdf;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "/%02x.%x", bdf.dev,
					 bdf.fn);
	}
	if (is_empty)
		snprintf(text + used, sizeof(text) - used, "/00.0");
	return pl_arena_strdup(tree->arena, text);
}

static void fill_path(struct pl_slot *slot, const struct pl_tree *tree, int node)
{
	int nodes[MOST_DEPTH] = {0};
	size_t depth = chain(tree, node, nodes);
	struct pl_bdf *path = pl_arena_array(tree->arena, depth, sizeof(*path));

	for (size_t i = 0; i < depth; i++)
		path[i] = tree->nodes[nodes[i]].function.bdf;
	slot->path = path;
	slot->path_count = depth;
	slot->key = make_key(tree, nodes, depth, !slot->device);
}

static void fill_place(struct pl_slot *slot, const struct pl_place *place)
{
	slot->attachment = place->attachment;
	slot->chipset_hops = place->hops;
	slot->chipset = place->chipset;
	slot->origin = place->origin;
	slot->confidence = place->confidence;
	slot->built_in = place->is_built_in;
	slot->via = place->via;
	slot->via_count = place->via_count;
	slot->reason = place->reason;
}

void pl_entry_describe(struct pl_slot *slot, const struct pl_tree *tree, int node)
{
	fill_place(slot, &tree->nodes[node].place);
	fill_path(slot, tree, node);
}

static struct pl_entry *add_entry(struct pl_run *run, struct pl_entries *entries, size_t room,
				  struct pl_slot **slot)
{
	if (!entries->items)
		entries->items = pl_arena_array(&run->arena, room, sizeof(*entries->items));
	*slot = pl_run_add_slot(run);
	(*slot)->physical_slot = -1;
	(*slot)->chipset_hops = -1;
	entries->items[entries->count] = (struct pl_entry){PL_NO_NODE, PL_NO_NODE, PL_NO_NODE};
	return &entries->items[entries->count++];
}

/* The board's port above a function: bridges on graphics cards belong to the card. */
static int board_port(const struct pl_tree *tree, int node, int *far_end)
{
	int at = tree->nodes[node].parent;

	*far_end = node;
	while (at != PL_NO_NODE && pl_node_role(&tree->nodes[at]) == PL_ROLE_CARD_SWITCH) {
		*far_end = at;
		at = tree->nodes[at].parent;
	}
	return at;
}

/* Below a PCIe port there is one device; function numbers above 7 (ARI, VFs) show as devices. */
static bool is_one_device(const struct pl_node *port)
{
	enum pl_port_type type = pl_express_port_type(&port->function.express);

	return type == PL_PORT_ROOT || type == PL_PORT_DOWNSTREAM ||
	       (type == PL_PORT_UNKNOWN && is_port_role(pl_node_role(port)) &&
		!pl_node_is_to_pci(port));
}

struct group {
	int first, last; /* nodes, chained through next[] */
	size_t count;
};

struct grouping {
	struct pl_tree *tree;
	struct group *groups;
	size_t count;
	int *next;     /* per node: next node of its group */
	int *group_of; /* per port and device number: group index + 1 */
};

static size_t group_index(struct grouping *g, int node)
{
	int far_end, port = board_port(g->tree, node, &far_end);
	unsigned device = g->tree->nodes[node].function.bdf.dev;
	int *place;

	if (port == PL_NO_NODE || g->tree->nodes[node].place.is_built_in ||
	    g->tree->nodes[node].parentage != PL_BELOW_BRIDGE)
		return g->count;
	if (is_one_device(&g->tree->nodes[port]))
		device = 0;
	place = &g->group_of[(size_t)port * DEVICES + device];
	if (!*place)
		*place = (int)g->count + 1;
	return (size_t)*place - 1;
}

static void add_to_group(struct grouping *g, int node)
{
	size_t at = group_index(g, node);

	if (at == g->count)
		g->groups[g->count++] = (struct group){node, node, 0};
	else
		g->next[g->groups[at].last] = node;
	g->groups[at].last = node;
	g->groups[at].count++;
	g->next[node] = PL_NO_NODE;
}

static void group_functions(struct grouping *g, struct pl_tree *tree)
{
	struct pl_arena *arena = tree->arena;

	*g = (struct grouping){
		.tree = tree,
		.groups = pl_arena_array(arena, tree->count, sizeof(struct group)),
		.next = pl_arena_array(arena, tree->count, sizeof(int)),
		.group_of = pl_arena_array(arena, tree->count * DEVICES, sizeof(int)),
	};
	for (size_t i = 0; i < tree->count; i++)
		if (!pl_node_is_bridge(&tree->nodes[i]))
			add_to_group(g, (int)i);
}

static unsigned importance(const struct pl_node *node)
{
	unsigned class_base = node->function.class_code >> 16;

	if (node->function.is_virtual)
		return 0;
	return class_base == 0x03 ? 3 : class_base == 0x01 || class_base == 0x02 ? 2 : 1;
}

/* A card with a switch of its own shows its display or network function, not the audio one. */
static int main_function(const struct grouping *g, const struct group *group)
{
	int best = group->first;

	for (int at = group->first; at != PL_NO_NODE; at = g->next[at])
		if (importance(&g->tree->nodes[at]) > importance(&g->tree->nodes[best]))
			best = at;
	/* Functions of one device number: function 0 stands for all. */
	if (g->tree->nodes[best].function.bdf.bus ==
		    g->tree->nodes[group->first].function.bdf.bus &&
	    !g->tree->nodes[group->first].function.is_virtual)
		return group->first;
	return best;
}

static void add_device(struct pl_run *run, struct grouping *g, const struct group *group,
		       struct pl_entries *entries)
{
	struct pl_arena *arena = g->tree->arena;
	struct pl_bdf *functions = pl_arena_array(arena, group->count, sizeof(*functions));
	struct pl_device *device = pl_arena_alloc(arena, sizeof(*device));
	int node = main_function(g, group);
	const struct pl_function *f = &g->tree->nodes[node].function;
	struct pl_slot *slot;
	struct pl_entry *entry = add_entry(run, entries, 2 * g->tree->count, &slot);
	size_t count = 0;

	for (int at = group->first; at != PL_NO_NODE; at = g->next[at])
		functions[count++] = g->tree->nodes[at].function.bdf;
	*device = (struct pl_device){
		.bdf = f->bdf,
		.vendor_id = f->vendor_id,
		.device_id = f->device_id,
		.subsystem_vendor_id = f->subsystem_vendor_id,
		.subsystem_id = f->subsystem_id,
		.class_code = f->class_code,
		.revision = f->revision,
		.functions = functions,
		.function_count = count,
		.numa_node = -1,
	};
	slot->device = device;
	pl_entry_describe(slot, g->tree, node);
	entry->device = node;
	entry->port = board_port(g->tree, node, &entry->far_end);
}

static void add_empty(struct pl_run *run, struct pl_tree *tree, int node,
		      struct pl_entries *entries)
{
	struct pl_slot *slot;
	struct pl_entry *entry = add_entry(run, entries, 2 * tree->count, &slot);
	const struct pl_node *port = &tree->nodes[node];

	pl_entry_describe(slot, tree, node);
	entry->port = node;
	/* What goes into a Thunderbolt port of a controller is beyond a cable. */
	if (port->place.tunnel_ports >= 2 && slot->attachment == PL_ATTACH_SWITCH)
		slot->attachment = PL_ATTACH_TUNNEL;
}

void pl_entries_build(struct pl_run *run, struct pl_tree *tree, struct pl_entries *entries)
{
	struct grouping g;
	size_t next = 0;

	*entries = (struct pl_entries){NULL, 0};
	group_functions(&g, tree);
	/* Both lists are in address order; merge them so that the slots are, too. */
	for (size_t i = 0; i < tree->count; i++) {
		if (next < g.count && g.groups[next].first == (int)i)
			add_device(run, &g, &g.groups[next++], entries);
		else if (pl_is_empty_port(tree, (int)i))
			add_empty(run, tree, (int)i, entries);
	}
}
