#include "topology/classify.h"

#include <string.h>

#define VENDOR_ATI 0x1002u
#define VENDOR_AMD 0x1022u
#define VENDOR_INTEL 0x8086u
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define MOST_REASON_STEPS 6u

struct walk {
	struct pl_tree *tree;
	const struct pl_platform *platform;
};

static const char *ids_of(struct walk *w, const struct pl_node *node)
{
	const struct pl_function *f = &node->function;

	return pl_arena_printf(w->tree->arena, "%s [%04x:%04x]",
			       pl_bdf_short(w->tree->arena, f->bdf), f->vendor_id, f->device_id);
}

static void set(struct pl_place *place, enum pl_attachment attachment, int hops,
		enum pl_origin origin)
{
	place->attachment = attachment;
	place->hops = hops;
	place->origin = origin;
}

static void set_unknown(struct pl_place *place, const char *reason)
{
	set(place, PL_ATTACH_UNKNOWN, -1, PL_ORIGIN_UNKNOWN);
	place->is_closed = true;
	place->confidence = PL_CONFIDENCE_LOW;
	place->chipset = NULL;
	place->reason = reason;
}

/* One more half sentence; long chains of switches stop adding after a few. */
static void add_reason(struct walk *w, struct pl_place *place, const char *text)
{
	place->reason_steps++;
	if (!place->reason)
		place->reason = text;
	else if (place->reason_steps < MOST_REASON_STEPS)
		place->reason = pl_arena_printf(w->tree->arena, "%s; %s", place->reason, text);
	else if (place->reason_steps == MOST_REASON_STEPS)
		place->reason = pl_arena_printf(w->tree->arena, "%s; …", place->reason);
}

static void add_via(struct walk *w, struct pl_place *place, enum pl_via_kind kind, const char *name,
		    const struct pl_node *node)
{
	struct pl_via *via =
		pl_arena_array(w->tree->arena, place->via_count + 1, sizeof(struct pl_via));

	if (place->via_count)
		memcpy(via, place->via, place->via_count * sizeof(*via));
	via[place->via_count] = (struct pl_via){
		.kind = kind,
		.name = name,
		.vendor_id = node->function.vendor_id,
		.device_id = node->function.device_id,
		.bdf = node->function.bdf,
	};
	place->via = via;
	place->via_count++;
}

/* Root ports: what their role alone says. */
static const struct {
	enum pl_role role;
	enum pl_attachment attachment;
	int hops;
	enum pl_origin origin;
	const char *what;
} root_rules[] = {
	{PL_ROLE_CPU_PORT, PL_ATTACH_CPU_DIRECT, 0, PL_ORIGIN_CPU, "CPU root port"},
	{PL_ROLE_SOC_PORT, PL_ATTACH_CPU_DIRECT, 0, PL_ORIGIN_CPU,
	 "SoC root port (no separate chipset)"},
	{PL_ROLE_CPU_INTERNAL, PL_ATTACH_INTEGRATED, 0, PL_ORIGIN_INTEGRATED,
	 "bridge inside the processor"},
	{PL_ROLE_CPU_TUNNEL, PL_ATTACH_TUNNEL, 0, PL_ORIGIN_CPU, "USB4/Thunderbolt port of the CPU"},
	{PL_ROLE_PCH_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET, "root port of the PCH"},
	{PL_ROLE_IOH_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET,
	 "root port of the I/O hub (the CPU has no PCIe)"},
	{PL_ROLE_MCH_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET,
	 "root port of the memory controller hub (the CPU has no PCIe)"},
	{PL_ROLE_ICH_PORT, PL_ATTACH_CHIPSET, 2, PL_ORIGIN_CHIPSET,
	 "root port of the ICH, behind the hub that the CPU talks to"},
	{PL_ROLE_NB_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET,
	 "root port of the northbridge (the CPU has no PCIe)"},
	{PL_ROLE_SB_PORT, PL_ATTACH_CHIPSET, 2, PL_ORIGIN_CHIPSET,
	 "root port of the southbridge, behind the northbridge"},
	{PL_ROLE_FCH_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET, "root port of the FCH of an APU"},
};

