#include "link/decode.h"

static unsigned get_supported(const struct pl_aspm_function *f)
{
	return f->supported;
}

static unsigned get_enabled(const struct pl_aspm_function *f)
{
	return f->enabled;
}

static int64_t max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * ASPM bits that all functions below show alike; L1 substates belong to function 0 only (L1 PM
 * Substates exist once per component), clock PM is a matter of the functions below.
 */
static unsigned common_below(const struct pl_aspm_link *link,
			     unsigned (*get)(const struct pl_aspm_function *f))
{
	unsigned result = ~0u;

	for (size_t i = 0; i < link->down_count; i++) {
		unsigned bits = get(&link->down[i]);

		if (bits == PL_ASPM_UNKNOWN)
			return PL_ASPM_UNKNOWN;
		result &= i ? bits | ~(PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_CLKPM) : bits;
	}
	return result;
}

static unsigned both_ends(unsigned up, unsigned down)
{
	if (up == PL_ASPM_UNKNOWN || down == PL_ASPM_UNKNOWN)
		return PL_ASPM_UNKNOWN;
	return (up | PL_ASPM_CLKPM) & down; /* the port's own clock PM bit does not count */
}

static void decode_exit(struct pl_aspm_link *link)
{
	link->l0s_exit_ns = link->l1_exit_ns = -1;
	if (link->supported == PL_ASPM_UNKNOWN || !link->down_count)
		return;
	if (link->supported & PL_ASPM_L0S)
		link->l0s_exit_ns = max_ns(pl_link_decode_l0s_exit(link->up.lnkcap).kernel_ns,
					   pl_link_decode_l0s_exit(link->down[0].lnkcap).kernel_ns);
	if (link->supported & PL_ASPM_L1)
		link->l1_exit_ns = max_ns(pl_link_decode_l1_exit(link->up.lnkcap).kernel_ns,
					  pl_link_decode_l1_exit(link->down[0].lnkcap).kernel_ns);
}

static void decode_acceptable(struct pl_aspm_link *link)
{
	link->l0s_acceptable_ns = link->l1_acceptable_ns = -1;
	for (size_t i = 0; i < link->down_count; i++) {
		const struct pl_aspm_function *f = &link->down[i];
		int64_t l0s = pl_link_decode_l0s_acceptable_ns(f->devcap);
		int64_t l1 = pl_link_decode_l1_acceptable_ns(f->devcap);

		if (!f->is_readable || !pl_link_port_is_endpoint(f->port_type))
			continue;
		if (link->l0s_acceptable_ns < 0 || l0s < link->l0s_acceptable_ns)
			link->l0s_acceptable_ns = l0s;
		if (link->l1_acceptable_ns < 0 || l1 < link->l1_acceptable_ns)
			link->l1_acceptable_ns = l1;
	}
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static void decode_l1ss(struct pl_aspm_link *link)
{
	const struct pl_aspm_function *up = &link->up, *down = link->down;

	link->common_mode_restore_us = link->power_on_us = -1;
	link->common_mode_set_us = link->power_on_set_us = -1;
	link->l1_2_threshold_ns = -1;
	if (!link->down_count || !up->has_l1ss || !down->has_l1ss)
		return;
	link->common_mode_restore_us = larger(pl_link_decode_common_mode_us(up->l1ss_cap),
					      pl_link_decode_common_mode_us(down->l1ss_cap));
	link->power_on_us = larger(pl_link_decode_cap_power_on_us(up->l1ss_cap),
				   pl_link_decode_cap_power_on_us(down->l1ss_cap));
	link->common_mode_set_us = pl_link_decode_common_mode_us(up->l1ss_ctl1);
	link->power_on_set_us = larger(pl_link_decode_ctl2_power_on_us(up->l1ss_ctl2),
				       pl_link_decode_ctl2_power_on_us(down->l1ss_ctl2));
	link->l1_2_threshold_ns = pl_link_decode_threshold_ns(up->l1ss_ctl1);
}

/* LTR works on a link when the port listens and function 0 below speaks. */
static int decode_ltr(const struct pl_aspm_link *link)
{
	if (!link->up.is_readable || !link->down_count || !link->down[0].is_readable)
		return -1;
	return (link->up.devctl2 & link->down[0].devctl2 & PL_LINK_DEVCTL2_LTR) != 0;
}

static void decode_ltr_max(struct pl_aspm_link *link)
{
	const struct pl_aspm_function *f = link->down;

	link->ltr_max_snoop_ns = link->ltr_max_no_snoop_ns = -1;
	if (!link->down_count || !f->has_ltr)
		return;
	link->ltr_max_snoop_ns = pl_link_decode_ltr_ns((uint16_t)f->ltr_max);
	link->ltr_max_no_snoop_ns = pl_link_decode_ltr_ns((uint16_t)(f->ltr_max >> 16));
}

void pl_link_decode_link(struct pl_aspm_link *link)
{
	link->supported = link->enabled = PL_ASPM_UNKNOWN;
	if (link->down_count) {
		link->supported = both_ends(link->up.supported, common_below(link, get_supported));
		link->enabled = both_ends(link->up.enabled, common_below(link, get_enabled));
	}
	decode_exit(link);
	decode_acceptable(link);
	decode_l1ss(link);
	decode_ltr_max(link);
	link->ltr_enabled = decode_ltr(link);
	link->clkpm_enabled =
		link->enabled == PL_ASPM_UNKNOWN ? -1 : (link->enabled & PL_ASPM_CLKPM) != 0;
}
