// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers the board adds to, or changes in, configuration space: ids,
 * class, link capabilities, status and control, LTR and L1 PM substates.
 * Offsets and fields: PCI Express Base, chapter 7 (linux/pci_regs.h).
 */
#include "vboard.h"

#define LNKCAP_OURS 0x0007ffffu /* speed, width, ASPM, exit latencies, clock PM */
#define LNKSTA_OURS 0x03ffu     /* speed and width */
#define LNKCTL_OURS (PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_CLKREQ_EN)
#define DEVCAP_NO_LIMIT (PCI_EXP_DEVCAP_L0S | PCI_EXP_DEVCAP_L1) /* any exit latency accepted */
#define LTR_MAX 0x10031003u                                      /* 3 ms snooped and not */
#define CAPS_MAX 48

struct vb_function vb_functions[VB_NODES];

static void find_express(struct vb_function *f, u32 ecam)
{
	int pos = vb_real_read(ecam, PCI_CAPABILITY_LIST) & 0xfc;
	int left = CAPS_MAX;

	f->type = 0xffff;
	while (pos >= 0x40 && left--) {
		u32 v = vb_real_read(ecam, pos);

		if ((v & 0xff) == PCI_CAP_ID_EXP) {
			f->exp = pos;
			f->type = v >> 20 & 0xf;
			f->version = v >> 16 & 0xf;
			return;
		}
		pos = v >> 8 & 0xfc;
	}
}

static void find_last_extended(struct vb_function *f, u32 ecam)
{
	u32 v = vb_real_read(ecam, PCI_CFG_SPACE_SIZE);
	int pos = PCI_CFG_SPACE_SIZE;
	int left = CAPS_MAX;

	f->last_ext = 0;
	while (v && v != ~0u && left--) {
		f->last_ext = pos;
		pos = PCI_EXT_CAP_NEXT(v);
		if (pos < PCI_CFG_SPACE_SIZE)
			return;
		v = vb_real_read(ecam, pos);
	}
}

void vb_overlay_discover(int node, u32 ecam)
{
	struct vb_node *n = &vb_shared->nodes[node];
	struct vb_function *f = &vb_functions[node];
	u32 id = vb_real_read(ecam, PCI_VENDOR_ID);

	if (id == ~0u || id == 0)
		return;
	memset(f, 0, sizeof(*f));
	find_express(f, ecam);
	find_last_extended(f, ecam);
	f->lnkctl = n->lnkctl0;
	f->l1ssctl1 = n->l1ssctl0;
	f->devctl2 = PCI_EXP_DEVCTL2_LTR_EN;
	f->l1ss = f->last_ext ? 0xf00 : PCI_CFG_SPACE_SIZE;
	f->ltr = f->l1ss + 0x20;
	f->known = true;
	n->type = f->type;
	n->ecam = ecam;
	n->lnkctl = f->lnkctl;
	n->l1ssctl1 = f->l1ssctl1;
}

static u32 mix(u32 real, u32 mask, u32 ours)
{
	return (real & ~mask) | (ours & mask);
}

/* Registers of the express capability. */
static u32 express_read(const struct vb_node *n, const struct vb_function *f, int reg, u32 v)
{
	u32 speeds = ((1u << (n->lnkcap & PCI_EXP_LNKCAP_SLS)) - 1) << 1;

	switch (reg) {
	case PCI_EXP_DEVCAP:
		return v | DEVCAP_NO_LIMIT | PCI_EXP_DEVCAP_RBER;
	case PCI_EXP_LNKCAP:
		return mix(v, LNKCAP_OURS, n->lnkcap);
	case PCI_EXP_LNKCTL:
		v = mix(v, LNKCTL_OURS | LNKSTA_OURS << 16, f->lnkctl | (u32)n->lnksta << 16);
		return v | PCI_EXP_LNKSTA_SLC << 16;
	}
	if (f->version < 2)
		return v;
	switch (reg) {
	case PCI_EXP_DEVCAP2:
		return n->l1sscap ? v | PCI_EXP_DEVCAP2_LTR : v;
	case PCI_EXP_DEVCTL2:
		return mix(v, PCI_EXP_DEVCTL2_LTR_EN, f->devctl2);
	case PCI_EXP_LNKCAP2:
		return mix(v, 0xfe, speeds);
	default:
		return v;
	}
}

