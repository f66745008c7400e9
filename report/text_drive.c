#include "report/drive.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

/* The tables of the drives that a run looked into, for a terminal. */

static void print_table(struct pl_arena *arena, const struct pl_drive_table *from,
			const struct pl_text_style *style, FILE *out)
{
	struct pl_text_column *columns =
		pl_arena_array(arena, from->column_count, sizeof(*columns));
	struct pl_text_table table = {
		.arena = arena, .columns = columns, .column_count = from->column_count};

	for (size_t i = 0; i < from->column_count; i++) {
		bool is_number = pl_str_is_number(from->heads[i]);
		unsigned least = is_number ? 0 : i + 1 == from->column_count ? 16 : 8;

		columns[i] = (struct pl_text_column){pl_str(PL_LANG_EN, from->heads[i]), is_number,
						     least};
	}
	for (size_t i = 0; i < from->row_count; i++)
		pl_text_row(&table, from->rows[i]);
	fprintf(out, "%s\n", pl_str(PL_LANG_EN, from->title));
	pl_text_print(&table, style, out);
	if (from->note)
		pl_text_wrap(style, "  ", 2, from->note, out);
}

void pl_text_drives(const struct pl_run *run, const struct pl_text_style *style, FILE *out)
{
	struct pl_arena arena = {NULL};

	for (size_t i = 0; i < run->drive_count; i++) {
		const struct pl_drive *drive = &run->drives[i];
		const struct pl_drive_table *tables;
		size_t count;

		if (!pl_drive_is_detailed(run, drive))
			continue;
		tables = pl_drive_tables(&arena, run, drive, PL_LANG_EN, &count);
		pl_text_heading(style,
				pl_text_cut(&arena, pl_drive_title(&arena, run, drive),
					    style->columns ? style->columns : 80),
				out);
		for (size_t t = 0; t < count; t++)
			print_table(&arena, &tables[t], style, out);
	}
	pl_arena_fini(&arena);
}