static const char *chip_of_root(struct walk *w, const struct pl_node *node,
				const struct pl_root_bus *bus)
{
	const char *chip = node->id ? node->id->chip : NULL;

	switch (pl_node_role(node)) {
	case PL_ROLE_PCH_PORT:
		if (node->function.bdf.domain >> 16)
			return w->platform->pch ? w->platform->pch : chip;
		return bus->pch ? bus->pch : chip;
	case PL_ROLE_ICH_PORT:
		return bus->ich ? bus->ich : chip;
	case PL_ROLE_SB_PORT:
		return w->platform->southbridge;
	case PL_ROLE_IOH_PORT:
	case PL_ROLE_MCH_PORT:
	case PL_ROLE_NB_PORT:
	case PL_ROLE_FCH_PORT:
		return chip;
	default:
		return NULL;
	}
}

static void apply_role(struct walk *w, struct pl_node *node, size_t rule,
		       const struct pl_root_bus *bus)
{
	struct pl_place *place = &node->place;
	const char *chip = chip_of_root(w, node, bus);
	const char *ids = ids_of(w, node);

	set(place, root_rules[rule].attachment, root_rules[rule].hops, root_rules[rule].origin);
	place->confidence = PL_CONFIDENCE_HIGH;
	place->chipset = chip;
	add_reason(w, place,
		   chip ? pl_arena_printf(w->tree->arena, "%s %s, %s", root_rules[rule].what, ids,
					  chip)
			: pl_arena_printf(w->tree->arena, "%s %s", root_rules[rule].what, ids));
	if (chip)
		add_via(w, place, PL_VIA_CHIPSET, chip, node);
}

/* ICH and SB are one hop away where the CPU or APU holds the north bridge (Pineview, Brazos). */
static void correct_south_bridge(struct walk *w, struct pl_node *node)
{
	unsigned carries = w->platform->carries;
	bool is_sb = pl_node_role(node) == PL_ROLE_SB_PORT;
	bool is_ich = pl_node_role(node) == PL_ROLE_ICH_PORT;

	if ((is_sb && (carries & (PL_CARRIES_APU | PL_CARRIES_SOC_APU))) ||
	    (is_ich && (carries & PL_CARRIES_PINEVIEW))) {
		node->place.hops = 1;
		add_reason(w, &node->place, "the north bridge is inside this CPU: one hop");
	}
}

/* Device numbers that the south part of an Intel platform uses on its root bus. */
static unsigned first_south_device(unsigned carries)
{
	return carries & (PL_CARRIES_MCH | PL_CARRIES_IOH | PL_CARRIES_ICH) ? 0x19 : 0x11;
}

static void built_in(struct walk *w, struct pl_node *node, int hops, const char *chip,
		     const char *why)
{
	struct pl_place *place = &node->place;

	set(place, hops ? PL_ATTACH_CHIPSET : PL_ATTACH_INTEGRATED, hops,
	    hops ? PL_ORIGIN_CHIPSET : PL_ORIGIN_INTEGRATED);
	place->confidence = PL_CONFIDENCE_HIGH;
	place->is_built_in = true;
	place->chipset = hops ? chip : NULL;
	add_reason(w, place,
		   pl_arena_printf(w->tree->arena, "%s on the root bus: %s", ids_of(w, node), why));
	if (hops && chip)
		add_via(w, place, PL_VIA_CHIPSET, chip, node);
}

static bool place_on_intel_bus(struct walk *w, struct pl_node *node, const struct pl_root_bus *bus)
{
	unsigned device = node->function.bdf.dev, south = first_south_device(bus->carries);
	bool is_south = device >= south && device <= 0x1f;

	if (node->function.vendor_id != VENDOR_INTEL)
		return false;
	if ((bus->carries & PL_CARRIES_PCH) && is_south)
		built_in(w, node, 1, bus->pch, "function of the PCH that carries this bus");
	else if ((bus->carries & PL_CARRIES_ICH) && is_south)
		built_in(w, node, w->platform->carries & PL_CARRIES_PINEVIEW ? 1 : 2, bus->ich,
			 "function of the ICH");
	else if (bus->carries & (PL_CARRIES_MCH | PL_CARRIES_IOH))
		built_in(w, node, 1, bus->mch, "function of the hub that the CPU talks to");
	else if (w->platform->carries & (PL_CARRIES_PCH | PL_CARRIES_INTEL | PL_CARRIES_SOC |
					 PL_CARRIES_PINEVIEW | PL_CARRIES_IOH))
		built_in(w, node, 0, NULL, "no PCH carries this bus, or not this device number");
	else
		return false;
	return true;
}

