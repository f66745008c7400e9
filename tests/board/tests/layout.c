/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints size and offsets of the shared structures; the Python mirror must agree. */
#include <stddef.h>
#include <stdio.h>

#include "vb_private.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(struct type))
#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(struct type, field))

int main(void)
{
	SIZE(vb_node);
	AT(vb_node, class_rev);
	AT(vb_node, lnkcap);
	AT(vb_node, l1ssctl0);
	AT(vb_node, present);
	AT(vb_node, ecam);
	AT(vb_node, bar);
	SIZE(vb_range);
	SIZE(vb_write);
	AT(vb_write, value);
	SIZE(vb_shared);
	AT(vb_shared, ranges);
	AT(vb_shared, nodes);
	AT(vb_shared, writes_n);
	AT(vb_shared, writes);
	SIZE(vb_link);
	AT(vb_link, flags);
	SIZE(vb_device);
	SIZE(vb_counter);
	SIZE(vb_private);
	AT(vb_private, hot_ns);
	AT(vb_private, via);
	AT(vb_private, link);
	AT(vb_private, device);
	AT(vb_private, link_count);
	AT(vb_private, device_count);
	AT(vb_private, early_n);
	return sizeof(struct vb_shared) > VB_SHARED_BYTES;
}
