#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link/act.h"
#include "link/control.h"

static const struct pl_aspm_link *found_of(struct pl_link_control *control,
					   const struct path_control *p, size_t i,
					   struct pl_aspm_link *buffer)
{
	const struct link_status *status = &control->status[p->link_index[i]];

	*buffer = *p->path.links[i];
	if (status->is_raised)
		memcpy(buffer->attr, status->raised, sizeof(buffer->attr));
	return buffer;
}

static int refuse(struct pl_link_check *check, const char *why)
{
	*check = (struct pl_link_check){.verdict = PL_VERDICT_NOT_SET};
	snprintf(check->why, sizeof(check->why), "%s", why);
	return 0;
}

/* Both ends must be awake: the kernel does not set substates of a device that is not in D0. */
static bool is_awake(struct pl_link_control *control, struct pl_bdf bdf)
{
	char path[PL_LINK_PATH_BYTES], text[32];

	if (pl_link_read_line(&control->root, pl_link_device_path(path, bdf, "power_state"), text,
			      sizeof(text)))
		return true; /* kernels before 5.11 do not say */
	return !strcmp(text, "D0") || !strcmp(text, "unknown");
}

static const char *find_sleeper(struct pl_link_control *control, const struct path_control *p)
{
	char bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < p->path.link_count; i++) {
		const struct pl_aspm_link *link = p->path.links[i];
		const struct pl_aspm_function *f =
			is_awake(control, link->up.bdf) ? link->down : &link->up;

		if (!is_awake(control, f->bdf))
			return pl_arena_printf(&control->run->arena,
					       "%s is not in power state D0; hold it awake first",
					       pl_bdf_format(f->bdf, bdf));
	}
	return NULL;
}

/*
 * Turning L1 off also marks every substate as disabled in the kernel (since about 6.7). A substate
 * that was off stays marked until reboot: writing 1 to undo that could turn on what a driver had
 * turned off.
 */
static void announce_mark(struct pl_link_control *control, size_t index)
{
	const struct pl_aspm_link *link = &control->run->aspm_links[index];
	char bdf[PL_BDF_TEXT], names[128] = "";
	size_t used = 0;

	if (control->status[index].is_announced || link->attr[PL_ATTR_L1] != 1)
		return;
	control->status[index].is_announced = true;
	for (int i = PL_ATTR_L1_1; i < PL_ATTR_COUNT; i++)
		if (link->attr[i] == 0 && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", pl_aspm_attr_name(i));
	if (used)
		pl_run_warn(control->run, "W-ASPM-MARK", "info",
			    pl_bdf_format(link->down[0].bdf, bdf),
			    "%s %s off and stay marked as disabled in the kernel until reboot, so "
			    "that a later change of the ASPM policy does not turn them on",
			    names, strchr(names, ',') ? "were" : "was");
}

/* Whether the link has to be written at all. */
static bool must_write(struct pl_link_control *control, const struct path_control *p, size_t i,
		       unsigned target)
{
	const struct pl_aspm_link *link = p->path.links[i];

	return control->status[p->link_index[i]].is_changed ||
	       target != pl_link_possible_states(link);
}

static int write_link(struct pl_link_control *control, struct path_control *p, size_t i,
		      unsigned target, struct pl_err *err)
{
	struct link_status *status = &control->status[p->link_index[i]];
	struct pl_aspm_link found;
	int rc;

	if (!must_write(control, p, i, target))
		return 0;
	status->is_changed = true;
	announce_mark(control, p->link_index[i]);
	rc = pl_link_apply(control->io, &control->root, found_of(control, p, i, &found), target,
			   err);
	if (rc && rc != -ENODEV && rc != -ENOENT)
		status->broken = pl_arena_strdup(&control->run->arena, err->text);
	return rc;
}

/* Leaf to root, as the kernel itself walks. */
static int write_path(struct pl_link_control *control, struct path_control *p,
		      const struct pl_link_state *state, struct pl_err *err)
{
	int rc = 0;

	for (size_t i = p->path.link_count; !rc && i-- > 0;)
		rc = write_link(control, p, i, state->targets[i], err);
	return rc;
}

static bool is_shared(const struct path_control *p, size_t index)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (p->link_index[i] == index)
			return true;
	return false;
}

/* What o has of its own goes back. is_lost: a device of it is gone, or another is in its place. */
static int restore_other(struct pl_link_control *control, struct path_control *o,
			 const struct path_control *p, bool *is_lost, struct pl_err *err)
{
	int rc = 0;

	for (size_t i = o->path.link_count; i-- > 0;) {
		struct link_status *status = &control->status[o->link_index[i]];
		int link_rc;

		if (!status->is_changed || is_shared(p, o->link_index[i]))
			continue;
		link_rc = pl_link_restore_link(o->path.links[i], &control->root, control->io, err);
		*is_lost |= link_rc == -ENODEV;
		rc = link_rc == -EIO ? -EIO : rc;
		status->is_changed = false;
	}
	o->now = NULL;
	return rc;
}

/*
 * Links of other paths that are not as found: back, so that one state is one state. A path that is
 * found to be gone then is given up; errors on it stop the run as everywhere.
 */
static int restore_others(struct pl_link_control *control, const struct path_control *p,
			  struct pl_link_check *check, struct pl_err *err)
{
	int rc = 0;

