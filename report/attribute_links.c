#include <string.h>

#include "model/state.h"
#include "report/attribute.h"

/* What the links of a path allow a claim to say. */

const struct pl_aspm_link *pl_links_above(const struct pl_run *run, struct pl_bdf bdf)
{
	for (size_t i = 0; i < run->aspm_link_count; i++)
		for (size_t k = 0; k < run->aspm_links[i].down_count; k++)
			if (pl_bdf_is_equal(run->aspm_links[i].down[k].bdf, bdf))
				return &run->aspm_links[i];
	return NULL;
}

/* States enabled anywhere on the path; PL_ASPM_UNKNOWN when one link cannot be read. */
static unsigned enabled_on_path(const struct pl_run *run, const struct pl_slot *slot)
{
	unsigned enabled = 0;

	if (slot->link.is_present) {
		if (slot->link.aspm_enabled == PL_ASPM_UNKNOWN)
			return PL_ASPM_UNKNOWN;
		enabled = slot->link.aspm_enabled;
	}
	for (size_t i = 0; i < slot->path_count; i++) {
		const struct pl_aspm_link *link = pl_links_above(run, slot->path[i]);

		if (link && link->enabled == PL_ASPM_UNKNOWN)
			return PL_ASPM_UNKNOWN;
		if (link)
			enabled |= link->enabled;
	}
	return enabled;
}

const char *pl_links_state_text(struct pl_attribution *a, const struct pl_slot *slot,
				const char *state)
{
	static const struct {
		unsigned bits;
		const char *text;
	} names[] = {
		{PL_ASPM_L1_2, "L1.2"},
		{PL_ASPM_L1_1, "L1.1"},
		{PL_ASPM_L1, "L1"},
	};
	unsigned enabled = slot ? enabled_on_path(a->run, slot) : 0;

	if (!pl_state_is_same(state, NULL) || !enabled || enabled == PL_ASPM_UNKNOWN)
		return pl_state_text(state);
	if (enabled == PL_ASPM_L0S)
		return "L0s (as found)";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (enabled & names[i].bits)
			return pl_arena_printf(&a->run->arena, "%s%s (as found)",
					       enabled & PL_ASPM_L0S ? "L0s and " : "",
					       names[i].text);
	return pl_state_text(state);
}

const char *pl_links_refusal(struct pl_attribution *a, const struct pl_measurement *m)
{
	unsigned enabled = enabled_on_path(a->run, m->slot);

	if (pl_state_is_off(m->conditions.state))
		return NULL;
	if (enabled == PL_ASPM_UNKNOWN)
		return pl_arena_printf(&a->run->arena,
				       "whether L0s is enabled on the path of %s cannot be read "
				       "(root can)",
				       m->slot->label);
	if (enabled & PL_ASPM_L0S)
		return pl_arena_printf(&a->run->arena,
				       "L0s is enabled on the path of %s: a link may sleep between "
				       "two accesses, and the links were not held off",
				       m->slot->label);
	return NULL;
}

const char *pl_links_no_exit_reason(struct pl_attribution *a, const struct pl_measurement *m)
{
	unsigned enabled = enabled_on_path(a->run, m->slot);

	if (enabled == PL_ASPM_UNKNOWN)
		return "what the links may do cannot be read (root can)";
	return enabled ? "the links were not held off beside it: nothing to compare with"
		       : "firmware left ASPM off: nothing to separate";
}

static bool is_on_path(const struct pl_slot *slot, struct pl_bdf bdf)
{
	for (size_t i = 0; i < slot->path_count; i++)
		if (pl_bdf_is_equal(slot->path[i], bdf))
			return true;
	return false;
}

/* A chipset that is passed but is no function of the path hangs on a link without registers. */
const char *pl_links_hidden(struct pl_attribution *a, const struct pl_slot *slot)
{
	for (size_t i = 0; i < slot->via_count; i++) {
		const struct pl_via *via = &slot->via[i];

		if (via->kind != PL_VIA_CHIPSET || is_on_path(slot, via->bdf))
			continue;
		if (via->vendor_id == 0x8086)
			return "DMI";
		return via->vendor_id == 0x1002
			       ? "A-Link"
			       : pl_arena_printf(&a->run->arena, "the link to %s",
						 via->name ? via->name : "the chipset");
	}
	return NULL;
}

void pl_links_note(struct pl_attribution *a, struct pl_claim *claim)
{
	const char *hidden = pl_links_hidden(a, claim->arm->slot);
	unsigned enabled = enabled_on_path(a->run, claim->arm->slot) |
			   enabled_on_path(a->run, claim->reference->slot);

	if (!pl_state_is_off(claim->arm->conditions.state))
		pl_claim_note(a, claim,
			      enabled ? "Continuous traffic, links as found%s."
				      : "No readable link of either path has ASPM enabled%s.",
			      enabled && claim->arm->probe == PL_PROBE_NVME
				      ? " (an exit inside a command is not excluded)"
				      : "");
	if (hidden)
		pl_claim_note(a, claim, "%s has no readable registers: its state is not known.",
			      hidden);
}

#define MAX_PAYLOAD_BYTES 256u
#define TLP_OVERHEAD_BYTES 24.0 /* framing, sequence, header and LCRC of one packet */

/* Bytes per ns of a link: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s (PCI Express Base, 4.2). */
static double bytes_per_ns(unsigned speed_mts, unsigned width)
{
	double code = speed_mts <= 5000 ? 0.8 : 128.0 / 130.0;

	return (double)speed_mts * 1e-3 * code * (double)width / 8.0;
}

double pl_link_serialisation_ns(const struct pl_slot *slot, uint32_t size_bytes)
{
	const struct pl_link *link = &slot->link;
	unsigned speed = link->path_speed_mts ? link->path_speed_mts : link->speed_mts;
	unsigned width = link->path_width ? link->path_width : link->width;
	double packets = (double)((size_bytes + MAX_PAYLOAD_BYTES - 1) / MAX_PAYLOAD_BYTES);

	if (!speed || !width || !size_bytes)
		return 0.0;
	return ((double)size_bytes + packets * TLP_OVERHEAD_BYTES) / bytes_per_ns(speed, width);
}
