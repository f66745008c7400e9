#ifndef PL_TOPOLOGY_SMBIOS_H
#define PL_TOPOLOGY_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "model/bdf.h"

/* One System Slots structure (type 9) of an SMBIOS table: DSP0134 §7.10. */
struct pl_smbios_slot {
	const char *designation; /* NULL: none */
	uint8_t type, usage;     /* raw codes */
	unsigned width;          /* lanes; 0: not said */
	bool is_pcie, is_pci;    /* M.2 and the like count as PCIe */
	bool has_address;
	struct pl_bdf address;
};

#define PL_SMBIOS_USAGE_AVAILABLE 3u
#define PL_SMBIOS_USAGE_IN_USE 4u

/*
 * The slots of a DMI table (/sys/firmware/dmi/tables/DMI), in the arena. The table is input that
 * nobody checked: lengths are bounded by size_bytes and a malformed structure ends the walk.
 * Returns the count.
 */
size_t pl_smbios_slots(struct pl_arena *arena, const uint8_t *table, size_t size_bytes,
		       struct pl_smbios_slot **slots);

#endif
