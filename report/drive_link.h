#ifndef PL_REPORT_DRIVE_LINK_H
#define PL_REPORT_DRIVE_LINK_H

#include "core/arena.h"
#include "core/stats_infer.h"
#include "model/run.h"

/*
 * Inside report/: what the link of one drive may do while the drive sleeps, and whether the two
 * were found to hang together. L1.2 and Clock PM need CLKREQ#, and when a drive lets go of that
 * line is its own affair (PCI Express Base Specification, 5.5 L1 PM Substates and 7.5.3.7 Link
 * Control Register).
 */

enum pl_coupling {
	PL_COUPLING_NOT_MEASURED, /* or no verdict is given of this run */
	PL_COUPLING_NOT_RESOLVED,
	PL_COUPLING_COUPLED
};

struct pl_drive_link {
	const struct pl_link *link;           /* of the slot; NULL: not known */
	const struct pl_aspm_link *registers; /* of the survey of links; NULL */
	const char *why;                      /* why nothing is known of it; NULL: it is */
	/* ASPM x APST: by how much the exit of the link changes with the drive's power states. */
	enum pl_coupling coupling;
	struct pl_estimate change; /* NAN where not measured */
	uint64_t gap_ns;           /* idle time that it was measured after */
	const char *coupling_text; /* "coupled: …", or why it is not said; arena text */
	const char *follows;       /* what the enabled features mean for an exit; sentences */
};

/* One line of the table and of the record. */
struct pl_drive_link_row {
	const char *key, *name;
	int supported, enabled; /* 1, 0, -1: not known */
	const char *note;       /* NULL */
};
#define PL_DRIVE_LINK_ROWS 5

void pl_drive_link(struct pl_arena *arena, const struct pl_run *run, const struct pl_drive *drive,
		   struct pl_drive_link *out);
/* L1, L1.1, L1.2, Clock PM, LTR. */
void pl_drive_link_rows(struct pl_arena *arena, const struct pl_drive_link *d,
			struct pl_drive_link_row rows[PL_DRIVE_LINK_ROWS]);
/* "coupled", "not_resolved", "not_measured". */
const char *pl_coupling_name(enum pl_coupling coupling);

#endif
