#ifndef PL_TOPOLOGY_IDS_H
#define PL_TOPOLOGY_IDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What an id says about the path: topology/bridge_ids.tsv, compiled in. The vendor is part of the
 * id: 43b0 … 43c7 are chipset bridges of AMD and root ports of Intel.
 */
enum pl_role {
	PL_ROLE_NONE,         /* not listed */
	PL_ROLE_CPU_PORT,     /* root port of the processor. chip (AMD): zen, apu, soc-apu */
	PL_ROLE_SOC_PORT,     /* root port of a processor without a separate chipset */
	PL_ROLE_CPU_INTERNAL, /* bridge inside the processor: what is below is integrated */
	PL_ROLE_CPU_TUNNEL,   /* USB4/Thunderbolt root port of the processor */
	PL_ROLE_CHIPSET_UP,   /* upstream port of an AMD chipset chip */
	PL_ROLE_CHIPSET_DOWN,
	PL_ROLE_CHIPSET_FN, /* USB or SATA function of an AMD chipset chip */
	PL_ROLE_PCH_PORT,   /* root port of an Intel PCH: one hop */
	PL_ROLE_IOH_PORT,   /* Nehalem-era I/O hub: one hop */
	PL_ROLE_MCH_PORT,   /* memory controller hub: one hop */
	PL_ROLE_ICH_PORT,   /* I/O controller hub behind an MCH or IOH: two hops */
	PL_ROLE_NB_PORT,    /* AMD northbridge: one hop */
	PL_ROLE_SB_PORT,    /* AMD southbridge: behind the northbridge, or directly on an APU */
	PL_ROLE_FCH_PORT,   /* Hudson FCH of an APU: one hop */
	PL_ROLE_UPLINK_UP,  /* C620 PCH seen through its PCIe uplink, not DMI */
	PL_ROLE_UPLINK_DOWN,
	PL_ROLE_CARD_SWITCH,  /* switch on a graphics card: not part of the board */
	PL_ROLE_TB_HOST,      /* Thunderbolt/USB4 controller; depth tells host from device */
	PL_ROLE_TB_DEVICE,    /* Thunderbolt/USB4 dock, hub, enclosure */
	PL_ROLE_SWITCH,       /* discrete switch */
	PL_ROLE_CONTROLLER,   /* switch inside a controller (BMC) */
	PL_ROLE_INTEL_BRIDGE, /* ids that Intel gives to root ports and to bridges to PCI alike */
	PL_ROLE_PCI_BRIDGE,   /* PCI Express to conventional PCI */
	PL_ROLE_VMD,          /* Intel Volume Management Device */
	PL_ROLE_LPC_PCH,      /* LPC/eSPI bridge: names the PCH of its bus */
	PL_ROLE_LPC_ICH,
	PL_ROLE_LPC_SOC,
	PL_ROLE_MCH_HOST, /* host bridge of an external MCH */
	PL_ROLE_IOH_HOST,
	PL_ROLE_NB_HOST,
	PL_ROLE_PINEVIEW_HOST, /* Atom with its memory controller inside: the ICH is one hop away */
};

struct pl_id {
	uint16_t vendor, device;
	enum pl_role role;
	const char *chip; /* name to print; NULL: none */
	const char *name; /* as in pci.ids; NULL: not there */
};

/* NULL when the id is not listed. */
const struct pl_id *pl_id_find(uint16_t vendor, uint16_t device);
/* The whole table, ordered by id. */
size_t pl_id_table(const struct pl_id **table);

#endif
