#include "topology/classify.h"

#include <string.h>

#include "topology/walk.h"

#define VENDOR_AMD 0x1022u
#define VENDOR_INTEL 0x8086u

/* Domains of their own behind a VMD: the root port inside says whose lanes they are. */
static void add_vmd(struct pl_walk *w, struct pl_node *node)
{
	if (!(node->function.bdf.domain >> 16) || w->platform->vmd < 0)
		return;
	pl_walk_via(w, &node->place, PL_VIA_VMD, "Volume Management Device",
		    &w->tree->nodes[w->platform->vmd]);
}

static const char *chipset_name(struct pl_walk *w, const struct pl_node *node)
{
	const char *chip = node->id->chip;

	if (!strcmp(chip, "PROM21"))
		return w->platform->prom21;
	if (!strcmp(chip, "X570"))
		return w->platform->x570;
	if (!strcmp(chip, "B450/X470"))
		return w->platform->b450;
	return strcmp(chip, "B550/A520") ? chip : w->platform->b550;
}

static void enter_chipset(struct pl_walk *w, struct pl_node *node, const char *what,
			  const char *name)
{
	struct pl_place *place = &node->place;
	int hops = place->hops > 0 ? place->hops : 0;

	if (place->is_closed)
		return;
	pl_walk_set(place,
		    place->attachment == PL_ATTACH_TUNNEL ? PL_ATTACH_TUNNEL : PL_ATTACH_CHIPSET,
		    hops + 1, PL_ORIGIN_CHIPSET);
	place->chipset = name;
	pl_walk_via(w, place, PL_VIA_CHIPSET, node->id->chip, node);
	pl_walk_reason(w, place,
		       pl_arena_printf(w->tree->arena, "%s %s: hop %d", what, pl_walk_ids(w, node),
				       place->hops));
}

/*
 * Below a root port that is not listed a switch is still a switch. No chipset was counted; where
 * the maker of the root port also makes chipsets, the port may belong to one: hops stay unknown.
 */
static void become_switch(struct pl_place *place)
{
	if (place->attachment == PL_ATTACH_TUNNEL)
		return;
	if (place->attachment == PL_ATTACH_UNKNOWN && !place->has_chipset_maker)
		place->hops = 0;
	place->attachment = PL_ATTACH_SWITCH;
}

/* The second half of a switch whose upstream port was just passed. */
static bool is_second_half(const struct pl_node *node, const struct pl_node *above)
{
	enum pl_port_type type = pl_express_port_type(&node->function.express);

	return pl_node_is_bridge(above) && above->parent != PL_NO_NODE &&
	       above->function.vendor_id == node->function.vendor_id &&
	       pl_node_role(above) == pl_node_role(node) && type != PL_PORT_UPSTREAM &&
	       pl_express_port_type(&above->function.express) != PL_PORT_DOWNSTREAM;
}

static void pass_switch(struct pl_walk *w, struct pl_node *node, enum pl_via_kind kind)
{
	struct pl_place *place = &node->place;
	const struct pl_node *above = &w->tree->nodes[node->parent];
	const char *chip = node->id && node->id->chip ? node->id->chip : "switch";

	if (place->is_closed || is_second_half(node, above))
		return;
	become_switch(place);
	pl_walk_via(w, place, kind, chip, node);
	pl_walk_reason(w, place,
		       pl_arena_printf(w->tree->arena, "%s %s", chip, pl_walk_ids(w, node)));
}

static void pass_tunnel_port(struct pl_walk *w, struct pl_node *node)
{
	struct pl_place *place = &node->place;
	bool is_device = pl_node_role(node) == PL_ROLE_TB_DEVICE;
	const char *chip = node->id->chip ? node->id->chip : "Thunderbolt/USB4 controller";

	if (place->is_closed)
		return;
	place->tunnel_ports++;
	if (is_device || place->tunnel_ports > 2 || place->attachment == PL_ATTACH_TUNNEL) {
		if (place->attachment != PL_ATTACH_TUNNEL || place->tunnel_ports % 2) {
			pl_walk_via(w, place, PL_VIA_TUNNEL, chip, node);
			pl_walk_reason(w, place,
				       pl_arena_printf(w->tree->arena, "beyond the cable: %s %s",
						       chip, pl_walk_ids(w, node)));
		}
		place->attachment = PL_ATTACH_TUNNEL;
		return;
	}
	become_switch(place);
	if (place->tunnel_ports == 1) {
		pl_walk_via(w, place, PL_VIA_CONTROLLER, chip, node);
		pl_walk_reason(w, place,
			       pl_arena_printf(w->tree->arena, "%s controller %s", chip,
					       pl_walk_ids(w, node)));
	}
}

