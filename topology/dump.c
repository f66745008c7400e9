#include "topology/dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "topology/dump_lines.h"
#include "topology/functions.h"

#define FILE_LIMIT_BYTES ((size_t)64 * 1024 * 1024)
#define ROW_BYTES 16

/* Only what libpci needs, from the lines that were checked; text between them stays out. */
static void print_config(FILE *out, const struct pl_text_function *f)
{
	char bdf[PL_BDF_TEXT];

	fprintf(out, "%s function\n", pl_bdf_format(f->f.bdf, bdf));
	for (size_t row = 0; row < f->config_bytes; row += ROW_BYTES) {
		fprintf(out, "%02zx:", row);
		for (size_t i = 0; i < ROW_BYTES; i++)
			fprintf(out, " %02x", f->config[row + i]);
		fputc('\n', out);
	}
	fputc('\n', out);
}

/* libpci reads files only, so it gets one in memory. */
static int open_config(const struct pl_text_dump *dump, struct pl_pci **pci, struct pl_err *err)
{
	char path[64], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int fd = memfd_create("pcielat-dump", MFD_CLOEXEC), rc = 0;

	if (!out || fd < 0) {
		rc = pl_fail(err, -ENOMEM, "%s: %s", dump->name, strerror(errno));
		goto out;
	}
	for (size_t i = 0; i < dump->count; i++)
		if (dump->items[i]->config)
			print_config(out, dump->items[i]);
	fclose(out);
	out = NULL;
	if (write(fd, text, size) != (ssize_t)size)
		rc = pl_fail(err, -EIO, "%s: %s", dump->name, strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!rc)
		rc = pl_pci_open_dump(pci, path, err);
out:
	if (out)
		fclose(out);
	if (fd >= 0)
		close(fd);
	free(text);
	return rc;
}

/* Missing capability lines say "none" only where the text shows properties at all. */
static void finish_text(struct pl_text_function *t)
{
	if (t->is_verbose && !t->is_denied)
		t->f.express.is_known = true;
	if (t->is_denied)
		t->f.express.is_known = false;
	if (!t->has_buses && (t->f.class_code >> 8 == 0x0604 || t->f.class_code >> 8 == 0x0607))
		t->f.header_type = 1;
	t->f.has_no_id = !t->has_ids;
	t->f.name = t->title;
}

/* Names and what only the text says, onto a function read from hex. */
static void merge_text(struct pl_function *f, const struct pl_text_function *t)
{
	if (f->is_unreadable || f->is_virtual) {
		f->vendor_id = t->f.vendor_id;
		f->device_id = t->f.device_id;
		f->has_no_id = !t->has_ids;
		if (!f->class_code)
			f->class_code = t->f.class_code;
	}
	f->driver = t->f.driver;
	f->firmware_name = t->f.firmware_name;
	f->slot_name = t->f.slot_name;
}

static const struct pl_text_function *text_of(const struct pl_text_dump *dump, struct pl_bdf bdf)
{
	for (size_t i = 0; i < dump->count; i++)
		if (pl_bdf_is_equal(dump->items[i]->f.bdf, bdf))
			return dump->items[i];
	return NULL;
}

static int check_answers(const struct pl_text_dump *dump, struct pl_run *run,
			 const struct pl_function *functions, size_t count, struct pl_err *err)
{
	size_t silent = 0;
	unsigned line = 0;
	char bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < count; i++) {
		if (!functions[i].is_unreadable)
			continue;
		silent++;
		line = text_of(dump, functions[i].bdf)->line;
		pl_run_warn(run, "W-DUMP", "warning", NULL,
			    "line %u: %s answers ffff: it slept or was gone when the dump was made",
			    line, pl_bdf_format(functions[i].bdf, bdf));
	}
	if (silent < count)
		return 0;
	return pl_fail(err, -EINVAL,
		       "%s, line %u: every function has vendor ffff: no dump of a "
		       "running machine",
		       dump->name, line);
}

/* A flat list names functions on several buses and no bridge says which buses are below it. */
static int check_tree(const struct pl_text_dump *dump, struct pl_err *err)
{
	const struct pl_text_function *lost = NULL;
	bool is_deep = false;

	for (size_t i = 0; i < dump->count; i++) {
		const struct pl_text_function *t = dump->items[i];

		is_deep |= t->f.bdf.bus != 0;
		/* In a tree a bridge without buses is one that nobody configured. */
		if (!t->config && t->f.header_type == 1 && !t->has_buses && !t->is_in_tree && !lost)
			lost = t;
	}
	if (!lost || !is_deep)
		return 0;
	return pl_fail(err, -EINVAL,
		       "%s, line %u: this text does not say which buses are below a bridge; wanted "
		       "\"lspci -nnvv\", or \"lspci -nn\" followed by \"lspci -t\", best "
		       "\"lspci -xxxx\" as root",
		       dump->name, lost->line);
}

