#ifndef PL_LINK_ACT_H
#define PL_LINK_ACT_H

/* The writes: the only file of the product that calls io->write_text. */

#include <stdbool.h>

#include "core/err.h"
#include "link/io.h"
#include "link/apply.h"
#include "link/journal.h"
#include "model/aspm_link.h"

#define PL_LINK_POLICY "sys/module/pcie_aspm/parameters/policy"

/* One sentence for a person on why a file cannot be written: cause and remedy. */
const char *pl_link_cause(int error);

/*
 * Writes the files of one link so that the kernel sets target (see link/apply.h for the order).
 * Stops at the first failure: -errno with file, cause and remedy.
 */
int pl_link_apply(const struct pl_link_io *io, const struct pl_sysroot *root,
		  const struct pl_aspm_link *found, unsigned target, struct pl_err *err);
/* Writes one of the seven files. */
int pl_link_write_attr(const struct pl_link_io *io, const struct pl_sysroot *root,
		       struct pl_bdf child, struct pl_link_write write, struct pl_err *err);
/* Writes a text file and reads it back: -EIO when it says something else afterwards. */
int pl_link_put_text(const struct pl_link_io *io, const struct pl_sysroot *root, const char *path,
		     const char *value, struct pl_err *err);

/* The bracketed word of the policy file. -ENOENT and friends. */
int pl_link_read_policy(const struct pl_sysroot *root, char *out, size_t size);
int pl_link_put_policy(const struct pl_link_io *io, const struct pl_sysroot *root,
		       const char *policy, struct pl_err *err);

struct pl_link_restored {
	size_t restored; /* as found again, or still */
	size_t gone;     /* the device is no longer there, or another one is */
	size_t failed;
	struct pl_err first; /* of the failures */
};

/*
 * Puts back everything in a journal: policy, links from the leaves to the root, drives' power
 * states, runtime power management last. Goes on after a failure. Writes nothing to a device whose
 * ids are not those of the journal, and nothing where all is as found.
 */
void pl_link_restore_journal(const struct pl_journal *journal, const struct pl_sysroot *root,
			     const struct pl_link_io *io, struct pl_link_restored *result);
/*
 * Whether there is nothing left that a text could be put back into: the function is gone, or
 * another one is in its place, or the driver gave up the controller and its file with it.
 */
bool pl_link_is_text_gone(const struct pl_sysroot *root, const struct pl_journal_text *text);
/* One link back to what was found, read back. -ENODEV: gone, or another device there. */
int pl_link_restore_link(const struct pl_aspm_link *found, const struct pl_sysroot *root,
			 const struct pl_link_io *io, struct pl_err *err);

#endif
