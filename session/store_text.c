#include "session/store_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_plain(unsigned char c)
{
	return c > 0x20 && c != 0x7f && c != '%';
}

const char *pl_store_escape(struct pl_arena *arena, const char *text)
{
	char *out, *at;

	if (!text || !strcmp(text, "-"))
		return text ? "%2D" : "-";
	out = at = pl_arena_alloc(arena, 3 * strlen(text) + 2);
	for (; *text; text++)
		if (is_plain((unsigned char)*text))
			*at++ = *text;
		else
			at += snprintf(at, 4, "%%%02X", (unsigned)(unsigned char)*text);
	return out;
}

static int hex(char c)
{
	const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

const char *pl_store_unescape(struct pl_arena *arena, const char *field)
{
	char *out, *at;

	if (!strcmp(field, "-"))
		return NULL;
	out = at = pl_arena_alloc(arena, strlen(field) + 1);
	for (; *field; field++) {
		int high = *field == '%' ? hex(field[1]) : -1;
		int low = high >= 0 ? hex(field[2]) : -1;

		if (low < 0) {
			*at++ = *field;
			continue;
		}
		*at++ = (char)(high * 16 + low);
		field += 2;
	}
	return out;
}

size_t pl_store_split(char *line, char **fields, size_t most)
{
	size_t count = 0;

	while (line && count < most) {
		fields[count++] = line;
		line = strchr(line, ' ');
		if (line)
			*line++ = '\0';
	}
	return count;
}