/* A bridge that nobody listed: the port type says whether it is a switch. */
static void pass_unlisted(struct pl_walk *w, struct pl_node *node)
{
	struct pl_place *place = &node->place;
	enum pl_port_type type = pl_express_port_type(&node->function.express);
	uint16_t vendor = node->function.vendor_id;
	bool is_port = type == PL_PORT_UPSTREAM || type == PL_PORT_DOWNSTREAM;

	if (pl_node_is_to_pci(node)) {
		pl_walk_via(w, place, PL_VIA_PCI_BRIDGE,
			    node->id && node->id->chip ? node->id->chip : "PCI bridge", node);
		return;
	}
	if (place->is_closed || is_second_half(node, &w->tree->nodes[node->parent]))
		return;
	if (!is_port || vendor == VENDOR_AMD || vendor == VENDOR_INTEL) {
		pl_walk_unknown(place,
				pl_arena_printf(w->tree->arena, "%s; bridge %s is not listed: %s",
						place->reason, pl_walk_ids(w, node),
						is_port ? "a switch or a chipset"
							: "the source does not say what it is"));
		return;
	}
	pass_switch(w, node, PL_VIA_BOARD_SWITCH);
	if (place->confidence > PL_CONFIDENCE_MEDIUM)
		place->confidence = PL_CONFIDENCE_MEDIUM;
	pl_walk_reason(w, place, "its id is not listed");
}

static void lost_upstream(struct pl_walk *w, struct pl_node *node)
{
	pl_walk_unknown(&node->place,
			pl_arena_printf(w->tree->arena,
					"downstream port %s without its upstream port above",
					pl_walk_ids(w, node)));
}

static bool is_below(struct pl_walk *w, const struct pl_node *node, enum pl_role role)
{
	return node->parent != PL_NO_NODE && pl_node_role(&w->tree->nodes[node->parent]) == role;
}

/* A bridge below a port of a host controller that is not of that controller: beyond the cable. */
static bool is_beyond_cable(struct pl_walk *w, const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	return is_below(w, node, PL_ROLE_TB_HOST) && node->place.tunnel_ports >= 2 &&
	       node->place.attachment == PL_ATTACH_SWITCH && role != PL_ROLE_TB_HOST &&
	       role != PL_ROLE_TB_DEVICE;
}

static void place_bridge(struct pl_walk *w, struct pl_node *node)
{
	if (is_beyond_cable(w, node)) {
		node->place.attachment = PL_ATTACH_TUNNEL;
		pl_walk_via(w, &node->place, PL_VIA_TUNNEL, "device behind the cable", node);
		pl_walk_reason(w, &node->place,
			       pl_arena_printf(w->tree->arena, "beyond the cable: bridge %s",
					       pl_walk_ids(w, node)));
		return;
	}
	switch (pl_node_role(node)) {
	case PL_ROLE_CHIPSET_UP:
		enter_chipset(w, node, node->id->chip, chipset_name(w, node));
		break;
	case PL_ROLE_CHIPSET_DOWN:
		if (!is_below(w, node, PL_ROLE_CHIPSET_UP))
			lost_upstream(w, node);
		break;
	case PL_ROLE_UPLINK_UP:
		enter_chipset(w, node, "PCIe uplink of the PCH, not DMI,",
			      "C620 PCH (PCIe uplink)");
		break;
	case PL_ROLE_UPLINK_DOWN:
		if (!is_below(w, node, PL_ROLE_UPLINK_UP))
			lost_upstream(w, node);
		break;
	case PL_ROLE_CARD_SWITCH:
		if (!is_below(w, node, PL_ROLE_CARD_SWITCH) && !node->place.is_closed)
			pl_walk_via(w, &node->place, PL_VIA_CARD_SWITCH, node->id->chip, node);
		break;
	case PL_ROLE_TB_HOST:
	case PL_ROLE_TB_DEVICE:
		pass_tunnel_port(w, node);
		break;
	case PL_ROLE_SWITCH:
		pass_switch(w, node, PL_VIA_BOARD_SWITCH);
		break;
	case PL_ROLE_CONTROLLER:
		pass_switch(w, node, PL_VIA_CONTROLLER);
		break;
	default:
		pass_unlisted(w, node);
		break;
	}
}

