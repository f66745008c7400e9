// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function that answers with all ones. Configuration reads do so in
 * overlay.c. Its registers: memory decoding goes off, and a second shared page,
 * full of ones, moves over the place where they were (QEMU alone answers reads
 * of nothing with zeros).
 */
#include <linux/workqueue.h>

#include "vboard.h"

#define ONES_BYTES 0x10000ul
#define POLLS_PER_S 10

static void poll_dead(struct work_struct *work);
static DECLARE_DELAYED_WORK(poll_later, poll_dead);
static struct pci_dev *ones;

static void move_ones(u64 address)
{
	int reg = PCI_BASE_ADDRESS_0 + 4 * VB_PAGE_BAR;

	pci_write_config_dword(ones, reg + 4, address >> 32);
	pci_write_config_dword(ones, reg, (u32)address);
}

static void set_decode(u32 ecam, bool on)
{
	u32 command = vb_real_read(ecam, PCI_COMMAND) & 0xffff;

	command = on ? command | PCI_COMMAND_MEMORY : command & ~PCI_COMMAND_MEMORY;
	vb_real_write(ecam, PCI_COMMAND, 2, command);
}

static void change(int node, bool dead)
{
	const struct vb_node *n = &vb_shared->nodes[node];

	vb_functions[node].dead = dead;
	set_decode(n->ecam, !dead);
	if (dead && n->bar_size[0])
		move_ones(n->bar[0] & ~(ONES_BYTES - 1));
	else
		move_ones(pci_resource_start(ones, VB_PAGE_BAR));
}

static void poll_dead(struct work_struct *work)
{
	u32 i;

	for (i = 0; i < vb_shared->nodes_n; i++) {
		bool dead = vb_shared->nodes[i].flags & VB_NODE_DEAD;

		if (vb_functions[i].known && dead != vb_functions[i].dead)
			change(i, dead);
	}
	schedule_delayed_work(&poll_later, HZ / POLLS_PER_S);
}

void vb_dead_init(void)
{
	ones = vb_find_page(ONES_BYTES);
	if (ones)
		schedule_delayed_work(&poll_later, HZ / POLLS_PER_S);
}
