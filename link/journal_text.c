#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/journal.h"

#define HEADER "pcielat-journal 1"
#define FUNCTIONS_MAX 256 /* of one bus */

static const char *const kind_names[] = {[PL_TEXT_LATENCY] = "latency", [PL_TEXT_POWER] = "power"};

/* FNV-1a, 64 bit: finds a torn or edited file, no more is asked of it. */
static uint64_t checksum(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void print_function(FILE *out, const struct pl_aspm_function *f)
{
	char bdf[PL_BDF_TEXT];

	fprintf(out, "function %s %04x %04x %d %04x %d %08" PRIx32 "\n", pl_bdf_format(f->bdf, bdf),
		f->vendor_id, f->device_id, f->is_readable, f->lnkctl, f->has_l1ss, f->l1ss_ctl1);
}

static void print_link(FILE *out, const struct pl_journal_link *link)
{
	char up[PL_BDF_TEXT], down[PL_BDF_TEXT];

	fprintf(out, "link %u %s %s %zu", link->depth, pl_bdf_format(link->found.up.bdf, up),
		pl_bdf_format(link->found.down[0].bdf, down), link->found.down_count);
	for (int i = 0; i < PL_ATTR_COUNT; i++)
		fprintf(out, " %d", link->found.attr[i]);
	fputc('\n', out);
	print_function(out, &link->found.up);
	for (size_t i = 0; i < link->found.down_count; i++)
		print_function(out, &link->found.down[i]);
}

static void print_text(FILE *out, const struct pl_journal_text *text)
{
	char bdf[PL_BDF_TEXT];

	fprintf(out, "text %s %s %04x %04x %s %s\n", kind_names[text->kind],
		pl_bdf_format(text->bdf, bdf), text->vendor_id, text->device_id, text->path,
		text->value);
}

int pl_journal_format(const struct pl_journal *journal, char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		return -ENOMEM;
	fprintf(out, HEADER "\nboot %s\npid %ld\n", journal->boot_id, journal->pid);
	if (journal->policy[0])
		fprintf(out, "policy %s\n", journal->policy);
	for (size_t i = 0; i < journal->link_count; i++)
		print_link(out, &journal->links[i]);
	for (size_t i = 0; i < journal->text_count; i++)
		print_text(out, &journal->texts[i]);
	if (fflush(out))
		goto failed;
	fprintf(out, "end %016" PRIx64 "\n", checksum(*text, *length));
	if (fclose(out) == 0)
		return 0;
	out = NULL;
failed:
	if (out)
		fclose(out);
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

struct parser {
	struct pl_journal *journal;
	const char *start, *line; /* of the text; of the present line */
	unsigned number;
	size_t functions_left; /* of the link begun last */
	bool has_up, has_end;
};

static bool parse_function(struct parser *p, const char *rest)
{
	struct pl_journal_link *link;
	struct pl_aspm_function f = {.bdf = {0}};
	char bdf[PL_BDF_TEXT];
	unsigned vendor, device, lnkctl;
	int readable, l1ss, used = 0;

	if (!p->journal->link_count || (p->has_up && !p->functions_left))
		return false;
	if (sscanf(rest, "%23s %4x %4x %1d %4x %1d %8" SCNx32 "%n", bdf, &vendor, &device,
		   &readable, &lnkctl, &l1ss, &f.l1ss_ctl1, &used) != 7 ||
	    rest[used] || pl_bdf_parse(bdf, &f.bdf))
		return false;
	f.vendor_id = (uint16_t)vendor;
	f.device_id = (uint16_t)device;
	f.lnkctl = (uint16_t)lnkctl;
	f.is_readable = readable;
	f.has_l1ss = l1ss;
	link = &p->journal->links[p->journal->link_count - 1];
	if (!p->has_up) {
		p->has_up = true;
		link->found.up = f;
		return true;
	}
	link->found.down[link->found.down_count - p->functions_left--] = f;
	return true;
}

static bool parse_link(struct parser *p, const char *rest)
{
	struct pl_journal *j = p->journal;
	void *items = j->links;
	struct pl_journal_link link = {.depth = 0}, *added;
	char up[PL_BDF_TEXT], down[PL_BDF_TEXT];
	int *a = link.found.attr, used = 0;

	if (p->functions_left || (j->link_count && !p->has_up))
		return false;
	if (sscanf(rest, "%u %23s %23s %zu %d %d %d %d %d %d %d%n", &link.depth, up, down,
		   &link.found.down_count, a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6,
		   &used) != 11 ||
	    rest[used] || !link.found.down_count || link.found.down_count > FUNCTIONS_MAX)
		return false;
	link.found.down =
		pl_arena_array(&j->arena, link.found.down_count, sizeof(*link.found.down));
	added = pl_arena_push(&j->arena, &items, &j->link_count, &j->link_capacity, sizeof(*added));
	j->links = items;
	*added = link;
	p->functions_left = link.found.down_count;
	p->has_up = false;
	return true;
}

static bool parse_text(struct parser *p, const char *rest)
{
	struct pl_journal_text text = {.kind = PL_TEXT_LATENCY};
	char kind[16], bdf[PL_BDF_TEXT], path[256];
	unsigned vendor, device;
	int used = 0;

	if (sscanf(rest, "%15s %23s %4x %4x %255s %63s%n", kind, bdf, &vendor, &device, path,
		   text.value, &used) != 6 ||
	    rest[used] || pl_bdf_parse(bdf, &text.bdf))
		return false;
	/* The only files that may come back through here: no journal writes anywhere else. */
	if (strncmp(path, "sys/", 4) || strstr(path, ".."))
		return false;
	if (!strcmp(kind, kind_names[PL_TEXT_POWER]))
		text.kind = PL_TEXT_POWER;
	else if (strcmp(kind, kind_names[PL_TEXT_LATENCY]))
		return false;
	text.vendor_id = (uint16_t)vendor;
	text.device_id = (uint16_t)device;
	text.path = path;
	pl_journal_add_text(p->journal, &text);
	return true;
}

static bool parse_boot(struct parser *p, const char *rest)
{
	return sscanf(rest, "%63s", p->journal->boot_id) == 1;
}

static bool parse_pid(struct parser *p, const char *rest)
{
	return sscanf(rest, "%ld", &p->journal->pid) == 1;
}

static bool parse_policy(struct parser *p, const char *rest)
{
	return sscanf(rest, "%63s", p->journal->policy) == 1;
}

static bool parse_end(struct parser *p, const char *rest)
{
	uint64_t sum;

	p->has_end = true;
	return sscanf(rest, "%16" SCNx64, &sum) == 1 &&
	       sum == checksum(p->start, (size_t)(p->line - p->start));
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p, const char *rest);
} lines[] = {
	{"boot ", parse_boot},         {"pid ", parse_pid},   {"policy ", parse_policy},
	{"link ", parse_link},         {"text ", parse_text}, {"end ", parse_end},
	{"function ", parse_function},
};

static bool parse_line(struct parser *p, const char *line)
{
	if (p->number == 1)
		return !strcmp(line, HEADER);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strncmp(line, lines[i].word, strlen(lines[i].word)))
			return lines[i].parse(p, line + strlen(lines[i].word));
	return false;
}

int pl_journal_parse(struct pl_journal *journal, const char *text, struct pl_err *err)
{
	struct parser p = {.journal = journal, .start = text, .line = text};
	char line[512];

	while (*p.line && !p.has_end) {
		size_t length = strcspn(p.line, "\n");

		p.number++;
		if (length >= sizeof(line) || !p.line[length])
			goto damaged;
		memcpy(line, p.line, length);
		line[length] = '\0';
		if (!parse_line(&p, line))
			goto damaged;
		p.line += length + 1;
	}
	if (p.has_end && !*p.line && !p.functions_left && (!journal->link_count || p.has_up))
		return 0;
damaged:
	return pl_fail(err, -EINVAL,
		       "/%s is damaged at line %u; link states are as the dead run "
		       "left them until the next boot",
		       PL_JOURNAL_FILE, p.number);
}
