#include "topology/dump_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_hex(const char *at, size_t digits)
{
	for (size_t i = 0; i < digits; i++)
		if (!isxdigit((unsigned char)at[i]))
			return false;
	return true;
}

static unsigned hex4(const char *at)
{
	char digits[5] = {at[0], at[1], at[2], at[3], '\0'};

	return (unsigned)strtoul(digits, NULL, 16);
}

/* The last "[vvvv:dddd]" of a text; NULL: none. */
static const char *find_ids(const char *text)
{
	const char *found = NULL;

	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '['))
		if (strlen(at) >= 11 && is_hex(at + 1, 4) && at[5] == ':' && is_hex(at + 6, 4) &&
		    at[10] == ']')
			found = at;
	return found;
}

/* "PCI bridge [0604]" or "0604": the class before the colon. */
static void read_class(struct pl_text_dump *dump, struct pl_text_function *function,
		       const char *text, size_t length)
{
	char *name = pl_arena_printf(dump->arena, "%.*s", (int)length, text);
	char *bracket = strrchr(name, '[');

	if (bracket && is_hex(bracket + 1, 4) && bracket[5] == ']') {
		function->f.class_code = hex4(bracket + 1) << 8;
		function->has_class = true;
		while (bracket > name && bracket[-1] == ' ')
			bracket--;
		*bracket = '\0';
	} else if (length == 4 && is_hex(name, 4)) {
		function->f.class_code = hex4(name) << 8;
		function->has_class = true;
		return;
	}
	if (*name)
		function->f.class_name = name;
}

static void read_prog_if(struct pl_text_function *function, const char *text)
{
	const char *at = strstr(text, "(prog-if ");

	if (at && is_hex(at + 9, 2))
		function->f.class_code |= (uint32_t)strtoul(at + 9, NULL, 16) & 0xff;
}

static void read_revision(struct pl_text_function *function, const char *text)
{
	const char *at = strstr(text, "(rev ");

	if (at && is_hex(at + 5, 2))
		function->f.revision = (uint8_t)strtoul(at + 5, NULL, 16);
}

/* The name without its numbers and the parentheses that lspci appends. */
static const char *bare_name(struct pl_text_dump *dump, const char *text)
{
	static const char *const tails[] = {" (rev ", " (prog-if "};
	char *name = pl_arena_strdup(dump->arena, text);
	const char *ids = find_ids(name);
	size_t length;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		char *tail = strstr(name, tails[i]);

		if (tail)
			*tail = '\0';
	}
	if (ids && (size_t)(ids - name) < strlen(name))
		name[ids - name] = '\0';
	length = strlen(name);
	while (length && isspace((unsigned char)name[length - 1]))
		name[--length] = '\0';
	return length ? name : NULL;
}

static void read_ids(struct pl_text_function *function, const char *text)
{
	const char *ids = find_ids(text);
	int end = 0;
	unsigned vendor, device;

	if (ids) {
		function->f.vendor_id = (uint16_t)hex4(ids + 1);
		function->f.device_id = (uint16_t)hex4(ids + 6);
		function->has_ids = true;
	} else if (sscanf(text, "%4x:%4x%n", &vendor, &device, &end) == 2 && end == 9 &&
		   (!text[9] || text[9] == ' ')) {
		function->f.vendor_id = (uint16_t)vendor;
		function->f.device_id = (uint16_t)device;
		function->has_ids = true;
	}
}

static bool is_number_only(const char *text)
{
	return is_hex(text, 4) && text[4] == ':' && is_hex(text + 5, 4);
}

void pl_text_title(struct pl_text_dump *dump, struct pl_text_function *function, const char *text)
{
	const char *colon = strstr(text, ": ");
	const char *rest = colon ? colon + 2 : text;

	/* In a tree there is no class, and a colon may be part of a name. */
	if (colon && function->is_in_list)
		read_class(dump, function, text, (size_t)(colon - text));
	else
		rest = text;
	read_prog_if(function, rest);
	read_revision(function, rest);
	read_ids(function, rest);
	if (!is_number_only(rest) && !function->title)
		function->title = bare_name(dump, rest);
}
