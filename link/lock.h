#ifndef PL_LINK_LOCK_H
#define PL_LINK_LOCK_H

#include "core/err.h"
#include "link/link.h"

/*
 * One run at a time changes a machine. Returns a descriptor to close, -EBUSY when another run is
 * alive (its process id in the sentence), -EACCES … when the folder of the journal cannot be made.
 * A guard that is still restoring for a dead run is waited for.
 */
int pl_link_lock(const struct pl_sysroot *root, struct pl_err *err);

/* pl_link_repair by someone who holds the lock. */
int pl_link_repair_locked(const struct pl_sysroot *root, const struct pl_link_io *io,
			  struct pl_link_repair *repair, struct pl_err *err);

#endif
