#ifndef PL_TOPOLOGY_PLATFORM_H
#define PL_TOPOLOGY_PLATFORM_H

#include "topology/tree.h"

/* What carries a root bus: a bit set from the ids of its functions. */
enum pl_carrier {
	PL_CARRIES_PCH = 1u << 0,
	PL_CARRIES_ICH = 1u << 1,
	PL_CARRIES_MCH = 1u << 2,
	PL_CARRIES_IOH = 1u << 3,
	PL_CARRIES_NB = 1u << 4,
	PL_CARRIES_SB = 1u << 5,
	PL_CARRIES_FCH = 1u << 6,
	PL_CARRIES_ZEN = 1u << 7,
	PL_CARRIES_APU = 1u << 8,     /* AMD before Zen, chipset outside */
	PL_CARRIES_SOC_APU = 1u << 9, /* AMD before Zen, everything inside */
	PL_CARRIES_INTEL = 1u << 10,  /* Intel processor with its own root ports */
	PL_CARRIES_SOC = 1u << 11,    /* no separate chipset */
	PL_CARRIES_PINEVIEW = 1u << 12,
	PL_CARRIES_UNKNOWN_SOUTH = 1u << 13, /* an Intel LPC bridge that is not listed */
};

struct pl_root_bus {
	uint32_t domain;
	uint8_t bus;
	unsigned carries;
	bool is_sure; /* a host bridge, a root port or the like says that it is a root bus */
	const char *pch, *ich, *mch, *nb; /* names of the chips on it; NULL */
};

/* What kind of machine this is, from all of its ids. */
struct pl_platform {
	struct pl_root_bus *buses; /* ordered by domain and bus */
	size_t bus_count;
	unsigned carries;        /* of all buses together */
	const char *virtual_why; /* which ids say that this is a virtual machine; NULL */
	const char *pch, *ich, *prom21, *x570, *b450, *b550;
	const char *southbridge;
	int vmd; /* the only VMD controller, or PL_NO_NODE */
};

/*
 * board: name of the board from DMI, picks between products with the same chips; hypervisor: its
 * name when the machine is known to be virtual. Both may be NULL.
 */
void pl_platform_find(struct pl_platform *platform, const struct pl_tree *tree, const char *board,
		      const char *hypervisor);
const struct pl_root_bus *pl_platform_bus(const struct pl_platform *platform, struct pl_bdf bdf);

#endif
