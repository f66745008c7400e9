#include "link/control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/act.h"
#include "link/apply.h"
#include "link/lock.h"
#include "link/regs.h"
#include "link/scan.h"
#include "link/states.h"

static const char *keep_text(struct pl_link_control *control, const char *text)
{
	return pl_arena_strdup(&control->run->arena, text);
}

static void warn_repair(struct pl_run *run, const struct pl_link_repair *repair)
{
	if (repair->found || repair->by_guard)
		pl_run_warn(run, "W-ASPM-REPAIRED", "warning", NULL, "%s", repair->text);
}

/*
 * Only who holds the lock repairs and changes; without it everything is measured as found. A
 * journal that cannot be put back is an error: measuring on top of it would report its state.
 */
static int take_machine(struct pl_link_control *control, struct pl_err *err)
{
	struct pl_link_repair repair = {.found = false};
	struct pl_err why = {0, ""};
	int rc;

	if (control->options.is_dry_run)
		return 0;
	control->lock_fd = pl_link_lock(&control->root, &why);
	if (control->lock_fd < 0) {
		control->why_not = keep_text(control, why.text);
		return 0;
	}
	rc = pl_link_repair_locked(&control->root, control->io, &repair, err);
	warn_repair(control->run, &repair);
	return rc;
}

static void set_mode(struct pl_link_control *control)
{
	if (control->options.mode == PL_LINK_OBSERVE)
		control->why_not = "--aspm off: link states are observed, not changed";
}

static bool has_any_file(const struct pl_run *run)
{
	for (size_t i = 0; i < run->aspm_link_count; i++)
		for (int a = 0; a < PL_ATTR_COUNT; a++)
			if (run->aspm_links[i].attr[a] >= 0)
				return true;
	return false;
}

/*
 * Asks the kernel whether it owns ASPM without changing anything: writing the policy that is set
 * returns at once, or fails with EPERM when ASPM is not the kernel's.
 */
static void ask_kernel(struct pl_link_control *control)
{
	struct pl_run *run = control->run;

	if (control->lock_fd < 0 || !control->policy[0] || has_any_file(run))
		return;
	if (control->io->write_text(control->io->ctx, &control->root, PL_LINK_POLICY,
				    control->policy) != -EPERM)
		return;
	for (size_t i = 0; i < run->aspm_link_count; i++)
		if (run->aspm_links[i].owner != PL_OWNER_PCIE_ASPM_OFF)
			run->aspm_links[i].owner = PL_OWNER_FIRMWARE;
}

static int look(struct pl_link_control *control, struct pl_err *err)
{
	struct pl_run *run = control->run;
	int rc = pl_link_scan(run, &control->root, err);

	if (rc)
		return rc;
	if (pl_link_read_policy(&control->root, control->policy, sizeof(control->policy)))
		control->policy[0] = '\0';
	ask_kernel(control);
	for (size_t i = 0; i < run->aspm_link_count; i++)
		pl_link_flag(run, &run->aspm_links[i]);
	control->status =
		pl_arena_array(&run->arena, run->aspm_link_count, sizeof(*control->status));
	return 0;
}

static void free_control(struct pl_link_control *control)
{
	pl_journal_fini(&control->journal);
	if (control->lock_fd >= 0)
		close(control->lock_fd);
	if (control->root.fd >= 0)
		close(control->root.fd);
	free(control);
}

int pl_link_open(struct pl_run *run, const struct pl_sysroot *root,
		 const struct pl_link_options *options, struct pl_link_control **control,
		 struct pl_err *err)
{
	struct pl_link_control *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return pl_fail(err, -ENOMEM, "out of memory");
	c->run = run;
	c->options = *options;
	c->io = options->io ? options->io : &pl_link_io_files;
	c->lock_fd = -1;
	c->root = *root;
	c->root.fd = fcntl(root->fd, F_DUPFD_CLOEXEC, 3);
	pl_journal_read_boot_id(root, c->journal.boot_id);
	c->journal.pid = (long)getpid();
	rc = c->root.fd < 0 ? pl_fail(err, -errno, "%s: %s", root->path, strerror(errno))
			    : take_machine(c, err);
	if (!rc)
		rc = look(c, err);
	set_mode(c);
	if (rc) {
		free_control(c);
		return rc;
	}
	*control = c;
	return 0;
}

/* The link below this port, or the number of links when there is none. */
static size_t find_link(const struct pl_run *run, struct pl_bdf up)
{
	size_t i = 0;

	while (i < run->aspm_link_count && !pl_bdf_is_equal(run->aspm_links[i].up.bdf, up))
		i++;
	return i;
}

