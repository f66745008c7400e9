#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/outfile.h"

int pl_output_to(const char *file, pl_output_fn *write, const void *ctx, struct pl_err *err)
{
	struct pl_outfile outfile;
	struct pl_err own = {0, ""};
	int rc;

	if (!strcmp(file, "-")) {
		rc = write(ctx, stdout, err);
		return rc || !fflush(stdout) ? rc
					     : pl_fail(err, -errno, "stdout: %s", strerror(errno));
	}
	rc = pl_outfile_open(&outfile, file, err);
	if (rc)
		return rc;
	rc = write(ctx, outfile.out, &own);
	if (rc)
		pl_fail(err, rc, "%s: %.400s", file, own.text);
	return pl_outfile_close(&outfile, rc, err);
}

struct result {
	const struct pl_run *run;
	pl_writer *write;
};

static int write_result(const void *ctx, FILE *out, struct pl_err *err)
{
	const struct result *result = ctx;

	return result->write(result->run, out, err);
}

int pl_output_file(const struct pl_run *run, const char *file, pl_writer *write, struct pl_err *err)
{
	const struct result result = {run, write};

	return pl_output_to(file, write_result, &result, err);
}

static int write_json(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	return pl_report_write_json(run, NULL, out, err);
}

bool pl_output_owns_stdout(const struct pl_options *o)
{
	const char *const files[] = {o->json, o->csv, o->html, o->markdown, o->openmetrics};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] && !strcmp(files[i], "-"))
			return true;
	return false;
}

/* The regular file that is measured; NULL. */
static const char *measured_file(const struct pl_options *o)
{
	if (o->command == PL_CMD_MONITOR)
		return o->args.count ? o->args.items[0] : NULL;
	return o->file;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Whether file is the one of this name in the folder, or beside what is no folder. */
static bool is_there(const char *file, const char *folder, const char *name)
{
	const char *slash = strrchr(folder, '/');
	char path[PATH_MAX];
	struct stat st;
	int length;

	if (is_dir(folder))
		length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	else
		length = snprintf(path, sizeof(path), "%.*s%s",
				  slash ? (int)(slash - folder + 1) : 0, folder, name);
	return length < PATH_MAX && !stat(path, &st) && pl_outfile_is_same(file, path);
}

/* Results are a file or the folder of a run; their samples are read too. */
static bool is_of_results(const char *file, const char *results)
{
	return is_there(file, results, "samples.bin") ||
	       (is_dir(results) ? is_there(file, results, "results.json")
				: pl_outfile_is_same(file, results));
}

static bool is_of_any(const char *file, const struct pl_texts *results)
{
	for (size_t i = 0; i < results->count; i++)
		if (is_of_results(file, results->items[i]))
			return true;
	return false;
}

static bool is_read(const struct pl_options *o, const char *file)
{
	const char *const files[] = {measured_file(o), o->dump, o->board_file};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] && pl_outfile_is_same(file, files[i]))
			return true;
	return o->command == PL_CMD_REPORT &&
	       (is_of_any(file, &o->args) || is_of_any(file, &o->compared));
}

/* Whether the folder is that of the results: its samples, if it has any, are theirs. */
static bool is_folder_of(const char *dir, const char *results)
{
	char record[PATH_MAX], samples[PATH_MAX];
	struct stat st;

	if (snprintf(record, sizeof(record), "%s/results.json", dir) >= PATH_MAX ||
	    snprintf(samples, sizeof(samples), "%s/samples.bin", dir) >= PATH_MAX)
		return false;
	return is_of_results(record, results) &&
	       (stat(samples, &st) || is_there(samples, results, "samples.bin"));
}

/*
 * A report into the folder that it is made from writes what is there already. Of several results,
 * or of a page, which has no samples, it would write something else over them.
 */
static int check_dir(const struct pl_options *o, struct pl_err *err)
{
	static const char *const names[] = {"results.json", "samples.bin", "report.html"};
	const char *own = o->args.count == 1 ? o->args.items[0] : NULL;
	char path[PATH_MAX];

	if (o->command != PL_CMD_REPORT || !o->out_dir)
		return 0;
	if (own && !is_folder_of(o->out_dir, own))
		own = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", o->out_dir, names[i]) >= PATH_MAX)
			return 0; /* opening it fails */
		if (own && is_of_results(path, own))
			continue;
		if (is_of_any(path, &o->args) || is_of_any(path, &o->compared))
			return pl_fail(err, -EINVAL,
				       "%s is a file that is read: nothing is written to it; give "
				       "-o another folder",
				       path);
	}
	return 0;
}

