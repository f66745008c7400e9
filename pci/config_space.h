#ifndef PL_PCI_CONFIG_SPACE_H
#define PL_PCI_CONFIG_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/err.h"
#include "core/sysroot.h"
#include "model/bdf.h"

/*
 * Configuration space, read only, through libpci; no other folder includes <pci/pci.h>. One
 * struct pl_pci is used by one thread at a time. libpci ends the process on errors; here its error
 * hook jumps back and the call returns -EIO with libpci's sentence.
 */
struct pl_pci;

/*
 * sysfs of the live machine or of a capture below root. A machine without a PCI bus is no error:
 * the list of functions is empty. Close with pl_pci_close.
 */
int pl_pci_open(struct pl_pci **pci, const struct pl_sysroot *root, struct pl_err *err);
/* The hex dump of lspci -x, -xxx or -xxxx in a file; the caller has checked its lines (a malformed
 * one is -EIO with libpci's sentence). */
int pl_pci_open_dump(struct pl_pci **pci, const char *file, struct pl_err *err);
/* No functions, only names of ids: what a text without hex lines needs. */
int pl_pci_open_names(struct pl_pci **pci, struct pl_err *err);
void pl_pci_close(struct pl_pci *pci);

/* All functions, ordered by address; owned by pci. */
size_t pl_pci_functions(const struct pl_pci *pci, const struct pl_bdf **functions);
bool pl_pci_has(const struct pl_pci *pci, struct pl_bdf bdf);

/*
 * Reads size bytes at offset. 0; -ENODEV: no such function; -ENODATA: the source does not have
 * these bytes (an ordinary user sees 64, a dump what was dumped).
 */
int pl_pci_read(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, void *data,
		size_t size_bytes);
int pl_pci_read8(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint8_t *value);
int pl_pci_read16(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint16_t *value);
int pl_pci_read32(struct pl_pci *pci, struct pl_bdf bdf, unsigned offset, uint32_t *value);

/*
 * Offset of a capability (PCI 3.0 §6.7) or extended capability (PCIe §7.6.3); 0: not there;
 * -ENODATA: the list cannot be read. Loops and pointers into the header end the walk.
 */
int pl_pci_find_cap(struct pl_pci *pci, struct pl_bdf bdf, uint8_t id);
int pl_pci_find_ext_cap(struct pl_pci *pci, struct pl_bdf bdf, uint16_t id);

/* Names from pci.ids in the arena; NULL when the id is not in it. */
const char *pl_pci_vendor_name(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor);
const char *pl_pci_device_name(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor,
			       uint16_t device);
/* The same, udev's hardware database asked too: a tenth of a millisecond each. */
const char *pl_pci_device_name_slow(struct pl_pci *pci, struct pl_arena *arena, uint16_t vendor,
				    uint16_t device);
/* class_code: 24 bits; the subclass is named, the interface where pci.ids knows it. */
const char *pl_pci_class_name(struct pl_pci *pci, struct pl_arena *arena, uint32_t class_code);

/*
 * The other way round, for texts without numbers. Vendor: the longest name that text begins with;
 * *length is its length. Device: the exact name. Class: the 16 bits of class and subclass. false:
 * no such name. Where several ids share a name the lowest is given.
 */
bool pl_pci_find_vendor(struct pl_pci *pci, const char *text, uint16_t *vendor, size_t *length);
bool pl_pci_find_device(struct pl_pci *pci, uint16_t vendor, const char *name, uint16_t *device);
bool pl_pci_find_class(struct pl_pci *pci, const char *name, uint16_t *class_code);

#endif
