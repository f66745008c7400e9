#ifndef PL_PCI_EXPRESS_H
#define PL_PCI_EXPRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "pci/config_space.h"

/*
 * The registers that say what a function is and what its link does, raw (PCIe §7.5.3; L1 PM
 * Substates §7.8.3; LTR §7.8.2; AER §7.8.4). has_* false: the source does not carry them.
 */
struct pl_express {
	bool is_known;   /* the capability list could be read; else nothing below says anything */
	bool is_present; /* a PCI Express function */
	uint16_t offset, flags;
	bool has_device, has_link, has_slot, has_device2;
	uint32_t device_cap, link_cap, slot_cap, device_cap2, link_cap2;
	uint16_t device_ctl, link_ctl, link_sta, slot_sta, device_ctl2;
	bool is_extended; /* offsets from 0x100 on could be read */
	bool has_l1ss, has_ltr, has_aer, has_serial;
	uint32_t l1ss_cap, l1ss_ctl1, l1ss_ctl2;
	uint16_t ltr_snoop, ltr_no_snoop;
	uint32_t aer_uncorrectable, aer_correctable; /* status registers */
	uint64_t serial;                             /* Device Serial Number */
	uint64_t rebar_bytes; /* largest present size of Resizable BAR (§7.8.6); 0: none */
};

/* Port types of the PCIe capabilities register, bits 7:4 (§7.5.3.2). */
enum pl_port_type {
	PL_PORT_ENDPOINT = 0,
	PL_PORT_LEGACY_ENDPOINT = 1,
	PL_PORT_ROOT = 4,
	PL_PORT_UPSTREAM = 5,
	PL_PORT_DOWNSTREAM = 6,
	PL_PORT_TO_PCI = 7,
	PL_PORT_FROM_PCI = 8,
	PL_PORT_RC_ENDPOINT = 9,
	PL_PORT_RC_COLLECTOR = 10,
	PL_PORT_UNKNOWN = 16, /* not a field value: the source does not say */
};

void pl_express_read(struct pl_pci *pci, struct pl_bdf bdf, struct pl_express *express);

/* UNKNOWN when the capabilities could not be read or the function is conventional PCI. */
enum pl_port_type pl_express_port_type(const struct pl_express *express);
/* 1, 0; -1 when the source does not say. */
int pl_express_has_connector(const struct pl_express *express);

#endif