int pl_output_check(const struct pl_options *o, struct pl_err *err)
{
	const char *const files[] = {o->json,     o->csv,         o->html,
				     o->markdown, o->openmetrics, o->hgrm};
	const size_t count = sizeof(files) / sizeof(files[0]);

	for (size_t i = 0; i < count; i++) {
		if (files[i] && strcmp(files[i], "-") != 0 && is_read(o, files[i]))
			return pl_fail(err, -EINVAL,
				       "%s is the file that is read: nothing is written to it",
				       files[i]);
		for (size_t k = i + 1; k < count && files[i]; k++) {
			if (!files[k])
				continue;
			if (!strcmp(files[i], "-") && !strcmp(files[k], "-"))
				return pl_fail(err, -EINVAL,
					       "only one of the outputs can go to stdout; give "
					       "the others a file: --csv=FILE");
			if (strcmp(files[i], "-") != 0 && pl_outfile_is_same(files[i], files[k]))
				return pl_fail(err, -EINVAL, "two outputs would go to one file, %s",
					       files[i]);
		}
	}
	return check_dir(o, err);
}

static bool wants_dir(const struct pl_options *o)
{
	return o->out_dir || (!o->json && !o->csv && !o->html && !o->markdown && !o->openmetrics);
}

char *pl_output_safe_name(char *text)
{
	for (char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '.' && *at != '-')
			*at = '-';
	return text;
}

const char *pl_output_dir(struct pl_app *app)
{
	const char *board = app->run.machine.board_name;
	char date[16], *name;
	time_t now = time(NULL);
	struct tm utc;

	if (!wants_dir(&app->options))
		return NULL;
	if (app->options.out_dir)
		return app->options.out_dir;
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
	name = pl_arena_printf(&app->run.arena, "pcielat-%.60s-%s",
			       board && *board ? board : "board", date);
	pl_output_safe_name(name);
	app->options.out_dir = name;
	return name;
}

/* The page as the options want it: language, charts, other results. */
static int page_options(const struct pl_app *app, struct pl_html_options *page, struct pl_err *err)
{
	*page = (struct pl_html_options){.no_charts = app->options.no_charts,
					 .others = app->others,
					 .other_count = app->other_count};
	return app->options.lang ? pl_report_lang(app->options.lang, &page->lang, err) : 0;
}

struct page {
	const struct pl_run *run;
	const struct pl_html_options *options;
};

static int write_html(const void *ctx, FILE *out, struct pl_err *err)
{
	const struct page *page = ctx;

	return pl_report_write_html(page->run, page->options, out, err);
}

static int write_markdown(const void *ctx, FILE *out, struct pl_err *err)
{
	const struct page *page = ctx;

	return pl_report_write_markdown(page->run, page->options->lang, out, err);
}

int pl_output_results(const struct pl_app *app, struct pl_err *err)
{
	const struct pl_options *o = &app->options;
	const struct {
		const char *file;
		pl_writer *write;
		pl_output_fn *write_page; /* has a language; NULL: has none */
	} files[] = {{o->json, write_json, NULL},
		     {o->csv, pl_report_write_csv, NULL},
		     {o->markdown, NULL, write_markdown},
		     {o->openmetrics, pl_report_write_openmetrics, NULL},
		     {o->html, NULL, write_html}};
	struct pl_html_options options;
	const struct page page = {&app->run, &options};
	struct pl_err other = {0, ""};
	int rc = page_options(app, &options, err);

	if (rc)
		return rc;
	if (o->out_dir)
		rc = pl_report_write_dir(&app->run, o->out_dir, &options, err);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct pl_err *to = rc ? &other : err;
		int one = 0;

		if (files[i].file && files[i].write)
			one = pl_output_file(&app->run, files[i].file, files[i].write, to);
		else if (files[i].file)
			one = pl_output_to(files[i].file, files[i].write_page, &page, to);
		rc = rc ? rc : one;
	}
	return rc;
}
