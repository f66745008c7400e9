#include "report/drive.h"
#include "report/markdown.h"

/* The tables of the drives that a run looked into, as Markdown. */

static void put_heads(const struct pl_drive_table *table, struct pl_arena *arena, FILE *out)
{
	const char **heads = pl_arena_array(arena, table->column_count, sizeof(*heads));

	for (size_t i = 0; i < table->column_count; i++)
		heads[i] = pl_str(PL_LANG_EN, table->heads[i]);
	pl_markdown_cells(out, arena, heads, table->column_count);
	for (size_t i = 0; i < table->column_count; i++)
		fputs(pl_str_is_number(table->heads[i]) ? "| ---: " : "| --- ", out);
	fputs("|\n", out);
}

static void put_table(const struct pl_drive_table *table, struct pl_arena *arena, FILE *out)
{
	pl_markdown_heading(out, arena, 4, pl_str(PL_LANG_EN, table->title));
	put_heads(table, arena, out);
	for (size_t i = 0; i < table->row_count; i++)
		pl_markdown_cells(out, arena, table->rows[i], table->column_count);
	if (!table->note)
		return;
	fputc('\n', out);
	pl_markdown_text(out, arena, table->note);
	fputc('\n', out);
}

void pl_markdown_drives(const struct pl_run *run, FILE *out)
{
	struct pl_arena arena = {NULL};

	for (size_t i = 0; i < run->drive_count; i++) {
		const struct pl_drive *drive = &run->drives[i];
		const struct pl_drive_table *tables;
		size_t count;

		if (!pl_drive_is_detailed(run, drive))
			continue;
		tables = pl_drive_tables(&arena, run, drive, &count);
		pl_markdown_heading(out, &arena, 3, pl_drive_title(&arena, run, drive));
		for (size_t t = 0; t < count; t++)
			put_table(&tables[t], &arena, out);
	}
	pl_arena_fini(&arena);
}