static bool place_on_amd_bus(struct walk *w, struct pl_node *node, const struct pl_root_bus *bus)
{
	unsigned carries = w->platform->carries;
	uint16_t vendor = node->function.vendor_id, device = node->function.device_id;
	bool has_outer_north = carries & PL_CARRIES_NB;
	bool is_processor = vendor == VENDOR_AMD && node->function.bdf.dev >= 0x18;

	if (vendor != VENDOR_AMD && vendor != VENDOR_ATI)
		return false;
	if (carries & (PL_CARRIES_ZEN | PL_CARRIES_SOC_APU) || is_processor)
		built_in(w, node, 0, NULL, "function of the processor");
	else if (vendor == VENDOR_ATI && device >= 0x4380 && device <= 0x439f &&
		 (has_outer_north || carries & PL_CARRIES_APU))
		built_in(w, node, has_outer_north ? 2 : 1, w->platform->southbridge,
			 "function of the southbridge");
	else if (vendor == VENDOR_AMD && device >= 0x7800 && device <= 0x781f &&
		 carries & PL_CARRIES_APU)
		built_in(w, node, 1, "Hudson FCH", "function of the FCH");
	else if (has_outer_north)
		built_in(w, node, 1, bus->nb, "function of the northbridge");
	else if (carries & PL_CARRIES_APU)
		built_in(w, node, 0, NULL, "function of the APU");
	else
		return false;
	return true;
}

/* Endpoints, and bridges to conventional PCI, on a root bus: rule 5. */
static void place_root_function(struct walk *w, struct pl_node *node)
{
	const struct pl_root_bus *bus = pl_platform_bus(w->platform, node->function.bdf);

	if (w->platform->virtual_why) {
		set_unknown(&node->place,
			    pl_arena_printf(w->tree->arena,
					    "%s on the root bus of a virtual machine (%s)",
					    ids_of(w, node), w->platform->virtual_why));
		return;
	}
	if (node->function.bdf.domain >> 16 && w->platform->vmd != PL_NO_NODE) {
		built_in(w, node, 0, NULL, "placeholder of the volume management device");
		return;
	}
	if (!place_on_intel_bus(w, node, bus) && !place_on_amd_bus(w, node, bus))
		set_unknown(&node->place,
			    pl_arena_printf(w->tree->arena,
					    "%s on the root bus of a platform that is not listed",
					    ids_of(w, node)));
}

/* Ids that Intel gives both to root ports and to bridges to PCI of a PCH or ICH. */
static bool is_ambiguous_intel(const struct pl_node *node)
{
	return node->function.vendor_id == VENDOR_INTEL &&
	       (node->function.device_id == 0x244e || node->function.device_id == 0x2448);
}

/* QEMU, VirtualBox and others imitate ports of old Intel hubs. */
static bool is_emulated_port(struct walk *w, const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	return w->platform->virtual_why &&
	       (role == PL_ROLE_IOH_PORT || role == PL_ROLE_MCH_PORT || role == PL_ROLE_ICH_PORT);
}

static void place_root_bridge(struct walk *w, struct pl_node *node)
{
	const struct pl_root_bus *bus = pl_platform_bus(w->platform, node->function.bdf);
	enum pl_role role = pl_node_role(node);

	for (size_t i = 0; i < COUNT(root_rules) && !is_emulated_port(w, node); i++)
		if (root_rules[i].role == role) {
			apply_role(w, node, i, bus);
			correct_south_bridge(w, node);
			return;
		}
	if (is_ambiguous_intel(node) || (role == PL_ROLE_NONE && pl_node_is_to_pci(node))) {
		place_root_function(w, node);
		node->place.is_built_in = false;
		return;
	}
	set_unknown(&node->place, pl_arena_printf(w->tree->arena,
						  "root port %s is not listed: unknown platform",
						  ids_of(w, node)));
	/* What is seen below still counts: a listed chipset or switch is one on any platform. */
	node->place.is_closed = false;
	node->place.has_chipset_maker = node->function.vendor_id == VENDOR_AMD ||
					node->function.vendor_id == VENDOR_ATI ||
					node->function.vendor_id == VENDOR_INTEL;
}

