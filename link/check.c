#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/act.h"
#include "link/control.h"
#include "link/decode.h"
#include "link/regs.h"

/* A copy of the link with room of its own, read anew. Free now->down. */
static int read_again(struct pl_link_control *control, const struct pl_aspm_link *found,
		      struct pl_aspm_link *now)
{
	size_t bytes = found->down_count * sizeof(*found->down);

	*now = *found;
	now->down = malloc(bytes);
	if (!now->down)
		return -ENOMEM;
	memcpy(now->down, found->down, bytes);
	pl_link_read_attrs(&control->root, found->down[0].bdf, now->attr);
	return pl_link_read_link(&control->root, now);
}

static bool attrs_show(const struct pl_aspm_link *now, unsigned target)
{
	for (int i = 0; i < PL_ATTR_COUNT; i++) {
		unsigned bit = pl_aspm_attr_bit(i) & PL_ASPM_STATES;

		if (bit && now->attr[i] >= 0 && (now->attr[i] == 1) != ((target & bit) != 0))
			return false;
	}
	return true;
}

static unsigned target_of(const struct path_control *p, size_t i)
{
	return p->now ? p->now->targets[i] : pl_link_possible_states(p->path.links[i]);
}

/* Then the words must be those of the start, however odd they were. */
static bool is_target_as_found(const struct path_control *p, size_t i)
{
	return target_of(p, i) == pl_link_possible_states(p->path.links[i]);
}

/* A file says that a state is on which no register shows. */
static bool claims_more(const struct pl_aspm_link *now)
{
	return pl_link_found_states(now->attr) & ~pl_link_possible_states(now);
}

static enum pl_aspm_verdict judge(const struct path_control *p, size_t i,
				  const struct pl_aspm_link *now)
{
	const struct pl_aspm_link *found = p->path.links[i];
	bool is_right = is_target_as_found(p, i) ? pl_link_is_as_found(now, found)
						 : pl_link_shows(now, found, target_of(p, i));

	if (now->enabled == PL_ASPM_UNKNOWN)
		return PL_VERDICT_UNREADABLE;
	if (is_right)
		return claims_more(now) ? PL_VERDICT_KERNEL_ONLY : PL_VERDICT_CONFIRMED;
	if (p->was_confirmed || !p->now)
		return PL_VERDICT_REVERTED;
	if (found->owner != PL_OWNER_KERNEL)
		return PL_VERDICT_FIRMWARE_OWNED;
	return attrs_show(now, target_of(p, i)) ? PL_VERDICT_KERNEL_ONLY : PL_VERDICT_NOT_SET;
}

/* Only what a state is made of: clock and PCI-PM bits are no part of the question. */
static const char *show_states(const struct pl_aspm_function *f, char *out, size_t size)
{
	unsigned states = f->enabled == PL_ASPM_UNKNOWN ? f->enabled : f->enabled & PL_ASPM_STATES;

	return pl_aspm_format(states, out, size);
}

static void explain(struct pl_link_check *check, const struct pl_aspm_link *now, unsigned target,
		    enum pl_aspm_verdict verdict)
{
	char bdf[PL_BDF_TEXT], want[64], up[64], down[64];

	if (check->why[0])
		return;
	if (verdict == PL_VERDICT_UNREADABLE) {
		snprintf(check->why, sizeof(check->why),
			 "%s: the link registers cannot be read (root is needed)",
			 pl_bdf_format(now->down[0].bdf, bdf));
		return;
	}
	if (claims_more(now)) {
		snprintf(check->why, sizeof(check->why),
			 "%s: %s: its files say %s, the registers show %s above and %s below",
			 pl_bdf_format(now->down[0].bdf, bdf), pl_aspm_verdict_name(verdict),
			 pl_aspm_format(pl_link_found_states(now->attr), want, sizeof(want)),
			 show_states(&now->up, up, sizeof(up)),
			 show_states(&now->down[0], down, sizeof(down)));
		return;
	}
	snprintf(check->why, sizeof(check->why),
		 "%s: %s: wanted %s, the registers show %s above and %s below",
		 pl_bdf_format(now->down[0].bdf, bdf), pl_aspm_verdict_name(verdict),
		 pl_aspm_format(target, want, sizeof(want)), show_states(&now->up, up, sizeof(up)),
		 show_states(&now->down[0], down, sizeof(down)));
}

