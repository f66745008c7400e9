#include "pci/decode.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

unsigned pl_decode_speed_mts(unsigned code)
{
	static const unsigned speeds[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};

	return code < COUNT(speeds) ? speeds[code] : 0;
}

int64_t pl_decode_l0s_exit_ns(unsigned code)
{
	return code < 7 ? INT64_C(64) << code : INT64_MAX;
}

int64_t pl_decode_l1_exit_ns(unsigned code)
{
	return code < 7 ? INT64_C(1000) << code : INT64_MAX;
}

int64_t pl_decode_l0s_acceptable_ns(unsigned code)
{
	return code < 7 ? INT64_C(64) << code : INT64_MAX;
}

int64_t pl_decode_l1_acceptable_ns(unsigned code)
{
	return code < 7 ? INT64_C(1000) << code : INT64_MAX;
}

int64_t pl_decode_power_on_ns(unsigned scale, unsigned value)
{
	static const int64_t steps_ns[] = {2000, 10000, 100000};

	return scale < COUNT(steps_ns) ? steps_ns[scale] * value : -1;
}

int64_t pl_decode_ltr_ns(unsigned scale, unsigned value)
{
	return scale < 6 ? (INT64_C(1) << (5 * scale)) * value : -1;
}

/* Bits 3:0 of the L1SS capability and of control 1 have the same meaning. */
static unsigned substates(uint32_t bits)
{
	return (bits & 1u << 2 ? PL_ASPM_L1_2 : 0) | (bits & 1u << 3 ? PL_ASPM_L1_1 : 0);
}

static void decode_substates(const struct pl_express *x, struct pl_link_end *end)
{
	if (!x->has_l1ss || !(x->l1ss_cap & 1u << 4))
		return;
	end->aspm_supported |= substates(x->l1ss_cap);
	/* The substates are modes of L1: without L1 they are settings that do nothing. */
	if (end->aspm_enabled & PL_ASPM_L1)
		end->aspm_enabled |= substates(x->l1ss_ctl1);
	end->port_common_mode_ns = (int64_t)(x->l1ss_cap >> 8 & 0xff) * 1000;
	end->port_power_on_ns =
		pl_decode_power_on_ns(x->l1ss_cap >> 16 & 3, x->l1ss_cap >> 19 & 0x1f);
	end->common_mode_ns = (int64_t)(x->l1ss_ctl1 >> 8 & 0xff) * 1000;
	end->power_on_ns = pl_decode_power_on_ns(x->l1ss_ctl2 & 3, x->l1ss_ctl2 >> 3 & 0x1f);
	end->l1_2_threshold_ns =
		pl_decode_ltr_ns(x->l1ss_ctl1 >> 29 & 7, x->l1ss_ctl1 >> 16 & 0x3ff);
}

static void decode_ltr(const struct pl_express *x, struct pl_link_end *end)
{
	if (!x->has_ltr)
		return;
	end->ltr_snoop_ns = pl_decode_ltr_ns(x->ltr_snoop >> 10 & 7, x->ltr_snoop & 0x3ff);
	end->ltr_no_snoop_ns = pl_decode_ltr_ns(x->ltr_no_snoop >> 10 & 7, x->ltr_no_snoop & 0x3ff);
}

static void set_unknown(struct pl_bdf bdf, struct pl_link_end *end)
{
	*end = (struct pl_link_end){
		.bdf = bdf,
		.aspm_supported = PL_ASPM_UNKNOWN,
		.aspm_enabled = PL_ASPM_UNKNOWN,
		.l0s_exit_ns = -1,
		.l1_exit_ns = -1,
		.port_common_mode_ns = -1,
		.port_power_on_ns = -1,
		.common_mode_ns = -1,
		.power_on_ns = -1,
		.l1_2_threshold_ns = -1,
		.ltr_snoop_ns = -1,
		.ltr_no_snoop_ns = -1,
		.aer_correctable = -1,
		.aer_nonfatal = -1,
		.aer_fatal = -1,
	};
}

void pl_decode_link_end(const struct pl_express *express, struct pl_bdf bdf,
			struct pl_link_end *end)
{
	uint32_t cap = express->link_cap;
	uint16_t ctl = express->link_ctl;

	set_unknown(bdf, end);
	if (!express->has_link)
		return;
	end->is_readable = true;
	end->max_speed_mts = pl_decode_speed_mts(cap & 0xf);
	end->max_width = cap >> 4 & 0x3f;
	end->aspm_supported = (cap & 1u << 10 ? PL_ASPM_L0S : 0) |
			      (cap & 1u << 11 ? PL_ASPM_L1 : 0) |
			      (cap & 1u << 18 ? PL_ASPM_CLKPM : 0);
	end->aspm_enabled = (ctl & 1u << 0 ? PL_ASPM_L0S : 0) | (ctl & 1u << 1 ? PL_ASPM_L1 : 0) |
			    (ctl & 1u << 8 ? PL_ASPM_CLKPM : 0);
	if (end->aspm_supported & PL_ASPM_L0S)
		end->l0s_exit_ns = pl_decode_l0s_exit_ns(cap >> 12 & 7);
	if (end->aspm_supported & PL_ASPM_L1)
		end->l1_exit_ns = pl_decode_l1_exit_ns(cap >> 15 & 7);
	decode_substates(express, end);
	decode_ltr(express, end);
}
