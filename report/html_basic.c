#include <stdarg.h>
#include <string.h>

#include "report/html.h"
#include "report/out.h"
#include "report/phrases.h"

static void put_escaped(FILE *out, const char *text)
{
	static const struct {
		char c;
		const char *entity;
	} entities[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

	for (; *text; text++) {
		size_t i = 0;

		while (i < sizeof(entities) / sizeof(entities[0]) && entities[i].c != *text)
			i++;
		if (i < sizeof(entities) / sizeof(entities[0]))
			fputs(entities[i].entity, out);
		else
			fputc(*text, out);
	}
}

void pl_html(struct pl_html *html, const char *markup, ...)
{
	va_list args;

	va_start(args, markup);
	for (; *markup; markup++) {
		const char *text;

		if (*markup != '$') {
			fputc(*markup, html->out);
			continue;
		}
		text = va_arg(args, const char *);
		put_escaped(html->out, text ? pl_out_clean(&html->arena, text) : "–");
	}
	va_end(args);
}

void pl_html_lines(struct pl_html *html, const char *text, size_t size)
{
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		pl_html(html, "$\n", pl_arena_printf(&html->arena, "%.*s", (int)length, text));
		text += length + (end != NULL);
		size -= length + (end != NULL);
	}
}

const char *pl_html_str(const struct pl_html *html, enum pl_str id)
{
	return pl_str(html->options->lang, id);
}

const char *pl_html_word(struct pl_html *html, const char *text)
{
	return pl_phrase(&html->arena, text, html->options->lang);
}

const char *pl_html_ns(struct pl_html *html, const struct pl_measurement *m, double ns)
{
	if (!pl_series_has_numbers(m))
		return NULL;
	return pl_row_ns(&html->arena, ns);
}

void pl_html_section(struct pl_html *html, const char *id, enum pl_str title)
{
	pl_html(html, "<h2 id=\"$\">$</h2>\n", id, pl_html_str(html, title));
}

/* A wide table scrolls in a region of its own that the keyboard reaches. */
void pl_html_table_of(struct pl_html *html, const char *subject, enum pl_str caption,
		      const enum pl_str *columns, size_t count)
{
	const char *title = pl_html_str(html, caption);
	const char *name =
		subject ? pl_arena_printf(&html->arena, "%s: %s", subject, title) : title;

	pl_html(html,
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"$\">"
		"<table><caption>$</caption><thead><tr>",
		name, title);
	for (size_t i = 0; i < count; i++)
		pl_html(html, "<th scope=\"col\">$</th>", pl_html_str(html, columns[i]));
	pl_html(html, "</tr></thead><tbody>\n");
}

void pl_html_table(struct pl_html *html, enum pl_str caption, const enum pl_str *columns,
		   size_t count)
{
	pl_html_table_of(html, NULL, caption, columns, count);
}

void pl_html_fold(struct pl_html *html, enum pl_str summary)
{
	pl_html(html, "<details><summary>$</summary>\n", pl_html_str(html, summary));
}

void pl_html_fold_end(struct pl_html *html)
{
	pl_html(html, "</details>\n");
}

void pl_html_table_end(struct pl_html *html)
{
	pl_html(html, "</tbody></table></div>\n");
}
