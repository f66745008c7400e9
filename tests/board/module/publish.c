// SPDX-License-Identifier: GPL-2.0-or-later
/* Telling plugin and launcher where each function is, and what was written. */
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/workqueue.h>

#include "vboard.h"

static void publish_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(publish_later, publish_work);

static void publish_bars(struct vb_node *n, struct pci_dev *dev)
{
	int i;

	for (i = 0; i < VB_BARS; i++) {
		bool mem = !pci_is_bridge(dev) && pci_resource_flags(dev, i) & IORESOURCE_MEM;

		n->bar[i] = mem ? pci_resource_start(dev, i) : 0;
		n->bar_size[i] = mem ? pci_resource_len(dev, i) : 0;
	}
}

void vb_publish(void)
{
	DECLARE_BITMAP(found, VB_NODES);
	struct pci_dev *dev = NULL;
	u32 i;

	bitmap_zero(found, VB_NODES);
	while ((dev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, dev))) {
		int node = vb_node_of(dev->bus, dev->devfn);
		struct vb_node *n;

		if (node < 0 || !vb_functions[node].known)
			continue;
		n = &vb_shared->nodes[node];
		n->domain = pci_domain_nr(dev->bus);
		n->bus = dev->bus->number;
		n->ecam = vb_ecam_offset(dev->bus, dev->devfn, node);
		publish_bars(n, dev);
		n->present = 1;
		set_bit(node, found);
	}
	for (i = 0; i < vb_shared->nodes_n; i++)
		if (!test_bit(i, found))
			vb_shared->nodes[i].present = 0;
	smp_wmb();
	vb_shared->ready = 1;
}

static void publish_work(struct work_struct *work)
{
	vb_publish();
}

void vb_log_write(int node, enum vb_reg reg, u32 value)
{
	struct vb_write *w = &vb_shared->writes[vb_shared->writes_n % VB_WRITES];

	*w = (struct vb_write){
		.time_ns = ktime_get_mono_fast_ns(), .node = node, .reg = reg, .value = value};
	smp_wmb();
	vb_shared->writes_n++;
}

/* A function that left comes back as firmware would leave it. */
static void forget(struct pci_dev *dev)
{
	int node = vb_node_of(dev->bus, dev->devfn);

	if (node >= 0)
		vb_functions[node].known = false;
	vb_forget(dev->bus, dev->devfn);
}

static int on_bus_event(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == BUS_NOTIFY_REMOVED_DEVICE)
		forget(to_pci_dev(data));
	if (event == BUS_NOTIFY_BIND_DRIVER)
		vb_publish();
	else
		schedule_delayed_work(&publish_later, HZ / 20);
	return NOTIFY_OK;
}

static struct notifier_block bus_events = {.notifier_call = on_bus_event};

/*
 * Code made at run time: an anonymous mapping that becomes executable.
 * security_file_mprotect(vma, reqprot, prot): arguments in di, si, dx.
 */
static int on_mprotect(struct kprobe *k, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)regs->di;
	struct vb_range *r = &vb_shared->ranges[vb_shared->ranges_n % VB_RANGES];

	if (!(regs->dx & PROT_EXEC) || !vma || vma->vm_file)
		return 0;
	r->start = vma->vm_start;
	r->end = vma->vm_end;
	smp_wmb();
	vb_shared->ranges_n++;
	return 0;
}

static struct kprobe jit_probe = {.symbol_name = "security_file_mprotect",
				  .pre_handler = on_mprotect};

int vb_publish_init(void)
{
	int err = bus_register_notifier(&pci_bus_type, &bus_events);

	if (err)
		return err;
	if (register_kprobe(&jit_probe))
		pr_warn("vboard: code made at run time will not be seen\n");
	return 0;
}
