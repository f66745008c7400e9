#ifndef PL_TOPOLOGY_FUNCTIONS_H
#define PL_TOPOLOGY_FUNCTIONS_H

#include "core/sysroot.h"
#include "pci/config_space.h"
#include "topology/tree.h"

/*
 * Every function of an open configuration space, in the arena; returns the count. root (NULL: a
 * dump) gives ids of functions whose header does not: virtual functions and sleeping ones.
 */
size_t pl_functions_read(struct pl_arena *arena, struct pl_pci *pci, const struct pl_sysroot *root,
			 struct pl_function **functions);

#endif
