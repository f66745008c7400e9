#ifndef PL_PCI_INTERNAL_H
#define PL_PCI_INTERNAL_H

#include <setjmp.h>

#include <pci/pci.h>

#include "pci/config_space.h"

/* Names of one kind, ordered, for looking up ids; made when first asked for. */
struct pl_pci_names {
	struct pl_pci_name {
		char *name;
		uint16_t id;
	} * items;
	size_t count;
	int vendor; /* whose devices; -1 for vendors and classes */
	struct pl_pci_names *next;
};

/* Inside of struct pl_pci, for the files of this folder. */
struct pl_pci {
	struct pci_access *access;
	struct pci_dev **devices; /* ordered by address, as bdfs */
	struct pl_bdf *bdfs;
	size_t count;
	jmp_buf escape; /* where the error hook jumps while a call is in libpci */
	char message[256];
	struct pl_pci_names *vendor_names, *class_names, *device_names;
};

/* Frees the lists of names. */
void pl_pci_names_free(struct pl_pci_names *names);

#endif
