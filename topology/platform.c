#include "topology/platform.h"

#include <stdlib.h>
#include <string.h>

#define VENDOR_ATI 0x1002u
#define VENDOR_AMD 0x1022u
#define VENDOR_INTEL 0x8086u
#define ANY_DEVICE 0xffffu
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct {
	enum pl_role role;
	unsigned carries;
} by_role[] = {
	{PL_ROLE_PCH_PORT, PL_CARRIES_PCH},
	{PL_ROLE_LPC_PCH, PL_CARRIES_PCH},
	{PL_ROLE_ICH_PORT, PL_CARRIES_ICH},
	{PL_ROLE_LPC_ICH, PL_CARRIES_ICH},
	{PL_ROLE_MCH_PORT, PL_CARRIES_MCH},
	{PL_ROLE_MCH_HOST, PL_CARRIES_MCH},
	{PL_ROLE_IOH_PORT, PL_CARRIES_IOH},
	{PL_ROLE_IOH_HOST, PL_CARRIES_IOH},
	{PL_ROLE_NB_PORT, PL_CARRIES_NB},
	{PL_ROLE_NB_HOST, PL_CARRIES_NB},
	{PL_ROLE_SB_PORT, PL_CARRIES_SB},
	{PL_ROLE_FCH_PORT, PL_CARRIES_FCH},
	{PL_ROLE_SOC_PORT, PL_CARRIES_SOC},
	{PL_ROLE_LPC_SOC, PL_CARRIES_SOC},
	{PL_ROLE_CPU_INTERNAL, PL_CARRIES_ZEN},
	{PL_ROLE_PINEVIEW_HOST, PL_CARRIES_PINEVIEW},
	{PL_ROLE_CPU_TUNNEL, 0},
};

/* Devices that only a hypervisor shows; on a root bus also virtio (real cards show it below). */
static const struct {
	uint16_t vendor, device;
	bool root_bus_only;
	const char *what;
} emulated[] = {
	{0x1b36, ANY_DEVICE, false, "QEMU device 1b36"},
	{0x1234, 0x1111, false, "QEMU display 1234:1111"},
	{0x1af4, ANY_DEVICE, true, "virtio device 1af4"},
	{0x15ad, 0x0405, false, "VMware display 15ad:0405"},
	{0x15ad, 0x0740, false, "VMware VMCI 15ad:0740"},
	{0x15ad, 0x0790, false, "VMware bridge 15ad:0790"},
	{0x15ad, 0x07a0, false, "VMware root port 15ad:07a0"},
	{0x80ee, ANY_DEVICE, false, "VirtualBox device 80ee"},
	{0x1414, 0x5353, false, "Hyper-V display 1414:5353"},
	{0x5853, ANY_DEVICE, false, "Xen device 5853"},
	{0x1ab8, ANY_DEVICE, false, "Parallels device 1ab8"},
};

static unsigned carries_cpu(const struct pl_node *node)
{
	const char *chip = node->id->chip;

	if (!pl_node_is_bridge(node))
		return 0;
	if (node->id->vendor == VENDOR_INTEL)
		return PL_CARRIES_INTEL;
	if (chip && !strcmp(chip, "apu"))
		return PL_CARRIES_APU;
	return chip && !strcmp(chip, "soc-apu") ? PL_CARRIES_SOC_APU : PL_CARRIES_ZEN;
}

/* The ATI/AMD south bridge also shows by its functions (SMBus 4385, SATA 4390 …). */
static unsigned carries_by_function(const struct pl_node *node)
{
	const struct pl_function *f = &node->function;

	if (f->vendor_id == VENDOR_ATI && f->device_id >= 0x4380 && f->device_id <= 0x439f)
		return PL_CARRIES_SB;
	if (f->vendor_id == VENDOR_AMD && f->device_id >= 0x7800 && f->device_id <= 0x781f)
		return PL_CARRIES_FCH;
	if (f->vendor_id == VENDOR_INTEL && f->class_code >> 8 == 0x0601 && f->bdf.dev == 0x1f)
		return PL_CARRIES_UNKNOWN_SOUTH;
	return 0;
}

static unsigned carries_of(const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	if (role == PL_ROLE_CPU_PORT)
		return carries_cpu(node);
	for (size_t i = 0; i < COUNT(by_role); i++)
		if (by_role[i].role == role)
			return by_role[i].carries;
	return carries_by_function(node);
}

static const char *emulated_by(const struct pl_node *node)
{
	for (size_t i = 0; i < COUNT(emulated); i++)
		if (emulated[i].vendor == node->function.vendor_id &&
		    (emulated[i].device == ANY_DEVICE ||
		     emulated[i].device == node->function.device_id) &&
		    (!emulated[i].root_bus_only || node->parentage == PL_ON_ROOT_BUS))
			return emulated[i].what;
	return NULL;
}

