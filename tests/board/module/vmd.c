// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel VMD moves root ports to a PCI domain of its own. QEMU has no such
 * device: the module opens the domain below the function that stands for the
 * controller, and shows there the root ports that the board keeps out of
 * domain 0. Their windows are the ones firmware gave the real ports.
 */
#include "vboard.h"

static struct pci_sysdata sysdata = {.node = NUMA_NO_NODE};
static struct resource windows[4], busn;

static bool in_domain(const struct vb_node *n)
{
	return n->domain && n->parent == VB_NO_PARENT;
}

/* The memory window firmware gave a port (PCI-to-PCI bridge, 3.2.5.8). */
static bool port_window(const struct vb_node *n, struct resource *res)
{
	u32 ecam = n->real_bus << 20 | n->real_devfn << 12;
	u32 v = vb_real_read(ecam, PCI_MEMORY_BASE);

	res->start = (resource_size_t)(v & 0xfff0) << 16;
	res->end = (resource_size_t)(v & 0xfff00000) | 0xfffff;
	res->flags = IORESOURCE_MEM;
	res->name = "VMD memory";
	return res->start && res->end > res->start;
}

/* Take the window out of what domain 0 may give to others. */
static bool claim(struct resource *res, struct pci_bus *root)
{
	struct resource *r;
	int i;

	pci_bus_for_each_resource(root, r, i) if (r && resource_contains(r, res) &&
						  !request_resource(r, res)) return true;
	return false;
}

int vb_vmd_open(void)
{
	struct vb_node *v = &vb_shared->nodes[vb_shared->vmd_node];
	struct pci_bus *root = pci_find_bus(0, 0), *bus;
	struct pci_dev *vmd = pci_get_domain_bus_and_slot(0, v->root_bus, v->devfn);
	LIST_HEAD(resources);
	unsigned int used = 0;
	u32 i;

	if (!vmd || !root)
		return -ENODEV;
	for (i = 0; i < vb_shared->nodes_n && used < ARRAY_SIZE(windows); i++) {
		struct vb_node *n = &vb_shared->nodes[i];

		if (!in_domain(n) || !port_window(n, &windows[used]) ||
		    !claim(&windows[used], root))
			continue;
		sysdata.domain = n->domain;
		busn.start = n->root_bus;
		pci_add_resource(&resources, &windows[used++]);
	}
	if (!used)
		return -ENODEV;
	busn.end = busn.start + 0x1f;
	busn.flags = IORESOURCE_BUS;
	busn.name = "VMD buses";
	pci_add_resource(&resources, &busn);
	bus = pci_create_root_bus(&vmd->dev, busn.start, &vb_ops, &sysdata, &resources);
	if (!bus)
		return -ENODEV;
	pci_scan_child_bus(bus);
	pci_assign_unassigned_bus_resources(bus);
	pci_bus_add_devices(bus);
	return sysfs_create_link(&vmd->dev.kobj, &bus->dev.kobj, "domain");
}
