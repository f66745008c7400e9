#ifndef PL_MODEL_ASPM_LINK_H
#define PL_MODEL_ASPM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/aspm.h"
#include "model/bdf.h"

/* Facts about one link and its power management: what `list --aspm` shows and link/ acts on. */

/* The seven files of the kernel in link/ of the device below, in this order everywhere. */
enum pl_aspm_attr {
	PL_ATTR_CLKPM,
	PL_ATTR_L0S,
	PL_ATTR_L1,
	PL_ATTR_L1_1,
	PL_ATTR_L1_2,
	PL_ATTR_L1_1_PCIPM,
	PL_ATTR_L1_2_PCIPM,
	PL_ATTR_COUNT
};

/* What a register read-back says about a state that was asked for. */
enum pl_aspm_verdict {
	PL_VERDICT_NONE,           /* nothing was read back */
	PL_VERDICT_CONFIRMED,      /* every function at both ends shows the state */
	PL_VERDICT_KERNEL_ONLY,    /* kernel says yes, hardware says no */
	PL_VERDICT_REVERTED,       /* was confirmed, and is something else now */
	PL_VERDICT_UNREADABLE,     /* the registers could not be read */
	PL_VERDICT_FIRMWARE_OWNED, /* the kernel has no say: firmware kept these bits */
	PL_VERDICT_NOT_SET,        /* refused or failed; the sentence says why */
};

/* Who decides about the link's power states. */
enum pl_aspm_owner {
	PL_OWNER_UNKNOWN,
	PL_OWNER_KERNEL,
	PL_OWNER_FIRMWARE,       /* FADT or _OSC: the kernel keeps its hands off */
	PL_OWNER_PCIE_ASPM_OFF,  /* pcie_aspm=off: firmware's setting stays as it was */
	PL_OWNER_KERNEL_WITHOUT, /* the kernel was built without ASPM support */
};

/* Registers of one function at one end, raw and decoded. Raw values are 0 when not there. */
struct pl_aspm_function {
	struct pl_bdf bdf;
	uint16_t vendor_id, device_id;
	bool is_readable; /* the PCI Express capability was read */
	bool has_l1ss;    /* the L1 PM Substates capability was read (extended space: root) */
	bool has_ltr;     /* the LTR extended capability was read */
	unsigned port_type;
	uint32_t devcap, lnkcap, devcap2, l1ss_cap, l1ss_ctl1, l1ss_ctl2, ltr_max;
	uint16_t lnkctl, lnksta, devctl2;
	unsigned supported, enabled; /* enum pl_aspm bits; PL_ASPM_UNKNOWN */
};

struct pl_aspm_link {
	struct pl_aspm_function up;    /* the port above */
	struct pl_aspm_function *down; /* every function below, function 0 first */
	size_t down_count;
	unsigned supported, enabled; /* by both ends and all functions; PL_ASPM_UNKNOWN */
	/* Larger of both ends' advertised class, upper bound (code 7: 5 µs / 65 µs); -1: none. */
	int64_t l0s_exit_ns, l1_exit_ns;
	/* Smallest of the endpoint functions; INT64_MAX: no limit; -1: not an endpoint. */
	int64_t l0s_acceptable_ns, l1_acceptable_ns;
	/* L1 substates; -1 where there is no capability. */
	int common_mode_restore_us, power_on_us; /* larger of both ends' capability */
	int common_mode_set_us, power_on_set_us; /* programmed: by the port; larger of both ends */
	int64_t l1_2_threshold_ns;               /* of the port's control register */
	int64_t ltr_max_snoop_ns, ltr_max_no_snoop_ns; /* of function 0 below; -1: none */
	int ltr_enabled;                               /* 1, 0, -1: not known */
	int clkpm_enabled;
	int attr[PL_ATTR_COUNT]; /* kernel's files: 1, 0, -1: there is none */
	enum pl_aspm_owner owner;
	const char *const *flags; /* "W-ASPM-…: sentence": what is suspicious */
	size_t flag_count;
};

const char *pl_aspm_verdict_name(enum pl_aspm_verdict verdict); /* "confirmed", … */
const char *pl_aspm_owner_name(enum pl_aspm_owner owner);
const char *pl_aspm_attr_name(enum pl_aspm_attr attr); /* "l1_aspm": the kernel's file name */
/* The state bit that a file stands for. */
unsigned pl_aspm_attr_bit(enum pl_aspm_attr attr);

#endif
