#ifndef PL_TOPOLOGY_DUMP_H
#define PL_TOPOLOGY_DUMP_H

#include "model/run.h"
#include "pci/config_space.h"
#include "topology/tree.h"

/*
 * The text of lspci as people paste it: -x … -xxxx (hex, read by libpci), -v … -vvv, -nn, -t, alone
 * or one after the other in one file. Lines are checked here first, since libpci's reader ends at
 * long lines and takes verbose text for functions without ids.
 *
 * -EINVAL with a sentence that names the line: no text, cut off, two machines in one, or a form
 * without the tree. What the text cannot carry becomes run->skipped. *pci is open for names (and
 * configuration reads where there is hex) until the caller closes it.
 */
int pl_dump_read(struct pl_run *run, const char *file, struct pl_pci **pci,
		 struct pl_function **functions, size_t *count, struct pl_err *err);
/* The same from memory; name stands for the file in sentences. */
int pl_dump_parse(struct pl_run *run, const char *name, const char *text, size_t size_bytes,
		  struct pl_pci **pci, struct pl_function **functions, size_t *count,
		  struct pl_err *err);

#endif
