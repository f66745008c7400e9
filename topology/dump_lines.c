#include "topology/dump_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LIBPCI_LINE_MAX 255u /* its reader gives up at longer ones */
#define LINE_MAX_BYTES 4096u
#define LEAST_CONFIG 64u
#define ROW_BYTES 16u

struct reading {
	struct pl_text_dump *dump;
	unsigned number; /* of the line */
	unsigned long_line;
	struct pl_err *err;
};

struct pl_text_function *pl_text_function_at(struct pl_text_dump *dump, struct pl_bdf bdf,
					     unsigned line)
{
	struct pl_text_function *made;

	for (size_t i = dump->count; i-- > 0;)
		if (pl_bdf_is_equal(dump->items[i]->f.bdf, bdf))
			return dump->items[i];
	made = pl_arena_alloc(dump->arena, sizeof(*made));
	made->f.bdf = bdf;
	made->line = line;
	*(struct pl_text_function **)pl_arena_push(dump->arena, (void **)&dump->items, &dump->count,
						   &dump->capacity, sizeof(made)) = made;
	return made;
}

static int complain(struct reading *r, const char *what)
{
	return pl_fail(r->err, -EINVAL, "%s, line %u: %s", r->dump->name, r->number, what);
}

/* "00:01.1 " or "10000:e0:06.0 "; the rest of the line behind it, or NULL. */
static const char *read_address(const char *line, struct pl_bdf *bdf)
{
	size_t length = strcspn(line, " \t");
	char text[32];

	if (length < 7 || length >= sizeof(text) || !isxdigit((unsigned char)line[0]))
		return NULL;
	memcpy(text, line, length);
	text[length] = '\0';
	if (pl_bdf_parse(text, bdf))
		return NULL;
	return line + length + strspn(line + length, " \t");
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "40: 01 50 c3 …": an offset of two or three digits, then bytes. */
static bool is_hex_line(const char *line, unsigned *offset, const char **bytes)
{
	size_t digits = 0;

	*offset = 0;
	while (digits < 4 && nibble(line[digits]) >= 0)
		*offset = *offset << 4 | (unsigned)nibble(line[digits++]);
	if (digits < 2 || digits > 3 || line[digits] != ':' || line[digits + 1] != ' ')
		return false;
	*bytes = line + digits + 2;
	return nibble((*bytes)[0]) >= 0 && nibble((*bytes)[1]) >= 0 &&
	       (!(*bytes)[2] || isspace((unsigned char)(*bytes)[2]));
}

static int store_row(struct reading *r, struct pl_text_function *f, const char *at)
{
	for (unsigned i = 0; i < ROW_BYTES; i++) {
		int high = nibble(at[0]), low = high < 0 ? -1 : nibble(at[1]);

		if (low < 0 || (at[2] && !isspace((unsigned char)at[2])))
			return complain(r, "a row of configuration space has 16 bytes; this one "
					   "is cut off or broken");
		f->config[f->config_bytes++] = (uint8_t)(high << 4 | low);
		at += 2 + (at[2] != '\0');
	}
	return at[strspn(at, " \t\r")] ? complain(r, "more than 16 bytes in a row of configuration "
						     "space")
				       : 0;
}

static int read_hex(struct reading *r, unsigned offset, const char *bytes)
{
	struct pl_text_function *f = r->dump->current;

	if (!f)
		return complain(r, "bytes of configuration space before any function");
	if (!f->config)
		f->config = pl_arena_alloc(r->dump->arena, PL_DUMP_CONFIG_BYTES);
	if (offset == 0 && f->config_bytes)
		return complain(r, "the function was dumped before: two dumps in one text");
	if (offset != f->config_bytes || offset + ROW_BYTES > PL_DUMP_CONFIG_BYTES)
		return complain(r, "rows of configuration space are missing before this one");
	r->dump->hex_lines++;
	return store_row(r, f, bytes);
}

static int end_function(struct reading *r)
{
	struct pl_text_function *f = r->dump->current;
	char bdf[PL_BDF_TEXT];

	if (!f || !f->config || f->config_bytes >= LEAST_CONFIG)
		return 0;
	return pl_fail(r->err, -EINVAL,
		       "%s, line %u: %s has only %zu bytes of configuration space, 64 are the "
		       "least: the text is cut off",
		       r->dump->name, r->number, pl_bdf_format(f->f.bdf, bdf), f->config_bytes);
}

static int read_title(struct reading *r, struct pl_bdf bdf, const char *rest)
{
	struct pl_text_function *f = pl_text_function_at(r->dump, bdf, r->number), before = *f;
	int rc = end_function(r);

	if (rc)
		return rc;
	f->is_in_list = true;
	pl_text_title(r->dump, f, rest);
	if (before.has_ids && f->has_ids &&
	    (before.f.vendor_id != f->f.vendor_id || before.f.device_id != f->f.device_id))
		return complain(r, "this function had other ids before: two machines in one text");
	r->dump->current = f;
	r->dump->section = NULL;
	r->dump->list_lines++;
	return 0;
}

static int read_line(struct reading *r, const char *line)
{
	struct pl_text_dump *dump = r->dump;
	struct pl_bdf bdf = {0, 0, 0, 0};
	const char *rest = read_address(line, &bdf);
	unsigned offset;

	if (rest)
		return read_title(r, bdf, rest);
	if (is_hex_line(line, &offset, &rest))
		return read_hex(r, offset, rest);
	if (pl_text_tree_line(dump, line, r->number))
		return 0;
	if (dump->current && (line[0] == ' ' || line[0] == '\t'))
		pl_text_property(dump, dump->current, line);
	return 0;
}

/* With root rights all functions have 256 bytes at least; a last one with fewer was cut. */
static int check_last(struct reading *r)
{
	struct pl_text_function *last = r->dump->current;
	size_t most = 0, size = last ? last->config_bytes : 0;

	for (size_t i = 0; i < r->dump->count; i++)
		if (r->dump->items[i]->config_bytes > most)
			most = r->dump->items[i]->config_bytes;
	if (!last || !last->config || size == 4096 || size == 256 || (size == 64 && most <= 128) ||
	    (size == 128 && most <= 128))
		return 0;
	return complain(r,
			"the last function's configuration space ends early: the text is cut off");
}

static int check_all(struct reading *r)
{
	struct pl_text_dump *dump = r->dump;
	int rc;

	if (!dump->count)
		return complain(r, "nothing here is a PCI function: wanted the text of lspci, best "
				   "of \"lspci -xxxx\" as root");
	if (dump->hex_lines && r->long_line) {
		r->number = r->long_line;
		return complain(r, "the line is longer than 255 characters, which no hex dump of "
				   "lspci has");
	}
	rc = end_function(r);
	return rc ? rc : check_last(r);
}

static int read_raw(struct reading *r, const char *line, size_t length)
{
	char copy[LINE_MAX_BYTES + 1];

	if (memchr(line, '\0', length))
		return complain(r, "not a text: it holds zero bytes");
	if (length > LINE_MAX_BYTES)
		return complain(r, "the line is longer than 4096 characters: not a text of lspci");
	if (length > LIBPCI_LINE_MAX && !r->long_line)
		r->long_line = r->number;
	memcpy(copy, line, length);
	copy[length] = '\0';
	if (length && copy[length - 1] == '\r')
		copy[length - 1] = '\0';
	return read_line(r, copy);
}

int pl_dump_lines(struct pl_text_dump *dump, const char *text, size_t size_bytes,
		  struct pl_err *err)
{
	struct reading r = {dump, 0, 0, err};
	const char *at = text, *limit = text + size_bytes;
	int rc = 0;

	while (!rc && at < limit) {
		const char *end = memchr(at, '\n', (size_t)(limit - at));

		if (!end)
			end = limit;
		r.number++;
		rc = read_raw(&r, at, (size_t)(end - at));
		at = end + (end < limit);
	}
	return rc ? rc : check_all(&r);
}
