#include "topology/slot_table.h"

#include <ctype.h>
#include <string.h>

struct resolve {
	const struct pl_tree *tree;
	struct pl_slot_names *names;
};

static const struct pl_node *node_at(const struct resolve *r, int node)
{
	return &r->tree->nodes[node];
}

static int find_port(const struct resolve *r, struct pl_bdf bdf)
{
	int node = pl_tree_find(r->tree, bdf);

	return node != PL_NO_NODE && pl_node_is_bridge(node_at(r, node)) ? node : PL_NO_NODE;
}

static int find_by_secondary(const struct resolve *r, uint32_t domain, uint8_t bus)
{
	for (size_t i = 0; bus && i < r->tree->count; i++) {
		const struct pl_function *f = &r->tree->nodes[i].function;

		if (pl_node_is_bridge(&r->tree->nodes[i]) && f->bdf.domain == domain &&
		    f->secondary == bus && f->secondary > f->bdf.bus)
			return (int)i;
	}
	return PL_NO_NODE;
}

static void place(struct pl_slot_name *name, enum pl_name_verdict verdict, int port,
		  const char *how)
{
	name->verdict = verdict;
	name->port = port;
	name->how = how;
	name->is_exact = verdict == PL_NAME_BELIEVED;
}

static void refuse(struct pl_slot_name *name, const char *why)
{
	if (name->verdict == PL_NAME_REFUSED)
		return;
	name->verdict = PL_NAME_REFUSED;
	name->why = why;
}

static bool is_upstream(const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	return pl_express_port_type(&node->function.express) == PL_PORT_UPSTREAM ||
	       role == PL_ROLE_CARD_SWITCH || role == PL_ROLE_CHIPSET_UP;
}

/* Ports on cards and inside chips are not slots of the board. */
static int up_to_board(const struct resolve *r, int node)
{
	while (node != PL_NO_NODE && (is_upstream(node_at(r, node)) ||
				      pl_node_role(node_at(r, node)) == PL_ROLE_CARD_SWITCH))
		node = node_at(r, node)->parent;
	return node;
}

/* The address is a function of this machine. */
static bool resolve_function(const struct resolve *r, struct pl_slot_name *name)
{
	struct pl_bdf bdf = name->entry->address;
	int node = pl_tree_find(r->tree, bdf);
	const struct pl_node *hit;

	if (node == PL_NO_NODE)
		return false;
	hit = node_at(r, node);
	if (pl_node_is_bridge(hit)) {
		place(name, PL_NAME_BELIEVED, up_to_board(r, node), "address of a port");
	} else if (hit->parent == PL_NO_NODE) {
		place(name, PL_NAME_UNPLACED, PL_NO_NODE, "address of a function on a root bus");
		name->why = "its address is a function inside the CPU or chipset";
	} else {
		place(name, PL_NAME_BELIEVED, up_to_board(r, hit->parent),
		      "address of the card in it");
		/* 01:00.1 is more often "00:01.1" written wrongly than the second function meant.
		 */
		if (bdf.fn)
			refuse(name, "its address is one of several functions of a card, which the "
				     "firmware hit by chance");
	}
	return true;
}

static bool resolve_mixed(const struct resolve *r, struct pl_slot_name *name)
{
	struct pl_bdf bdf = name->entry->address;
	int port = find_port(r, (struct pl_bdf){bdf.domain, 0, bdf.dev, bdf.fn});

	if (bdf.bus && port != PL_NO_NODE && node_at(r, port)->function.secondary == bdf.bus) {
		place(name, PL_NAME_BELIEVED, port, "bus below the port, device of the port");
		return true;
	}
	if (bdf.dev)
		return false;
	port = find_by_secondary(r, bdf.domain, bdf.bus);
	if (port != PL_NO_NODE) {
		place(name, PL_NAME_BELIEVED, up_to_board(r, port), "bus below the port");
		return true;
	}
	port = find_port(r, (struct pl_bdf){bdf.domain, 0, bdf.bus & 0x1f, bdf.fn});
	if (bdf.bus >= 32 || port == PL_NO_NODE)
		return false;
	place(name, PL_NAME_BELIEVED, port, "device of the port written as a bus");
	name->is_exact = false;
	return true;
}

