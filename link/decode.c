#include "link/decode.h"

#define FIELD(value, high, low) (((value) >> (low)) & ((1u << ((high) - (low) + 1)) - 1))

bool pl_link_port_owns_link(unsigned port_type)
{
	return port_type == PL_LINK_PORT_ROOT || port_type == PL_LINK_PORT_DOWNSTREAM ||
	       port_type == PL_LINK_PORT_PCI_TO_PCIE;
}

bool pl_link_port_is_endpoint(unsigned port_type)
{
	return port_type == PL_LINK_PORT_ENDPOINT || port_type == PL_LINK_PORT_LEGACY_ENDPOINT;
}

/* L0s: < 64 ns, then doubling classes up to 2–4 µs, then more. */
struct pl_exit_class pl_link_decode_l0s_exit(uint32_t lnkcap)
{
	unsigned code = FIELD(lnkcap, 14, 12);
	int64_t bounds[] = {0, 64, 128, 256, 512, 1000, 2000, 4000, INT64_MAX};

	return (struct pl_exit_class){bounds[code], bounds[code + 1],
				      code == 7 ? 5000 : INT64_C(64) << code};
}

/* L1: < 1 µs, then doubling classes up to 32–64 µs, then more. */
struct pl_exit_class pl_link_decode_l1_exit(uint32_t lnkcap)
{
	unsigned code = FIELD(lnkcap, 17, 15);
	int64_t low = code ? INT64_C(1000) << (code - 1) : 0;
	int64_t high = INT64_C(1000) << code;

	if (code == 7)
		return (struct pl_exit_class){low, INT64_MAX, 65000};
	return (struct pl_exit_class){low, high, high};
}

int64_t pl_link_decode_l0s_acceptable_ns(uint32_t devcap)
{
	unsigned code = FIELD(devcap, 8, 6);

	return code == 7 ? INT64_MAX : INT64_C(64) << code;
}

int64_t pl_link_decode_l1_acceptable_ns(uint32_t devcap)
{
	unsigned code = FIELD(devcap, 11, 9);

	return code == 7 ? INT64_MAX : INT64_C(1000) << code;
}

/* Bits 0–3 of the L1SS capability and control register mean the same four states. */
static unsigned decode_substates(uint32_t bits)
{
	static const unsigned states[4] = {PL_ASPM_L1_2_PCIPM, PL_ASPM_L1_1_PCIPM, PL_ASPM_L1_2,
					   PL_ASPM_L1_1};
	unsigned result = 0;

	for (unsigned i = 0; i < 4; i++)
		if (bits & (1u << i))
			result |= states[i];
	return result;
}

/* ASPM field of LnkCap and of LnkCtl: bit 0 L0s, bit 1 L1. */
static unsigned decode_aspm(unsigned field)
{
	return (field & 1 ? PL_ASPM_L0S : 0) | (field & 2 ? PL_ASPM_L1 : 0);
}

unsigned pl_link_decode_supported(uint32_t lnkcap, uint32_t l1ss_cap)
{
	unsigned result = decode_aspm(FIELD(lnkcap, 11, 10));

	if (FIELD(lnkcap, 18, 18))
		result |= PL_ASPM_CLKPM;
	if (FIELD(l1ss_cap, 4, 4)) /* L1 PM Substates supported; else ignore the rest */
		result |= decode_substates(l1ss_cap);
	return result;
}

unsigned pl_link_decode_enabled(uint16_t lnkctl, uint32_t l1ss_ctl1)
{
	return decode_aspm(lnkctl & PL_LINK_LNKCTL_ASPM_MASK) |
	       (lnkctl & PL_LINK_LNKCTL_CLKPM ? PL_ASPM_CLKPM : 0) | decode_substates(l1ss_ctl1);
}

int pl_link_decode_common_mode_us(uint32_t l1ss_cap)
{
	return (int)FIELD(l1ss_cap, 15, 8);
}

static int power_on_us(unsigned scale, unsigned value)
{
	static const int unit_us[4] = {2, 10, 100, -1};

	return unit_us[scale] < 0 ? -1 : unit_us[scale] * (int)value;
}

int pl_link_decode_cap_power_on_us(uint32_t l1ss_cap)
{
	return power_on_us(FIELD(l1ss_cap, 17, 16), FIELD(l1ss_cap, 23, 19));
}

int pl_link_decode_ctl2_power_on_us(uint32_t l1ss_ctl2)
{
	return power_on_us(FIELD(l1ss_ctl2, 1, 0), FIELD(l1ss_ctl2, 7, 3));
}

/* Scales of LTR: 1, 32, 1024 … 33554432 ns; 6 and 7 are reserved. */
static int64_t scaled_ns(unsigned value, unsigned scale)
{
	return scale > 5 ? -1 : (int64_t)value << (5 * scale);
}

int64_t pl_link_decode_threshold_ns(uint32_t l1ss_ctl1)
{
	return scaled_ns(FIELD(l1ss_ctl1, 25, 16), FIELD(l1ss_ctl1, 31, 29));
}

int64_t pl_link_decode_ltr_ns(uint16_t value)
{
	return scaled_ns(FIELD(value, 9, 0), FIELD(value, 12, 10));
}

unsigned pl_link_decode_speed_mts(uint16_t lnksta)
{
	static const unsigned speeds[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};
	unsigned code = FIELD(lnksta, 3, 0);

	return code < sizeof(speeds) / sizeof(speeds[0]) ? speeds[code] : 0;
}

unsigned pl_link_decode_width(uint16_t lnksta)
{
	return FIELD(lnksta, 9, 4);
}

void pl_link_decode_function(struct pl_aspm_function *function)
{
	if (!function->is_readable) {
		function->supported = function->enabled = PL_ASPM_UNKNOWN;
		return;
	}
	function->supported = pl_link_decode_supported(function->lnkcap, function->l1ss_cap);
	function->enabled = pl_link_decode_enabled(function->lnkctl, function->l1ss_ctl1);
}
