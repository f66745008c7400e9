// SPDX-License-Identifier: GPL-2.0-or-later
/* Load: find the shared page, hook configuration accesses, enumerate again. */
#include <linux/io.h>
#include <linux/module.h>

#include "vboard.h"

#define IVSHMEM_VENDOR 0x1af4
#define IVSHMEM_DEVICE 0x1110

struct vb_shared *vb_shared;

struct pci_dev *vb_find_page(resource_size_t bytes)
{
	struct pci_dev *dev = NULL;

	while ((dev = pci_get_device(IVSHMEM_VENDOR, IVSHMEM_DEVICE, dev)))
		if (pci_resource_len(dev, VB_PAGE_BAR) == bytes && !pci_enable_device(dev))
			return dev;
	return NULL;
}

/* Writing anything to the parameter publishes at once. */
static int publish_now(const char *val, const struct kernel_param *kp)
{
	vb_publish();
	return 0;
}

static const struct kernel_param_ops publish_ops = {.set = publish_now};
module_param_cb(publish, &publish_ops, NULL, 0200);

static int map_shared(void)
{
	struct pci_dev *dev = vb_find_page(VB_SHARED_BYTES);

	if (!dev)
		return -ENODEV;
	vb_shared = memremap(pci_resource_start(dev, VB_PAGE_BAR), sizeof(*vb_shared), MEMREMAP_WB);
	if (!vb_shared)
		return -ENOMEM;
	return vb_shared->magic == VB_SHARED_MAGIC ? 0 : -EINVAL;
}

/* Everything but the guest's own plumbing goes, to be found again with the board's ids. */
static void remove_board(struct pci_bus *root)
{
	struct pci_dev *dev, *next;

	list_for_each_entry_safe_reverse(dev, next, &root->devices,
					 bus_list) if (vb_node_of(root, dev->devfn) != VB_HELPER)
		pci_stop_and_remove_bus_device(dev);
}

static int __init vboard_init(void)
{
	struct pci_bus *root = NULL;
	int err = map_shared();

	if (err)
		return err;
	err = vb_config_init();
	if (err)
		return err;
	err = vb_publish_init();
	if (err)
		return err;
	pci_lock_rescan_remove();
	while ((root = pci_find_next_bus(root)))
		pci_bus_set_ops(root, &vb_ops);
	while ((root = pci_find_next_bus(root)))
		remove_board(root);
	vb_forget_all();
	while ((root = pci_find_next_bus(root)))
		pci_rescan_bus(root);
	if (vb_shared->vmd_node < VB_NODES)
		err = vb_vmd_open();
	pci_unlock_rescan_remove();
	if (err)
		pr_err("vboard: no second domain: %d\n", err);
	vb_publish();
	vb_dead_init();
	return 0;
}

/* The hooks cannot be taken out again under a running kernel: no exit function. */
module_init(vboard_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("pcielat virtual board");
