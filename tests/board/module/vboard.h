/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest module of the virtual board. It puts the board's ids and link
 * registers over configuration space, sends every configuration access through
 * its own ECAM mapping, so that the plugin sees it, and publishes what it
 * finds in the shared page.
 */
#ifndef VBOARD_H
#define VBOARD_H

#include <linux/pci.h>

#include "vb_shared.h"

#define VB_ECAM_BASE 0xb0000000ul
#define VB_ECAM_BYTES (256ul << 20)
#define VB_NONE (-1)   /* not on the board: hidden from the guest */
#define VB_HELPER (-2) /* belongs to the guest's own plumbing: passed through */

/* What the module knows of a function beside the facts in the shared page. */
struct vb_function {
	bool known;
	u16 type;     /* PCI_EXP_TYPE_*; 0xffff without an express capability */
	u8 exp;       /* offset of that capability */
	u8 version;   /* of that capability; 1 ends before DevCap2 */
	u16 last_ext; /* last real extended capability, 0: none */
	u16 l1ss;     /* offset of the L1SS capability we add */
	u16 ltr;
	u16 lnkctl;
	u16 devctl2;
	u32 l1ssctl1;
	u32 l1ssctl2;
	bool dead; /* as dead.c last made it */
};

extern struct vb_shared *vb_shared;
extern struct vb_function vb_functions[VB_NODES];

/* main.c: an ivshmem device by the size of its memory */
#define VB_PAGE_BAR 2
struct pci_dev *vb_find_page(resource_size_t bytes);

/* config.c: finding functions, raw access */
int vb_config_init(void);
int vb_node_of(struct pci_bus *bus, unsigned int devfn);
void vb_forget(struct pci_bus *bus, unsigned int devfn);
void vb_forget_all(void);
u32 vb_ecam_offset(struct pci_bus *bus, unsigned int devfn, int node);
u32 vb_real_read(u32 ecam, int where);
void vb_real_write(u32 ecam, int where, int size, u32 value);
extern struct pci_ops vb_ops;

/* overlay.c: the registers the board adds or changes */
void vb_overlay_discover(int node, u32 ecam);
u32 vb_overlay_read(int node, int where, u32 real);
bool vb_overlay_write(int node, int where, u32 mask, u32 bits);

/* publish.c */
void vb_publish(void);
int vb_publish_init(void);
void vb_log_write(int node, enum vb_reg reg, u32 value);

/* dead.c: functions that answer with all ones, when the board has such a fault */
void vb_dead_init(void);

/* vmd.c: the second domain of a laptop with VMD */
int vb_vmd_open(void);

static inline bool vb_is_port(const struct vb_function *f)
{
	return f->type == PCI_EXP_TYPE_ROOT_PORT || f->type == PCI_EXP_TYPE_DOWNSTREAM;
}

#endif
