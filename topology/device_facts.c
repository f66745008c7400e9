#include "topology/device_facts.h"

#include <crypt.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512u /* sysfs counts in these whatever the format is */
#define SLOW_NAMES 100u   /* enough for any board, not for thousands of functions */
#define RESOURCE_MEMORY 0x200u
#define RESOURCE_PREFETCH 0x2000u

struct facts {
	struct pl_run *run;
	const struct pl_sysroot *root;
	char dir[64];        /* sys/bus/pci/devices/BDF */
	unsigned slow_names; /* how many more times udev's database may be asked */
};

static const char *path_in(struct facts *f, char out[256], const char *file)
{
	snprintf(out, 256, "%s/%s", f->dir, file);
	return out;
}

static const char *line_of(struct facts *f, const char *file)
{
	char path[256];

	return pl_sysroot_line(f->root, path_in(f, path, file), &f->run->arena);
}

static enum pl_device_kind kind_of(uint32_t class_code)
{
	if (class_code >> 8 == 0x0108)
		return PL_DEVICE_NVME;
	if (class_code >> 16 == 0x03)
		return PL_DEVICE_GPU;
	return class_code >> 16 == 0x02 ? PL_DEVICE_NIC : PL_DEVICE_OTHER;
}

static const char *product_name(struct facts *facts, struct pl_pci *pci,
				const struct pl_device *device)
{
	struct pl_arena *arena = &facts->run->arena;
	const char *name = pl_pci_device_name(pci, arena, device->vendor_id, device->device_id);

	if (name || !facts->slow_names)
		return name;
	facts->slow_names--;
	return pl_pci_device_name_slow(pci, arena, device->vendor_id, device->device_id);
}

static void name_device(struct facts *facts, struct pl_device *device, const struct pl_function *f,
			struct pl_pci *pci)
{
	struct pl_run *run = facts->run;
	const char *vendor, *name;

	device->kind = kind_of(device->class_code);
	device->driver = f->driver;
	device->class_name = f->class_name;
	if (!device->class_name)
		device->class_name = pl_pci_class_name(pci, &run->arena, device->class_code);
	device->name = f->name;
	if (device->name)
		return;
	name = product_name(facts, pci, device);
	vendor = pl_pci_vendor_name(pci, &run->arena, device->vendor_id);
	if (name && vendor)
		device->name = pl_arena_printf(&run->arena, "%s %s", vendor, name);
	else if (vendor)
		device->name = pl_arena_printf(&run->arena, "%s %04x:%04x", vendor,
					       device->vendor_id, device->device_id);
	else
		device->name = pl_arena_printf(&run->arena, "%04x:%04x", device->vendor_id,
					       device->device_id);
}

const char *pl_unit_hash(struct pl_arena *arena, const char *vendor_and_model, const char *serial)
{
	struct crypt_data data = {.initialized = 0};
	char text[256];
	const char *hash, *digest;

	if (!serial || !serial[strspn(serial, " 0")])
		return NULL;
	snprintf(text, sizeof(text), "%s|%s", vendor_and_model, serial);
	hash = crypt_r(text, "$5$rounds=1000$pcielat", &data);
	digest = hash ? strrchr(hash, '$') : NULL;
	if (!digest || strlen(digest) < 17)
		return NULL;
	return pl_arena_printf(arena, "%.16s", digest + 1);
}

static void add_namespace(struct facts *f, struct pl_device *device, const char *name)
{
	struct pl_namespace *grown =
		pl_arena_array(&f->run->arena, device->namespace_count + 1, sizeof(*grown));
	uint64_t sectors = 0, block = 0;
	char path[256];

	snprintf(path, sizeof(path), "sys/block/%s/size", name);
	if (pl_sysroot_u64(f->root, path, &sectors))
		return;
	snprintf(path, sizeof(path), "sys/block/%s/queue/logical_block_size", name);
	if (pl_sysroot_u64(f->root, path, &block))
		block = 0;
	if (device->namespace_count)
		memcpy(grown, device->namespaces, device->namespace_count * sizeof(*grown));
	grown[device->namespace_count++] =
		(struct pl_namespace){name, sectors * SECTOR_BYTES, (uint32_t)block};
	device->namespaces = grown;
}

/* "nvme0n1" is the block device; "nvme0c1n1" is one path of a multipath one, called nvme0n1. */
static const char *block_name(struct facts *f, const char *entry)
{
	unsigned subsystem, controller, number;
	int end = 0;

	if (sscanf(entry, "nvme%un%u%n", &subsystem, &number, &end) == 2 && !entry[end])
		return entry;
	if (sscanf(entry, "nvme%uc%un%u%n", &subsystem, &controller, &number, &end) == 3 &&
	    !entry[end])
		return pl_arena_printf(&f->run->arena, "nvme%un%u", subsystem, number);
	return NULL;
}

