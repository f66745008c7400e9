/* What every drive, and the kernel about it, says on power management and queues. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/sysroot.h"
#include "nvme_probe/admin.h"
#include "nvme_probe/command.h"
#include "nvme_probe/nvme_probe.h"
#include "nvme_probe/power.h"

/* Identify Controller and Identify Namespace. */
#define FIRMWARE 64
#define FIRMWARE_BYTES 8
#define DLFEAT 33

/* sysfs texts of a drive: where each goes in struct pl_drive. */
enum which { OF_CONTROLLER, OF_NAMESPACE, OF_MODULE };

static const struct {
	enum which which;
	const char *before, *after;
	size_t field;
} texts[] = {
	{OF_CONTROLLER, "sys/class/nvme/", "/power/pm_qos_latency_tolerance_us",
	 offsetof(struct pl_drive, latency_tolerance)},
	{OF_MODULE, "sys/module/nvme_core/parameters/default_ps_max_latency_us", "",
	 offsetof(struct pl_drive, max_latency)},
	{OF_MODULE, "sys/module/nvme/parameters/poll_queues", "",
	 offsetof(struct pl_drive, poll_queues)},
	{OF_NAMESPACE, "sys/block/", "/queue/scheduler", offsetof(struct pl_drive, scheduler)},
	{OF_NAMESPACE, "sys/block/", "/queue/io_poll", offsetof(struct pl_drive, io_poll)},
	{OF_NAMESPACE, "sys/block/", "/queue/iostats", offsetof(struct pl_drive, iostats)},
	{OF_NAMESPACE, "sys/block/", "/queue/nomerges", offsetof(struct pl_drive, nomerges)},
	{OF_NAMESPACE, "sys/block/", "/queue/wbt_lat_usec", offsetof(struct pl_drive, wbt_lat_us)},
};

static void read_texts(const struct pl_sysroot *root, struct pl_arena *arena,
		       struct pl_drive *drive)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *const names[] = {[OF_CONTROLLER] = drive->controller,
					     [OF_NAMESPACE] = drive->namespace_name,
					     [OF_MODULE] = ""};
		const char *name = names[texts[i].which], *text = NULL;
		char path[192];

		if (name) {
			snprintf(path, sizeof(path), "%s%s%s", texts[i].before, name,
				 texts[i].after);
			text = pl_sysroot_line(root, path, arena);
		}
		memcpy((char *)drive + texts[i].field, &text, sizeof(text));
	}
}

static const char *find_controller(const struct pl_sysroot *root, struct pl_arena *arena,
				   struct pl_bdf bdf)
{
	char path[96], name[PL_BDF_TEXT];
	char **names = NULL;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/nvme", pl_bdf_format(bdf, name));
	return pl_sysroot_list(root, path, arena, &names) > 0 ? names[0] : NULL;
}

/* "/dev/nvme0n1p2 /home ext4 …": the mount point of the namespace or of a partition of it. */
static const char *find_mount(const struct pl_sysroot *root, struct pl_arena *arena,
			      const char *name)
{
	char device[64], *data = NULL, *save = NULL;
	size_t length;

	length = (size_t)snprintf(device, sizeof(device), "/dev/%s", name);
	if (length >= sizeof(device) ||
	    pl_sysroot_read(root, "proc/self/mounts", arena, &data, NULL))
		return NULL;
	for (char *at = strtok_r(data, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
		char *point, *field = NULL, *source = strtok_r(at, " ", &field);

		point = strtok_r(NULL, " ", &field);
		if (!source || !point || strncmp(source, device, length))
			continue;
		if (!source[length] || (source[length] == 'p' && isdigit(source[length + 1])))
			return point;
	}
	return NULL;
}

static void read_namespace(const char *dev_dir, int admin_fd, struct pl_drive *drive)
{
	uint8_t data[PL_NVME_IDENTIFY_BYTES];
	char path[160];
	int fd, nsid;

	snprintf(path, sizeof(path), "%s/%s", dev_dir, drive->namespace_name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	nsid = ioctl(fd, NVME_IOCTL_ID);
	close(fd);
	if (nsid > 0 && !pl_admin_identify_namespace(admin_fd, (uint32_t)nsid, data, NULL))
		drive->deallocated_reads_as = data[DLFEAT] & 7;
}

static int ask_controller(const char *dev_dir, int fd, struct pl_arena *arena,
			  struct pl_drive *drive, struct pl_err *err)
{
	uint8_t identify[PL_NVME_IDENTIFY_BYTES], apst[PL_NVME_APST_BYTES];
	char firmware[FIRMWARE_BYTES + 1] = "";
	uint32_t result;
	int rc = pl_admin_identify_controller(fd, identify, err);

	if (rc)
		return rc;
	memcpy(firmware, identify + FIRMWARE, FIRMWARE_BYTES);
	firmware[strcspn(firmware, " ")] = 0;
	drive->firmware = pl_arena_strdup(arena, firmware);
	pl_power_decode_states(identify, drive);
	if (!pl_admin_get_feature(fd, PL_NVME_FEATURE_POWER, &result, NULL, 0, NULL))
		pl_power_decode_current(result, drive);
	if (drive->is_apst_supported &&
	    !pl_admin_get_feature(fd, PL_NVME_FEATURE_APST, &result, apst, sizeof(apst), NULL))
		pl_power_decode_apst(apst, result, drive);
	if (drive->namespace_name)
		read_namespace(dev_dir, fd, drive);
	return 0;
}

static void survey_drive(struct pl_run *run, const struct pl_sysroot *root, const char *dev_dir,
			 struct pl_drive *drive)
{
	struct pl_err err = {0, ""};
	char path[160];
	int fd;

	drive->controller = find_controller(root, &run->arena, drive->bdf);
	read_texts(root, &run->arena, drive);
	if (drive->namespace_name)
		drive->mounted_at = find_mount(root, &run->arena, drive->namespace_name);
	if (drive->mounted_at)
		pl_run_warn(run, "W-MOUNTED", "info", drive->namespace_name,
			    "it is mounted at %s: others may use it while it is read (their "
			    "operations are counted)",
			    drive->mounted_at);
	if (!drive->controller) {
		drive->why = "the nvme driver does not hold this controller";
		return;
	}
	if (!root->live) {
		drive->why = "not this machine: the controller cannot be asked";
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", dev_dir, drive->controller);
	fd = pl_admin_open(path, &err);
	if (fd < 0 || ask_controller(dev_dir, fd, &run->arena, drive, &err))
		drive->why = pl_arena_strdup(&run->arena, err.text);
	if (fd >= 0)
		close(fd);
}

void pl_nvme_survey(struct pl_run *run, const struct pl_sysroot *root, const char *dev_dir)
{
	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_device *device = run->slots[i].device;
		struct pl_drive *drive;

		if (!device || device->kind != PL_DEVICE_NVME)
			continue;
		drive = pl_arena_push(&run->arena, (void **)&run->drives, &run->drive_count,
				      &run->drive_capacity, sizeof(*drive));
		drive->bdf = device->bdf;
		drive->apst_enabled = drive->current_state = drive->deallocated_reads_as = -1;
		if (device->namespace_count)
			drive->namespace_name = device->namespaces[0].name;
		survey_drive(run, root, dev_dir ? dev_dir : "/dev", drive);
	}
}
