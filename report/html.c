#include "report/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/out.h"
#include "report/report.h"

static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1a1a1a;--mut:#595959;--card:#f2f4f7;"
	"--line:#c9ced6;--blue:#2878b5;--warn:#8a4b00}"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e8e8e8;--mut:#a8a8a8;"
	"--card:#22252b;--line:#474c55;--blue:#6cb2e8;--warn:#f0b35e}}"
	"*{box-sizing:border-box}"
	"body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;"
	"max-width:64rem;margin:auto;padding:1rem;overflow-wrap:anywhere}"
	"table{overflow-wrap:break-word}caption{position:absolute;width:1px;height:1px;"
	"overflow:hidden;clip-path:inset(50%)}"
	"h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.2rem}"
	".stamp{border:2px solid var(--warn);color:var(--warn);padding:.5rem 1rem;"
	"font-weight:700}"
	".verdict{background:var(--card);border-inline-start:.4rem solid var(--blue);"
	"padding:.8rem 1rem;font-size:1.12rem}.verdict p,.verdict h2{margin:.4rem 0}"
	".wide{overflow-x:auto}figure{margin:1.2rem 0;break-inside:avoid}"
	"figcaption{color:var(--mut);font-size:.9rem;text-align:start}"
	"table{border-collapse:collapse;font-size:.92rem;margin:.6rem 0}"
	"td,th{padding:.25rem .6rem;text-align:start;vertical-align:top;"
	"border-bottom:1px solid var(--line)}td{max-width:26rem}"
	"tbody th{max-width:16rem}"
	"td.n{text-align:end;white-space:nowrap}tbody th{font-weight:600}"
	"dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.2rem 1rem}"
	"dt{color:var(--mut)}dd{margin:0}"
	".map{font:13px system-ui,sans-serif;max-width:none}"
	".map rect{fill:var(--card);stroke:var(--mut)}.map .tested rect{stroke:var(--blue);"
	"stroke-width:3}.map path{fill:none;stroke:var(--mut)}.map text{fill:var(--fg)}"
	".map .s{font-size:11px;fill:var(--mut)}"
	"@media print{:root{--bg:#fff;--fg:#000;--mut:#444;--card:#f4f4f4;--line:#999}"
	"body{max-width:none}.wide{overflow:visible}details{display:none}}";

static void head(struct pl_html *html, const char *title)
{
	pl_html(html,
		"<!doctype html>\n<html lang=\"$\"><head><meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
		"form-action 'none'\">\n<title>$</title>\n<style>",
		pl_str_lang(html->options->lang), title);
	fputs(style, html->out);
	pl_html(html, "</style></head>\n<body><main>\n<h1>$</h1>\n", title);
}

static void stamps(struct pl_html *html)
{
	char text[256];
	const char *stamp = pl_run_stamp(html->run, text, sizeof(text));

	if (stamp)
		pl_html(html, "<p class=\"stamp\">$</p>\n", pl_out_short(&html->arena, stamp, ""));
	if (!html->run->is_complete && html->run->measurement_count)
		pl_html(html, "<p class=\"stamp\">$</p>\n", pl_html_str(html, PL_STR_PARTIAL));
}

static void verdict(struct pl_html *html)
{
	size_t shown = 0;

	pl_html(html, "<section class=\"verdict\" aria-labelledby=\"verdict\">");
	pl_html(html, "<h2 id=\"verdict\">$</h2>\n", pl_html_str(html, PL_STR_VERDICT));
	for (size_t i = 0; i < html->run->effect_count; i++) {
		const struct pl_effect *effect = &html->run->effects[i];

		if (effect->status != PL_CLAIM_RESOLVED || effect->kind == PL_EFFECT_CONFIG_STEP)
			continue;
		pl_html(html, "<p>$</p>\n", pl_effect_text(&html->arena, effect));
		shown++;
	}
	if (!shown)
		pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_NO_VERDICT));
	pl_html(html, "</section>\n");
}

/* The record itself, so that this one file is enough to make every report again. */
static int embed(struct pl_html *html, struct pl_err *err)
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
		pl_html(html, "<script type=\"application/json\" id=\"pcielat-result\">");
		pl_json_escape_html(json, html->out);
		pl_html(html, "</script>\n");
	}
	free(json);
	return code;
}

static void fill_rows(struct pl_html *html)
{
	const struct pl_run *run = html->run;

	html->rows = pl_arena_array(&html->arena, run->slot_count, sizeof(*html->rows));
	for (size_t i = 0; i < run->slot_count; i++) {
		pl_row_fill(run, &run->slots[i], &html->rows[html->row_count]);
		html->row_count += pl_row_is_shown(&html->rows[html->row_count]);
	}
}

static const char *title_of(struct pl_html *html)
{
	const char *board = html->run->machine.board_name;

	return pl_arena_printf(&html->arena, "%s%s%s", pl_out_short(&html->arena, board, ""),
			       board ? " – " : "", pl_html_str(html, PL_STR_TITLE));
}

int pl_report_write_html(const struct pl_run *run, const struct pl_html_options *options, FILE *out,
			 struct pl_err *err)
{
	static const struct pl_html_options english = {0};
	struct pl_html html = {.out = out, .run = run, .options = options ? options : &english};
	int code;

	fill_rows(&html);
	head(&html, title_of(&html));
	stamps(&html);
	verdict(&html);
	pl_html_section(&html, "map", PL_STR_SLOT_MAP);
	pl_html_map(&html);
	pl_html_slots(&html);
	pl_html_latency(&html);
	pl_html_series(&html);
	pl_html_effects(&html);
	pl_html_quality(&html);
	pl_html_environment(&html);
	pl_html_section(&html, "data", PL_STR_DATA);
	pl_html(&html, "<p>$</p>\n", pl_html_str(&html, PL_STR_DATA_NOTE));
	code = embed(&html, err);
	pl_html(&html, "</main></body></html>\n");
	pl_arena_fini(&html.arena);
	return code ? code : pl_out_finish(out, err);
}
