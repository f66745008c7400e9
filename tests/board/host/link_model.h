/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one link model of the virtual board: given an access and the time, how
 * many ns it costs, which links it wakes, and the record of both. Pure: no
 * clock, no memory but its arguments.
 */
#ifndef VB_LINK_MODEL_H
#define VB_LINK_MODEL_H

#include "vb_private.h"

/* PCI Express device/port types (PCIe Base, 7.5.3.2). */
enum { VB_TYPE_ROOT_PORT = 4, VB_TYPE_UPSTREAM = 5, VB_TYPE_DOWNSTREAM = 6 };

struct vb_model {
	const struct vb_shared *shared;
	struct vb_private *priv;
	uint64_t last_ns[VB_NODES];  /* end of the link's last activity */
	uint64_t awake_ns[VB_NODES]; /* end of the exit under way */
	uint64_t used_ns[VB_NODES];  /* end of the drive's last command */
	uint64_t stalled[VB_NODES];  /* last stall period served */
};

/* A read or write of registers that the CPU waits for: ns to add. */
uint64_t vb_model_access(struct vb_model *m, unsigned node, enum vb_kind kind, uint64_t now_ns);

/* A posted write: wakes the links of the path, costs the CPU nothing. */
void vb_model_post(struct vb_model *m, unsigned node, uint64_t now_ns);

/* An I/O submission doorbell: ns from now until the command may finish. */
uint64_t vb_model_command(struct vb_model *m, unsigned node, uint64_t now_ns);

/* A completion doorbell: the command has been taken off the queue. */
void vb_model_complete(struct vb_model *m, unsigned node, uint64_t now_ns);

#endif
