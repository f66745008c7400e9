#ifndef PL_MODEL_ASPM_H
#define PL_MODEL_ASPM_H

/*
 * Link power states as a bit set: what a link supports, or what is enabled (never what it is in:
 * no register shows the present state). L0 is always there and has no bit.
 */
enum pl_aspm {
	PL_ASPM_L0S = 1u << 0,
	PL_ASPM_L1 = 1u << 1,
	PL_ASPM_L1_1 = 1u << 2,
	PL_ASPM_L1_2 = 1u << 3,
	PL_ASPM_CLKPM = 1u << 4,
	/* L1 substates entered through the D-state of the device; without effect in D0. */
	PL_ASPM_L1_1_PCIPM = 1u << 5,
	PL_ASPM_L1_2_PCIPM = 1u << 6,
};

/* The states that a link enters by itself while its device works: what a measurement sees. */
#define PL_ASPM_STATES (PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_L1_1 | PL_ASPM_L1_2)

#define PL_ASPM_UNKNOWN (~0u) /* the registers could not be read */

#endif
