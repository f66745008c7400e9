#ifndef PL_MODEL_SLOT_H
#define PL_MODEL_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/aspm.h"
#include "model/bdf.h"

/*
 * The row of the report: one place where something is or can be attached (card slot, M.2, on-board
 * device, integrated function). One struct travels from discovery to the report. All pointers are
 * into the arena of the run; NULL text means "not known".
 */

enum pl_attachment {
	PL_ATTACH_UNKNOWN,
	PL_ATTACH_CPU_DIRECT,
	PL_ATTACH_CHIPSET,
	PL_ATTACH_SWITCH,
	PL_ATTACH_TUNNEL,
	PL_ATTACH_INTEGRATED,
};

/* Where the lanes come from, also behind a switch or a tunnel. */
enum pl_origin { PL_ORIGIN_UNKNOWN, PL_ORIGIN_CPU, PL_ORIGIN_CHIPSET, PL_ORIGIN_INTEGRATED };

enum pl_confidence { PL_CONFIDENCE_LOW, PL_CONFIDENCE_MEDIUM, PL_CONFIDENCE_HIGH };

enum pl_via_kind {
	PL_VIA_CHIPSET,
	PL_VIA_BOARD_SWITCH,
	PL_VIA_CARD_SWITCH,
	PL_VIA_CONTROLLER,
	PL_VIA_TUNNEL,
	PL_VIA_VMD,
	PL_VIA_PCI_BRIDGE,
};

enum pl_label_source {
	PL_LABEL_PATH, /* neutral name made from the path; always there */
	PL_LABEL_SYSFS,
	PL_LABEL_SMBIOS,
	PL_LABEL_ACPI,
	PL_LABEL_BOARD_FILE,
	PL_LABEL_USER,
};

/* One chip passed on the way from the CPU to the slot. */
struct pl_via {
	enum pl_via_kind kind;
	const char *name;
	uint16_t vendor_id, device_id;
	struct pl_bdf bdf;         /* its upstream port (or the bridge itself) */
	unsigned speed_mts, width; /* of the link above it; 0: not visible (DMI) */
};

enum pl_device_kind { PL_DEVICE_OTHER, PL_DEVICE_NVME, PL_DEVICE_GPU, PL_DEVICE_NIC };

/* A block device of an NVMe controller. */
struct pl_namespace {
	const char *name; /* "nvme0n1" */
	uint64_t size_bytes;
	uint32_t block_bytes;
};

struct pl_device {
	struct pl_bdf bdf;
	uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
	uint32_t class_code; /* 24 bits: class, subclass, interface */
	uint8_t revision;
	enum pl_device_kind kind;
	const char *class_name, *name; /* from pci.ids; name falls back to "vendor:device" */
	const char *model;             /* the drive's own model string, untrusted; NULL */
	const char *unit_hash;         /* identifies the unit without its serial number; NULL */
	const char *driver;
	const char *power_state;        /* "D0", NULL */
	const char *runtime_status;     /* "active", "suspended", NULL */
	const char *power_control;      /* "on", "auto": may the kernel suspend it; NULL */
	const struct pl_bdf *functions; /* every function of the device on this link */
	size_t function_count;
	const struct pl_namespace *namespaces;
	size_t namespace_count;
	const char *const *interfaces; /* network interfaces, DRM nodes */
	size_t interface_count;
	int numa_node;          /* -1: not known */
	const char *local_cpus; /* "0-7", NULL */
	uint64_t rebar_bytes;   /* size of the largest prefetchable BAR of a GPU; 0: not known */
};

/* One end of a link. Values the registers did not give are 0 / PL_ASPM_UNKNOWN. */
struct pl_link_end {
	struct pl_bdf bdf;
	bool is_readable; /* the PCIe capability was read */
	unsigned max_speed_mts, max_width;
	unsigned aspm_supported, aspm_enabled; /* enum pl_aspm bits */
	int64_t l0s_exit_ns, l1_exit_ns;       /* upper bound of the advertised class; -1: none */
	/* L1 PM Substates: what the port advertises, and what is set. -1: not known. */
	int64_t port_common_mode_ns, port_power_on_ns;
	int64_t common_mode_ns, power_on_ns, l1_2_threshold_ns;
	int64_t ltr_snoop_ns, ltr_no_snoop_ns; /* LTR capability, maxima; -1: not known */
	/* Counters of the kernel since boot; -1: not known. */
	int64_t aer_correctable, aer_nonfatal, aer_fatal;
};

/* The link of the slot: from the port above to the device. */
struct pl_link {
	bool is_present;                   /* false for integrated functions: no link to speak of */
	unsigned speed_mts, width;         /* trained; 0: not known. 16000 = 16 GT/s */
	unsigned max_speed_mts, max_width; /* what both ends can do (the slot's, when empty) */
	unsigned aspm_supported, aspm_enabled; /* both ends agree; PL_ASPM_UNKNOWN */
	int64_t l0s_exit_ns, l1_exit_ns;       /* larger of both ends; -1: none */
	int64_t l0s_acceptable_ns,
		l1_acceptable_ns; /* of the endpoint; -1: not known; INT64_MAX: no limit */
	struct pl_link_end up, down;
	int ltr_enabled; /* 1, 0, -1: not known */
	int clkpm_enabled;
	int atomic_routing;     /* AtomicOp routing all along the path: 1, 0, -1 */
	const char *limited_by; /* where on the path the bandwidth is least: a BDF text; NULL */
	unsigned path_speed_mts, path_width; /* of that link */
};

struct pl_slot {
	const char *key;   /* "0000:00:01.1/00.0": stable when bus numbers move */
	const char *label; /* never NULL after discovery */
	enum pl_label_source label_source;
	const char *label_note;   /* why a better source was not believed; NULL */
	const char *neutral_name; /* "CPU x16 00:01.1" */
	enum pl_attachment attachment;
	int chipset_hops; /* -1: unknown */
	const char *chipset;
	enum pl_origin origin;
	enum pl_confidence confidence;
	bool built_in; /* a function inside the chipset or the CPU */
	const struct pl_via *via;
	size_t via_count;
	const char *reason;        /* which rule and which ids decided */
	const struct pl_bdf *path; /* root port … device; ends at the port of an empty slot */
	size_t path_count;
	const struct pl_device *device; /* NULL: empty */
	struct pl_link link;
	const char *bifurcation; /* "x8 of CPU device 00:01: .1 x8, .3 x8"; NULL: not known */
	int physical_slot;       /* number in the port's slot register; -1: none */
	bool is_hot_plug;
	const char *const *warnings; /* "W-LINK: …": code, colon, sentence */
	size_t warning_count;
};

/* Names for JSON and CSV; never NULL. */
const char *pl_attachment_name(enum pl_attachment attachment);
const char *pl_origin_name(enum pl_origin origin);
const char *pl_confidence_name(enum pl_confidence confidence);
const char *pl_via_kind_name(enum pl_via_kind kind);
const char *pl_label_source_name(enum pl_label_source source);
const char *pl_device_kind_name(enum pl_device_kind kind);

/*
 * "L0s L1 L1.2", "none", "unknown" for a bit set; writes to out and returns it.
 */
char *pl_aspm_format(unsigned states, char *out, size_t size);

#endif
