#include "topology/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "core/outfile.h"
#include "topology/capture_clean.h"
#include "topology/topology.h"

#define TOP "pcielat-capture/"
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define DEEPEST 6u

struct capture {
	const struct pl_sysroot *root;
	struct archive *archive;
	struct pl_run *run;    /* for what is missing */
	struct pl_arena arena; /* of one function or folder; emptied in between */
	size_t files, denied;
	int rc;
	struct pl_err *err;
};

static void fail_archive(struct capture *c)
{
	if (!c->rc)
		c->rc = pl_fail(c->err, -EIO, "writing the capture: %s",
				archive_error_string(c->archive));
}

static struct archive_entry *new_entry(const char *path, unsigned type)
{
	struct archive_entry *entry = archive_entry_new();
	char name[PATH_MAX + sizeof(TOP)];

	snprintf(name, sizeof(name), TOP "%s", path);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, type == AE_IFDIR ? 0755 : 0644);
	return entry;
}

static void put_file(struct capture *c, const char *path, const void *data, size_t size)
{
	struct archive_entry *entry = new_entry(path, AE_IFREG);

	archive_entry_set_size(entry, (int64_t)size);
	if (archive_write_header(c->archive, entry) != ARCHIVE_OK ||
	    archive_write_data(c->archive, data, size) != (ssize_t)size)
		fail_archive(c);
	archive_entry_free(entry);
	c->files++;
}

static void put_text(struct capture *c, const char *path, const char *text)
{
	if (text)
		put_file(c, path, text, strlen(text));
}

static void put_folder(struct capture *c, const char *path)
{
	struct archive_entry *entry = new_entry(path, AE_IFDIR);

	if (archive_write_header(c->archive, entry) != ARCHIVE_OK)
		fail_archive(c);
	archive_entry_free(entry);
}

/* A link whose last component is all that is read back (a driver's name). */
static void put_link(struct capture *c, const char *path, const char *name)
{
	struct archive_entry *entry = new_entry(path, AE_IFLNK);
	char target[PATH_MAX];

	snprintf(target, sizeof(target), "../../drivers/%s", name);
	archive_entry_set_symlink(entry, target);
	if (archive_write_header(c->archive, entry) != ARCHIVE_OK)
		fail_archive(c);
	archive_entry_free(entry);
}

static bool copy(struct capture *c, const char *path)
{
	char *data = NULL;
	size_t size = 0;
	int rc = pl_sysroot_read(c->root, path, &c->arena, &data, &size);

	if (rc == -EACCES || rc == -EPERM)
		c->denied++;
	if (rc)
		return false;
	put_file(c, path, data, size);
	return true;
}

