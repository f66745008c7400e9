#include "cli/watch_files.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "core/outfile.h"
#include "report/report.h"

/* What is written, in one piece. */
struct record {
	const struct pl_watch_files *files;
	const struct pl_watch *watches;
	const char *const *phases;
	size_t count;
	bool is_ended;
};

static int write_documents(const void *ctx, FILE *out, struct pl_err *err)
{
	const struct record *record = ctx;
	int rc = 0;

	for (size_t i = 0; i < record->count && !rc; i++) {
		const struct pl_watch_document document = {
			.watch = &record->watches[i],
			.subject = record->files->subject,
			.path = record->files->path,
			.phase = record->phases[i],
			.series = record->files->series,
			.begun_s = record->files->begun_s[i],
			.is_ended = record->is_ended || i + 1 < record->count,
		};

		rc = pl_report_write_watch_json(record->files->run, &document, out, err);
	}
	return rc;
}

static int write_hgrm(const void *ctx, FILE *out, struct pl_err *err)
{
	const struct record *record = ctx;
	int rc = pl_hist_write_hgrm(&record->watches[0].hist, out);

	return rc ? pl_fail(err, rc, "%s could not be written", record->files->hgrm) : 0;
}

/* What is no regular file gets the record once, at the end; a folder is an error at once. */
static bool is_written_once(const char *file)
{
	struct stat st;

	return !strcmp(file, "-") ||
	       (!stat(file, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static int write_file(const struct record *record, const char *file, pl_output_fn *write,
		      struct pl_err *err)
{
	if (!file || (!record->is_ended && is_written_once(file)))
		return 0;
	return pl_output_to(file, write, record, err);
}

int pl_watch_files_write(const struct pl_watch_files *files, const struct pl_watch *watches,
			 const char *const *phases, size_t count, bool is_ended, struct pl_err *err)
{
	const struct record record = {files, watches, phases, count, is_ended};
	struct pl_err other = {0, ""};
	int rc = write_file(&record, files->json, write_documents, err);
	int second = write_file(&record, files->hgrm, write_hgrm, rc ? &other : err);

	return rc ? rc : second;
}
