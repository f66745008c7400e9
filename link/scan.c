#include "link/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/decode.h"
#include "link/io.h"
#include "link/link.h"
#include "link/regs.h"

#define PCI_HEADER_TYPE 0x0e
#define PCI_SECONDARY_BUS 0x19
#define HEADER_BRIDGE 1

#define DEVICES "sys/bus/pci/devices"

static int compare_bdf(const void *a, const void *b)
{
	return pl_bdf_compare(*(const struct pl_bdf *)a, *(const struct pl_bdf *)b);
}

/* Every function the kernel knows, in order of address; *bdfs is malloced. Returns the count. */
static int list_functions(const struct pl_sysroot *root, struct pl_bdf **bdfs, struct pl_err *err)
{
	struct pl_arena arena = {NULL};
	char **names = NULL;
	int count = pl_sysroot_list(root, DEVICES, &arena, &names), kept = 0;

	if (count < 0)
		return pl_fail(err, count, "/%s: %s: no PCI devices to look at", DEVICES,
			       strerror(-count));
	*bdfs = calloc((size_t)count + 1, sizeof(**bdfs));
	if (!*bdfs)
		kept = pl_fail(err, -ENOMEM, "out of memory for %d PCI functions", count);
	for (int i = 0; *bdfs && i < count; i++)
		if (pl_bdf_parse(names[i], &(*bdfs)[kept]) == 0)
			kept++;
	pl_arena_fini(&arena);
	if (kept > 0)
		qsort(*bdfs, (size_t)kept, sizeof(**bdfs), compare_bdf);
	return kept;
}

/* The bus below a bridge, or -1 when this is none. */
static int read_secondary(const struct pl_sysroot *root, struct pl_bdf bdf)
{
	char path[PL_LINK_PATH_BYTES];
	uint8_t bytes[PCI_SECONDARY_BUS - PCI_HEADER_TYPE + 1];
	int fd = pl_sysroot_openat(root, pl_link_device_path(path, bdf, "config"));
	int rc = fd;

	if (fd >= 0) {
		rc = pl_link_pread(fd, PCI_HEADER_TYPE, bytes, sizeof(bytes));
		close(fd);
	}
	if (rc || (bytes[0] & 0x7f) != HEADER_BRIDGE)
		return -1;
	/* 0: not configured */
	return bytes[sizeof(bytes) - 1] ? bytes[sizeof(bytes) - 1] : -1;
}

/* Index of the first function at or after this bus. */
static size_t find_bus(const struct pl_bdf *bdfs, size_t count, struct pl_bdf first)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pl_bdf_compare(bdfs[middle], first) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_virtual_function(const struct pl_sysroot *root, struct pl_bdf bdf)
{
	char path[PL_LINK_PATH_BYTES];

	return pl_sysroot_exists(root, pl_link_device_path(path, bdf, "physfn"));
}

struct scan {
	struct pl_run *run;
	const struct pl_sysroot *root;
	const struct pl_bdf *bdfs;
	size_t count;
};

static void add_link(const struct scan *s, const struct pl_aspm_function *up, size_t first,
		     size_t end)
{
	void *items = s->run->aspm_links;
	struct pl_aspm_link *link = pl_arena_push(&s->run->arena, &items, &s->run->aspm_link_count,
						  &s->run->aspm_link_capacity, sizeof(*link));

	s->run->aspm_links = items;
	link->up = *up;
	link->down = pl_arena_array(&s->run->arena, end - first, sizeof(*link->down));
	for (size_t i = first; i < end; i++) {
		if (i > first && is_virtual_function(s->root, s->bdfs[i]))
			continue;
		pl_link_read_function(s->root, s->bdfs[i], &link->down[link->down_count++]);
	}
	pl_link_decode_link(link);
	pl_link_read_attrs(s->root, link->down[0].bdf, link->attr);
}

/*
 * Without root the port type is out of sight (beyond the first 64 bytes); a bridge whose child has
 * the kernel's link files owns a link all the same.
 */
static bool owns_link(const struct pl_sysroot *root, const struct pl_aspm_function *up,
		      struct pl_bdf child)
{
	int attr[PL_ATTR_COUNT];

	if (up->is_readable)
		return pl_link_port_owns_link(up->port_type);
	pl_link_read_attrs(root, child, attr);
	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (attr[i] >= 0)
			return true;
	return false;
}

static void look_below(const struct scan *s, struct pl_bdf port)
{
	int bus = read_secondary(s->root, port);
	struct pl_aspm_function up;
	size_t first, end;

	if (bus < 0)
		return;
	first = find_bus(s->bdfs, s->count, (struct pl_bdf){port.domain, (uint8_t)bus, 0, 0});
	for (end = first;
	     end < s->count && s->bdfs[end].domain == port.domain && s->bdfs[end].bus == bus;)
		end++;
	if (end == first || pl_link_read_function(s->root, port, &up) ||
	    !owns_link(s->root, &up, s->bdfs[first]))
		return;
	add_link(s, &up, first, end);
}

static bool has_any_file(const struct pl_aspm_link *link)
{
	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (link->attr[i] >= 0)
			return true;
	return false;
}

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = line; line && (at = strstr(at, word)); at += length)
		if ((at == line || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/*
 * The kernel hides all its link files when it does not own ASPM. No file anywhere although both
 * ends of some link support a state therefore means that firmware kept it.
 */
static enum pl_aspm_owner find_owner(struct pl_run *run, const struct pl_sysroot *root)
{
	char *cmdline = pl_sysroot_line(root, "proc/cmdline", &run->arena);
	bool supported = false;

	if (has_word(cmdline, "pcie_aspm=off"))
		return PL_OWNER_PCIE_ASPM_OFF;
	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_link *link = &run->aspm_links[i];

		if (has_any_file(link))
			return PL_OWNER_KERNEL;
		supported |= link->supported != PL_ASPM_UNKNOWN &&
			     (link->supported & (PL_ASPM_L0S | PL_ASPM_L1));
	}
	if (!root->live && !pl_sysroot_exists(root, "sys/module"))
		return PL_OWNER_UNKNOWN; /* a capture that does not hold the files */
	if (!pl_sysroot_exists(root, "sys/module/pcie_aspm"))
		return PL_OWNER_KERNEL_WITHOUT;
	return supported && root->live ? PL_OWNER_FIRMWARE : PL_OWNER_UNKNOWN;
}

int pl_link_scan(struct pl_run *run, const struct pl_sysroot *root, struct pl_err *err)
{
	struct scan s = {run, root, NULL, 0};
	struct pl_bdf *bdfs = NULL;
	enum pl_aspm_owner owner;
	int count = list_functions(root, &bdfs, err);

	if (count < 0)
		return count;
	s.bdfs = bdfs;
	s.count = (size_t)count;
	run->aspm_links = NULL; /* pointers into an earlier scan stay good */
	run->aspm_link_count = run->aspm_link_capacity = 0;
	for (size_t i = 0; i < s.count; i++)
		look_below(&s, bdfs[i]);
	free(bdfs);
	owner = find_owner(run, root);
	for (size_t i = 0; i < run->aspm_link_count; i++)
		run->aspm_links[i].owner = owner;
	return 0;
}

int pl_link_survey(struct pl_run *run, const struct pl_sysroot *root, struct pl_err *err)
{
	int rc = pl_link_scan(run, root, err);

	for (size_t i = 0; !rc && i < run->aspm_link_count; i++)
		pl_link_flag(run, &run->aspm_links[i]);
	return rc;
}