static const char *join(char out[PATH_MAX], const char *folder, const char *name)
{
	/* Longer than any path the kernel takes: then there is no such file. */
	if (snprintf(out, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		out[0] = '\0';
	return out;
}

static void copy_config(struct capture *c, const char *folder)
{
	char path[PATH_MAX], *data = NULL;
	size_t size = 0;

	if (pl_sysroot_read(c->root, join(path, folder, "config"), &c->arena, &data, &size))
		return;
	pl_capture_clean_config((unsigned char *)data, size);
	put_file(c, path, data, size);
}

/* Names in a folder that begin with prefix become empty folders: interfaces, namespaces. */
static void copy_names(struct capture *c, const char *folder, const char *prefix)
{
	char path[PATH_MAX], **names = NULL;
	int count = pl_sysroot_list(c->root, folder, &c->arena, &names);

	for (int i = 0; i < count; i++)
		if (strncmp(names[i], prefix, strlen(prefix)) == 0)
			put_folder(c, join(path, folder, names[i]));
}

static void copy_block(struct capture *c, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/block/%s/size", name);
	if (!copy(c, path))
		return;
	snprintf(path, sizeof(path), "sys/block/%s/queue/logical_block_size", name);
	copy(c, path);
}

static void copy_controller(struct capture *c, const char *folder)
{
	char path[PATH_MAX], **names = NULL;
	int count = pl_sysroot_list(c->root, folder, &c->arena, &names);

	for (int i = 0; i < count; i++) {
		unsigned a, b, d;

		if (sscanf(names[i], "nvme%un%u", &a, &b) != 2 &&
		    sscanf(names[i], "nvme%uc%un%u", &a, &b, &d) != 3)
			continue;
		put_folder(c, join(path, folder, names[i]));
	}
	copy(c, join(path, folder, "model"));
	copy(c, join(path, folder, "firmware_rev"));
}

static void copy_nvme(struct capture *c, const char *device)
{
	char folder[PATH_MAX], path[PATH_MAX], **names = NULL;
	int count;

	join(folder, device, "nvme");
	count = pl_sysroot_list(c->root, folder, &c->arena, &names);
	for (int i = 0; i < count; i++)
		copy_controller(c, join(path, folder, names[i]));
}

/* The kernel's texts beside configuration space. */
static const char *const device_files[] = {
	"class",
	"vendor",
	"device",
	"subsystem_vendor",
	"subsystem_device",
	"revision",
	"resource",
	"numa_node",
	"local_cpus",
	"local_cpulist",
	"current_link_speed",
	"current_link_width",
	"max_link_speed",
	"max_link_width",
	"power_state",
	"power/runtime_status",
	"power/control",
	"label",
	"acpi_index",
	"firmware_node/sun",
	"aer_dev_correctable",
	"aer_dev_nonfatal",
	"aer_dev_fatal",
	"link/clkpm",
	"link/l0s_aspm",
	"link/l1_aspm",
	"link/l1_1_aspm",
	"link/l1_2_aspm",
	"link/l1_1_pcipm",
	"link/l1_2_pcipm",
};

static void copy_device(struct capture *c, const char *bdf)
{
	char folder[PATH_MAX], path[PATH_MAX];
	const char *driver;

	join(folder, "sys/bus/pci/devices", bdf);
	put_folder(c, folder);
	copy_config(c, folder);
	for (size_t i = 0; i < COUNT(device_files); i++)
		copy(c, join(path, folder, device_files[i]));
	driver = pl_sysroot_link_name(c->root, join(path, folder, "driver"), &c->arena);
	if (driver)
		put_link(c, path, driver);
	copy_nvme(c, folder);
	copy_names(c, join(path, folder, "net"), "");
	copy_names(c, join(path, folder, "drm"), "card");
	copy_names(c, join(path, folder, "drm"), "renderD");
	pl_arena_fini(&c->arena);
}

static void copy_devices(struct capture *c)
{
	struct pl_arena arena = {NULL};
	char **names = NULL;
	int count = pl_sysroot_list(c->root, "sys/bus/pci/devices", &arena, &names);

	for (int i = 0; i < count && !c->rc; i++)
		copy_device(c, names[i]);
	pl_arena_fini(&arena);
}

/* A folder of small texts, links not followed; which files is for the filter to say. */
static void copy_folder(struct capture *c, const char *folder, unsigned depth)
{
	struct pl_arena arena = {NULL};
	char path[PATH_MAX], **names = NULL;
	int count = pl_sysroot_list(c->root, folder, &arena, &names);

	for (int i = 0; i < count && !c->rc; i++) {
		struct stat status;

		join(path, folder, names[i]);
		if (fstatat(c->root->fd, path, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(status.st_mode) && depth < DEEPEST && pl_capture_wants_folder(names[i]))
			copy_folder(c, path, depth + 1);
		else if (S_ISREG(status.st_mode) && pl_capture_wants_file(names[i]))
			copy(c, path);
	}
	pl_arena_fini(&arena);
	pl_arena_fini(&c->arena);
}

static void copy_slots(struct capture *c)
{
	char folder[PATH_MAX], path[PATH_MAX], **names = NULL;
	int count = pl_sysroot_list(c->root, "sys/bus/pci/slots", &c->arena, &names);

	for (int i = 0; i < count; i++)
		copy(c, join(path, join(folder, "sys/bus/pci/slots", names[i]), "address"));
	pl_arena_fini(&c->arena);
}

static void copy_slot_table(struct capture *c)
{
	static const char path[] = "sys/firmware/dmi/tables/DMI";
	char *table = NULL;
	size_t size = 0;
	int rc = pl_sysroot_read(c->root, path, &c->arena, &table, &size);
	unsigned char *kept;

	if (rc == -EACCES || rc == -EPERM)
		c->denied++;
	if (rc)
		return;
	kept = pl_arena_alloc(&c->arena, size + 16);
	put_file(c, path, kept, pl_capture_slot_records((const unsigned char *)table, size, kept));
}

static void copy_cmdline(struct capture *c)
{
	char *text = pl_sysroot_line(c->root, "proc/cmdline", &c->arena);

	if (!text)
		return;
	pl_capture_clean_cmdline(text);
	put_text(c, "proc/cmdline", text);
}

static void copy_cpuinfo(struct capture *c)
{
	char *text = NULL;

	if (pl_sysroot_read(c->root, "proc/cpuinfo", &c->arena, &text, NULL))
		return;
	pl_capture_clean_cpuinfo(text);
	put_text(c, "proc/cpuinfo", text);
}

static const char *const machine_files[] = {
	"sys/class/dmi/id/board_vendor",
	"sys/class/dmi/id/board_name",
	"sys/class/dmi/id/board_version",
	"sys/class/dmi/id/bios_vendor",
	"sys/class/dmi/id/bios_version",
	"sys/class/dmi/id/bios_date",
	"sys/class/dmi/id/sys_vendor",
	"sys/class/dmi/id/product_name",
	"sys/class/dmi/id/chassis_vendor",
	"sys/hypervisor/type",
	"sys/module/pcie_aspm/parameters/policy",
	"sys/kernel/security/lockdown",
	"sys/kernel/iommu_groups/0/type",
	"etc/os-release",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
};

/* What only the running machine knows, as discovery found it. */
static void put_findings(struct capture *c, const struct pl_run *found)
{
	char path[PATH_MAX], bdf[PL_BDF_TEXT];

	put_text(c, "proc/sys/kernel/osrelease", found->machine.kernel);
	put_text(c, "proc/sys/kernel/arch", found->machine.architecture);
	put_text(c, "pcielat/hypervisor", found->machine.hypervisor);
	for (size_t i = 0; i < found->slot_count; i++) {
		const struct pl_device *d = found->slots[i].device;

		if (!d)
			continue;
		for (size_t k = 0; k < d->namespace_count; k++)
			copy_block(c, d->namespaces[k].name);
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/pcielat_unit_hash",
			 pl_bdf_format(d->bdf, bdf));
		put_text(c, path, d->unit_hash);
	}
}

static void copy_machine(struct capture *c, const struct pl_run *found)
{
	put_folder(c, "sys/bus/pci/devices");
	put_findings(c, found);
	for (size_t i = 0; i < COUNT(machine_files); i++)
		copy(c, machine_files[i]);
	copy_names(c, "sys/class/iommu", "");
	copy_cmdline(c);
	copy_cpuinfo(c);
	copy_slot_table(c);
	copy_slots(c);
	copy_folder(c, "sys/devices/system/cpu", 0);
	copy_folder(c, "sys/devices/system/node", 0);
	copy_devices(c);
	pl_arena_fini(&c->arena);
}

static int open_archive(struct capture *c, int fd)
{
	c->archive = archive_write_new();
	if (!c->archive)
		return pl_fail(c->err, -ENOMEM, "out of memory");
	if (archive_write_add_filter_zstd(c->archive) != ARCHIVE_OK ||
	    archive_write_set_format_pax_restricted(c->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(c->archive, fd) != ARCHIVE_OK)
		fail_archive(c);
	return c->rc;
}

static int write_archive(struct capture *c, int fd, const struct pl_run *found)
{
	if (!open_archive(c, fd)) {
		copy_machine(c, found);
		if (archive_write_close(c->archive) != ARCHIVE_OK)
			fail_archive(c);
	}
	if (c->archive)
		archive_write_free(c->archive);
	if (!c->rc && fsync(fd) && errno != EINVAL && errno != EROFS)
		c->rc = pl_fail(c->err, -errno, "writing the capture: %s", strerror(errno));
	return c->rc;
}

static void note_missing(struct capture *c, const struct pl_run *found)
{
	if (!found->machine.is_root && found->slot_count)
		pl_run_skip(c->run, "capabilities in the capture",
			    "an ordinary user reads 64 bytes of configuration space: no link "
			    "states, no port types",
			    "run as root");
	if (c->denied)
		pl_run_skip(c->run, "SMBIOS slot table and other root-only files in the capture",
			    "they are readable for root only", "run as root");
}

int pl_capture_write(const struct pl_sysroot *root, const char *file, struct pl_run *run,
		     struct pl_err *err)
{
	struct capture c = {.root = root, .run = run, .err = err};
	struct pl_outfile outfile;
	struct pl_run found;
	int rc;

	pl_run_init(&found);
	rc = pl_topology_discover(&found, root, NULL, err);
	if (!rc)
		rc = pl_outfile_open(&outfile, file, err);
	if (!rc) {
		rc = pl_outfile_close(&outfile, write_archive(&c, fileno(outfile.out), &found),
				      err);
		note_missing(&c, &found);
	}
	pl_run_fini(&found);
	return rc;
}
