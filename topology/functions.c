#include "topology/functions.h"

#include <stdio.h>
#include <string.h>

#define HEADER_BYTES 64

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint16_t sysfs_id(const struct pl_sysroot *root, const char *bdf, const char *file)
{
	uint64_t value = 0;
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", bdf, file);
	return pl_sysroot_u64(root, path, &value) ? 0 : (uint16_t)value;
}

/* A header of ones: the kernel remembers what it saw when the function answered. */
static void ask_sysfs(const struct pl_sysroot *root, struct pl_function *f)
{
	uint64_t class_code = 0;
	char bdf[PL_BDF_TEXT], path[128];

	pl_bdf_format(f->bdf, bdf);
	f->vendor_id = sysfs_id(root, bdf, "vendor");
	f->device_id = sysfs_id(root, bdf, "device");
	f->subsystem_vendor_id = sysfs_id(root, bdf, "subsystem_vendor");
	f->subsystem_id = sysfs_id(root, bdf, "subsystem_device");
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/class", bdf);
	if (!pl_sysroot_u64(root, path, &class_code))
		f->class_code = (uint32_t)class_code & 0xffffff;
}

static void decode_header(const uint8_t *h, struct pl_function *f)
{
	f->vendor_id = word(h);
	f->device_id = word(h + 2);
	f->revision = h[8];
	f->class_code = (uint32_t)h[11] << 16 | (uint32_t)h[10] << 8 | h[9];
	f->header_type = h[0x0e] & 0x7f;
	if (f->header_type == 1 || f->header_type == 2) {
		f->secondary = h[0x19];
		f->subordinate = h[0x1a];
	}
	if (f->header_type == 0) {
		f->subsystem_vendor_id = word(h + 0x2c);
		f->subsystem_id = word(h + 0x2e);
	}
}

static bool is_all_ones(const uint8_t *h)
{
	for (size_t i = 0; i < HEADER_BYTES; i++)
		if (h[i] != 0xff)
			return false;
	return true;
}

static void read_function(struct pl_pci *pci, const struct pl_sysroot *root, struct pl_function *f)
{
	uint8_t header[HEADER_BYTES];

	if (pl_pci_read(pci, f->bdf, 0, header, sizeof(header)) || is_all_ones(header)) {
		f->is_unreadable = true;
		if (root)
			ask_sysfs(root, f);
		return;
	}
	decode_header(header, f);
	/* SR-IOV §9.3.4.1: vendor and device id of a virtual function read as ones. */
	if (f->vendor_id == 0xffff) {
		f->is_virtual = true;
		if (root)
			ask_sysfs(root, f);
	}
	pl_express_read(pci, f->bdf, &f->express);
}

size_t pl_functions_read(struct pl_arena *arena, struct pl_pci *pci, const struct pl_sysroot *root,
			 struct pl_function **functions)
{
	const struct pl_bdf *bdfs;
	size_t count = pl_pci_functions(pci, &bdfs);

	*functions = pl_arena_array(arena, count, sizeof(**functions));
	for (size_t i = 0; i < count; i++) {
		(*functions)[i].bdf = bdfs[i];
		read_function(pci, root, &(*functions)[i]);
	}
	return count;
}
