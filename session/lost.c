#include "session/walk.h"

/* All its blocks, or as many as its claims wanted: it does not miss the device any more. */
static bool is_done(const struct pl_track *track)
{
	const struct pl_measurement *m = track->m;

	return !track->is_due ||
	       (m->blocks_done == m->blocks && m->n > m->block_start[m->blocks - 1]);
}

static void put_links_back(struct pl_walk *walk, const struct pl_slot *slot, const char *why)
{
	struct pl_link_control *links = walk->options->links;
	struct pl_err err = {0, ""};

	/* What cannot be put back is said when all is restored, at the end that this brings. */
	if (links && pl_link_give_up(links, pl_link_find_path(links, slot), why, &err))
		walk->must_stop = true;
	if (walk->entered && walk->entered->slot == slot)
		walk->entered = NULL;
}

void pl_walk_lose_slot(struct pl_walk *walk, const struct pl_slot *slot, const char *why)
{
	put_links_back(walk, slot, why);
	for (size_t i = 0; i < walk->track_count; i++) {
		struct pl_track *track = &walk->tracks[i];

		if (track->is_live && track->m->slot == slot && !is_done(track))
			pl_track_give_up(walk, track, why);
	}
}
