#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

int pl_output_file(const struct pl_run *run, const char *file, pl_writer *write, struct pl_err *err)
{
	bool is_stdout = !strcmp(file, "-");
	FILE *out = is_stdout ? stdout : fopen(file, "we");
	int rc;

	if (!out)
		return pl_fail(err, -errno, "%s: %s", file, strerror(errno));
	rc = write(run, out, err);
	if (fflush(out) && !rc)
		rc = pl_fail(err, -errno, "%s: %s", is_stdout ? "stdout" : file, strerror(errno));
	if (!is_stdout && fclose(out) && !rc)
		rc = pl_fail(err, -errno, "%s: %s", file, strerror(errno));
	return rc;
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

static int write_page(const struct pl_app *app, const struct pl_html_options *page,
		      struct pl_err *err)
{
	const char *file = app->options.html;
	FILE *out = strcmp(file, "-") ? fopen(file, "we") : stdout;
	int rc;

	if (!out)
		return pl_fail(err, -errno, "%s: %s", file, strerror(errno));
	rc = pl_report_write_html(&app->run, page, out, err);
	if (out != stdout && fclose(out) && !rc)
		rc = pl_fail(err, -errno, "%s: %s", file, strerror(errno));
	return rc;
}

int pl_output_results(const struct pl_app *app, struct pl_err *err)
{
	const struct pl_options *o = &app->options;
	const struct {
		const char *file;
		pl_writer *write;
	} files[] = {{o->json, write_json},
		     {o->csv, pl_report_write_csv},
		     {o->markdown, pl_report_write_markdown},
		     {o->openmetrics, pl_report_write_openmetrics}};
	struct pl_html_options page;
	struct pl_err other = {0, ""};
	int rc = page_options(app, &page, err);

	if (rc)
		return rc;
	if (o->out_dir)
		rc = pl_report_write_dir(&app->run, o->out_dir, &page, err);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int one = files[i].file ? pl_output_file(&app->run, files[i].file, files[i].write,
							 rc ? &other : err)
					: 0;

		rc = rc ? rc : one;
	}
	if (o->html) {
		int one = write_page(app, &page, rc ? &other : err);

		rc = rc ? rc : one;
	}
	return rc;
}
