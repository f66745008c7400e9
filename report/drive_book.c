#include "report/drive_book.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "report/rows.h"

struct pl_drive_table *pl_book_add(struct pl_book *b, enum pl_str title, const enum pl_str *heads,
				   size_t columns)
{
	void *items = b->tables;
	struct pl_drive_table *table =
		pl_arena_push(b->arena, &items, &b->count, &b->capacity, sizeof(*table));

	b->tables = items;
	*table = (struct pl_drive_table){.title = title, .heads = heads, .column_count = columns};
	return table;
}

void pl_book_row(struct pl_book *b, struct pl_drive_table *table, const char *const *cells)
{
	const char **copy = pl_arena_array(b->arena, table->column_count, sizeof(*copy));
	void *rows = table->rows;

	memcpy(copy, cells, table->column_count * sizeof(*copy));
	*(const char *const **)pl_arena_push(b->arena, &rows, &table->row_count,
					     &table->row_capacity, sizeof(copy)) = copy;
	table->rows = rows;
}

void pl_book_drop_empty(struct pl_book *b)
{
	if (!b->tables[b->count - 1].row_count)
		b->count--;
}

const char *pl_book_ns(const struct pl_book *b, const struct pl_measurement *m, double ns)
{
	return m && pl_series_has_numbers(m) && !isnan(ns) ? pl_row_ns(b->arena, ns) : NULL;
}

const char *pl_book_step(const struct pl_book *b, const struct pl_interval *step)
{
	char text[64];

	if (isnan(step->estimate))
		return NULL;
	if (isnan(step->low))
		return "n/a";
	return pl_arena_printf(
		b->arena, "%s%s", step->estimate < 0.0 ? "" : "+",
		pl_fmt_ns_pm(text, sizeof(text), step->estimate, step->high - step->estimate));
}

bool pl_book_is_resolved(const struct pl_interval *step)
{
	return step->low > 0.0 || step->high < 0.0;
}

bool pl_book_is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool pl_book_is_of(const struct pl_book *b, const struct pl_measurement *m)
{
	return m->probe == PL_PROBE_NVME && m->has_device &&
	       pl_bdf_is_equal(m->device, b->drive->bdf);
}
