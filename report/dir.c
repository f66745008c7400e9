#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/dist.h"
#include "report/report.h"

#define SAMPLES_FILE "samples.bin"

/* What the writers of the files below need, whatever they are. */
struct job {
	const struct pl_run *run;
	const struct pl_html_options *options;
	const char *samples_file; /* NULL when it could not be written */
};

static int write_results(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_json(job->run, job->samples_file, out, err);
}

static int write_summary(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_csv(job->run, out, err);
}

static int write_runs(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_runs_csv(job->run, out, err);
}

static int write_histogram(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_histogram_csv(job->run, out, err);
}

static int write_effects(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_effects_csv(job->run, out, err);
}

static int write_samples(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_samples(job->run, out, err);
}

static int write_html(const struct job *job, FILE *out, struct pl_err *err)
{
	return pl_report_write_html(job->run, job->options, out, err);
}

/* The samples come first: results.json names them only when they are there. */
static const struct {
	const char *name;
	int (*write)(const struct job *job, FILE *out, struct pl_err *err);
} files[] = {
	{SAMPLES_FILE, write_samples},      {"results.json", write_results},
	{"summary.csv", write_summary},     {"runs.csv", write_runs},
	{"histogram.csv", write_histogram}, {"effects.csv", write_effects},
	{"report.html", write_html},
};
#define RESULTS 1 /* which of them is results.json */

static int fail_at(struct pl_err *err, const char *dir, const char *name, int code)
{
	return pl_fail(err, code, "%s/%s could not be written: %s", dir, name, strerror(-code));
}

static FILE *create(int dir_fd, const char *temporary)
{
	int fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !out)
		close(fd);
	return out;
}

/* The file appears whole under its name, or the old one stays. */
static int put(int dir_fd, const char *dir, size_t which, const struct job *job, struct pl_err *err)
{
	const char *name = files[which].name;
	char temporary[64];
	FILE *out;
	int code;

	snprintf(temporary, sizeof(temporary), ".%s.tmp", name);
	out = create(dir_fd, temporary);
	if (!out)
		return fail_at(err, dir, name, -errno);
	code = files[which].write(job, out, NULL);
	if (!code && fsync(fileno(out)))
		code = -errno;
	if (fclose(out) && !code)
		code = -errno;
	if (!code && renameat(dir_fd, temporary, dir_fd, name))
		code = -errno;
	if (code) {
		unlinkat(dir_fd, temporary, 0);
		return fail_at(err, dir, name, code);
	}
	return 0;
}

static int open_dir(const char *dir, struct pl_err *err)
{
	int fd;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return pl_fail(err, -errno, "%s could not be made: %s", dir, strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pl_fail(err, -errno, "%s cannot be opened: %s", dir, strerror(errno));
	return fd;
}

int pl_report_write_dir(const struct pl_run *run, const char *dir,
			const struct pl_html_options *options, struct pl_err *err)
{
	struct job job = {run, options, SAMPLES_FILE};
	struct pl_arena scratch = {NULL};
	int first = 0, fd = open_dir(dir, err);

	if (fd < 0)
		return fd;
	pl_dist_keep(&scratch, run);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int code = put(fd, dir, i, &job, first ? NULL : err);

		if (code && !i)
			job.samples_file = NULL;
		first = first ? first : code;
	}
	if (fsync(fd) && !first)
		first = fail_at(err, dir, "", -errno);
	close(fd);
	pl_dist_forget(run);
	pl_arena_fini(&scratch);
	return first;
}

int pl_report_save_partial(const struct pl_run *run, const char *dir, struct pl_err *err)
{
	const struct job job = {run, NULL, NULL};
	struct pl_arena scratch = {NULL};
	int code, fd = open_dir(dir, err);

	if (fd < 0)
		return fd;
	pl_dist_keep(&scratch, run);
	code = put(fd, dir, RESULTS, &job, err);
	close(fd);
	pl_dist_forget(run);
	pl_arena_fini(&scratch);
	return code;
}