/* 04:1c.6 for a bridge to PCI 00:1c.6 whose bus has another number by now. */
static bool resolve_stale(const struct resolve *r, struct pl_slot_name *name)
{
	struct pl_bdf bdf = name->entry->address;
	int port = find_port(r, (struct pl_bdf){bdf.domain, 0, bdf.dev, bdf.fn});

	if (!name->entry->is_pci || !bdf.bus || !bdf.dev || port == PL_NO_NODE)
		return false;
	place(name, PL_NAME_BELIEVED, port, "device of the port, its bus number is out of date");
	name->is_exact = false;
	return true;
}

/* Bus ff: the port is switched off or was never numbered; the slot is empty. */
static void resolve_off(const struct resolve *r, struct pl_slot_name *name)
{
	struct pl_bdf bdf = name->entry->address;
	int port = bdf.dev ? find_port(r, (struct pl_bdf){bdf.domain, 0, bdf.dev, bdf.fn})
			   : PL_NO_NODE;

	place(name, port == PL_NO_NODE ? PL_NAME_EMPTY : PL_NAME_BELIEVED, port,
	      "bus ff: a port without a bus");
	name->is_exact = false;
	if (port != PL_NO_NODE && node_at(r, port)->first_child != PL_NO_NODE)
		refuse(name, "marked as empty, but something is below this port");
}

static bool is_placeholder(const struct resolve *r, struct pl_slot_name *name)
{
	const struct pl_smbios_slot *entry = name->entry;
	struct pl_bdf bdf = entry->address;

	if (!entry->has_address || (bdf.bus == 0 && bdf.dev == 0 && bdf.fn == 0)) {
		place(name, PL_NAME_NO_ADDRESS, PL_NO_NODE, "no address");
		return true;
	}
	/* AMI on AMD boards: "nothing found". */
	if (bdf.bus == 0 && bdf.dev == 0x1f && bdf.fn == 7 &&
	    pl_tree_find(r->tree, bdf) == PL_NO_NODE) {
		place(name, PL_NAME_EMPTY, PL_NO_NODE, "00:1f.7: nothing found");
		return true;
	}
	return false;
}

static void resolve_one(const struct resolve *r, struct pl_slot_name *name)
{
	if (is_placeholder(r, name) || resolve_function(r, name))
		return;
	if (name->entry->address.bus == 0xff) {
		resolve_off(r, name);
		return;
	}
	if (resolve_mixed(r, name) || resolve_stale(r, name))
		return;
	place(name, PL_NAME_UNPLACED, PL_NO_NODE, "no such function");
	name->why = "its address names no function of this machine";
}

/* J6B2, J3502: designators of the reference board, not silk screen. */
static bool is_reference_name(const char *text)
{
	if (!text || text[0] != 'J' || !isdigit((unsigned char)text[1]))
		return false;
	for (const char *at = text + 1; *at; at++)
		if (!isalnum((unsigned char)*at))
			return false;
	return true;
}

static bool leads_to_chipset(const struct resolve *r, int port)
{
	for (int at = node_at(r, port)->first_child; at != PL_NO_NODE;
	     at = node_at(r, at)->next_sibling)
		if (pl_node_role(node_at(r, at)) == PL_ROLE_CHIPSET_UP ||
		    pl_node_role(node_at(r, at)) == PL_ROLE_UPLINK_UP)
			return true;
	return false;
}

/* A CPU port may be one part of a split x16 slot; the first port of the device is its first part.
 */
static bool is_first_of_device(const struct resolve *r, int port)
{
	struct pl_bdf mine = node_at(r, port)->function.bdf;

	if (port == 0)
		return true;
	for (int at = port - 1; at >= 0; at--) {
		struct pl_bdf other = node_at(r, at)->function.bdf;

		if (other.domain != mine.domain || other.bus != mine.bus || other.dev != mine.dev)
			break;
		if (pl_node_is_bridge(node_at(r, at)))
			return false;
	}
	return true;
}

/*
 * A slot cannot have four times fewer lanes than its port, nor more, unless it is part of a split
 * CPU slot or a long slot (x16) with the four lanes of a chipset port.
 */