/* The extended capabilities we append: L1SS, and LTR on endpoints and uplinks. */
static u32 extended_read(const struct vb_node *n, const struct vb_function *f, int where, u32 v)
{
	bool ltr = !vb_is_port(f);

	if (f->last_ext && where == f->last_ext)
		return mix(v, 0xfffu << 20, (u32)f->l1ss << 20);
	if (where == f->l1ss)
		return PCI_EXT_CAP_ID_L1SS | 1 << 16 | (ltr ? (u32)f->ltr << 20 : 0);
	if (where == f->l1ss + PCI_L1SS_CAP)
		return n->l1sscap;
	if (where == f->l1ss + PCI_L1SS_CTL1)
		return f->l1ssctl1;
	if (where == f->l1ss + PCI_L1SS_CTL2)
		return f->l1ssctl2;
	if (ltr && where == f->ltr)
		return PCI_EXT_CAP_ID_LTR | 1 << 16;
	if (ltr && where == f->ltr + PCI_LTR_MAX_SNOOP_LAT)
		return LTR_MAX;
	return v;
}

static bool has_link(const struct vb_node *n, const struct vb_function *f)
{
	return n->flags & VB_NODE_EXPRESS && f->exp && f->type != PCI_EXP_TYPE_RC_END;
}

u32 vb_overlay_read(int node, int where, u32 v)
{
	const struct vb_node *n = &vb_shared->nodes[node];
	const struct vb_function *f = &vb_functions[node];
	bool endpoint = !f->exp || f->type == PCI_EXP_TYPE_ENDPOINT;

	if (n->flags & VB_NODE_DEAD || !f->known)
		return ~0u;
	if (where == PCI_VENDOR_ID)
		return n->vendor | (u32)n->device << 16;
	if (where == PCI_CLASS_REVISION && n->flags & VB_NODE_SET_CLASS)
		return n->class_rev;
	if (where == PCI_SUBSYSTEM_VENDOR_ID && endpoint && n->flags & VB_NODE_SET_SUBSYSTEM)
		return n->sub_vendor | (u32)n->sub_device << 16;
	if (!has_link(n, f))
		return v;
	if (where >= PCI_CFG_SPACE_SIZE)
		return n->l1sscap ? extended_read(n, f, where, v) : v;
	if (where >= f->exp)
		return express_read(n, f, where - f->exp, v);
	return v;
}

static void write_lnkctl(int node, u32 mask, u32 bits)
{
	struct vb_node *n = &vb_shared->nodes[node];
	struct vb_function *f = &vb_functions[node];

	if (!(n->flags & VB_NODE_LNKCTL_STUCK))
		f->lnkctl = mix(f->lnkctl, mask & LNKCTL_OURS, bits);
	vb_log_write(node, VB_REG_LNKCTL, bits & LNKCTL_OURS);
	n->lnkctl = f->lnkctl;
}

/* True when the write was ours alone and must not reach the real device. */
bool vb_overlay_write(int node, int where, u32 mask, u32 bits)
{
	struct vb_node *n = &vb_shared->nodes[node];
	struct vb_function *f = &vb_functions[node];

	if (n->flags & VB_NODE_DEAD)
		return true;
	if (!f->known || !has_link(n, f))
		return false;
	if (where == f->exp + PCI_EXP_LNKCTL && mask & 0xffff) {
		write_lnkctl(node, mask, bits);
	} else if (where == f->exp + PCI_EXP_DEVCTL2 && f->version > 1 && mask & 0xffff) {
		f->devctl2 = mix(f->devctl2, mask & PCI_EXP_DEVCTL2_LTR_EN, bits);
	} else if (n->l1sscap && where == f->l1ss + PCI_L1SS_CTL1) {
		f->l1ssctl1 = mix(f->l1ssctl1, mask, bits);
		n->l1ssctl1 = f->l1ssctl1;
		vb_log_write(node, VB_REG_L1SSCTL1, f->l1ssctl1);
		return true;
	} else if (n->l1sscap && where == f->l1ss + PCI_L1SS_CTL2) {
		f->l1ssctl2 = mix(f->l1ssctl2, mask, bits);
		return true;
	}
	return false;
}
