#include <stdio.h>

#include "link/decode.h"
#include "link/scan.h"

/* One suspicious thing per line: when it is so, and what it means. */

#define ASPM_FIELD(f) ((f)->lnkctl & PL_LINK_LNKCTL_ASPM_MASK)
#define L0S_L1 (PL_ASPM_L0S | PL_ASPM_L1)
#define SUBSTATES (PL_ASPM_L1_1 | PL_ASPM_L1_2)

static bool is_known(const struct pl_aspm_link *link)
{
	return link->enabled != PL_ASPM_UNKNOWN && link->supported != PL_ASPM_UNKNOWN;
}

static bool ends_differ(const struct pl_aspm_link *link)
{
	return ASPM_FIELD(&link->up) != ASPM_FIELD(&link->down[0]) ||
	       ((link->up.enabled ^ link->down[0].enabled) & SUBSTATES);
}

static bool functions_differ(const struct pl_aspm_link *link)
{
	for (size_t i = 1; i < link->down_count; i++)
		if (ASPM_FIELD(&link->down[i]) != ASPM_FIELD(&link->down[0]))
			return true;
	return false;
}

static bool exceeds_support(const struct pl_aspm_link *link)
{
	return (link->up.enabled | link->down[0].enabled) & PL_ASPM_STATES & ~link->supported;
}

static bool kernel_differs(const struct pl_aspm_link *link)
{
	for (int i = 0; i < PL_ATTR_COUNT; i++) {
		unsigned bit = pl_aspm_attr_bit(i);
		bool on = link->enabled & bit;

		if ((bit & PL_ASPM_STATES) && link->attr[i] >= 0 && (link->attr[i] == 1) != on)
			return true;
	}
	return false;
}

static bool l1_is_too_slow(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_L1) && link->l1_acceptable_ns >= 0 &&
	       link->l1_exit_ns > link->l1_acceptable_ns;
}

static bool l0s_is_too_slow(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_L0S) && link->l0s_acceptable_ns >= 0 &&
	       link->l0s_exit_ns > link->l0s_acceptable_ns;
}

static bool l1_2_lacks_ltr(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_L1_2) && link->ltr_enabled == 0;
}

static bool thresholds_differ(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_L1_2) &&
	       pl_link_decode_threshold_ns(link->up.l1ss_ctl1) !=
		       pl_link_decode_threshold_ns(link->down[0].l1ss_ctl1);
}

static bool power_on_is_zero(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_L1_2) &&
	       (pl_link_decode_ctl2_power_on_us(link->up.l1ss_ctl2) == 0 ||
		pl_link_decode_ctl2_power_on_us(link->down[0].l1ss_ctl2) == 0);
}

static bool substate_without_l1(const struct pl_aspm_link *link)
{
	return (link->enabled & SUBSTATES) && !(link->enabled & PL_ASPM_L1);
}

static bool clock_may_stop(const struct pl_aspm_link *link)
{
	return (link->enabled & PL_ASPM_CLKPM) && (link->enabled & PL_ASPM_L1);
}

static const struct {
	bool (*is_so)(const struct pl_aspm_link *link);
	const char *text;
} flags[] = {
	{ends_differ, "W-ASPM-ENDS: the two ends of the link do not have the same states enabled"},
	{functions_differ, "W-ASPM-FUNCTIONS: the functions of the device do not have the same "
			   "states enabled; one that says no disables it for all"},
	{exceeds_support, "W-ASPM-SUPPORT: a state is enabled that not both ends support"},
	{kernel_differs, "W-ASPM-KERNEL: the kernel's files and the registers disagree"},
	{l1_is_too_slow, "W-ASPM-LATENCY: L1 is enabled although its advertised exit takes longer "
			 "than the device accepts"},
	{l0s_is_too_slow, "W-ASPM-LATENCY: L0s is enabled although its advertised exit takes "
			  "longer than the device accepts"},
	{l1_2_lacks_ltr, "W-ASPM-LTR: L1.2 is enabled, LTR is not: the device cannot say what it "
			 "tolerates"},
	{thresholds_differ,
	 "W-ASPM-THRESHOLD: the LTR thresholds for L1.2 differ between the ends"},
	{power_on_is_zero, "W-ASPM-POWERON: L1.2 is enabled with a power-on time of zero"},
	{substate_without_l1, "W-ASPM-SUBSTATE: an L1 substate is enabled while L1 is off: it has "
			      "no effect"},
	{clock_may_stop, "W-ASPM-CLKPM: the reference clock may stop in L1: waking takes longer "
			 "than the advertised L1 exit"},
};

#define FLAG_COUNT (sizeof(flags) / sizeof(flags[0]))

void pl_link_flag(struct pl_run *run, struct pl_aspm_link *link)
{
	const char **found = pl_arena_array(&run->arena, FLAG_COUNT, sizeof(*found));

	link->flags = found;
	link->flag_count = 0;
	if (!is_known(link))
		return;
	for (size_t i = 0; i < FLAG_COUNT; i++)
		if (flags[i].is_so(link))
			found[link->flag_count++] = flags[i].text;
}
