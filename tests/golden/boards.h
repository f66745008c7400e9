#ifndef PL_TESTS_GOLDEN_BOARDS_H
#define PL_TESTS_GOLDEN_BOARDS_H

#include <stdbool.h>

#include "model/run.h"

/* What the tests over tests/boards share. */

/* Splits a line at tabs in place; returns the number of fields, at most `most`. */
size_t t_fields(char *line, char **fields, size_t most);
/* Whether a chipset name says the same family as the free text of TRUTH.tsv. */
bool t_is_same_chipset(const char *truth, const char *found);
/* The slot that stands for an address: a function of its device, or the end of an empty path. */
const struct pl_slot *t_slot_at(const struct pl_run *run, const char *address);
/* Discovers from a dump; fails the test with the sentence when that fails. */
void t_discover_dump(struct pl_run *run, const char *file);

#endif
