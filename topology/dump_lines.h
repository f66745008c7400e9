#ifndef PL_TOPOLOGY_DUMP_LINES_H
#define PL_TOPOLOGY_DUMP_LINES_H

#include "topology/dump_text.h"

/*
 * Sorts the lines of a text into the functions of dump. -EINVAL with the line's number: no text,
 * a broken hex line, a function cut off, two machines in one text, no function at all.
 */
int pl_dump_lines(struct pl_text_dump *dump, const char *text, size_t size_bytes,
		  struct pl_err *err);

#endif