static struct pl_root_bus *bus_of(struct pl_platform *platform, struct pl_bdf bdf)
{
	struct pl_root_bus *last = platform->buses + platform->bus_count - 1;

	if (platform->bus_count && last->domain == bdf.domain && last->bus == bdf.bus)
		return last;
	last = platform->buses + platform->bus_count++;
	*last = (struct pl_root_bus){.domain = bdf.domain, .bus = bdf.bus};
	return last;
}

/* The LPC bridge knows the product ("Z790 PCH"), the port only its family. */
static void name_chips(struct pl_root_bus *bus, const struct pl_node *node)
{
	const char *chip = node->id ? node->id->chip : NULL;

	switch (pl_node_role(node)) {
	case PL_ROLE_LPC_PCH:
		bus->pch = chip;
		break;
	case PL_ROLE_LPC_ICH:
		bus->ich = chip;
		break;
	case PL_ROLE_MCH_HOST:
	case PL_ROLE_MCH_PORT:
	case PL_ROLE_IOH_HOST:
	case PL_ROLE_IOH_PORT:
		bus->mch = bus->mch ? bus->mch : chip;
		break;
	case PL_ROLE_NB_HOST:
	case PL_ROLE_NB_PORT:
		bus->nb = chip;
		break;
	default:
		break;
	}
}

static void name_from_ports(struct pl_root_bus *bus, const struct pl_node *node)
{
	enum pl_role role = pl_node_role(node);

	if (role == PL_ROLE_PCH_PORT && !bus->pch)
		bus->pch = node->id->chip;
	if (role == PL_ROLE_ICH_PORT && !bus->ich)
		bus->ich = node->id->chip;
}

static bool has_device(const struct pl_tree *tree, uint16_t vendor, uint16_t device)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->nodes[i].function.vendor_id == vendor &&
		    tree->nodes[i].function.device_id == device)
			return true;
	return false;
}

static size_t count_device(const struct pl_tree *tree, uint16_t vendor, uint16_t device)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++)
		count += tree->nodes[i].function.vendor_id == vendor &&
			 tree->nodes[i].function.device_id == device;
	return count;
}

static const char *pick_by_board(const char *board, const char *const *products, size_t count)
{
	for (size_t i = 0; board && i < count; i++)
		if (strstr(board, products[i]))
			return products[i];
	return NULL;
}

/*
 * Products of PROM21: one chip is A620, B650 or B850/X870, two in series X670 or X870E; the USB
 * controller inside has another id in the 800 series; a Threadripper root port above makes it a
 * TRX50. Longer names come first: "X670E" holds "X670".
 */
static const char *prom21_name(const struct pl_tree *tree, const char *board)
{
	static const char *const products[] = {"X870E", "X870",  "X670E", "X670", "B850",
					       "B840",  "B650E", "B650",  "A620", "TRX50"};
	bool is_800 = has_device(tree, VENDOR_AMD, 0x43fc) || has_device(tree, VENDOR_AMD, 0x43fd);
	bool is_600 = has_device(tree, VENDOR_AMD, 0x43f7);
	size_t chips = count_device(tree, VENDOR_AMD, 0x43f4);
	const char *product = pick_by_board(board, products, COUNT(products));

	if (has_device(tree, VENDOR_AMD, 0x14ab) || has_device(tree, VENDOR_AMD, 0x14a5) ||
	    has_device(tree, VENDOR_AMD, 0x153e) || has_device(tree, VENDOR_AMD, 0x1554))
		product = "TRX50";
	if (!product && chips > 1)
		product = is_800 ? "X870E" : is_600 ? "X670/X670E" : "X670/X870E";
	if (!product)
		product = is_800 ? "B850/X870" : is_600 ? "A620/B650" : "600/800 series";
	if (chips > 1)
		return pl_arena_printf(tree->arena, "PROM21 x%zu (%s)", chips, product);
	return pl_arena_printf(tree->arena, "PROM21 (%s)", product);
}

/* 57ad is X570, TRX40 and WRX80: the big ones have processors with several root buses of ports. */
static const char *x570_name(const struct pl_platform *platform, const char *board)
{
	static const char *const products[] = {"TRX40", "WRX80", "X570"};
	const char *product = pick_by_board(board, products, COUNT(products));
	size_t port_buses = 0;

	for (size_t i = 0; i < platform->bus_count; i++)
		port_buses += (platform->buses[i].carries & PL_CARRIES_ZEN) != 0;
	if (product)
		return product;
	return port_buses > 1 ? "TRX40/WRX80" : "X570";
}

