#include "topology/walk.h"

#define VENDOR_ATI 0x1002u
#define VENDOR_AMD 0x1022u
#define VENDOR_INTEL 0x8086u
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

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
	{PL_ROLE_CPU_TUNNEL, PL_ATTACH_TUNNEL, 0, PL_ORIGIN_CPU,
	 "USB4/Thunderbolt port of the CPU"},
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
	{PL_ROLE_FCH_PORT, PL_ATTACH_CHIPSET, 1, PL_ORIGIN_CHIPSET,
	 "root port of the FCH of an APU"},
};

static const char *chip_of_root(struct pl_walk *w, const struct pl_node *node,
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

static void apply_role(struct pl_walk *w, struct pl_node *node, size_t rule,
		       const struct pl_root_bus *bus)
{
	struct pl_place *place = &node->place;
	const char *chip = chip_of_root(w, node, bus);
	const char *ids = pl_walk_ids(w, node);

	pl_walk_set(place, root_rules[rule].attachment, root_rules[rule].hops,
		    root_rules[rule].origin);
	place->confidence = PL_CONFIDENCE_HIGH;
	place->chipset = chip;
	pl_walk_reason(w, place,
		       chip ? pl_arena_printf(w->tree->arena, "%s %s, %s", root_rules[rule].what,
					      ids, chip)
			    : pl_arena_printf(w->tree->arena, "%s %s", root_rules[rule].what, ids));
	if (chip)
		pl_walk_via(w, place, PL_VIA_CHIPSET, chip, node);
}

/* ICH and SB are one hop away where the CPU or APU holds the north bridge (Pineview, Brazos). */
static void correct_south_bridge(struct pl_walk *w, struct pl_node *node)
{
	unsigned carries = w->platform->carries;
	bool is_sb = pl_node_role(node) == PL_ROLE_SB_PORT;
	bool is_ich = pl_node_role(node) == PL_ROLE_ICH_PORT;

	if ((is_sb && (carries & (PL_CARRIES_APU | PL_CARRIES_SOC_APU))) ||
	    (is_ich && (carries & PL_CARRIES_PINEVIEW))) {
		node->place.hops = 1;
		pl_walk_reason(w, &node->place, "the north bridge is inside this CPU: one hop");
	}
}

/* Device numbers that the south part of an Intel platform uses on its root bus. */
static unsigned first_south_device(unsigned carries)
{
	return carries & (PL_CARRIES_MCH | PL_CARRIES_IOH | PL_CARRIES_ICH) ? 0x19 : 0x11;
}

static void built_in(struct pl_walk *w, struct pl_node *node, int hops, const char *chip,
		     const char *why)
{
	struct pl_place *place = &node->place;

	pl_walk_set(place, hops ? PL_ATTACH_CHIPSET : PL_ATTACH_INTEGRATED, hops,
		    hops ? PL_ORIGIN_CHIPSET : PL_ORIGIN_INTEGRATED);
	place->confidence = PL_CONFIDENCE_HIGH;
	place->is_built_in = true;
	place->chipset = hops ? chip : NULL;
	pl_walk_reason(w, place,
		       pl_arena_printf(w->tree->arena, "%s on the root bus: %s",
				       pl_walk_ids(w, node), why));
	if (hops && chip)
		pl_walk_via(w, place, PL_VIA_CHIPSET, chip, node);
}

static bool place_on_intel_bus(struct pl_walk *w, struct pl_node *node,
			       const struct pl_root_bus *bus)
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
	else if (is_south && (bus->carries & PL_CARRIES_UNKNOWN_SOUTH) &&
		 !(bus->carries & PL_CARRIES_SOC))
		return false;
	else if (bus->carries & (PL_CARRIES_MCH | PL_CARRIES_IOH))
		built_in(w, node, 1, bus->mch, "function of the hub that the CPU talks to");
	else if (w->platform->carries & (PL_CARRIES_PCH | PL_CARRIES_INTEL | PL_CARRIES_SOC |
					 PL_CARRIES_PINEVIEW | PL_CARRIES_IOH))
		built_in(w, node, 0, NULL, "no PCH carries this bus, or not this device number");
	else
		return false;
	return true;
}

static bool place_on_amd_bus(struct pl_walk *w, struct pl_node *node, const struct pl_root_bus *bus)
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
void pl_place_root_function(struct pl_walk *w, struct pl_node *node)
{
	const struct pl_root_bus *bus = pl_platform_bus(w->platform, node->function.bdf);

	if (w->platform->virtual_why) {
		pl_walk_unknown(&node->place,
				pl_arena_printf(w->tree->arena,
						"%s on the root bus of a virtual machine (%s)",
						pl_walk_ids(w, node), w->platform->virtual_why));
		return;
	}
	if (node->function.bdf.domain >> 16 && w->platform->vmd != PL_NO_NODE) {
		built_in(w, node, 0, NULL, "placeholder of the volume management device");
		return;
	}
	if (!bus->is_sure) {
		pl_walk_unknown(&node->place,
				pl_arena_printf(w->tree->arena,
						"%s: no bridge to its bus is shown, and nothing "
						"says that it is a root bus",
						pl_walk_ids(w, node)));
		return;
	}
	if (!place_on_intel_bus(w, node, bus) && !place_on_amd_bus(w, node, bus))
		pl_walk_unknown(
			&node->place,
			pl_arena_printf(w->tree->arena,
					"%s on the root bus of a platform that is not listed",
					pl_walk_ids(w, node)));
}

/* QEMU, VirtualBox and others imitate ports of old Intel hubs. */
static bool is_emulated_port(struct pl_walk *w, const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	return w->platform->virtual_why &&
	       (role == PL_ROLE_IOH_PORT || role == PL_ROLE_MCH_PORT || role == PL_ROLE_ICH_PORT);
}

void pl_place_root_bridge(struct pl_walk *w, struct pl_node *node)
{
	const struct pl_root_bus *bus = pl_platform_bus(w->platform, node->function.bdf);
	enum pl_role role = pl_node_role(node);

	for (size_t i = 0; i < COUNT(root_rules) && !is_emulated_port(w, node); i++)
		if (root_rules[i].role == role) {
			apply_role(w, node, i, bus);
			correct_south_bridge(w, node);
			return;
		}
	if (role == PL_ROLE_INTEL_BRIDGE ||
	    ((role == PL_ROLE_NONE || role == PL_ROLE_PCI_BRIDGE) && pl_node_is_to_pci(node))) {
		pl_place_root_function(w, node);
		node->place.is_built_in = false;
		return;
	}
	pl_walk_unknown(&node->place,
			pl_arena_printf(w->tree->arena,
					"root port %s is not listed: unknown platform",
					pl_walk_ids(w, node)));
	/* What is seen below still counts: a listed chipset or switch is one on any platform. */
	node->place.is_closed = false;
	node->place.has_chipset_maker = node->function.vendor_id == VENDOR_AMD ||
					node->function.vendor_id == VENDOR_ATI ||
					node->function.vendor_id == VENDOR_INTEL;
}