static void collect_links(struct pl_link_control *control, struct path_control *p)
{
	const struct pl_slot *slot = p->path.slot;
	struct pl_run *run = control->run;

	for (size_t i = 0; i < slot->path_count && p->path.link_count < PL_LINK_PATH_MAX; i++) {
		size_t index = find_link(run, slot->path[i]);

		if (index == run->aspm_link_count)
			continue;
		p->link_index[p->path.link_count] = index;
		p->path.links[p->path.link_count++] = &run->aspm_links[index];
	}
}

static bool is_on_path(const struct path_control *p, struct pl_bdf bdf)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		for (size_t f = 0; f < p->path.links[i]->down_count; f++)
			if (pl_bdf_is_equal(p->path.links[i]->down[f].bdf, bdf))
				return true;
	return false;
}

/* A chipset that is passed without a link of the path ending in it: DMI, A-Link, Infinity Fabric.
 */
static const char *find_hidden_link(struct pl_link_control *control, const struct path_control *p)
{
	const struct pl_slot *slot = p->path.slot;

	for (size_t i = 0; i < slot->via_count; i++)
		if (slot->via[i].kind == PL_VIA_CHIPSET && !is_on_path(p, slot->via[i].bdf))
			return pl_arena_printf(
				&control->run->arena,
				"the link between the CPU and the chipset (%s) has no "
				"registers that can be read: its state is firmware's",
				slot->via[i].name ? slot->via[i].name : "unnamed");
	return NULL;
}

static unsigned found_states(const struct pl_aspm_link *link)
{
	if (link->enabled != PL_ASPM_UNKNOWN)
		return pl_link_possible_states(link);
	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (link->attr[i] >= 0)
			return pl_link_found_states(link->attr);
	return PL_ASPM_UNKNOWN;
}

static unsigned available_states(const struct pl_aspm_link *link)
{
	unsigned states = 0;

	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (link->attr[i] >= 0)
			states |= pl_aspm_attr_bit(i) & PL_ASPM_STATES;
	return states;
}

static void build_states(struct pl_link_control *control, struct path_control *p)
{
	struct pl_link_choice choices[PL_LINK_PATH_MAX];
	struct pl_run *run = control->run;
	bool may_raise = control->options.mode == PL_LINK_RAISE;
	size_t fixed = 0;

	for (size_t i = 0; i < p->path.link_count; i++) {
		const struct pl_aspm_link *link = p->path.links[i];

		p->why_not[i] = pl_link_find_obstacle(control, p->path.slot, link);
		choices[i] = (struct pl_link_choice){found_states(link), available_states(link),
						     p->why_not[i]};
		fixed += p->why_not[i] != NULL;
	}
	if (fixed && fixed == p->path.link_count)
		p->path.why_fixed = p->why_not[p->path.link_count - 1];
	if (may_raise && pl_link_find_raise_obstacle(control, p)) {
		pl_run_warn(run, "W-ASPM-RAISE", "warning", p->path.slot->key, "not raised: %s",
			    pl_link_find_raise_obstacle(control, p));
		may_raise = false;
	}
	pl_link_build_states(&run->arena, choices, p->path.link_count, may_raise, &p->path);
	p->path.is_control_meaningful = pl_link_find_state(&p->path, "uplink_only") != NULL;
}

const struct pl_link_path *pl_link_find_path(struct pl_link_control *control,
					     const struct pl_slot *slot)
{
	struct path_control *p;

	for (p = control->paths; p; p = p->next)
		if (p->path.slot == slot)
			return &p->path;
	p = pl_arena_alloc(&control->run->arena, sizeof(*p));
	p->path.slot = slot;
	p->next = control->paths;
	control->paths = p;
	collect_links(control, p);
	p->path.hidden_link = find_hidden_link(control, p);
	if (p->path.link_count)
		build_states(control, p);
	else
		p->path.why_fixed = "no link of this path has registers or kernel files";
	pl_link_note_errors(control, p);
	return &p->path;
}

const struct pl_link_state *pl_link_find_state(const struct pl_link_path *path, const char *name)
{
	for (size_t i = 0; i < path->state_count; i++)
		if (!strcmp(path->states[i].name, name))
			return &path->states[i];
	/* Nothing was enabled: then off is how it was found. */
	if (path->state_count && !strcmp(name, "as_found"))
		return &path->states[0];
	return NULL;
}

int pl_link_close(struct pl_link_control *control, struct pl_err *err)
{
	int rc;

	if (!control)
		return 0;
	rc = pl_link_restore(control, err);
	pl_link_guard_dismiss(&control->guard);
	free_control(control);
	return rc;
}
