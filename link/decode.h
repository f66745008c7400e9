#ifndef PL_LINK_DECODE_H
#define PL_LINK_DECODE_H

/*
 * Register values to facts, without any access. Offsets and fields: PCI Express Base Specification,
 * chapter 7 (PCI Express capability, L1 PM Substates, LTR). Numbers of classes are those that Linux
 * calculates with (drivers/pci/pcie/aspm.c).
 */

#include <stddef.h>
#include <stdint.h>

#include "model/aspm_link.h"

/* Offsets in the PCI Express capability (id 10h). */
#define PL_LINK_EXP_FLAGS 0x02
#define PL_LINK_EXP_DEVCAP 0x04
#define PL_LINK_EXP_LNKCAP 0x0c
#define PL_LINK_EXP_LNKCTL 0x10
#define PL_LINK_EXP_LNKSTA 0x12
#define PL_LINK_EXP_DEVCAP2 0x24
#define PL_LINK_EXP_DEVCTL2 0x28
/* Offsets in the L1 PM Substates capability (extended id 1Eh) and in LTR (18h). */
#define PL_LINK_L1SS_CAP 0x04
#define PL_LINK_L1SS_CTL1 0x08
#define PL_LINK_L1SS_CTL2 0x0c
#define PL_LINK_LTR_MAX 0x04

#define PL_LINK_CAP_EXP 0x10
#define PL_LINK_EXT_CAP_LTR 0x18
#define PL_LINK_EXT_CAP_L1SS 0x1e

#define PL_LINK_LNKCTL_ASPM_MASK 0x0003u
#define PL_LINK_LNKCTL_CLKPM 0x0100u
#define PL_LINK_L1SS_ENABLE_MASK 0x0000000fu /* PCI-PM L1.2, L1.1, ASPM L1.2, L1.1 */
#define PL_LINK_DEVCTL2_LTR 0x0400u

/* Device/port type, PCI Express capabilities register [7:4]. */
enum pl_link_port {
	PL_LINK_PORT_ENDPOINT = 0,
	PL_LINK_PORT_LEGACY_ENDPOINT = 1,
	PL_LINK_PORT_ROOT = 4,
	PL_LINK_PORT_UPSTREAM = 5,
	PL_LINK_PORT_DOWNSTREAM = 6,
	PL_LINK_PORT_PCIE_TO_PCI = 7,
	PL_LINK_PORT_PCI_TO_PCIE = 8,
	PL_LINK_PORT_RC_ENDPOINT = 9,
	PL_LINK_PORT_RC_EVENT = 10,
};

/* Whether a Link with power management hangs below a port of this type. */
bool pl_link_port_owns_link(unsigned port_type);
bool pl_link_port_is_endpoint(unsigned port_type);

/* The advertised class of an exit latency: low_ns … high_ns. */
struct pl_exit_class {
	int64_t low_ns, high_ns; /* high of code 7 is INT64_MAX: "more than 4 / 64 µs" */
	int64_t kernel_ns;       /* what Linux calculates with */
};

/* LnkCap [14:12] and [17:15]; only meaningful when the state is supported. */
struct pl_exit_class pl_link_decode_l0s_exit(uint32_t lnkcap);
struct pl_exit_class pl_link_decode_l1_exit(uint32_t lnkcap);
/* DevCap [8:6] and [11:9] of an endpoint; INT64_MAX: no limit. */
int64_t pl_link_decode_l0s_acceptable_ns(uint32_t devcap);
int64_t pl_link_decode_l1_acceptable_ns(uint32_t devcap);

/* enum pl_aspm bits. l1ss_cap is 0 when there is no capability. */
unsigned pl_link_decode_supported(uint32_t lnkcap, uint32_t l1ss_cap);
unsigned pl_link_decode_enabled(uint16_t lnkctl, uint32_t l1ss_ctl1);

/* L1SS: Port Common_Mode_Restore_Time, T_POWER_ON (-1: reserved scale), the LTR threshold. */
int pl_link_decode_common_mode_us(uint32_t l1ss_cap);
int pl_link_decode_cap_power_on_us(uint32_t l1ss_cap);
int pl_link_decode_ctl2_power_on_us(uint32_t l1ss_ctl2);
int64_t pl_link_decode_threshold_ns(uint32_t l1ss_ctl1); /* -1: reserved scale */
/* A 16-bit LTR value: [9:0] times 32^[12:10] ns; -1: reserved scale. */
int64_t pl_link_decode_ltr_ns(uint16_t value);

/* LnkSta: 16 GT/s = 16000; 0 when not trained or not known. */
unsigned pl_link_decode_speed_mts(uint16_t lnksta);
unsigned pl_link_decode_width(uint16_t lnksta);

/* Fills supported and enabled of a function from its raw registers. */
void pl_link_decode_function(struct pl_aspm_function *function);

/*
 * Fills everything derived of a link (supported … clkpm_enabled) from the raw registers of its
 * functions. owner, attr and flags are not touched.
 */
void pl_link_decode_link(struct pl_aspm_link *link);

#endif
