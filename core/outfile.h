#ifndef PL_CORE_OUTFILE_H
#define PL_CORE_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/err.h"

/*
 * A file that appears whole under its name, or not at all: it is written beside it as NAME.part and
 * takes its place at the end. What is no regular file (a device, a pipe) is written as it is, and
 * so is a file in a folder that takes no second one. "-" is stdout, which stays open.
 */
struct pl_outfile {
	FILE *out;
	char file[PATH_MAX], part[PATH_MAX]; /* part "": written in place */
};

/* Whether file is, or would become, a regular file: one that can be written again and again. */
bool pl_outfile_is_regular(const char *file);

/*
 * Whether a and b are one regular file, or would become one: writing the second would lose the
 * first.
 */
bool pl_outfile_is_same(const char *a, const char *b);

/* 0, or -errno of what could not be opened; -EINVAL: a block device, which is never written to. */
int pl_outfile_open(struct pl_outfile *outfile, const char *file, struct pl_err *err);

/*
 * Ends it: rc is what writing returned so far. Not 0: the file stays as it was before. Returns rc,
 * or -errno when the rest could not be written or the file not be put in its place.
 */
int pl_outfile_close(struct pl_outfile *outfile, int rc, struct pl_err *err);

#endif