/* Also another function of the same device. */
static bool is_of_device(const struct pl_slot *slot, struct pl_bdf bdf)
{
	if (slot->device)
		bdf.fn = slot->device->bdf.fn;
	return !slot->device || pl_bdf_is_equal(slot->device->bdf, bdf);
}

/* Whether it is the device of the slot or something above it that vanished, and how it shows. */
void pl_link_mark_gone(struct pl_link_control *control, const struct path_control *p,
		       struct pl_bdf bdf, struct pl_link_check *check)
{
	char path[PL_LINK_PATH_BYTES], text[PL_BDF_TEXT];

	check->is_gone = true;
	snprintf(check->why, sizeof(check->why), "%s: the %s is gone (%s)",
		 pl_bdf_format(bdf, text),
		 is_of_device(p->path.slot, bdf) ? "device" : "bridge above the device",
		 pl_sysroot_exists(&control->root, pl_link_device_path(path, bdf, "config"))
			 ? "registers read as all ones"
			 : "the kernel has removed it");
}

/* From the root port down: the first one that is gone took the rest with it. */
static void find_gone(struct pl_link_control *control, const struct path_control *p,
		      struct pl_link_check *check)
{
	struct pl_bdf bdf;

	for (size_t i = 0; i < p->path.link_count && !check->is_gone; i++)
		if (pl_link_has_gone(&control->root, p->path.links[i], &bdf))
			pl_link_mark_gone(control, p, bdf, check);
}

static void check_link(struct pl_link_control *control, struct path_control *p, size_t i,
		       struct pl_link_check *check)
{
	struct pl_aspm_link now;
	int rc = read_again(control, p->path.links[i], &now);

	check->link[i] = rc ? PL_VERDICT_UNREADABLE : judge(p, i, &now);
	check->enabled[i] = rc ? PL_ASPM_UNKNOWN : now.enabled;
	if (check->link[i] != PL_VERDICT_CONFIRMED)
		explain(check, &now, target_of(p, i), check->link[i]);
	check->speed_mts = pl_link_decode_speed_mts(now.down ? now.down[0].lnksta : 0);
	check->width = pl_link_decode_width(now.down ? now.down[0].lnksta : 0);
	if (check->link[i] > check->verdict)
		check->verdict = check->link[i];
	free(now.down);
}

static void check_policy(struct pl_link_control *control, struct pl_link_check *check)
{
	char now[PL_JOURNAL_VALUE_BYTES];

	if (!control->policy[0] || control->journal.policy[0] ||
	    pl_link_read_policy(&control->root, now, sizeof(now)) || !strcmp(now, control->policy))
		return;
	if (!check->why[0])
		snprintf(
			check->why, sizeof(check->why),
			"someone changed the ASPM policy from %s to %s during the run (TLP, tuned, "
			"power-profiles-daemon?)",
			control->policy, now);
	if (check->verdict <= PL_VERDICT_CONFIRMED)
		check->verdict = PL_VERDICT_REVERTED;
}

void pl_link_check_path(struct pl_link_control *control, struct path_control *p,
			struct pl_link_check *check)
{
	*check = (struct pl_link_check){.verdict = PL_VERDICT_NONE};
	for (size_t i = 0; i < p->path.link_count; i++)
		check_link(control, p, i, check);
	check_policy(control, check);
	if (check->verdict == PL_VERDICT_UNREADABLE)
		find_gone(control, p, check);
	pl_link_check_errors(control, p, check);
	if (check->verdict == PL_VERDICT_CONFIRMED)
		p->was_confirmed = true;
}

/* Error counters: put all back at once. A vanished device: its own path. */
int pl_link_act_on_check(struct pl_link_control *control, struct path_control *p,
			 struct pl_link_check *check, struct pl_err *err)
{
	if (check->must_stop) {
		control->is_stopped = true;
		pl_run_warn(control->run, "W-ASPM-STOP", "error", NULL, "%s", check->why);
		return pl_link_restore(control, err);
	}
	if (!check->is_gone)
		return 0;
	p->is_absent = true;
	return pl_link_give_up(control, &p->path, check->why, err);
}

int pl_link_verify(struct pl_link_control *control, const struct pl_link_path *path,
		   struct pl_link_check *check, struct pl_err *err)
{
	struct path_control *p = pl_link_own(path);

	if (p->why_lost) {
		pl_link_tell_lost(p, check);
		return 0;
	}
	pl_link_check_path(control, p, check);
	return pl_link_act_on_check(control, p, check, err);
}
