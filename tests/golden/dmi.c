#include "tests/golden/dmi.h"

#include "tests/t.h"

#include <sys/stat.h>

#include "pci/config_space.h"

struct record {
	char designation[64];
	uint8_t type, width, usage;
	unsigned segment, bus, device, function;
	bool has_address, is_open;
};

static uint8_t width_code(const char *text)
{
	static const unsigned lanes[] = {1, 2, 4, 8, 12, 16, 32};
	unsigned n = 0;
	const char *x = strchr(text, 'x');

	if (sscanf(text, "x%u ", &n) != 1 && (!x || sscanf(text, "%ux or", &n) != 1))
		return strncmp(text, "32-bit", 6) == 0 ? 5 : 2;
	for (uint8_t i = 0; i < 7; i++)
		if (lanes[i] == n)
			return (uint8_t)(8 + i);
	return 2;
}

static void read_field(struct record *r, const char *line)
{
	if (sscanf(line, " Designation: %63[^\n]", r->designation) == 1)
		return;
	if (strstr(line, "Type: ")) {
		const char *text = strstr(line, "Type: ") + 6;

		r->type = strstr(text, "Express") ? 0xa5 : strstr(text, "M.2") ? 0x17 : 0x06;
		r->width = width_code(text);
	} else if (strstr(line, "Data Bus Width: ")) {
		r->width = width_code(strstr(line, "Data Bus Width: ") + 16);
	} else if (strstr(line, "Current Usage: ")) {
		r->usage = strstr(line, "In Use") ? 4 : strstr(line, "Available") ? 3 : 2;
	} else if (sscanf(line, " Bus Address: %x:%x:%x.%u", &r->segment, &r->bus, &r->device,
			  &r->function) == 4) {
		r->has_address = true;
	}
}

static void write_record(FILE *out, const struct record *r)
{
	uint8_t bytes[0x11] = {9,       r->has_address ? 0x11 : 0x0d, 0, 0, 1, r->type, r->width,
			       r->usage};

	if (!r->is_open)
		return;
	bytes[0x0d] = (uint8_t)r->segment;
	bytes[0x0e] = (uint8_t)(r->segment >> 8);
	bytes[0x0f] = (uint8_t)r->bus;
	bytes[0x10] = (uint8_t)(r->device << 3 | r->function);
	fwrite(bytes, bytes[1], 1, out);
	fwrite(r->designation, strlen(r->designation) + 1, 1, out);
	fputc(0, out);
}

uint8_t *t_dmi_table(const char *text_file, size_t *size_bytes)
{
	static const uint8_t end[] = {127, 4, 0, 0, 0, 0};
	FILE *in = fopen(text_file, "r"), *out;
	struct record r = {.is_open = false};
	char *bytes = NULL, line[512];

	assert_non_null(in);
	out = open_memstream(&bytes, size_bytes);
	while (fgets(line, sizeof(line), in)) {
		if (strncmp(line, "Handle ", 7) == 0) {
			write_record(out, &r);
			r = (struct record){.is_open = strstr(line, "DMI type 9,") != NULL};
		} else if (r.is_open) {
			read_field(&r, line);
		}
	}
	write_record(out, &r);
	fwrite(end, sizeof(end), 1, out);
	fclose(in);
	fclose(out);
	return (uint8_t *)bytes;
}

static void put(const char *dir, const char *name, const void *data, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(data, size, 1, file);
	fclose(file);
}

static void make_folder(const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void put_function(struct pl_pci *pci, const char *dir, struct pl_bdf bdf)
{
	uint8_t config[4096];
	char text[PL_BDF_TEXT], name[128];
	size_t size = 0;

	while (size < sizeof(config) && !pl_pci_read(pci, bdf, (unsigned)size, config + size, 16))
		size += 16;
	pl_bdf_format(bdf, text);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s", text);
	make_folder(dir, name);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/config", text);
	put(dir, name, config, size);
}

static void put_functions(const char *dir, const char *dump)
{
	const struct pl_bdf *bdfs;
	struct pl_pci *pci = NULL;
	struct pl_err err = {0, ""};
	size_t count;

	assert_int_equal(pl_pci_open_dump(&pci, dump, &err), 0);
	count = pl_pci_functions(pci, &bdfs);
	for (size_t i = 0; i < count; i++)
		put_function(pci, dir, bdfs[i]);
	pl_pci_close(pci);
}

char *t_sysroot_make(const char *dump, const uint8_t *table, size_t size_bytes)
{
	static const char *const folders[] = {"sys",
					      "sys/bus",
					      "sys/bus/pci",
					      "sys/bus/pci/devices",
					      "sys/firmware",
					      "sys/firmware/dmi",
					      "sys/firmware/dmi/tables"};
	char *dir = strdup("/tmp/pl-board-XXXXXX");

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(dir, folders[i]);
	put_functions(dir, dump);
	if (table)
		put(dir, "sys/firmware/dmi/tables/DMI", table, size_bytes);
	return dir;
}

void t_sysroot_remove(char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	free(dir);
}