static void read_controller(struct facts *f, struct pl_device *device, const char *controller)
{
	char path[256], file[128];
	const char *serial;
	char **names = NULL;
	int count;

	snprintf(file, sizeof(file), "nvme/%s/model", controller);
	device->model = line_of(f, file);
	snprintf(file, sizeof(file), "nvme/%s/serial", controller);
	serial = line_of(f, file);
	device->unit_hash =
		pl_unit_hash(&f->run->arena, device->model ? device->model : "", serial);
	snprintf(file, sizeof(file), "nvme/%s", controller);
	count = pl_sysroot_list(f->root, path_in(f, path, file), &f->run->arena, &names);
	for (int i = 0; i < count; i++) {
		const char *block = block_name(f, names[i]);

		if (block)
			add_namespace(f, device, block);
	}
}

static void read_nvme(struct facts *f, struct pl_device *device)
{
	char path[256];
	char **names = NULL;
	int count = pl_sysroot_list(f->root, path_in(f, path, "nvme"), &f->run->arena, &names);

	if (count > 0)
		read_controller(f, device, names[0]);
}

static void add_interfaces(struct facts *f, struct pl_device *device, const char *folder,
			   const char *prefix)
{
	char path[256];
	char **names = NULL;
	int count = pl_sysroot_list(f->root, path_in(f, path, folder), &f->run->arena, &names);
	const char **all;

	if (count <= 0)
		return;
	all = pl_arena_array(&f->run->arena, device->interface_count + (size_t)count, sizeof(*all));
	if (device->interface_count)
		memcpy(all, device->interfaces, device->interface_count * sizeof(*all));
	for (int i = 0; i < count; i++)
		if (strncmp(names[i], prefix, strlen(prefix)) == 0)
			all[device->interface_count++] = names[i];
	device->interfaces = all;
}

/* The largest prefetchable BAR: with Resizable BAR on it is as large as the card's memory. */
static void read_bars(struct facts *f, struct pl_device *device)
{
	char path[256], *text, *save = NULL;
	uint64_t start, end, flags;

	if (pl_sysroot_read(f->root, path_in(f, path, "resource"), &f->run->arena, &text, NULL))
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &start, &end, &flags) != 3)
			break;
		if ((flags & RESOURCE_MEMORY) && (flags & RESOURCE_PREFETCH) && end > start &&
		    end - start + 1 > device->rebar_bytes)
			device->rebar_bytes = end - start + 1;
	}
}

static void read_sysfs(struct facts *f, struct pl_device *device)
{
	char path[256];

	device->driver = pl_sysroot_link_name(f->root, path_in(f, path, "driver"), &f->run->arena);
	device->power_state = line_of(f, "power_state");
	device->runtime_status = line_of(f, "power/runtime_status");
	device->power_control = line_of(f, "power/control");
	if (device->kind == PL_DEVICE_NVME)
		read_nvme(f, device);
	if (device->kind == PL_DEVICE_NIC)
		add_interfaces(f, device, "net", "");
	if (device->kind == PL_DEVICE_GPU) {
		add_interfaces(f, device, "drm", "card");
		add_interfaces(f, device, "drm", "renderD");
		read_bars(f, device);
	}
}

static void hash_serial(struct pl_run *run, struct pl_device *device,
			const struct pl_express *express)
{
	char serial[32], model[16];

	if (device->unit_hash || !express->has_serial || device->kind == PL_DEVICE_OTHER)
		return;
	snprintf(serial, sizeof(serial), "%016" PRIx64, express->serial);
	snprintf(model, sizeof(model), "%04x:%04x", device->vendor_id, device->device_id);
	device->unit_hash = pl_unit_hash(&run->arena, model, serial);
}

void pl_device_facts(struct pl_run *run, const struct pl_tree *tree,
		     const struct pl_entries *entries, const struct pl_sysroot *root,
		     struct pl_pci *pci)
{
	struct facts f = {run, root, "", SLOW_NAMES};
	char bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < entries->count; i++) {
		/* The run owns the device; only its readers see it const. */
		struct pl_device *device = (struct pl_device *)run->slots[i].device;
		const struct pl_function *function;

		if (!device)
			continue;
		function = &tree->nodes[entries->items[i].device].function;
		name_device(&f, device, function, pci);
		if (root) {
			snprintf(f.dir, sizeof(f.dir), "sys/bus/pci/devices/%s",
				 pl_bdf_format(device->bdf, bdf));
			read_sysfs(&f, device);
			/* A capture has no serial numbers, but what was made of them. */
			if (!root->live && !device->unit_hash)
				device->unit_hash = line_of(&f, "pcielat_unit_hash");
		}
		if (device->kind == PL_DEVICE_GPU && !device->rebar_bytes)
			device->rebar_bytes = function->express.rebar_bytes;
		hash_serial(run, device, &function->express);
	}
}