/* The upstream port of a chipset chip among the functions of the same device (rule 4). */
static const struct pl_node *chipset_beside(struct pl_walk *w, const struct pl_node *node)
{
	int at = w->tree->nodes[node->parent].first_child;

	for (; at != PL_NO_NODE; at = w->tree->nodes[at].next_sibling) {
		const struct pl_node *sibling = &w->tree->nodes[at];

		if (pl_node_role(sibling) == PL_ROLE_CHIPSET_UP &&
		    sibling->function.bdf.bus == node->function.bdf.bus &&
		    sibling->function.bdf.dev == node->function.bdf.dev)
			return sibling;
	}
	return NULL;
}

/* The controller's own functions; whatever else is below its ports sits beyond a cable. */
static bool is_of_controller(const struct pl_node *node, const struct pl_node *port)
{
	uint32_t class_code = node->function.class_code >> 8;

	return node->function.vendor_id == port->function.vendor_id &&
	       (class_code == 0x0880 || class_code == 0x0c03);
}

static void place_below_tunnel_port(struct pl_walk *w, struct pl_node *node)
{
	const struct pl_node *port = &w->tree->nodes[node->parent];
	struct pl_place *place = &node->place;

	if (place->attachment != PL_ATTACH_SWITCH)
		return;
	if (is_of_controller(node, port)) {
		pl_walk_reason(w, place, "a function of the controller itself");
		return;
	}
	place->attachment = PL_ATTACH_TUNNEL;
	pl_walk_reason(w, place,
		       pl_arena_printf(w->tree->arena, "%s is not a function of the controller",
				       pl_walk_ids(w, node)));
}

/* Functions 0 and 1 of X370 … B550 share the link of the chip with its upstream port. */
static bool place_beside_chipset(struct pl_walk *w, struct pl_node *node)
{
	const struct pl_node *chip = chipset_beside(w, node);
	bool is_named = pl_node_role(node) == PL_ROLE_CHIPSET_FN &&
			!is_below(w, node, PL_ROLE_CHIPSET_DOWN);

	if (!chip && !is_named)
		return false;
	if (!node->place.is_closed)
		enter_chipset(w, node, "function of the chipset chip",
			      chipset_name(w, chip ? chip : node));
	node->place.is_built_in = true;
	return true;
}

static void place_endpoint(struct pl_walk *w, struct pl_node *node)
{
	struct pl_place *place = &node->place;
	enum pl_role above = pl_node_role(&w->tree->nodes[node->parent]);

	if (place_beside_chipset(w, node))
		return;
	if (above == PL_ROLE_TB_HOST || above == PL_ROLE_TB_DEVICE)
		place_below_tunnel_port(w, node);
	place->is_built_in =
		above == PL_ROLE_CPU_INTERNAL || above == PL_ROLE_UPLINK_DOWN ||
		(above == PL_ROLE_CHIPSET_DOWN && node->function.vendor_id == VENDOR_AMD);
}

static void place_orphan(struct pl_walk *w, struct pl_node *node)
{
	pl_walk_unknown(
		&node->place,
		node->parentage == PL_AMBIGUOUS
			? pl_arena_printf(w->tree->arena,
					  "two bridges claim the bus of %s: no path can be told",
					  pl_walk_ids(w, node))
			: pl_arena_printf(w->tree->arena,
					  "the bridge above the bus of %s is hidden or missing",
					  pl_walk_ids(w, node)));
}

static void place_node(struct pl_walk *w, struct pl_node *node)
{
	bool is_bridge = pl_node_is_bridge(node);

	node->place = (struct pl_place){.confidence = PL_CONFIDENCE_LOW, .hops = -1};
	if (node->parentage == PL_ORPHAN || node->parentage == PL_AMBIGUOUS) {
		place_orphan(w, node);
	} else if (node->parentage == PL_ON_ROOT_BUS) {
		if (is_bridge)
			pl_place_root_bridge(w, node);
		else
			pl_place_root_function(w, node);
		add_vmd(w, node);
	} else {
		node->place = w->tree->nodes[node->parent].place;
		node->place.is_built_in = false;
		if (is_bridge)
			place_bridge(w, node);
		else
			place_endpoint(w, node);
	}
}

/* A parent has a lower bus number than its child, so address order is from the root down. */
void pl_classify(struct pl_tree *tree, const struct pl_platform *platform)
{
	struct pl_walk walk = {tree, platform};

	for (size_t i = 0; i < tree->count; i++)
		place_node(&walk, &tree->nodes[i]);
}