static const char *width_conflict(const struct resolve *r, const struct pl_slot_name *name)
{
	const struct pl_node *port = node_at(r, name->port);
	unsigned lanes = port->function.express.link_cap >> 4 & 0x3f, said = name->entry->width;

	if (!said || !port->function.express.has_link || !lanes || name->entry->is_pci)
		return NULL;
	if (lanes > 2 * said)
		return "it has far fewer lanes than the port at its address";
	if (said <= lanes)
		return NULL;
	if (pl_node_role(port) == PL_ROLE_CPU_PORT && is_first_of_device(r, name->port))
		return NULL;
	if (said == 16 && lanes >= 4 && pl_node_role(port) != PL_ROLE_CPU_PORT)
		return NULL;
	return "it has more lanes than the port at its address";
}

static void check(const struct resolve *r, struct pl_slot_name *name)
{
	const char *conflict;

	if (!name->entry->designation) {
		refuse(name, "it has no name");
		return;
	}
	if (is_reference_name(name->entry->designation)) {
		r->names->has_reference_names = true;
		refuse(name, "it is a designator of the reference board");
		return;
	}
	if (name->verdict != PL_NAME_BELIEVED)
		return;
	if (name->port == PL_NO_NODE) {
		place(name, PL_NAME_UNPLACED, PL_NO_NODE, "no port");
		return;
	}
	if (pl_node_role(node_at(r, name->port)) == PL_ROLE_CPU_INTERNAL)
		refuse(name, "its address is inside the CPU");
	else if (leads_to_chipset(r, name->port))
		refuse(name, "its address is the link between CPU and chipset, not a slot");
	conflict = width_conflict(r, name);
	if (conflict)
		refuse(name, conflict);
}

static bool is_believed(const struct pl_slot_name *name)
{
	return name->verdict == PL_NAME_BELIEVED;
}

/* Why `mine` loses against another believed entry: two names on one port, one name on two. */
static const char *loses(const struct pl_slot_name *mine, const struct pl_slot_name *other)
{
	if (mine->port == other->port)
		return other->is_exact >= mine->is_exact ? "another name is given to the same port"
							 : NULL;
	return strcmp(mine->entry->designation, other->entry->designation) == 0
		       ? "the same name is given to two ports"
		       : NULL;
}

/* All against all before any is refused, so that three of a kind lose together. */
static void settle(struct pl_slot_names *names, struct pl_arena *arena)
{
	const char **lost = pl_arena_array(arena, names->count, sizeof(*lost));

	for (size_t i = 0; i < names->count; i++)
		for (size_t k = 0; k < names->count && is_believed(&names->items[i]); k++)
			if (i != k && !lost[i] && is_believed(&names->items[k]))
				lost[i] = loses(&names->items[i], &names->items[k]);
	for (size_t i = 0; i < names->count; i++)
		if (lost[i])
			refuse(&names->items[i], lost[i]);
}

/* More than half of what claims to be in use leads nowhere: a template of another board. */
static void judge_table(struct pl_slot_names *names)
{
	size_t used = 0, lost = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct pl_slot_name *name = &names->items[i];

		if (name->entry->usage != PL_SMBIOS_USAGE_IN_USE ||
		    name->verdict == PL_NAME_NO_ADDRESS || name->verdict == PL_NAME_EMPTY)
			continue;
		used++;
		lost += name->verdict == PL_NAME_UNPLACED ||
			(name->verdict == PL_NAME_REFUSED && name->port == PL_NO_NODE);
	}
	if (lost * 2 <= used)
		return;
	names->template_why = "most entries in use name no function of this machine: the table "
			      "was copied from another board";
	for (size_t i = 0; i < names->count; i++)
		if (is_believed(&names->items[i]))
			refuse(&names->items[i], names->template_why);
}

void pl_slot_names_resolve(struct pl_slot_names *names, const struct pl_tree *tree,
			   const struct pl_smbios_slot *entries, size_t count)
{
	struct resolve r = {tree, names};

	*names = (struct pl_slot_names){
		.items = pl_arena_array(tree->arena, count, sizeof(struct pl_slot_name))};
	for (size_t i = 0; i < count; i++) {
		struct pl_slot_name *name = &names->items[names->count];

		if (!entries[i].is_pcie && !entries[i].is_pci)
			continue;
		*name = (struct pl_slot_name){.entry = &entries[i], .port = PL_NO_NODE};
		names->count++;
		resolve_one(&r, name);
		check(&r, name);
	}
	judge_table(names);
	settle(names, tree->arena);
}
