#include <stdio.h>
#include <string.h>

#include "link/control.h"

/*
 * The error counters of a path. Any uncorrectable error, or more than a few correctable ones, end
 * the run. One is no error of a link: a card that is pulled takes its link down, which the port
 * above counts as Surprise Down (PCI Express Base Specification, "Surprise Down Error"). Together
 * with a device that does not answer any more it is the removal itself.
 */

static struct pl_bdf function_of(const struct pl_aspm_link *link, size_t i)
{
	return i ? link->down[i - 1].bdf : link->up.bdf;
}

void pl_link_note_errors(struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++) {
		const struct pl_aspm_link *link = p->path.links[i];
		struct link_status *status = &control->status[p->link_index[i]];

		if (status->aer)
			continue;
		status->aer = pl_arena_array(&control->run->arena, link->down_count + 1,
					     sizeof(*status->aer));
		for (size_t f = 0; f <= link->down_count; f++)
			pl_aer_read(&control->root, function_of(link, f), &status->aer[f]);
	}
}

/* Of the port, all uncorrectable errors are Surprise Down, and what is below it went. */
static bool is_removal(struct pl_link_control *control, const struct pl_aspm_link *link,
		       const struct pl_aer_counts *port, struct pl_bdf *gone)
{
	return port->surprise_down && !port->other_kinds &&
	       port->surprise_down >= port->uncorrectable &&
	       pl_link_has_gone(&control->root, link, gone) &&
	       !pl_bdf_is_equal(*gone, link->up.bdf);
}

static void add_link(struct pl_link_control *control, const struct path_control *p, size_t i,
		     struct pl_link_check *check)
{
	const struct pl_aer_counts *before = control->status[p->link_index[i]].aer;
	const struct pl_aspm_link *link = p->path.links[i];
	struct pl_bdf gone;

	for (size_t f = 0; f <= link->down_count; f++) {
		struct pl_aer_counts now, new;

		pl_aer_read(&control->root, function_of(link, f), &now);
		new = pl_aer_since(&before[f], &now);
		check->correctable += new.correctable;
		if (f == 0 && is_removal(control, link, &new, &gone)) {
			check->has_surprise_down = true;
			if (!check->is_gone)
				pl_link_mark_gone(control, p, gone, check);
		} else {
			check->uncorrectable += new.uncorrectable;
		}
	}
}

void pl_link_check_errors(struct pl_link_control *control, const struct path_control *p,
			  struct pl_link_check *check)
{
	size_t used;

	for (size_t i = 0; i < p->path.link_count; i++)
		add_link(control, p, i, check);
	check->must_stop = check->uncorrectable || check->correctable > PL_AER_CORRECTABLE_MAX;
	used = strlen(check->why);
	if (check->must_stop)
		snprintf(check->why, sizeof(check->why),
			 "PCIe errors on the path: %llu uncorrectable, %llu correctable since the "
			 "start; link states were put back and the run stops",
			 (unsigned long long)check->uncorrectable,
			 (unsigned long long)check->correctable);
	else if (check->has_surprise_down)
		snprintf(check->why + used, sizeof(check->why) - used,
			 "; the port above it counted that (Surprise Down)");
}
