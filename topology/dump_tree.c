#include "topology/dump_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS (sizeof(((struct pl_text_dump *)0)->column_bus) / sizeof(int))

/* Where the pen of lspci -t stands: a bus, and the last function drawn on it. */
struct pen {
	uint32_t domain;
	int bus; /* -1: none yet */
	struct pl_text_function *function;
};

static bool is_function(const char *at)
{
	return isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]) && at[2] == '.' &&
	       at[3] >= '0' && at[3] <= '7' && !isalnum((unsigned char)at[4]);
}

/* "[0000:00]" begins a root bus, "[02-12]" or "[01]" the bus below the function before it. */
static const char *read_bus(const char *at, struct pen *pen)
{
	unsigned domain, bus, last;
	int end = 0;

	if (sscanf(at, "[%8x:%2x]%n", &domain, &bus, &end) == 2 && end) {
		*pen = (struct pen){domain, (int)bus, NULL};
		return at + end;
	}
	if (sscanf(at, "[%2x-%2x]%n", &bus, &last, &end) != 2 || !end) {
		end = 0;
		if (sscanf(at, "[%2x]%n", &bus, &end) != 1 || !end)
			return NULL;
		last = bus;
	}
	if (!pen->function)
		return NULL;
	pen->function->f.header_type = 1;
	pen->function->f.secondary = (uint8_t)bus;
	pen->function->f.subordinate = (uint8_t)last;
	pen->function->has_buses = true;
	pen->bus = (int)bus;
	pen->function = NULL;
	return at + end;
}

static const char *read_function(struct pl_text_dump *dump, const char *at, struct pen *pen,
				 unsigned number)
{
	struct pl_bdf bdf = {pen->domain, (uint8_t)pen->bus, 0, 0};
	struct pl_text_function *function;

	if (pen->bus < 0)
		return NULL;
	bdf.dev = (uint8_t)(strtoul(at, NULL, 16) & 0x1f);
	bdf.fn = (uint8_t)(at[3] - '0');
	function = pl_text_function_at(dump, bdf, number);
	function->is_in_tree = true;
	pen->function = function;
	at += 4;
	if (at[0] == ' ' && at[1] == ' ') {
		pl_text_title(dump, function, at + 2);
		return at + strlen(at);
	}
	return at;
}

static void remember(struct pl_text_dump *dump, size_t column, const struct pen *pen)
{
	dump->column_domain[column] = pen->domain;
	dump->column_bus[column] = pen->bus;
}

static struct pen recall(const struct pl_text_dump *dump, size_t column)
{
	return (struct pen){dump->column_domain[column], dump->column_bus[column], NULL};
}

/* Follows one line; a branch mark at a column belongs to the bus that was drawn there last. */
static bool follow(struct pl_text_dump *dump, const char *line, const char *start, unsigned number)
{
	struct pen pen = recall(dump, (size_t)(start - line));
	const char *at = start;

	if (start == line || *start == '-')
		pen.bus = -1;
	while (at && *at) {
		size_t column = (size_t)(at - line);

		if (column >= COLUMNS)
			return false;
		if (*at == '+') {
			if (at != start)
				remember(dump, column, &pen);
			at++;
		} else if (*at == '-' || *at == '\\' || *at == ' ') {
			at++;
		} else if (*at == '[') {
			at = read_bus(at, &pen);
		} else {
			at = is_function(at) ? read_function(dump, at, &pen, number) : NULL;
		}
	}
	return at != NULL;
}

bool pl_text_tree_line(struct pl_text_dump *dump, const char *line, unsigned number)
{
	const char *start = line + strspn(line, " |");
	const char *mark = start + strspn(start, "+\\-");

	if (mark == start || (*mark != '[' && !is_function(mark)))
		return false;
	if ((size_t)(start - line) >= COLUMNS || !follow(dump, line, start, number))
		return false;
	dump->tree_lines++;
	return true;
}
