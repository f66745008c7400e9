#include "pci/internal.h"

#include <string.h>

#define NAME_ROOM 256
#define ONLY_KNOWN (PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB)

static const char *keep(struct pl_arena *arena, const char *found)
{
	return found && *found ? pl_arena_strdup(arena, found) : NULL;
}

const char *pl_pci_vendor_name(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor)
{
	char room[NAME_ROOM];

	return keep(arena, pci_lookup_name(pci->access, room, sizeof(room),
					   PCI_LOOKUP_VENDOR | ONLY_KNOWN, vendor));
}

const char *pl_pci_device_name(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor,
			       uint16_t device)
{
	char room[NAME_ROOM];

	return keep(arena, pci_lookup_name(pci->access, room, sizeof(room),
					   PCI_LOOKUP_DEVICE | ONLY_KNOWN, vendor, device));
}

const char *pl_pci_device_name_slow(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor,
				    uint16_t device)
{
	char room[NAME_ROOM];

	return keep(arena,
		    pci_lookup_name(pci->access, room, sizeof(room),
				    PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_NUMBERS, vendor, device));
}

const char *pl_pci_class_name(struct pl_pci *pci, struct pl_arena *arena, uint32_t class_code)
{
	char room[NAME_ROOM];

	return keep(arena, pci_lookup_name(pci->access, room, sizeof(room),
					   PCI_LOOKUP_CLASS | ONLY_KNOWN, (int)(class_code >> 8)));
}
