#ifndef PL_TOPOLOGY_DEVICE_FACTS_H
#define PL_TOPOLOGY_DEVICE_FACTS_H

#include "core/sysroot.h"
#include "pci/config_space.h"
#include "topology/entries.h"

/*
 * What sysfs and pci.ids say about the device of each slot: kind, names, driver, power, NVMe
 * namespaces with their sizes, network interfaces, DRM nodes, BAR size of graphics cards, and the
 * hash that tells one unit from another without showing its serial number. root NULL: only names
 * (a dump).
 */
void pl_device_facts(struct pl_run *run, const struct pl_tree *tree,
		     const struct pl_entries *entries, const struct pl_sysroot *root,
		     struct pl_pci *pci);

/*
 * 16 characters from a serial number: salted SHA-256 of crypt(3), the salt fixed so that two
 * machines and two boots give the same. NULL for an empty serial number. In the arena.
 */
const char *pl_unit_hash(struct pl_arena *arena, const char *vendor_and_model, const char *serial);

#endif