	for (struct path_control *o = control->paths; !rc && o; o = o->next) {
		bool is_lost = false;

		if (o == p)
			continue;
		rc = restore_other(control, o, p, &is_lost, err);
		if (rc || !is_lost)
			continue;
		pl_link_check_path(control, o, check);
		rc = pl_link_act_on_check(control, o, check, err);
		if (check->must_stop)
			return rc;
	}
	*check = (struct pl_link_check){.verdict = PL_VERDICT_NONE};
	return rc;
}

static const char *find_broken(struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (control->status[p->link_index[i]].broken)
			return control->status[p->link_index[i]].broken;
	return NULL;
}

static const char *find_refusal(struct pl_link_control *control, const struct path_control *p,
				const struct pl_link_state *state)
{
	if (!state->is_settable)
		return state->why_not;
	if (control->is_stopped)
		return "the run was stopped; nothing is set any more";
	if (control->options.is_dry_run)
		return "a dry run changes nothing";
	return find_broken(control, p);
}

static bool needs_writes(struct pl_link_control *control, const struct path_control *p,
			 const struct pl_link_state *state)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (must_write(control, p, i, state->targets[i]))
			return true;
	return false;
}

/* A write failed half way: the path goes back to as found, the sentence is the verdict's. */
static int undo(struct pl_link_control *control, struct path_control *p,
		struct pl_link_check *check, const struct pl_err *cause, struct pl_err *err)
{
	int rc = pl_link_unraise(control, err);

	p->now = NULL;
	for (size_t i = p->path.link_count; i-- > 0;) {
		struct link_status *status = &control->status[p->link_index[i]];
		int link_rc = status->is_changed
				      ? pl_link_restore_link(p->path.links[i], &control->root,
							     control->io, err)
				      : 0;

		status->is_changed = link_rc == -EIO;
		rc = link_rc == -EIO ? -EIO : rc;
	}
	pl_link_check_path(control, p, check);
	check->verdict = PL_VERDICT_NOT_SET;
	if (!check->must_stop && !check->is_gone)
		snprintf(check->why, sizeof(check->why), "%s", cause->text);
	return rc;
}

/* Nothing is written to what does not answer. */
static bool has_gone(struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (pl_link_has_gone(&control->root, p->path.links[i], NULL))
			return true;
	return false;
}

static int set_with_writes(struct pl_link_control *control, struct path_control *p,
			   const struct pl_link_state *state, struct pl_link_check *check,
			   struct pl_err *err)
{
	const char *sleeper = find_sleeper(control, p);
	struct pl_err cause = {0, ""};
	int rc;

	if (sleeper || has_gone(control, p)) {
		pl_link_check_path(control, p, check);
		check->verdict = PL_VERDICT_NOT_SET;
		if (sleeper && !check->must_stop && !check->is_gone)
			return refuse(check, sleeper);
		return 0;
	}
	rc = pl_link_arm(control, NULL, 0, p, err);
	if (rc)
		return rc;
	rc = state->kind == PL_LINK_STATE_RAISED ? pl_link_raise(control, p, &cause) : 0;
	if (!rc)
		rc = write_path(control, p, state, &cause);
	if (rc)
		return undo(control, p, check, &cause, err);
	control->io->settle(control->io->ctx);
	return 0;
}

int pl_link_set_state(struct pl_link_control *control, const struct pl_link_path *path,
		      const struct pl_link_state *state, struct pl_link_check *check,
		      struct pl_err *err)
{
	struct path_control *p = pl_link_own(path);
	const char *why = needs_writes(control, p, state) ? find_refusal(control, p, state) : NULL;
	int rc = 0;

	if (p->why_lost) {
		pl_link_tell_lost(p, check);
		return 0;
	}
	if (why)
		return refuse(check, why);
	if (control->raised != p || state->kind != PL_LINK_STATE_RAISED)
		rc = pl_link_unraise(control, err);
	if (!rc)
		rc = restore_others(control, p, check, err);
	if (rc || check->must_stop)
		return rc;
	if (needs_writes(control, p, state))
		rc = set_with_writes(control, p, state, check, err);
	if (rc)
		return rc;
	if (check->verdict == PL_VERDICT_NOT_SET)
		return pl_link_act_on_check(control, p, check, err);
	p->now = state;
	p->was_confirmed = false;
	pl_link_check_path(control, p, check);
	return pl_link_act_on_check(control, p, check, err);
}

static size_t list_link(struct pl_link_control *control, const struct path_control *p, size_t i,
			unsigned target, const char **lines)
{
	struct pl_link_write writes[PL_LINK_WRITES_MAX];
	char path[PL_LINK_PATH_BYTES], name[32];
	struct pl_aspm_link found;
	size_t count;

	if (!must_write(control, p, i, target))
		return 0;
	count = pl_link_build_writes(found_of(control, p, i, &found)->attr, target, writes);
	for (size_t w = 0; w < count; w++) {
		snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(writes[w].attr));
		pl_link_device_path(path, found.down[0].bdf, name);
		lines[w] = pl_arena_printf(&control->run->arena, "/%s = %d", path, writes[w].value);
	}
	return count;
}

size_t pl_link_list_writes(struct pl_link_control *control, const struct pl_link_path *path,
			   const struct pl_link_state *state, const char *const **lines)
{
	const struct path_control *p = pl_link_own(path);
	const char **list = pl_arena_array(&control->run->arena,
					   path->link_count * PL_LINK_WRITES_MAX, sizeof(*list));
	size_t count = 0;

	for (size_t i = path->link_count; state->is_settable && i-- > 0;)
		count += list_link(control, p, i, state->targets[i], list + count);
	*lines = list;
	return count;
}
