#include "report/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/assets.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/out.h"
#include "report/pack.h"
#include "report/report.h"

/* ---- the parts that are not sections ---- */

static void put_asset(struct pl_html *html, const struct pl_asset *asset)
{
	fwrite(asset->start, 1, (size_t)(asset->end - asset->start), html->out);
}

/* Only what is in this file may run, and it is named by its hash. */
static void policy(struct pl_html *html)
{
	pl_html(html, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'");
	for (size_t i = 0; html->charts && i < pl_asset_script_count(); i++)
		pl_html(html, i ? " '$'" : "; script-src '$'", pl_asset_script(i)->hash);
	pl_html(html, "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
		      "form-action 'none'\">\n");
}

/* For file names of saved charts: letters, digits and dashes. */
static const char *file_name(struct pl_html *html, const char *board)
{
	char *name = pl_arena_strdup(&html->arena, board && *board ? board : "board");

	if (strlen(name) > 40)
		name[40] = '\0';
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c))
			*c = '-';
	return name;
}

static void head(struct pl_html *html, const char *title)
{
	pl_html(html,
		"<!doctype html>\n<html lang=\"$\"><head><meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n",
		pl_str_lang(html->options->lang));
	policy(html);
	pl_html(html, "<title>$</title>\n<style>\n", title);
	put_asset(html, pl_asset_find("report.css"));
	pl_html(html,
		"</style></head>\n<body data-board=\"$\" data-save=\"$\" data-copy=\"$\" "
		"data-copied=\"$\"><main>\n<h1>$</h1>\n",
		file_name(html, html->run->machine.board_name), pl_html_str(html, PL_STR_SAVE),
		pl_html_str(html, PL_STR_COPY), pl_html_str(html, PL_STR_COPIED), title);
}

static void stamps(struct pl_html *html)
{
	char text[256];
	const char *stamp = pl_run_stamp(html->run, text, sizeof(text));

	if (stamp)
		pl_html(html, "<p class=\"stamp\">$</p>\n", pl_out_short(&html->arena, stamp, ""));
	if (!html->run->is_complete && html->run->measurement_count)
		pl_html(html, "<p class=\"stamp\">$</p>\n", pl_html_str(html, PL_STR_PARTIAL));
	if (!html->charts)
		pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_NO_CHARTS));
	else
		pl_html(html, "<noscript><p>$</p></noscript>\n",
			pl_html_str(html, PL_STR_NO_SCRIPT));
}

static void json_block(struct pl_html *html, const char *id, const char *json)
{
	pl_html(html, "<script type=\"application/json\" id=\"$\">", id);
	pl_json_escape_html(json, html->out);
	pl_html(html, "</script>\n");
}

/* The record itself, so that this one file is enough to make every report again. */
static int embed_record(struct pl_html *html, struct pl_err *err)
{
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	int code;

	if (!memory)
		return pl_fail(err, -ENOMEM, "no memory for the embedded results");
	code = pl_report_write_json(html->run, NULL, memory, err);
	if (fclose(memory) && !code)
		code = pl_fail(err, -ENOMEM, "no memory for the embedded results");
	if (!code) {
		pl_html(html, "<script type=\"text/plain\" id=\"pcielat-result-gz\">");
		code = pl_pack(json, size, html->out);
		pl_html(html, "</script>\n");
	}
	free(json);
	return code;
}

static int embed_charts(struct pl_html *html, struct pl_err *err)
{
	const struct pl_asset *config = pl_asset_find("config.json");
	json_t *all =
		json_pack("{s:o, s:O}", "config",
			  json_loadb(config->start, (size_t)(config->end - config->start), 0, NULL),
			  "specs", html->charts);
	char *text = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;

	json_decref(all);
	if (!text)
		return pl_fail(err, -ENOMEM, "no memory for the charts");
	json_block(html, "pcielat-charts", text);
	free(text);
	for (size_t i = 0; i < pl_asset_script_count(); i++) {
		pl_html(html, pl_asset_script(i)->is_packed
				      ? "<script type=\"text/plain\" id=\"pcielat-library\">"
				      : "<script>");
		put_asset(html, pl_asset_script(i));
		pl_html(html, "</script>\n");
	}
	return 0;
}

/* ---- the document ---- */

static void sections(struct pl_html *html)
{
	pl_html_verdict(html);
	pl_html_system(html);
	pl_html_section(html, "map", PL_STR_SLOT_MAP);
	pl_html_map(html);
	pl_html_slots(html);
	pl_html_latency(html);
	pl_html_where(html);
	pl_html_states(html);
	pl_html_drives(html);
	pl_html_region(html);
	pl_html_ladder(html);
	pl_charts_compare(html);
	pl_html_for_scale(html);
	pl_html_quality(html);
	pl_html_method(html);
	pl_html_environment(html);
	pl_html_notices(html);
}

static void add_rows(struct pl_html *html, bool is_headline)
{
	const struct pl_run *run = html->run;

	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_row *row = &html->rows[html->all_count];

		pl_row_fill(run, &run->slots[i], row);
		html->all_count += pl_row_is_shown(row) && pl_row_is_headline(row) == is_headline;
	}
}

/* Host bridges and functions inside chips clutter a page; they are shown when nothing else is. */
static void fill_rows(struct pl_html *html)
{
	html->rows = pl_arena_array(&html->arena, html->run->slot_count + 1, sizeof(*html->rows));
	add_rows(html, true);
	html->row_count = html->all_count;
	add_rows(html, false);
	if (!html->row_count)
		html->row_count = html->all_count;
}

static int write_document(struct pl_html *html, struct pl_err *err)
{
	const char *board = html->run->machine.board_name;
	int code;

	html->board = pl_out_short(&html->arena, board, "");
	fill_rows(html);
	head(html, pl_arena_printf(&html->arena, "%s%s%s", html->board, board ? " – " : "",
				   pl_html_str(html, PL_STR_TITLE)));
	stamps(html);
	sections(html);
	pl_html_section(html, "data", PL_STR_DATA);
	pl_html(html, "<p id=\"save-record\">$ </p>\n", pl_html_str(html, PL_STR_DATA_NOTE));
	pl_html(html, "</main>\n");
	code = embed_record(html, err);
	if (!code && html->charts)
		code = embed_charts(html, err);
	pl_html(html, "</body></html>\n");
	return code;
}

int pl_report_write_html(const struct pl_run *run, const struct pl_html_options *options, FILE *out,
			 struct pl_err *err)
{
	static const struct pl_html_options english = {.lang = PL_LANG_EN};
	struct pl_html html = {.out = out, .run = run, .options = options ? options : &english};
	int code;

	if (!html.options->no_charts && pl_asset_script_count())
		html.charts = json_object();
	code = write_document(&html, err);
	json_decref(html.charts);
	pl_arena_fini(&html.arena);
	return code ? code : pl_out_finish(out, err);
}
