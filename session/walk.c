#include "session/walk.h"

#include <string.h>

static bool is_interrupted(const struct pl_walk *walk)
{
	const struct pl_session_hooks *hooks = walk->options->hooks;

	return hooks && hooks->is_interrupted && hooks->is_interrupted(hooks->ctx);
}

static void tell(const struct pl_walk *walk, const struct pl_measurement *m)
{
	const struct pl_session_hooks *hooks = walk->options->hooks;

	if (hooks && hooks->progress)
		hooks->progress(hooks->ctx, walk->run, m, walk->done, walk->total);
}

/* The path of a series, or NULL when it crosses no link. */
static const struct pl_link_path *path_of(const struct pl_walk *walk,
					  const struct pl_measurement *m)
{
	const struct pl_link_path *path;

	if (!walk->options->links || !m->slot || m->is_off_path)
		return NULL;
	path = pl_link_find_path(walk->options->links, m->slot);
	return path->link_count ? path : NULL;
}

static const char *cpus_of(const struct pl_slot *slot)
{
	return slot && slot->device ? slot->device->local_cpus : NULL;
}

int pl_walk_hold(struct pl_walk *walk, const struct pl_slot *slot, struct pl_err *err)
{
	const char *cpus = cpus_of(slot);
	int rc;

	if (walk->env.cstates[0] &&
	    (!cpus || (walk->local_cpus && !strcmp(cpus, walk->local_cpus))))
		return 0;
	pl_env_release(&walk->env);
	rc = pl_env_hold(&walk->env, walk->wanted_cpu, cpus, err);
	walk->local_cpus = cpus;
	walk->run->cpu = walk->env.cpu;
	return rc;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct pl_group *group_for(struct pl_walk *walk, const struct pl_group *like)
{
	struct pl_group *group;

	for (size_t i = 0; i < walk->group_count; i++) {
		group = &walk->groups[i];
		if (group->slot == like->slot && group->state == like->state &&
		    is_same_text(group->name, like->name) &&
		    group->is_apst_off == like->is_apst_off)
			return group;
	}
	group = &walk->groups[walk->group_count];
	walk->group_order[walk->group_count] = walk->group_count;
	walk->group_count++;
	*group = *like;
	group->tracks =
		pl_arena_array(&walk->run->arena, walk->track_count, sizeof(group->tracks[0]));
	return group;
}

/* The state that a series asks for; the control sets the links off like the arm it stands beside.
 */
static const struct pl_link_state *find_state(const struct pl_link_path *path, const char *name)
{
	if (name && !strcmp(name, "off_again"))
		name = "off";
	return pl_link_find_state(path, name);
}

/* What is held for a slot from here to the end; what cannot be held is a warning, once. */
static void hold_slot(struct pl_walk *walk, const struct pl_link_path *path)
{
	struct pl_err err = {0, ""};

	if (path && pl_link_hold_power(walk->options->links, path, &err))
		pl_run_warn(walk->run, "W-POWER", "warning", path->slot->label,
			    "runtime power management is not held: %s", err.text);
}

void pl_walk_group(struct pl_walk *walk)
{
	struct pl_arena *arena = &walk->run->arena;

	walk->groups = pl_arena_array(arena, walk->track_count, sizeof(walk->groups[0]));
	walk->group_order = pl_arena_array(arena, walk->track_count, sizeof(walk->group_order[0]));
	for (size_t i = 0; i < walk->track_count; i++) {
		const struct pl_measurement *m = walk->tracks[i].m;
		struct pl_group like = {.slot = m->slot, .watched = path_of(walk, m)};
		struct pl_group *group;

		if (like.watched && like.watched->state_count > 1 && !like.watched->why_fixed)
			like.path = like.watched;
		if (like.path)
			like.state = find_state(like.path, m->conditions.state);
		if (like.state)
			like.name = m->conditions.state;
		else
			like.path = NULL;
		like.is_apst_off = walk->options->links && m->conditions.apst &&
				   !strcmp(m->conditions.apst, "off");
		group = group_for(walk, &like);
		if (!group->count)
			hold_slot(walk, group->path);
		group->tracks[group->count++] = i;
	}
}

static bool group_is_due(const struct pl_walk *walk, const struct pl_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (walk->tracks[group->tracks[i]].is_due && walk->tracks[group->tracks[i]].is_live)
			return true;
	return false;
}

/* What the registers said that is not the state of this group; NULL when all is well. */
static const char *judge(struct pl_walk *walk, int rc, const struct pl_link_check *check,
			 const struct pl_err *err)
{
	if (check->must_stop || rc)
		walk->must_stop = true;
	if (rc)
		return err->text;
	return check->verdict == PL_VERDICT_CONFIRMED ? NULL : check->why;
}

static void skip_group(struct pl_walk *walk, struct pl_group *group, const char *why)
{
	for (size_t i = 0; i < group->count; i++) {
		struct pl_track *track = &walk->tracks[group->tracks[i]];

		if (track->is_due && track->is_live)
			pl_track_skip_block(walk, track, why);
	}
}

/* The blocks that a group took in this round do not count after all: the state was lost. */
static void void_round(struct pl_walk *walk, struct pl_group *group, unsigned round,
		       const char *why)
{
	for (size_t i = 0; i < group->count; i++) {
		struct pl_track *track = &walk->tracks[group->tracks[i]];
		struct pl_measurement *m = track->m;

		if (m->blocks_done != round + 1 || m->n == m->block_start[round])
			continue; /* it took none, or an empty one */
		m->n = m->block_start[round];
		m->blocks_done = round;
		pl_track_skip_block(walk, track, why);
	}
}

/* False when the run was interrupted. A device whose registers read as all ones ends the visit. */
static bool run_group_blocks(struct pl_walk *walk, struct pl_group *group)
{
	pl_rng_shuffle(&walk->rng, group->tracks, group->count);
	for (size_t i = 0; i < group->count; i++) {
		struct pl_track *track = &walk->tracks[group->tracks[i]];

		if (!track->is_due || !track->is_live)
			continue;
		if (is_interrupted(walk))
			return false;
		tell(walk, track->m);
		pl_track_run_block(walk, track);
		walk->done++;
		if (track->is_lost)
			return true;
	}
	return true;
}

/* Leaves the state of another slot before this one is touched. That one may be gone. */
static const char *leave(struct pl_walk *walk, const struct pl_group *next,
			 struct pl_link_check *check, struct pl_err *err)
{
	const struct pl_group *old = walk->entered;
	const struct pl_link_state *as_found;
	int rc;

	if (!old || old->slot == next->slot)
		return NULL;
	walk->entered = NULL;
	as_found = pl_link_find_state(old->path, "as_found");
	rc = pl_link_set_state(walk->options->links, old->path, as_found, check, err);
	if (rc || !check->is_gone)
		return judge(walk, rc, check, err);
	pl_walk_lose_slot(walk, old->slot, check->why);
	*check = (struct pl_link_check){.is_gone = false};
	return NULL;
}

/* Holds the power states of this group's drive off, or gives back the last drive its own. */
static const char *enter_apst(struct pl_walk *walk, const struct pl_group *group,
			      struct pl_err *err)
{
	const struct pl_slot *wanted = group->is_apst_off ? group->slot : NULL;
	const struct pl_slot *held = walk->held_apst;
	struct pl_link_control *links = walk->options->links;

	if (held == wanted)
		return NULL;
	/* One that cannot be given back now is tried again; it is nothing to another slot. */
	if (held && pl_link_set_apst(links, held, PL_LINK_APST_AS_FOUND, err))
		return wanted || held == group->slot ? err->text : NULL;
	walk->held_apst = NULL;
	if (wanted && pl_link_set_apst(links, wanted, PL_LINK_APST_OFF, err))
		return err->text;
	walk->held_apst = wanted;
	return NULL;
}

/* Links that cannot be set are read all the same: errors end the run, a vanished device its slot.
 */
static const char *watch(struct pl_walk *walk, const struct pl_group *group,
			 struct pl_link_check *check, struct pl_err *err)
{
	int rc;

	if (!group->watched)
		return NULL;
	rc = pl_link_verify(walk->options->links, group->watched, check, err);
	if (!rc && !check->must_stop && !check->is_gone)
		return NULL;
	return judge(walk, rc, check, err);
}

static const char *enter_links(struct pl_walk *walk, const struct pl_group *group,
			       struct pl_link_check *check, struct pl_err *err)
{
	if (!group->path)
		return watch(walk, group, check, err);
	walk->entered = group;
	return judge(walk,
		     pl_link_set_state(walk->options->links, group->path, group->state, check, err),
		     check, err);
}

/* Everything a group needs to be what it says; NULL, or why it is not. */
static const char *enter(struct pl_walk *walk, const struct pl_group *group,
			 struct pl_link_check *check, struct pl_err *err)
{
	const char *why;

	if (pl_walk_hold(walk, group->slot, err))
		return err->text;
	why = leave(walk, group, check, err);
	if (!why)
		why = enter_links(walk, group, check, err);
	return why ? why : enter_apst(walk, group, err);
}

static bool has_changed(const struct pl_measurement *m, const char *const names[2][2])
{
	for (size_t i = 0; i < 2; i++) {
		const struct pl_fact *before = pl_measurement_find_fact(m, names[0][i]);
		const struct pl_fact *after = pl_measurement_find_fact(m, names[1][i]);

		if (before && after && before->value != after->value)
			return true;
	}
	return false;
}

/*
 * Speed and width of the link around the blocks of a group: the first seen, and the first that
 * differs from it. A GPU changes its speed with its load; its probe watches that itself.
 */
static void note_link(struct pl_walk *walk, const struct pl_group *group,
		      const struct pl_link_check *check)
{
	static const char *const names[2][2] = {{"link_speed_before_mts", "link_width_before"},
						{"link_speed_after_mts", "link_width_after"}};

	if (!check->speed_mts || !check->width)
		return;
	for (size_t i = 0; i < group->count; i++) {
		struct pl_measurement *m = walk->tracks[group->tracks[i]].m;
		const struct pl_fact *speed = pl_measurement_find_fact(m, names[0][0]);
		const struct pl_fact *width = pl_measurement_find_fact(m, names[0][1]);
		bool is_after = speed && width;

		if (m->probe == PL_PROBE_GPU || (is_after && has_changed(m, names)))
			continue;
		pl_measurement_set_number(walk->run, m, names[is_after][0], check->speed_mts);
		pl_measurement_set_number(walk->run, m, names[is_after][1], check->width);
	}
}

/* After the blocks; NULL, or why they do not count. */
static const char *read_back(struct pl_walk *walk, const struct pl_group *group,
			     struct pl_link_check *check, struct pl_err *err)
{
	if (!group->path)
		return watch(walk, group, check, err);
	return judge(walk, pl_link_verify(walk->options->links, group->path, check, err), check,
		     err);
}

/* Whether the registers of the links or those of the device itself say that it is lost. */
static const char *find_loss(const struct pl_walk *walk, const struct pl_group *group,
			     const struct pl_link_check *check)
{
	if (check->is_gone)
		return check->why;
	for (size_t i = 0; i < group->count; i++)
		if (walk->tracks[group->tracks[i]].is_lost)
			return walk->tracks[group->tracks[i]].m->why;
	return NULL;
}

/* Set the state, take one block of each series, read the state back. False: the run is over. */
static bool run_group(struct pl_walk *walk, struct pl_group *group, unsigned round)
{
	struct pl_link_check check = {0};
	struct pl_err err = {0, ""};
	const char *why;
	bool went_on = true;

	if (!group_is_due(walk, group))
		return true;
	why = enter(walk, group, &check, &err);
	if (why && !check.is_gone)
		skip_group(walk, group, why);
	if (!why) {
		note_link(walk, group, &check);
		went_on = run_group_blocks(walk, group);
		why = read_back(walk, group, &check, &err);
		note_link(walk, group, &check);
		if (why)
			void_round(walk, group, round, why);
	}
	why = find_loss(walk, group, &check);
	if (why && !walk->must_stop)
		pl_walk_lose_slot(walk, group->slot, why);
	return went_on && !walk->must_stop;
}

/*
 * Who takes part: the blocks of a series are those of rounds 0, 1, 2 … without a hole, so one that
 * was left out once is out for good.
 */
static size_t choose_due(struct pl_walk *walk, unsigned round)
{
	size_t due = 0;

	walk->total = walk->done;
	for (size_t i = 0; i < walk->track_count; i++) {
		struct pl_track *track = &walk->tracks[i];
		const struct pl_measurement *m = track->m;

		track->is_due = track->is_live && m->blocks_done == round &&
				pl_stopping_wants(&walk->stopping, i);
		due += track->is_due;
		if (track->is_due)
			walk->total +=
				round < PL_SEQUENCE_MIN_ROUNDS ? PL_SEQUENCE_MIN_ROUNDS - round : 1;
	}
	return due;
}

/* One round: one block of every series that is due, groups in random order, series too. */
static bool run_round(struct pl_walk *walk, unsigned round)
{
	pl_rng_shuffle(&walk->rng, walk->group_order, walk->group_count);
	for (size_t i = 0; i < walk->group_count; i++)
		if (!run_group(walk, &walk->groups[walk->group_order[i]], round))
			return false;
	return true;
}

bool pl_walk_rounds(struct pl_walk *walk)
{
	for (unsigned round = 0; choose_due(walk, round); round++) {
		if (!run_round(walk, round))
			return false;
		if (walk->options->links)
			pl_link_look_for_returned(walk->options->links);
		pl_stopping_update(&walk->stopping);
		pl_walk_save(walk);
	}
	return true;
}
