#ifndef PL_TOPOLOGY_TOPOLOGY_H
#define PL_TOPOLOGY_TOPOLOGY_H

#include "core/err.h"
#include "core/sysroot.h"
#include "model/run.h"

struct pl_topology_options {
	const char *const
		*labels; /* "KEY=NAME" from --label; KEY: slot key, BDF or present label */
	size_t label_count;
	const char *board_file; /* --board-file; NULL */
	const char *dump_file;  /* --dump: text of lspci instead of the sysroot; NULL */
};

/*
 * Fills run->machine and run->slots from the live machine, a capture (root) or a dump. What could
 * not be read becomes run->warnings / run->skipped with its reason; only input that cannot be used
 * at all is an error: -EINVAL for a dump or board file (line number in the sentence), -ENOENT and
 * friends for a root without sysfs. Everything allocated lives in run->arena.
 */
int pl_topology_discover(struct pl_run *run, const struct pl_sysroot *root,
			 const struct pl_topology_options *options, struct pl_err *err);

#endif
