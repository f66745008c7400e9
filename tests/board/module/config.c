// SPDX-License-Identifier: GPL-2.0-or-later
/* Configuration accesses of the whole machine: which node, which way. */
#include <linux/io.h>
#include <linux/vmalloc.h>

#include "vboard.h"

#define VB_CF8 0xcf8
#define VB_CFC 0xcfc
#define VB_DOMAINS 2 /* 0 and that of VMD */
#define VB_CACHE_BYTES (VB_DOMAINS << 16)
#define VB_UNKNOWN 0xff
#define VB_CACHED_NONE 0xfe
#define VB_CACHED_HELPER 0xfd
#define VB_HELPER_VENDOR 0x1af4 /* virtio and ivshmem */

static u8 __iomem *ecam_base;
static u8 *cache; /* node by domain, bus, devfn */

int vb_config_init(void)
{
	ecam_base = ioremap(VB_ECAM_BASE, VB_ECAM_BYTES);
	cache = vmalloc(VB_CACHE_BYTES);
	if (!ecam_base || !cache)
		return -ENOMEM;
	vb_forget_all();
	return 0;
}

void vb_forget_all(void)
{
	memset(cache, VB_UNKNOWN, VB_CACHE_BYTES);
}

static u8 *cache_of(struct pci_bus *bus, unsigned int devfn)
{
	return &cache[(pci_domain_nr(bus) ? 1 << 16 : 0) | bus->number << 8 | devfn];
}

void vb_forget(struct pci_bus *bus, unsigned int devfn)
{
	*cache_of(bus, devfn) = VB_UNKNOWN;
}

static int search(struct pci_bus *bus, unsigned int devfn)
{
	int parent =
		pci_is_root_bus(bus) ? VB_NO_PARENT : vb_node_of(bus->self->bus, bus->self->devfn);
	u32 i;

	if (parent < 0)
		return VB_NONE;
	for (i = 0; i < vb_shared->nodes_n; i++) {
		const struct vb_node *n = &vb_shared->nodes[i];

		if (n->parent != parent || n->devfn != devfn)
			continue;
		if (parent != VB_NO_PARENT ||
		    (n->domain == pci_domain_nr(bus) && n->root_bus == bus->number))
			return i;
	}
	return VB_NONE;
}

/* A function of the machine that is not on the board: plumbing, or to be hidden. */
static int not_on_board(struct pci_bus *bus, unsigned int devfn)
{
	u32 id;

	if (!pci_is_root_bus(bus) || pci_domain_nr(bus))
		return VB_NONE;
	id = vb_real_read(bus->number << 20 | devfn << 12, PCI_VENDOR_ID);
	return (id & 0xffff) == VB_HELPER_VENDOR ? VB_HELPER : VB_NONE;
}

int vb_node_of(struct pci_bus *bus, unsigned int devfn)
{
	u8 *c = cache_of(bus, devfn);
	int node;

	if (*c == VB_CACHED_NONE)
		return VB_NONE;
	if (*c == VB_CACHED_HELPER)
		return VB_HELPER;
	if (*c != VB_UNKNOWN)
		return *c;
	node = search(bus, devfn);
	if (node == VB_NONE)
		node = not_on_board(bus, devfn);
	*c = node == VB_NONE ? VB_CACHED_NONE : node == VB_HELPER ? VB_CACHED_HELPER : node;
	return node;
}

u32 vb_ecam_offset(struct pci_bus *bus, unsigned int devfn, int node)
{
	if (node >= 0 && pci_is_root_bus(bus))
		return vb_shared->nodes[node].real_bus << 20 | vb_shared->nodes[node].real_devfn
								       << 12;
	return bus->number << 20 | devfn << 12;
}

u32 vb_real_read(u32 ecam, int where)
{
	return readl(ecam_base + ecam + where);
}

void vb_real_write(u32 ecam, int where, int size, u32 value)
{
	u8 __iomem *p = ecam_base + ecam + where;

	if (size == 1)
		writeb(value, p);
	else if (size == 2)
		writew(value, p);
	else
		writel(value, p);
}

static u32 cf8_address(u32 ecam, int where)
{
	return 0x80000000u | ecam >> 4 | (where & 0xfc);
}

/*
 * An offset that legacy hardware reaches through CF8/CFC. Port accesses are
 * invisible to the plugin, so one ECAM read of the same function follows: it
 * carries the delay. Callers hold the PCI lock with interrupts off.
 */
static u32 legacy_read(u32 ecam, int where)
{
	u32 v;

	outl(cf8_address(ecam, where), VB_CF8);
	v = inl(VB_CFC);
	vb_real_read(ecam, where & ~3);
	return v;
}

static void legacy_write(u32 ecam, int where, int size, u32 value)
{
	outl(cf8_address(ecam, where), VB_CF8);
	if (size == 1)
		outb(value, VB_CFC + (where & 3));
	else if (size == 2)
		outw(value, VB_CFC + (where & 2));
	else
		outl(value, VB_CFC);
	vb_real_read(ecam, where & ~3);
}

static int board_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	int node = vb_node_of(bus, devfn);
	u32 ecam = vb_ecam_offset(bus, devfn, node);
	u32 v;

	*val = ~0u;
	if (node == VB_NONE)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (node >= 0 && !vb_functions[node].known)
		vb_overlay_discover(node, ecam);
	v = vb_shared->cf8 && where < 256 ? legacy_read(ecam, where)
					  : vb_real_read(ecam, where & ~3);
	if (node >= 0)
		v = vb_overlay_read(node, where & ~3, v);
	v >>= 8 * (where & 3);
	*val = size == 1 ? v & 0xff : size == 2 ? v & 0xffff : v;
	return PCIBIOS_SUCCESSFUL;
}

static int board_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	int node = vb_node_of(bus, devfn);
	u32 ecam = vb_ecam_offset(bus, devfn, node);
	int shift = 8 * (where & 3);
	u32 mask = size == 4 ? ~0u : ((1u << 8 * size) - 1) << shift;

	if (node == VB_NONE)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (node >= 0 && vb_overlay_write(node, where & ~3, mask, val << shift & mask))
		return PCIBIOS_SUCCESSFUL;
	if (vb_shared->cf8 && where < 256)
		legacy_write(ecam, where, size, val);
	else
		vb_real_write(ecam, where, size, val);
	return PCIBIOS_SUCCESSFUL;
}

struct pci_ops vb_ops = {.read = board_read, .write = board_write};
