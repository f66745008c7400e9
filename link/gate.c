#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link/act.h"
#include "link/control.h"
#include "link/decode.h"

/* What must be true before a link may be changed: one question per line, first no wins. */

#define VMD_DOMAIN 0x10000u /* Linux gives Intel VMD domains of its own, beyond 16 bits */

struct question {
	struct pl_link_control *control;
	const struct pl_slot *slot;
	const struct pl_aspm_link *link;
	char bdf[PL_BDF_TEXT]; /* of the device below, as text */
};

static const char *say(const struct question *q, const char *text)
{
	return pl_arena_printf(&q->control->run->arena, "%s: %s", q->bdf, text);
}

static const char *ask_control(const struct question *q)
{
	return q->control->why_not;
}

static const char *ask_owner(const struct question *q)
{
	switch (q->link->owner) {
	case PL_OWNER_PCIE_ASPM_OFF:
		return "pcie_aspm=off is on the kernel's command line: firmware's setting stays "
		       "and "
		       "the kernel does not touch it; remove it from the command line";
	case PL_OWNER_FIRMWARE:
		return "firmware keeps control of ASPM (FADT or _OSC): the kernel has no files to "
		       "change it; look for ASPM in the BIOS setup";
	case PL_OWNER_KERNEL_WITHOUT:
		return "this kernel was built without ASPM support (CONFIG_PCIEASPM)";
	default:
		return NULL;
	}
}

static const char *ask_registers(const struct question *q)
{
	if (q->link->enabled != PL_ASPM_UNKNOWN)
		return NULL;
	return say(q, "the link registers cannot be read (root is needed), so a state could not be "
		      "confirmed");
}

static const char *ask_vmd(const struct question *q)
{
	if (q->link->up.bdf.domain < VMD_DOMAIN || q->control->options.allow_vmd)
		return NULL;
	return say(q, "behind Intel VMD, which firmware does not set up; left as found");
}

static const char *ask_removable(const struct question *q)
{
	char path[PL_LINK_PATH_BYTES], text[32];

	if (q->slot && q->slot->attachment == PL_ATTACH_TUNNEL)
		return say(q, "behind a tunnel (Thunderbolt, USB4): left as found");
	if (pl_link_read_line(&q->control->root,
			      pl_link_device_path(path, q->link->down[0].bdf, "removable"), text,
			      sizeof(text)) == 0 &&
	    !strcmp(text, "removable"))
		return say(q, "a removable device (hot-plug): left as found");
	return NULL;
}

/* Registers that the kernel's files cannot put back: both ends, all functions must agree. */
static const char *ask_oddities(const struct question *q)
{
	const struct pl_aspm_link *link = q->link;
	uint16_t field = link->up.lnkctl & PL_LINK_LNKCTL_ASPM_MASK;

	for (size_t i = 0; i < link->down_count; i++)
		if ((link->down[i].lnkctl & PL_LINK_LNKCTL_ASPM_MASK) != field)
			return say(q, "its ends or functions do not have the same states enabled; "
				      "the kernel could not put that back, so it is left as found");
	if (!link->up.has_l1ss || !link->down[0].has_l1ss)
		return NULL; /* the kernel never touches substates that one end does not have */
	if ((link->up.l1ss_ctl1 ^ link->down[0].l1ss_ctl1) & PL_LINK_L1SS_ENABLE_MASK)
		return say(q,
			   "its ends do not have the same L1 substates enabled; the kernel could "
			   "not put that back, so it is left as found");
	/* With L1 off the kernel clears the substates at its next write and cannot set them. */
	if (!(field & 2) && (link->up.l1ss_ctl1 & PL_LINK_L1SS_ENABLE_MASK))
		return say(q, "an L1 substate is enabled while L1 is off; the kernel could not put "
			      "that back, so it is left as found");
	return NULL;
}

static bool files_agree(const struct pl_aspm_link *link)
{
	for (int i = 0; i < PL_ATTR_COUNT; i++) {
		unsigned bit = pl_aspm_attr_bit(i);
		bool on = link->enabled & bit;

		if (i != PL_ATTR_CLKPM && (link->attr[i] == 1) != on)
			return false;
	}
	return true;
}

static const char *ask_files(const struct question *q)
{
	if (files_agree(q->link))
		return NULL;
	return say(q, "the kernel's files and the registers disagree about what is enabled; the "
		      "kernel could not put that back, so it is left as found");
}

static const char *ask_permission(const struct question *q)
{
	char path[PL_LINK_PATH_BYTES], name[32];

	for (int i = 0; i < PL_ATTR_COUNT; i++) {
		int rc;

		if (q->link->attr[i] != 1 || i == PL_ATTR_CLKPM)
			continue;
		snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(i));
		rc = pl_link_can_write(&q->control->root,
				       pl_link_device_path(path, q->link->down[0].bdf, name));
		if (rc)
			return pl_arena_printf(&q->control->run->arena,
					       "cannot switch %s: /%s: %s: %s", q->bdf, path,
					       strerror(-rc), pl_link_cause(-rc));
	}
	return NULL;
}

static const char *(*const questions[])(const struct question *q) = {
	ask_owner, ask_control,   ask_permission, ask_registers,
	ask_vmd,   ask_removable, ask_oddities,   ask_files,
};

const char *pl_link_find_obstacle(struct pl_link_control *control, const struct pl_slot *slot,
				  const struct pl_aspm_link *link)
{
	struct question q = {control, slot, link, ""};
	const char *why = NULL;

	pl_bdf_format(link->down[0].bdf, q.bdf);
	for (size_t i = 0; !why && i < sizeof(questions) / sizeof(questions[0]); i++)
		why = questions[i](&q);
	return why;
}
