#ifndef PL_LINK_APPLY_H
#define PL_LINK_APPLY_H

/* From a wanted state to the writes that reach it, and what the registers must show then. Pure. */

#include <stdbool.h>
#include <stddef.h>

#include "model/aspm_link.h"

#define PL_LINK_WRITES_MAX 12

struct pl_link_write {
	enum pl_aspm_attr attr;
	int value;
};

/*
 * The order of the writes for one link. found: the kernel's files at the start; only files that
 * read 1 there are written, since a 1 into one that read 0 could erase the mark of a driver or a
 * quirk, and a 0 would leave a mark of ours. target: enum pl_aspm bits, taken as far as found had
 * them. Always through L1 off: l1 0, the substates that are not wanted 0, l0s 0; then l0s, l1, and
 * last the substates 1 (writing a substate 1 turns L1 on). The reference clock file is never
 * written; the PCI-PM substates come back with L1. Returns the count.
 */
size_t pl_link_build_writes(const int found[PL_ATTR_COUNT], unsigned target,
			    struct pl_link_write writes[PL_LINK_WRITES_MAX]);

/* The states whose files read 1: what lowering may choose from. */
unsigned pl_link_found_states(const int found[PL_ATTR_COUNT]);
/*
 * The states that the registers let a link enter: those of both ends and all functions, L0s also
 * when only one end has it (each direction sleeps by itself). PL_ASPM_UNKNOWN without registers.
 */
unsigned pl_link_possible_states(const struct pl_aspm_link *link);
/* A substate without L1 does not exist. */
unsigned pl_link_normalise(unsigned target);

/* LnkCtl bits that belong to power management: one mask for saving, checking and restoring. */
#define PL_LINK_LNKCTL_MASK (0x0003u | 0x0100u)

/*
 * Whether the registers of a link (read now) show target, everything else of power management
 * being as in found: both ends, every function, L1 substates of function 0. For target equal to
 * what was found the words must be the same as found, however odd they were.
 */
bool pl_link_shows(const struct pl_aspm_link *now, const struct pl_aspm_link *found,
		   unsigned target);
/* Whether all power management bits are as found. */
bool pl_link_is_as_found(const struct pl_aspm_link *now, const struct pl_aspm_link *found);

#endif