/* Domains of their own behind a VMD: the root port inside says whose lanes they are. */
static void add_vmd(struct walk *w, struct pl_node *node)
{
	if (!(node->function.bdf.domain >> 16) || w->platform->vmd < 0)
		return;
	add_via(w, &node->place, PL_VIA_VMD, "Volume Management Device",
		&w->tree->nodes[w->platform->vmd]);
}

static const char *chipset_name(struct walk *w, const struct pl_node *node)
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

static void enter_chipset(struct walk *w, struct pl_node *node, const char *what, const char *name)
{
	struct pl_place *place = &node->place;
	int hops = place->hops > 0 ? place->hops : 0;

	if (place->is_closed)
		return;
	set(place, place->attachment == PL_ATTACH_TUNNEL ? PL_ATTACH_TUNNEL : PL_ATTACH_CHIPSET,
	    hops + 1, PL_ORIGIN_CHIPSET);
	place->chipset = name;
	add_via(w, place, PL_VIA_CHIPSET, node->id->chip, node);
	add_reason(w, place, pl_arena_printf(w->tree->arena, "%s %s: hop %d", what, ids_of(w, node),
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

static void pass_switch(struct walk *w, struct pl_node *node, enum pl_via_kind kind)
{
	struct pl_place *place = &node->place;
	const struct pl_node *above = &w->tree->nodes[node->parent];
	const char *chip = node->id && node->id->chip ? node->id->chip : "switch";

	if (place->is_closed || is_second_half(node, above))
		return;
	become_switch(place);
	add_via(w, place, kind, chip, node);
	add_reason(w, place, pl_arena_printf(w->tree->arena, "%s %s", chip, ids_of(w, node)));
}

static void pass_tunnel_port(struct walk *w, struct pl_node *node)
{
	struct pl_place *place = &node->place;
	bool is_device = pl_node_role(node) == PL_ROLE_TB_DEVICE;
	const char *chip = node->id->chip ? node->id->chip : "Thunderbolt/USB4 controller";

	if (place->is_closed)
		return;
	place->tunnel_ports++;
	if (is_device || place->tunnel_ports > 2 || place->attachment == PL_ATTACH_TUNNEL) {
		if (place->attachment != PL_ATTACH_TUNNEL || place->tunnel_ports % 2) {
			add_via(w, place, PL_VIA_TUNNEL, chip, node);
			add_reason(w, place,
				   pl_arena_printf(w->tree->arena, "beyond the cable: %s %s", chip,
						   ids_of(w, node)));
		}
		place->attachment = PL_ATTACH_TUNNEL;
		return;
	}
	become_switch(place);
	if (place->tunnel_ports == 1) {
		add_via(w, place, PL_VIA_CONTROLLER, chip, node);
		add_reason(w, place,
			   pl_arena_printf(w->tree->arena, "%s controller %s", chip, ids_of(w, node)));
	}
}

/* A bridge that nobody listed: the port type says whether it is a switch. */
static void pass_unlisted(struct walk *w, struct pl_node *node)
{
	struct pl_place *place = &node->place;
	enum pl_port_type type = pl_express_port_type(&node->function.express);
	uint16_t vendor = node->function.vendor_id;
	bool is_port = type == PL_PORT_UPSTREAM || type == PL_PORT_DOWNSTREAM;

	if (pl_node_is_to_pci(node)) {
		add_via(w, place, PL_VIA_PCI_BRIDGE, "PCI bridge", node);
		return;
	}
	if (place->is_closed || is_second_half(node, &w->tree->nodes[node->parent]))
		return;
	if (!is_port || vendor == VENDOR_AMD || vendor == VENDOR_INTEL) {
		set_unknown(place,
			    pl_arena_printf(w->tree->arena, "%s; bridge %s is not listed: %s",
					    place->reason, ids_of(w, node),
					    is_port ? "a switch or a chipset"
						    : "the source does not say what it is"));
		return;
	}
	pass_switch(w, node, PL_VIA_BOARD_SWITCH);
	if (place->confidence > PL_CONFIDENCE_MEDIUM)
		place->confidence = PL_CONFIDENCE_MEDIUM;
	add_reason(w, place, "its id is not listed");
}

static void lost_upstream(struct walk *w, struct pl_node *node)
{
	set_unknown(&node->place,
		    pl_arena_printf(w->tree->arena,
				    "downstream port %s without its upstream port above",
				    ids_of(w, node)));
}

static bool is_below(struct walk *w, const struct pl_node *node, enum pl_role role)
{
	return node->parent != PL_NO_NODE &&
	       pl_node_role(&w->tree->nodes[node->parent]) == role;
}

static void place_bridge(struct walk *w, struct pl_node *node)
{
	switch (pl_node_role(node)) {
	case PL_ROLE_CHIPSET_UP:
		enter_chipset(w, node, node->id->chip, chipset_name(w, node));
		break;
	case PL_ROLE_CHIPSET_DOWN:
		if (!is_below(w, node, PL_ROLE_CHIPSET_UP))
			lost_upstream(w, node);
		break;
	case PL_ROLE_UPLINK_UP:
		enter_chipset(w, node, "PCIe uplink of the PCH, not DMI,", "C620 PCH (PCIe uplink)");
		break;
	case PL_ROLE_UPLINK_DOWN:
		if (!is_below(w, node, PL_ROLE_UPLINK_UP))
			lost_upstream(w, node);
		break;
	case PL_ROLE_CARD_SWITCH:
		if (!is_below(w, node, PL_ROLE_CARD_SWITCH) && !node->place.is_closed)
			add_via(w, &node->place, PL_VIA_CARD_SWITCH, node->id->chip, node);
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
static const struct pl_node *chipset_beside(struct walk *w, const struct pl_node *node)
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

static void place_below_tunnel_port(struct walk *w, struct pl_node *node)
{
	const struct pl_node *port = &w->tree->nodes[node->parent];
	struct pl_place *place = &node->place;

	if (place->attachment != PL_ATTACH_SWITCH)
		return;
	if (is_of_controller(node, port)) {
		add_reason(w, place, "a function of the controller itself");
		return;
	}
	place->attachment = PL_ATTACH_TUNNEL;
	add_reason(w, place,
		   pl_arena_printf(w->tree->arena, "%s is not a function of the controller",
				   ids_of(w, node)));
}

/* Functions 0 and 1 of X370 … B550 share the link of the chip with its upstream port. */
static bool place_beside_chipset(struct walk *w, struct pl_node *node)
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

static void place_endpoint(struct walk *w, struct pl_node *node)
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

static void place_orphan(struct walk *w, struct pl_node *node)
{
	set_unknown(&node->place,
		    node->parentage == PL_AMBIGUOUS
			    ? pl_arena_printf(w->tree->arena,
					      "two bridges claim the bus of %s: no path can be told",
					      ids_of(w, node))
			    : pl_arena_printf(
				      w->tree->arena,
				      "the bridge above the bus of %s is hidden or missing",
				      ids_of(w, node)));
}

static void place_node(struct walk *w, struct pl_node *node)
{
	bool is_bridge = pl_node_is_bridge(node);

	node->place = (struct pl_place){.confidence = PL_CONFIDENCE_LOW, .hops = -1};
	if (node->parentage == PL_ORPHAN || node->parentage == PL_AMBIGUOUS) {
		place_orphan(w, node);
	} else if (node->parentage == PL_ON_ROOT_BUS) {
		if (is_bridge)
			place_root_bridge(w, node);
		else
			place_root_function(w, node);
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
	struct walk walk = {tree, platform};

	for (size_t i = 0; i < tree->count; i++)
		place_node(&walk, &tree->nodes[i]);
}
