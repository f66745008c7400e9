#include "report/drive.h"
#include "report/html.h"

/* One section, and in it the tables of each drive. */

static void put_row(struct pl_html *html, const struct pl_drive_table *table,
		    const char *const *cells)
{
	pl_html(html, "<tr><th scope=\"row\">$</th>", cells[0]);
	for (size_t i = 1; i < table->column_count; i++)
		pl_html(html,
			pl_str_is_number(table->heads[i]) ? "<td class=\"n\">$</td>" : "<td>$</td>",
			cells[i]);
	pl_html(html, "</tr>\n");
}

static void put_drive(struct pl_html *html, const struct pl_drive *drive)
{
	const char *name = pl_drive_title(&html->arena, html->run, drive);
	size_t count;
	const struct pl_drive_table *tables =
		pl_drive_tables(&html->arena, html->run, drive, html->options->lang, &count);

	pl_html(html, "<h3>$</h3>\n", name);
	for (size_t t = 0; t < count; t++) {
		pl_html(html, "<h4>$</h4>\n", pl_html_str(html, tables[t].title));
		pl_html_table_of(html, name, tables[t].title, tables[t].heads,
				 tables[t].column_count);
		for (size_t i = 0; i < tables[t].row_count; i++)
			put_row(html, &tables[t], tables[t].rows[i]);
		pl_html_table_end(html);
		if (tables[t].note)
			pl_html(html, "<p>$</p>\n", tables[t].note);
	}
}

void pl_html_drives(struct pl_html *html)
{
	if (!html->run->drive_count)
		return;
	pl_html_section(html, "drives", PL_STR_DRIVES);
	for (size_t i = 0; i < html->run->drive_count; i++)
		put_drive(html, &html->run->drives[i]);
}
