#ifndef PL_CLI_WATCH_FILES_H
#define PL_CLI_WATCH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "model/run.h"
#include "model/watch.h"

/* Where the record of a watch goes, and what it is of. Files NULL: not asked for. */
struct pl_watch_files {
	const struct pl_run *run;
	const char *json, *hgrm; /* "-": stdout */
	const char *subject, *path;
	const int64_t *begun_s; /* of each phase, seconds since 1970 */
	const struct pl_measurement *series;
};

/*
 * One document a line for each phase, and the distribution of the first one. is_ended false: in
 * between, so that a watch that is killed leaves what it saw; stdout and devices are left alone
 * then. 0, or -errno of the first file that could not be written; the other one is written all the
 * same.
 */
int pl_watch_files_write(const struct pl_watch_files *files, const struct pl_watch *watches,
			 const char *const *phases, size_t count, bool is_ended,
			 struct pl_err *err);

#endif
