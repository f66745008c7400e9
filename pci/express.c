#include "pci/express.h"

#include <errno.h>
#include <string.h>

#define CAP_EXPRESS 0x10u
#define ECAP_AER 0x0001u
#define ECAP_SERIAL 0x0003u
#define ECAP_REBAR 0x0015u
#define ECAP_LTR 0x0018u
#define ECAP_L1SS 0x001eu
#define MOST_REBARS 6u

static uint32_t dword(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

/* Root ports and downstream ports have a slot register when flag bit 8 is set. */
static bool has_slot_registers(uint16_t flags)
{
	unsigned type = flags >> 4 & 0xf;

	return (type == PL_PORT_ROOT || type == PL_PORT_DOWNSTREAM) && (flags & 1u << 8);
}

static bool has_link_registers(uint16_t flags)
{
	unsigned type = flags >> 4 & 0xf;

	return type != PL_PORT_RC_ENDPOINT && type != PL_PORT_RC_COLLECTOR;
}

static void read_capability(struct pl_pci *pci, struct pl_bdf bdf, struct pl_express *x)
{
	uint8_t c[0x30];

	if (pl_pci_read(pci, bdf, x->offset, c, 0x14))
		return;
	x->flags = word(c + 2);
	x->has_device = true;
	x->device_cap = dword(c + 4);
	x->device_ctl = word(c + 8);
	x->has_link = has_link_registers(x->flags);
	x->link_cap = x->has_link ? dword(c + 0x0c) : 0;
	x->link_ctl = x->has_link ? word(c + 0x10) : 0;
	x->link_sta = x->has_link ? word(c + 0x12) : 0;
	if (has_slot_registers(x->flags) &&
	    !pl_pci_read(pci, bdf, x->offset + 0x14u, c + 0x14, 8)) {
		x->has_slot = true;
		x->slot_cap = dword(c + 0x14);
		x->slot_sta = word(c + 0x1a);
	}
	/* Version 1 capabilities end before the second register set. */
	if ((x->flags & 0xf) >= 2 && !pl_pci_read(pci, bdf, x->offset + 0x24u, c + 0x24, 0x0c)) {
		x->has_device2 = true;
		x->device_cap2 = dword(c + 0x24);
		x->device_ctl2 = word(c + 0x28);
		x->link_cap2 = dword(c + 0x2c);
	}
}

static void read_l1ss(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x)
{
	uint8_t c[16];

	if (pl_pci_read(pci, bdf, at, c, sizeof(c)))
		return;
	x->has_l1ss = true;
	x->l1ss_cap = dword(c + 4);
	x->l1ss_ctl1 = dword(c + 8);
	x->l1ss_ctl2 = dword(c + 12);
}

static void read_ltr(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x)
{
	uint8_t c[8];

	if (pl_pci_read(pci, bdf, at, c, sizeof(c)))
		return;
	x->has_ltr = true;
	x->ltr_snoop = word(c + 4);
	x->ltr_no_snoop = word(c + 6);
}

static void read_aer(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x)
{
	x->has_aer = !pl_pci_read32(pci, bdf, at + 4, &x->aer_uncorrectable) &&
		     !pl_pci_read32(pci, bdf, at + 0x10, &x->aer_correctable);
}

static void read_serial(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x)
{
	uint8_t c[12];

	if (pl_pci_read(pci, bdf, at, c, sizeof(c)))
		return;
	x->has_serial = true;
	x->serial = dword(c + 4) | (uint64_t)dword(c + 8) << 32;
}

/* §7.8.6: control register bits 13:8 are the size, 2^(n+20) bytes; bits 7:5 of the first, the
 * count. */
static void read_rebar(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x)
{
	uint32_t control = 0;
	unsigned count = 1;

	for (unsigned i = 0; i < count && i < MOST_REBARS; i++) {
		if (pl_pci_read32(pci, bdf, at + 8 + 8 * i, &control))
			return;
		if (i == 0)
			count = control >> 5 & 7;
		if ((control >> 8 & 0x3f) < 40 &&
		    UINT64_C(1) << (20 + (control >> 8 & 0x3f)) > x->rebar_bytes)
			x->rebar_bytes = UINT64_C(1) << (20 + (control >> 8 & 0x3f));
	}
}

typedef void read_ext(struct pl_pci *pci, struct pl_bdf bdf, unsigned at, struct pl_express *x);

static const struct {
	uint16_t id;
	read_ext *read;
} extended[] = {
	{ECAP_AER, read_aer}, {ECAP_SERIAL, read_serial}, {ECAP_REBAR, read_rebar},
	{ECAP_LTR, read_ltr}, {ECAP_L1SS, read_l1ss},
};

/* One walk over the list for all of them: with thousands of functions a walk for each is felt. */
static void read_extended(struct pl_pci *pci, struct pl_bdf bdf, struct pl_express *x)
{
	unsigned at = 0x100;
	uint32_t entry = 0;

	for (unsigned i = 0; i < 480 && at >= 0x100; i++) {
		if (pl_pci_read32(pci, bdf, at, &entry))
			return;
		x->is_extended = true;
		if (entry == 0 || entry == UINT32_MAX)
			return;
		for (size_t k = 0; k < sizeof(extended) / sizeof(extended[0]); k++)
			if (extended[k].id == (entry & 0xffff))
				extended[k].read(pci, bdf, at, x);
		at = entry >> 20 & 0xffcu;
	}
}

void pl_express_read(struct pl_pci *pci, struct pl_bdf bdf, struct pl_express *express)
{
	uint8_t beyond_header;
	int at;

	*express = (struct pl_express){.offset = 0};
	if (pl_pci_read8(pci, bdf, 0x40, &beyond_header))
		return;
	at = pl_pci_find_cap(pci, bdf, CAP_EXPRESS);
	express->is_known = at >= 0;
	express->is_present = at > 0;
	if (at <= 0)
		return;
	express->offset = (uint16_t)at;
	read_capability(pci, bdf, express);
	read_extended(pci, bdf, express);
}

enum pl_port_type pl_express_port_type(const struct pl_express *express)
{
	if (!express->is_present)
		return PL_PORT_UNKNOWN;
	return (enum pl_port_type)(express->flags >> 4 & 0xf);
}

int pl_express_has_connector(const struct pl_express *express)
{
	if (!express->is_present)
		return -1;
	return (express->flags & 1u << 8) != 0;
}
