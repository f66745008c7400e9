#include "link/regs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "link/decode.h"

#define PCI_STATUS 0x06
#define PCI_STATUS_CAP_LIST 0x10u
#define PCI_CAPABILITY_LIST 0x34
#define EXTENDED_START 0x100
/* A list cannot be longer than its space has room for headers: ends loops in broken lists. */
#define CAPS_MAX 48
#define EXTENDED_CAPS_MAX 480

/* A fresh descriptor for each function and each look: a device that left and came back has a new
 * file behind the same name. */
struct reader {
	int fd;
	int rc; /* the first failure; later reads give 0 */
};

static uint32_t read_reg(struct reader *r, unsigned offset, size_t size)
{
	uint8_t bytes[4] = {0};

	if (!r->rc)
		r->rc = pl_link_pread(r->fd, offset, bytes, size);
	if (r->rc)
		return 0;
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static uint16_t read_word(struct reader *r, unsigned offset)
{
	return (uint16_t)read_reg(r, offset, 2);
}

static unsigned find_cap(struct reader *r, unsigned id)
{
	unsigned at;

	if (!(read_word(r, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;
	at = read_reg(r, PCI_CAPABILITY_LIST, 1) & 0xfcu;
	for (int i = 0; i < CAPS_MAX && at >= 0x40; i++) {
		uint16_t header = read_word(r, at);

		if (r->rc)
			return 0;
		if ((header & 0xffu) == id)
			return at;
		at = (header >> 8) & 0xfcu;
	}
	return 0;
}

static unsigned find_extended_cap(struct reader *r, unsigned id)
{
	unsigned at = EXTENDED_START;

	for (int i = 0; i < EXTENDED_CAPS_MAX && at >= EXTENDED_START; i++) {
		uint32_t header = read_reg(r, at, 4);

		if (r->rc || header == 0 || header == ~0u)
			return 0;
		if ((header & 0xffffu) == id)
			return at;
		at = (header >> 20) & 0xffcu;
	}
	return 0;
}

static void read_express(struct reader *r, unsigned at, struct pl_aspm_function *f)
{
	uint16_t flags = read_word(r, at + PL_LINK_EXP_FLAGS);

	f->port_type = (flags >> 4) & 0xfu;
	f->devcap = read_reg(r, at + PL_LINK_EXP_DEVCAP, 4);
	f->lnkcap = read_reg(r, at + PL_LINK_EXP_LNKCAP, 4);
	f->lnkctl = read_word(r, at + PL_LINK_EXP_LNKCTL);
	f->lnksta = read_word(r, at + PL_LINK_EXP_LNKSTA);
	if ((flags & 0xfu) >= 2) { /* version 1 ends before these */
		f->devcap2 = read_reg(r, at + PL_LINK_EXP_DEVCAP2, 4);
		f->devctl2 = read_word(r, at + PL_LINK_EXP_DEVCTL2);
	}
	f->is_readable = !r->rc;
}

static void read_extended(struct reader *r, struct pl_aspm_function *f)
{
	unsigned at = find_extended_cap(r, PL_LINK_EXT_CAP_L1SS);

	if (at) {
		f->l1ss_cap = read_reg(r, at + PL_LINK_L1SS_CAP, 4);
		f->l1ss_ctl1 = read_reg(r, at + PL_LINK_L1SS_CTL1, 4);
		f->l1ss_ctl2 = read_reg(r, at + PL_LINK_L1SS_CTL2, 4);
		f->has_l1ss = !r->rc;
	}
	at = find_extended_cap(r, PL_LINK_EXT_CAP_LTR);
	if (at) {
		f->ltr_max = read_reg(r, at + PL_LINK_LTR_MAX, 4);
		f->has_ltr = !r->rc;
	}
}

static int read_all(struct reader *r, struct pl_aspm_function *function)
{
	uint32_t id = read_reg(r, 0, 4);
	unsigned express;

	if (r->rc)
		return r->rc;
	if (id == ~0u)
		return -ENODEV;
	function->vendor_id = (uint16_t)id;
	function->device_id = (uint16_t)(id >> 16);
	express = find_cap(r, PL_LINK_CAP_EXP);
	if (express)
		read_express(r, express, function);
	if (function->is_readable && function->lnkcap == ~0u && function->lnkctl == 0xffffu)
		return -ENODEV; /* it left while it was read */
	if (function->is_readable)
		read_extended(r, function);
	pl_link_decode_function(function);
	return 0;
}

int pl_link_read_function(const struct pl_sysroot *root, struct pl_bdf bdf,
			  struct pl_aspm_function *function)
{
	char path[PL_LINK_PATH_BYTES];
	struct reader r = {pl_sysroot_openat(root, pl_link_device_path(path, bdf, "config")), 0};
	int rc;

	*function = (struct pl_aspm_function){
		.bdf = bdf, .supported = PL_ASPM_UNKNOWN, .enabled = PL_ASPM_UNKNOWN};
	if (r.fd < 0)
		return r.fd == -ENOENT ? -ENODEV : r.fd;
	rc = read_all(&r, function);
	close(r.fd);
	return rc;
}

bool pl_link_is_function_gone(const struct pl_sysroot *root, struct pl_bdf bdf)
{
	struct pl_aspm_function function;

	return pl_link_read_function(root, bdf, &function) == -ENODEV;
}

int pl_link_read_link(const struct pl_sysroot *root, struct pl_aspm_link *link)
{
	int rc = pl_link_read_function(root, link->up.bdf, &link->up);

	for (size_t i = 0; !rc && i < link->down_count; i++)
		rc = pl_link_read_function(root, link->down[i].bdf, &link->down[i]);
	pl_link_decode_link(link);
	return rc;
}

void pl_link_read_attrs(const struct pl_sysroot *root, struct pl_bdf child, int attr[PL_ATTR_COUNT])
{
	char path[PL_LINK_PATH_BYTES], name[32], text[16];

	for (int i = 0; i < PL_ATTR_COUNT; i++) {
		snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(i));
		attr[i] = -1;
		if (pl_link_read_line(root, pl_link_device_path(path, child, name), text,
				      sizeof(text)) == 0)
			attr[i] = text[0] == '1';
	}
}
