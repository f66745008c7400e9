/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the memory that launcher and plugin share and the guest cannot
 * see: the latencies, and the record of what was inserted. All times in ns.
 * The launcher may change any value while the guest runs.
 *
 * tests/board/vboard/layout.py mirrors this file.
 */
#ifndef VB_PRIVATE_H
#define VB_PRIVATE_H

#include "vb_shared.h"

#define VB_PRIVATE_MAGIC 0x31505642u /* "BVP1" */

enum vb_kind { VB_CONFIG, VB_BAR, VB_NVME, VB_KINDS };

/* vb_link.flags */
#define VB_LINK_NEVER_SLEEPS 1u
#define VB_LINK_ALWAYS_SLEEPS 2u /* whatever LnkCtl says */

/* The link below a port; indexed by the port's node. */
struct vb_link {
	uint64_t hop_ns; /* one round trip */
	uint64_t l0s_entry_ns;
	uint64_t l0s_exit_ns;
	uint64_t l1_entry_ns; /* idle time before the link goes to L1 */
	uint64_t l1_exit_ns;
	uint64_t l11_exit_ns;
	uint64_t l12_entry_ns; /* further idle time in L1 before L1.2 */
	uint64_t l12_exit_ns;
	uint64_t wake_period_ns; /* traffic of another device; 0: none */
	uint64_t flags;
};

/* What one function adds by itself. */
struct vb_device {
	uint64_t config_ns;     /* configuration engine */
	uint64_t media_ns;      /* service time of an I/O command */
	uint64_t sleep_idle_ns; /* power state of its own (APST-like); 0: none */
	uint64_t sleep_exit_ns;
	uint64_t stall_period_ns; /* one command per period waits stall_ns */
	uint64_t stall_ns;
	uint64_t stall_once_ns; /* the next command waits this long; then 0 */
};

struct vb_counter {
	uint64_t n;      /* accesses that crossed or ended here */
	uint64_t sum_ns; /* delay inserted, exits included */
	uint64_t exits;
	uint64_t exit_ns;
};

struct vb_private {
	uint32_t magic;
	uint32_t overlap;   /* exits of links in series overlap */
	uint32_t usp_rule;  /* an uplink sleeps only when all below it sleep */
	uint32_t crossings; /* round trips of an NVMe command */
	uint32_t a0;        /* a second exit when media time exceeds the entry timer */
	uint32_t pad;
	uint64_t hot_ns; /* the main loop polls this long after a command */
	/*
	 * Index + 1 of the link without registers (DMI, HyperTransport) above a
	 * function on a root bus, or above another such link; 0: none.
	 */
	uint16_t via[VB_NODES];
	struct vb_link link[VB_NODES];
	struct vb_device device[VB_NODES];
	struct vb_counter link_count[VB_NODES][VB_KINDS];
	struct vb_counter device_count[VB_NODES][VB_KINDS];
	uint64_t io_n;    /* device accesses of instrumented code */
	uint64_t other_n; /* of these, not on the board */
	uint64_t early_n; /* commands that finished before their deadline */
};

#endif
