#include "link/apply.h"

#include "link/decode.h"

#define SUBSTATES (PL_ASPM_L1_1 | PL_ASPM_L1_2)

static const enum pl_aspm_attr clear_order[] = {PL_ATTR_L1, PL_ATTR_L1_1, PL_ATTR_L1_2,
						PL_ATTR_L0S};
static const enum pl_aspm_attr set_order[] = {PL_ATTR_L0S,  PL_ATTR_L1,         PL_ATTR_L1_1,
					      PL_ATTR_L1_2, PL_ATTR_L1_1_PCIPM, PL_ATTR_L1_2_PCIPM};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

unsigned pl_link_normalise(unsigned target)
{
	return target & PL_ASPM_L1 ? target : target & ~SUBSTATES;
}

unsigned pl_link_found_states(const int found[PL_ATTR_COUNT])
{
	unsigned states = 0;

	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (found[i] == 1)
			states |= pl_aspm_attr_bit(i);
	return states & PL_ASPM_STATES;
}

unsigned pl_link_possible_states(const struct pl_aspm_link *link)
{
	unsigned states = link->enabled;

	if (states == PL_ASPM_UNKNOWN)
		return states;
	states |= link->up.enabled & PL_ASPM_L0S;
	for (size_t i = 0; i < link->down_count; i++)
		states |= link->down[i].enabled & PL_ASPM_L0S;
	return states & PL_ASPM_STATES;
}

/* What a file must say in the end. */
static bool is_wanted(enum pl_aspm_attr attr, unsigned target)
{
	if (attr == PL_ATTR_L1_1_PCIPM || attr == PL_ATTR_L1_2_PCIPM)
		return target & PL_ASPM_L1;
	return target & pl_aspm_attr_bit(attr);
}

static bool is_substate(enum pl_aspm_attr attr)
{
	return pl_aspm_attr_bit(attr) & SUBSTATES;
}

size_t pl_link_build_writes(const int found[PL_ATTR_COUNT], unsigned target,
			    struct pl_link_write writes[PL_LINK_WRITES_MAX])
{
	size_t count = 0;

	target = pl_link_normalise(target);
	for (size_t i = 0; i < COUNT(clear_order); i++) {
		enum pl_aspm_attr attr = clear_order[i];

		if (found[attr] == 1 && !(is_substate(attr) && is_wanted(attr, target)))
			writes[count++] = (struct pl_link_write){attr, 0};
	}
	for (size_t i = 0; i < COUNT(set_order); i++) {
		enum pl_aspm_attr attr = set_order[i];

		if (found[attr] == 1 && is_wanted(attr, target))
			writes[count++] = (struct pl_link_write){attr, 1};
	}
	return count;
}

static unsigned lnkctl_field(unsigned target)
{
	return (target & PL_ASPM_L0S ? 1u : 0) | (target & PL_ASPM_L1 ? 2u : 0);
}

/* ASPM L1.2 is bit 2, ASPM L1.1 bit 3; PCI-PM bits stay as found while L1 is on. */
static uint32_t l1ss_field(unsigned target, uint32_t found_ctl1)
{
	uint32_t aspm = (target & PL_ASPM_L1_2 ? 4u : 0) | (target & PL_ASPM_L1_1 ? 8u : 0);

	return aspm | (target & PL_ASPM_L1 ? found_ctl1 & 3u : 0);
}

static bool shows_lnkctl(const struct pl_aspm_function *now, const struct pl_aspm_function *found,
			 unsigned target)
{
	unsigned want = (found->lnkctl & PL_LINK_LNKCTL_CLKPM) | lnkctl_field(target);

	return now->is_readable && (now->lnkctl & PL_LINK_LNKCTL_MASK) == want;
}

static bool shows_l1ss(const struct pl_aspm_function *now, const struct pl_aspm_function *found,
		       unsigned target)
{
	/* With L1 off the PCI-PM bits may be either: the kernel leaves them in an undriven device.
	 */
	uint32_t mask = target & PL_ASPM_L1 ? PL_LINK_L1SS_ENABLE_MASK : 0xcu;

	return now->has_l1ss &&
	       ((now->l1ss_ctl1 ^ l1ss_field(target, found->l1ss_ctl1)) & mask) == 0;
}

/* Both ends; substates that one end does not have are nobody's and stay as they were. */
static bool show_l1ss(const struct pl_aspm_link *now, const struct pl_aspm_link *found,
		      unsigned target)
{
	if (!found->up.has_l1ss || !found->down[0].has_l1ss)
		return ((now->up.l1ss_ctl1 ^ found->up.l1ss_ctl1) & PL_LINK_L1SS_ENABLE_MASK) ==
			       0 &&
		       ((now->down[0].l1ss_ctl1 ^ found->down[0].l1ss_ctl1) &
			PL_LINK_L1SS_ENABLE_MASK) == 0;
	return shows_l1ss(&now->up, &found->up, target) &&
	       shows_l1ss(&now->down[0], &found->down[0], target);
}

static bool is_function_as_found(const struct pl_aspm_function *now,
				 const struct pl_aspm_function *found)
{
	return now->is_readable == found->is_readable && now->has_l1ss == found->has_l1ss &&
	       ((now->lnkctl ^ found->lnkctl) & PL_LINK_LNKCTL_MASK) == 0 &&
	       ((now->l1ss_ctl1 ^ found->l1ss_ctl1) & PL_LINK_L1SS_ENABLE_MASK) == 0;
}

bool pl_link_is_as_found(const struct pl_aspm_link *now, const struct pl_aspm_link *found)
{
	if (now->down_count != found->down_count || !is_function_as_found(&now->up, &found->up))
		return false;
	for (size_t i = 0; i < found->down_count; i++)
		if (!is_function_as_found(&now->down[i], &found->down[i]))
			return false;
	return true;
}

bool pl_link_shows(const struct pl_aspm_link *now, const struct pl_aspm_link *found,
		   unsigned target)
{
	target = pl_link_normalise(target);
	if (now->down_count != found->down_count || !shows_lnkctl(&now->up, &found->up, target) ||
	    !show_l1ss(now, found, target))
		return false;
	for (size_t i = 0; i < found->down_count; i++)
		if (!shows_lnkctl(&now->down[i], &found->down[i], target))
			return false;
	return true;
}