/* SMBus 1002:4385: revisions below 40h are SB700 (AMD SB700 and SB800 register references). */
static const char *southbridge_name(const struct pl_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct pl_function *f = &tree->nodes[i].function;

		if (f->vendor_id == VENDOR_ATI && f->device_id == 0x4385 && f->revision > 0 &&
		    f->revision < 0x40)
			return "SB6x0/SB7x0 southbridge";
	}
	return "SB8x0/SB9x0 southbridge (SB950 class)";
}

static void name_products(struct pl_platform *platform, const struct pl_tree *tree,
			  const char *board)
{
	platform->prom21 = prom21_name(tree, board);
	platform->x570 = x570_name(platform, board);
	platform->b450 = has_device(tree, VENDOR_AMD, 0x43d5)   ? "B450"
			 : has_device(tree, VENDOR_AMD, 0x43d0) ? "X470"
								: "B450/X470";
	platform->b550 = has_device(tree, VENDOR_AMD, 0x43ee)   ? "B550"
			 : has_device(tree, VENDOR_AMD, 0x43ec) ? "A520"
								: "B550/A520";
	platform->southbridge = southbridge_name(tree);
}

/* The name for ports in another domain (VMD): the only PCH or ICH of the machine. */
static void name_machine(struct pl_platform *platform)
{
	size_t pchs = 0;

	for (size_t i = 0; i < platform->bus_count; i++) {
		const struct pl_root_bus *bus = &platform->buses[i];

		if (bus->pch && !(bus->domain >> 16)) {
			platform->pch = bus->pch;
			pchs++;
		}
		if (bus->ich)
			platform->ich = bus->ich;
	}
	if (pchs != 1)
		platform->pch = NULL;
}

/* Processors show counters and memory controllers on buses of their own without a host bridge. */
static bool proves_root_bus(const struct pl_node *node)
{
	const struct pl_function *f = &node->function;
	enum pl_port_type type = pl_express_port_type(&f->express);
	unsigned base = f->class_code >> 16;

	if (f->bdf.bus == 0 || f->class_code >> 8 == 0x0600 || type == PL_PORT_ROOT ||
	    type == PL_PORT_RC_ENDPOINT || type == PL_PORT_RC_COLLECTOR)
		return true;
	if (pl_node_is_bridge(node) && node->id)
		return true;
	return f->vendor_id == VENDOR_INTEL && (base == 0x08 || base == 0x11 || base == 0x0b);
}

static void collect(struct pl_platform *platform, const struct pl_tree *tree, size_t i)
{
	const struct pl_node *node = &tree->nodes[i];
	const char *by = emulated_by(node);
	struct pl_root_bus *bus;

	if (by)
		platform->virtual_why = by;
	if (pl_node_role(node) == PL_ROLE_VMD && node->function.device_id != 0x09ab)
		platform->vmd = platform->vmd == PL_NO_NODE ? (int)i : PL_NO_NODE - 1;
	if (node->parentage != PL_ON_ROOT_BUS)
		return;
	bus = bus_of(platform, node->function.bdf);
	bus->carries |= carries_of(node);
	bus->is_sure |= proves_root_bus(node);
	platform->carries |= bus->carries;
	name_chips(bus, node);
}

void pl_platform_find(struct pl_platform *platform, const struct pl_tree *tree, const char *board,
		      const char *hypervisor)
{
	size_t b = 0;

	*platform = (struct pl_platform){
		.buses = pl_arena_array(tree->arena, tree->count, sizeof(struct pl_root_bus)),
		.virtual_why = hypervisor,
		.vmd = PL_NO_NODE,
	};
	for (size_t i = 0; i < tree->count; i++)
		collect(platform, tree, i);
	for (size_t i = 0; i < tree->count; i++) {
		const struct pl_node *node = &tree->nodes[i];

		if (node->parentage != PL_ON_ROOT_BUS)
			continue;
		while (platform->buses[b].domain != node->function.bdf.domain ||
		       platform->buses[b].bus != node->function.bdf.bus)
			b++;
		name_from_ports(&platform->buses[b], node);
	}
	name_machine(platform);
	name_products(platform, tree, board);
}

const struct pl_root_bus *pl_platform_bus(const struct pl_platform *platform, struct pl_bdf bdf)
{
	size_t low = 0, high = platform->bus_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct pl_root_bus *bus = &platform->buses[middle];

		if (bus->domain == bdf.domain && bus->bus == bdf.bus)
			return bus;
		if (bus->domain < bdf.domain || (bus->domain == bdf.domain && bus->bus < bdf.bus))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
