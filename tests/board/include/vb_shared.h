/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the page the guest can see (BAR 2 of an ivshmem device). The
 * launcher writes the board's facts before the guest starts; the guest module
 * overlays them on configuration space and publishes where each function was
 * found and what its link registers hold. No latency is in here: those live in
 * vb_private.h, which the guest cannot reach.
 *
 * tests/board/vboard/layout.py mirrors this file; the test board_layout
 * compares the two.
 */
#ifndef VB_SHARED_H
#define VB_SHARED_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u8 vb_u8;
typedef u16 vb_u16;
typedef u32 vb_u32;
typedef u64 vb_u64;
#else
#include <stdint.h>
typedef uint8_t vb_u8;
typedef uint16_t vb_u16;
typedef uint32_t vb_u32;
typedef uint64_t vb_u64;
#endif

#define VB_SHARED_MAGIC 0x31424256u /* "VBB1" */
#define VB_SHARED_BYTES (256u * 1024u)
#define VB_NODES 96
#define VB_RANGES 64
#define VB_WRITES 4096
#define VB_BARS 6
#define VB_NO_PARENT 0xffffu
#define VB_NOT_A_FUNCTION 0xfffeu /* a link without registers: no configuration space */

/* vb_node.flags */
#define VB_NODE_EXPRESS 0x01u       /* overlay the link registers */
#define VB_NODE_LNKCTL_STUCK 0x02u  /* LnkCtl ignores writes */
#define VB_NODE_DEAD 0x04u          /* registers read as all ones */
#define VB_NODE_SET_CLASS 0x08u     /* class_rev replaces the real one */
#define VB_NODE_SET_SUBSYSTEM 0x10u /* sub_vendor and sub_device replace the real ones */

/* vb_shared.code: which guest user code the plugin instruments */
#define VB_CODE_KERNEL 0u /* kernel modules only */
#define VB_CODE_MAIN 1u   /* and the text of main executables */
#define VB_CODE_JIT 2u    /* and anonymous mappings that became executable */
#define VB_CODE_ALL 3u    /* and shared libraries: slow, for experiments */

/* One function of the board. */
struct vb_node {
	/* facts, by the launcher */
	vb_u16 parent;   /* index of the bridge above, VB_NO_PARENT on a root bus */
	vb_u16 real_bus; /* root bus number in the machine, for functions on one */
	vb_u8 real_devfn;
	vb_u8 devfn;     /* as the guest shall see it */
	vb_u16 root_bus; /* as the guest shall see it */
	vb_u32 domain;   /* 0, or the domain of a VMD controller; below a bridge: a finding */
	vb_u16 vendor;
	vb_u16 device;
	vb_u32 class_rev; /* class code << 8 | revision */
	vb_u16 sub_vendor;
	vb_u16 sub_device;
	vb_u32 flags;
	vb_u32 lnkcap;   /* speed, width, ASPM support, exit latency codes, clock PM */
	vb_u16 lnksta;   /* speed and width */
	vb_u16 lnkctl0;  /* ASPM control as firmware left it */
	vb_u32 l1sscap;  /* L1 PM substates capabilities; 0: no such capability */
	vb_u32 l1ssctl0; /* L1 PM substates control 1 as firmware left it */

	/* findings, by the guest module */
	vb_u32 present;
	vb_u16 bus;  /* bus the guest kernel gave it */
	vb_u16 type; /* PCI_EXP_TYPE_*; 0xffff without an express capability */
	vb_u32 ecam; /* offset of its configuration space in the ECAM window */
	vb_u32 lnkctl;
	vb_u32 l1ssctl1;
	vb_u64 bar[VB_BARS];
	vb_u64 bar_size[VB_BARS];
};

struct vb_range {
	vb_u64 start;
	vb_u64 end;
};

/* One write to LnkCtl or L1SSCTL1, in the order they happened. */
struct vb_write {
	vb_u64 time_ns; /* guest CLOCK_MONOTONIC */
	vb_u16 node;
	vb_u16 reg; /* enum vb_reg */
	vb_u32 value;
};

enum vb_reg { VB_REG_LNKCTL = 0, VB_REG_L1SSCTL1 = 1 };

struct vb_shared {
	vb_u32 magic;
	vb_u32 nodes_n;
	vb_u32 code;     /* VB_CODE_* */
	vb_u32 cf8;      /* offsets below 256 through CF8/CFC, as hardware does */
	vb_u32 vmd_node; /* function that opens the second domain; VB_NODES: none */
	vb_u32 pad0;
	vb_u32 ready;    /* the module has published */
	vb_u32 ranges_n; /* executable anonymous mappings seen; the ring holds VB_RANGES */
	struct vb_range ranges[VB_RANGES];
	struct vb_node nodes[VB_NODES];
	vb_u32 writes_n; /* writes seen; the ring holds the last VB_WRITES */
	vb_u32 pad;
	struct vb_write writes[VB_WRITES];
};

#endif
