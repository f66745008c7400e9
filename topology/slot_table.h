#ifndef PL_TOPOLOGY_SLOT_TABLE_H
#define PL_TOPOLOGY_SLOT_TABLE_H

#include "topology/smbios.h"
#include "topology/tree.h"

enum pl_name_verdict {
	PL_NAME_NO_ADDRESS, /* placeholder: says nothing about where */
	PL_NAME_UNPLACED,   /* names no function of this machine */
	PL_NAME_EMPTY,      /* an empty slot whose port is switched off */
	PL_NAME_BELIEVED,
	PL_NAME_REFUSED, /* resolves, but cannot be right, or is no slot name; why says it */
};

/* What became of one entry of the firmware's slot table. */
struct pl_slot_name {
	const struct pl_smbios_slot *entry;
	enum pl_name_verdict verdict;
	int port;        /* node; PL_NO_NODE unless an address led to one */
	bool is_exact;   /* the function itself, its bus, or the port with its bus */
	const char *how; /* how the address was read */
	const char *why; /* why it is not believed; NULL */
};

struct pl_slot_names {
	struct pl_slot_name *items;
	size_t count;
	const char *template_why; /* the whole table is refused; NULL */
	bool has_reference_names; /* J-numbers of the reference board among them */
};

/*
 * Reads the addresses of type 9 entries the way firmware writes them and not as the standard says:
 * a function, a port, secondary bus plus device of the port, bus ff, placeholders. Then refuses
 * what cannot be: a chipset's uplink, a width the port does not have, two names on one port, one
 * name on two ports, reference designators, and tables that are mostly wrong.
 */
void pl_slot_names_resolve(struct pl_slot_names *names, const struct pl_tree *tree,
			   const struct pl_smbios_slot *entries, size_t count);

#endif
