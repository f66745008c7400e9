#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/act.h"
#include "link/control.h"
#include "link/decode.h"
#include "link/regs.h"

/*
 * Raising one path above what firmware enabled. The kernel's policy is global, so every state that
 * is off elsewhere is pinned first: a 0 into a file that reads 0 changes no register, but marks the
 * state as disabled. Then the policy turns on what is neither pinned nor marked by a driver: the
 * path. The pins stay until reboot; lifting them could lift a driver's own mark.
 */

/* Devices that are known not to stand a state: never raised. */
static const struct {
	uint16_t vendor_id, device_id;
	unsigned states;
	const char *why;
} denied[] = {
	{0x1b21, 0x1080, PL_ASPM_STATES, "ASM1083: L0s breaks the port above (Linux quirk)"},
	{0x8086, 0x10a7, PL_ASPM_L0S, "82575: L0s erratum (Linux quirk)"},
	{0x8086, 0x10a9, PL_ASPM_L0S, "82575: L0s erratum (Linux quirk)"},
	{0x8086, 0x10d6, PL_ASPM_L0S, "82575: L0s erratum (Linux quirk)"},
	{0x8086, 0x10c6, PL_ASPM_L0S, "82598: L0s erratum (Linux quirk)"},
	{0x8086, 0x10c7, PL_ASPM_L0S, "82598: L0s erratum (Linux quirk)"},
	{0x8086, 0x10c8, PL_ASPM_L0S, "82598: L0s erratum (Linux quirk)"},
	{0x8086, 0x125b, PL_ASPM_L1_2, "I226: L1.2 exit outlasts its packet buffer (igc driver)"},
	{0x8086, 0x125c, PL_ASPM_L1_2, "I226: L1.2 exit outlasts its packet buffer (igc driver)"},
	{0x15b7, 0x5015, PL_ASPM_L1, "SN740: receiver errors with L1 (linux-pci report)"},
	{0x1957, 0x0451, PL_ASPM_STATES, "Freescale port: ASPM removed by a Linux quirk"},
	{0x1959, 0xa002, PL_ASPM_STATES, "PA Semi port: ASPM removed by a Linux quirk"},
	{0x19e5, 0x1105, PL_ASPM_STATES, "Hi1105: ASPM removed by a Linux quirk"},
};

static unsigned find_denied(const struct pl_aspm_function *f, const char **why)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++) {
		if (denied[i].vendor_id != f->vendor_id || denied[i].device_id != f->device_id)
			continue;
		*why = denied[i].why;
		return denied[i].states;
	}
	return 0;
}

static const char *ask_denied(struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++) {
		const struct pl_aspm_link *link = p->path.links[i];
		const char *why = NULL;
		unsigned states = find_denied(&link->up, &why);
		char bdf[PL_BDF_TEXT];

		for (size_t f = 0; f < link->down_count; f++)
			states |= find_denied(&link->down[f], &why);
		if (states)
			return pl_arena_printf(&control->run->arena, "%s: %s",
					       pl_bdf_format(link->down[0].bdf, bdf), why);
	}
	return NULL;
}

/* A setting that the kernel's files cannot put back anywhere would not survive a policy change. */
static const char *ask_all_links(struct pl_link_control *control, const struct path_control *p)
{
	const struct pl_run *run = control->run;

	(void)p;
	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_link *link = &run->aspm_links[i];
		char bdf[PL_BDF_TEXT];

		for (size_t f = 0; f < link->down_count; f++)
			if ((link->up.lnkctl ^ link->down[f].lnkctl) & PL_LINK_LNKCTL_ASPM_MASK)
				return pl_arena_printf(
					&control->run->arena,
					"the ends of the link to %s do not have the same states "
					"enabled, which a policy change could not leave alone",
					pl_bdf_format(link->down[f].bdf, bdf));
	}
	return NULL;
}

static const char *ask_gate(struct pl_link_control *control, const struct path_control *p)
{
	(void)control;
	for (size_t i = 0; i < p->path.link_count; i++)
		if (p->why_not[i])
			return p->why_not[i];
	return NULL;
}

static const char *ask_policy(struct pl_link_control *control, const struct path_control *p)
{
	int rc = pl_link_can_write(&control->root, PL_LINK_POLICY);

	(void)p;
	if (control->policy[0] && !rc)
		return NULL;
	return pl_arena_printf(&control->run->arena, "/%s: %s: %s", PL_LINK_POLICY,
			       strerror(rc ? -rc : ENOENT), pl_link_cause(rc ? -rc : ENOENT));
}

/* The numbers of the device that holds "/", or false when it is not a block device. */
static bool find_root_device(const struct pl_sysroot *root, char *out, size_t size)
{
	struct pl_arena arena = {NULL};
	char *text, *line, *rest = NULL;
	bool found = false;

	if (pl_sysroot_read(root, "proc/self/mountinfo", &arena, &text, NULL))
		return false;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned major, minor;
		char point[256];

		/* "36 35 98:0 /subtree /mount/point …" */
		if (sscanf(line, "%*d %*d %u:%u %*s %255s", &major, &minor, point) != 3 ||
		    strcmp(point, "/") || !major)
			continue;
		snprintf(out, size, "sys/dev/block/%u:%u", major, minor);
		found = true;
	}
	pl_arena_fini(&arena);
	return found;
}

