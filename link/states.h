#ifndef PL_LINK_STATES_H
#define PL_LINK_STATES_H

#include "core/arena.h"
#include "link/link.h"

/* What the state builder has to know about one link of a path. */
struct pl_link_choice {
	unsigned found;      /* enabled at the start; PL_ASPM_UNKNOWN */
	unsigned available;  /* what raising could enable as well */
	const char *why_not; /* why it cannot be changed; NULL when it can */
};

/*
 * Every state of a path that can exist and is worth measuring, each once: off, as found, fewer
 * power states on all links, as found on the lower links only, and the control (device off, links
 * above as found). may_raise adds the states above as found. Pure; everything lives in the arena.
 */
void pl_link_build_states(struct pl_arena *arena, const struct pl_link_choice *links, size_t count,
			  bool may_raise, struct pl_link_path *path);

#endif
