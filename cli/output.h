#ifndef PL_CLI_OUTPUT_H
#define PL_CLI_OUTPUT_H

#include <stdio.h>

#include "cli/app.h"

typedef int pl_writer(const struct pl_run *run, FILE *out, struct pl_err *err);

/*
 * FILE, or stdout for "-", with what write puts into it; ctx is for write. A file appears whole or
 * stays as it was. 0, or the -errno of write or of the file.
 */
typedef int pl_output_fn(const void *ctx, FILE *out, struct pl_err *err);
int pl_output_to(const char *file, pl_output_fn *write, const void *ctx, struct pl_err *err);

/* Runs a writer into FILE ("-": stdout) and checks that everything arrived. 0 or -errno. */
int pl_output_file(const struct pl_run *run, const char *file, pl_writer *write,
		   struct pl_err *err);
/*
 * Everything the options ask for: --json, --csv, --html, and the result directory unless only
 * single files were asked for. The first failure is returned, the others are still written.
 */
int pl_output_results(const struct pl_app *app, struct pl_err *err);
/* The result directory: -o, or pcielat-BOARD-DATE; NULL when none is to be written. */
const char *pl_output_dir(struct pl_app *app);
/* Letters, digits, dots and dashes stay, the rest becomes a dash, in place; returns text. */
char *pl_output_safe_name(char *text);
/*
 * -EINVAL when two documents would go to one place, or one over a file that is read: the drive's
 * file, a dump, results and their samples, in a folder too. A report into the folder that it is
 * made from is allowed. Only one document can go to stdout.
 */
int pl_output_check(const struct pl_options *options, struct pl_err *err);
/* Whether a machine-readable format goes to stdout, which silences the table. */
bool pl_output_owns_stdout(const struct pl_options *options);

#endif