static const char *ask_root_drive(struct pl_link_control *control, const struct path_control *p)
{
	const struct pl_slot *slot = p->path.slot;
	char link[64], target[1024], bdf[PL_BDF_TEXT];
	ssize_t length;

	if (!slot->device || slot->device->kind != PL_DEVICE_NVME ||
	    !find_root_device(&control->root, link, sizeof(link)))
		return NULL;
	length = readlinkat(control->root.fd, link, target, sizeof(target) - 1);
	if (length <= 0)
		return "it cannot be told which drive holds the root file system";
	target[length] = '\0';
	if (strstr(target, "/virtual/"))
		return "the root file system is on a mapped device: any drive may be below it";
	if (strstr(target, pl_bdf_format(slot->device->bdf, bdf)))
		return "the drive holds the root file system";
	return NULL;
}

const char *pl_link_find_raise_obstacle(struct pl_link_control *control,
					const struct path_control *path)
{
	static const char *(*const questions[])(struct pl_link_control * control,
						const struct path_control *p) = {
		ask_gate, ask_policy, ask_denied, ask_all_links, ask_root_drive,
	};
	const char *why = NULL;

	for (size_t i = 0; !why && i < sizeof(questions) / sizeof(questions[0]); i++)
		why = questions[i](control, path);
	return why;
}

static bool is_own_link(const struct path_control *p, size_t index)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (p->link_index[i] == index)
			return true;
	return false;
}

/* On the path itself only what a measurement does not want to change with the state. */
static bool must_pin(enum pl_aspm_attr attr, bool is_own)
{
	return !is_own || !(pl_aspm_attr_bit(attr) & PL_ASPM_STATES);
}

static int pin_all(struct pl_link_control *control, const struct path_control *p, size_t *pins,
		   struct pl_err *err)
{
	const struct pl_run *run = control->run;
	int rc = 0;

	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_link *link = &run->aspm_links[i];

		for (int a = 0; !rc && a < PL_ATTR_COUNT; a++) {
			if (link->attr[a] != 0 || !must_pin(a, is_own_link(p, i)))
				continue;
			rc = pl_link_write_attr(control->io, &control->root, link->down[0].bdf,
						(struct pl_link_write){a, 0}, err);
			if (rc && !is_own_link(p, i) &&
			    pl_link_has_gone(&control->root, link, NULL)) {
				rc = 0; /* nothing is there that the policy could change */
				break;
			}
			(*pins)++;
		}
	}
	return rc;
}

/* Nothing but the path may have changed. */
static int check_others(struct pl_link_control *control, const struct path_control *p,
			struct pl_err *err)
{
	const struct pl_run *run = control->run;

	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_link *link = &run->aspm_links[i];
		struct pl_aspm_function f;
		char bdf[PL_BDF_TEXT];

		if (is_own_link(p, i) || link->enabled == PL_ASPM_UNKNOWN ||
		    pl_link_read_function(&control->root, link->up.bdf, &f))
			continue;
		/* The kernel clears the port above a device that it removes. */
		if ((f.lnkctl ^ link->up.lnkctl) & PL_LINK_LNKCTL_MASK &&
		    !pl_link_has_gone(&control->root, link, NULL))
			return pl_fail(err, -EIO, "raising changed the link below %s as well",
				       pl_bdf_format(link->up.bdf, bdf));
	}
	return 0;
}

static void note_raised(struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++) {
		struct link_status *status = &control->status[p->link_index[i]];

		if (!status->was_raised)
			pl_link_read_attrs(&control->root, p->path.links[i]->down[0].bdf,
					   status->raised);
		status->was_raised = true;
		status->is_raised = status->is_changed = true;
	}
}

static bool wants_substates(const struct path_control *p)
{
	for (size_t s = 0; s < p->path.state_count; s++)
		for (size_t i = 0; i < p->path.link_count; i++)
			if (p->path.states[s].targets[i] & (PL_ASPM_L1_1 | PL_ASPM_L1_2))
				return true;
	return false;
}

int pl_link_raise(struct pl_link_control *control, struct path_control *path, struct pl_err *err)
{
	struct pl_journal *journal = &control->journal;
	size_t pins = 0;
	int rc;

	if (control->raised == path)
		return 0;
	if (!journal->policy[0]) {
		snprintf(journal->policy, sizeof(journal->policy), "%s", control->policy);
		rc = pl_journal_write(journal, &control->root, err);
		if (rc)
			return rc;
	}
	rc = pin_all(control, path, &pins, err);
	if (!rc) {
		control->raised = path;
		rc = pl_link_put_policy(control->io, &control->root,
					wants_substates(path) ? "powersupersave" : "powersave",
					err);
	}
	note_raised(control, path);
	if (!rc)
		rc = check_others(control, path, err);
	if (pins)
		pl_run_warn(control->run, "W-ASPM-PINS", "warning", path->path.slot->key,
			    "%zu states that were off are marked as disabled in the kernel until "
			    "reboot, so that raising this path leaves the other links alone",
			    pins);
	return rc;
}

int pl_link_unraise(struct pl_link_control *control, struct pl_err *err)
{
	struct path_control *p = control->raised;
	int rc;

	if (!p)
		return 0;
	rc = pl_link_put_policy(control->io, &control->root, control->policy, err);
	if (rc)
		return rc;
	control->raised = NULL;
	for (size_t i = p->path.link_count; i-- > 0;) {
		struct link_status *status = &control->status[p->link_index[i]];

		status->is_raised = false;
		if (pl_link_restore_link(p->path.links[i], &control->root, control->io, err) ==
		    -EIO)
			rc = -EIO;
		else
			status->is_changed = false;
	}
	return rc;
}