static void note_missing(struct pl_run *run, const struct pl_text_dump *dump)
{
	size_t nameless = 0;

	for (size_t i = 0; i < dump->count; i++)
		nameless += !dump->items[i]->config && !dump->items[i]->has_ids;
	pl_run_skip(run, "board, slot names, drives, NUMA nodes",
		    "a text of lspci does not carry them", "pcielat capture");
	if (!dump->hex_lines)
		pl_run_skip(run, "registers",
			    "this text shows some of them in words and the rest not at all",
			    "lspci -xxxx as root");
	if (nameless)
		pl_run_warn(run, "W-DUMP", "warning", NULL,
			    "%zu functions have no ids in this text and no name that is listed; "
			    "\"lspci -nn\" before it would help",
			    nameless);
}

static int gather(struct pl_run *run, struct pl_text_dump *dump, struct pl_pci *pci,
		  struct pl_function **functions, size_t *count, struct pl_err *err)
{
	struct pl_function *from_hex = NULL, *all;
	size_t hex = pl_functions_read(&run->arena, pci, NULL, &from_hex), total = 0;
	int rc = 0;

	pl_text_find_ids(dump, pci);
	for (size_t i = 0; i < dump->count; i++)
		finish_text(dump->items[i]);
	rc = hex ? check_answers(dump, run, from_hex, hex, err) : 0;
	if (!rc)
		rc = check_tree(dump, err);
	if (rc)
		return rc;
	all = pl_arena_array(&run->arena, dump->count + hex, sizeof(*all));
	for (size_t i = 0; i < hex; i++) {
		all[total] = from_hex[i];
		merge_text(&all[total++], text_of(dump, from_hex[i].bdf));
	}
	for (size_t i = 0; i < dump->count; i++)
		if (!dump->items[i]->config)
			all[total++] = dump->items[i]->f;
	*functions = all;
	*count = total;
	note_missing(run, dump);
	return 0;
}

int pl_dump_parse(struct pl_run *run, const char *name, const char *text, size_t size_bytes,
		  struct pl_pci **pci, struct pl_function **functions, size_t *count,
		  struct pl_err *err)
{
	struct pl_text_dump *dump = pl_arena_alloc(&run->arena, sizeof(*dump));
	int rc;

	*pci = NULL;
	*dump = (struct pl_text_dump){.name = name, .arena = &run->arena};
	rc = pl_dump_lines(dump, text, size_bytes, err);
	if (rc)
		return rc;
	rc = dump->hex_lines ? open_config(dump, pci, err) : pl_pci_open_names(pci, err);
	if (!rc)
		rc = gather(run, dump, *pci, functions, count, err);
	if (rc) {
		pl_pci_close(*pci);
		*pci = NULL;
	}
	return rc;
}

/* Reads until the end, so that pipes work as well as files. */
static int read_stream(FILE *in, const char *file, char **text, size_t *size, struct pl_err *err)
{
	size_t room = 1 << 16, got = 1;
	char *grown = malloc(room);

	*size = 0;
	for (*text = grown; grown && got; *text = grown ? grown : *text) {
		got = fread(*text + *size, 1, room - *size, in);
		*size += got;
		if (*size >= FILE_LIMIT_BYTES)
			return pl_fail(err, -EINVAL,
				       "--dump %s: more than 64 MiB: not a text of "
				       "lspci",
				       file);
		if (*size == room)
			grown = realloc(*text, room *= 2);
	}
	if (!grown)
		return pl_fail(err, -ENOMEM, "--dump %s: out of memory", file);
	return ferror(in) ? pl_fail(err, -EIO, "--dump %s: %s", file, strerror(errno)) : 0;
}

int pl_dump_read(struct pl_run *run, const char *file, struct pl_pci **pci,
		 struct pl_function **functions, size_t *count, struct pl_err *err)
{
	FILE *in = fopen(file, "re");
	char *text = NULL;
	size_t size = 0;
	int rc;

	*pci = NULL;
	if (!in)
		return pl_fail(err, -errno, "--dump %s: %s", file, strerror(errno));
	rc = read_stream(in, file, &text, &size, err);
	if (!rc)
		rc = pl_dump_parse(run, pl_arena_printf(&run->arena, "--dump %s", file), text, size,
				   pci, functions, count, err);
	fclose(in);
	free(text);
	return rc;
}
