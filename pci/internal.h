#ifndef PL_PCI_INTERNAL_H
#define PL_PCI_INTERNAL_H

#include <setjmp.h>

#include <pci/pci.h>

#include "pci/config_space.h"

/* Inside of struct pl_pci, for the files of this folder. */
struct pl_pci {
	struct pci_access *access;
	struct pci_dev **devices; /* ordered by address, as bdfs */
	struct pl_bdf *bdfs;
	size_t count;
	jmp_buf escape; /* where the error hook jumps while a call is in libpci */
	char message[256];
};

#endif
