#include "report/drive.h"
#include "report/markdown.h"

/* The tables of the drives that a run looked into, as Markdown. */

static void put_table(struct pl_markdown *md, const struct pl_drive_table *table)
{
	pl_markdown_heading(md, 4, pl_str(md->lang, table->title));
	pl_markdown_heads(md, table->heads, table->column_count);
	for (size_t i = 0; i < table->row_count; i++)
		pl_markdown_cells(md, table->rows[i], table->column_count);
	if (!table->note)
		return;
	fputc('\n', md->out);
	pl_markdown_block(md, table->note);
	fputc('\n', md->out);
}

void pl_markdown_drives(struct pl_markdown *md)
{
	for (size_t i = 0; i < md->run->drive_count; i++) {
		const struct pl_drive *drive = &md->run->drives[i];
		const struct pl_drive_table *tables;
		size_t count;

		if (!pl_drive_is_detailed(md->run, drive))
			continue;
		tables = pl_drive_tables(&md->arena, md->run, drive, md->lang, &count);
		pl_markdown_heading(md, 3, pl_drive_title(&md->arena, md->run, drive));
		for (size_t t = 0; t < count; t++)
			put_table(md, &tables[t]);
	}
}
