#include "nvme_probe/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FILE_BLOCK_BYTES 512u
#define PIECES_MAX 65536u

static int explain_denied(const char *path, int error, struct pl_err *err)
{
	struct stat st;
	struct group *group = stat(path, &st) ? NULL : getgrgid(st.st_gid);

	if (group && (st.st_mode & S_IRGRP) && st.st_gid)
		return pl_fail(err, -error,
			       "%s may not be read by this user; run as root, or join the group "
			       "%s (which may also write to it)",
			       path, group->gr_name);
	return pl_fail(err, -error, "%s may not be read by this user; run as root", path);
}

static int explain_open(const char *path, int error, struct pl_err *err)
{
	if (error == EACCES || error == EPERM)
		return explain_denied(path, error, err);
	if (error == ENOENT || error == ENXIO || error == ENODEV)
		return pl_fail(err, -ENODEV, "%s is not there", path);
	return pl_fail(err, -error, "%s: %s", path, strerror(error));
}

/* O_NONBLOCK only for the open itself, so that a FIFO by mistake does not hang. */
static int open_readable(const char *path, struct pl_target *target)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

	target->fd = open(path, flags | O_DIRECT);
	target->is_direct = target->fd >= 0;
	if (target->fd < 0 && errno == EINVAL)
		target->fd = open(path, flags);
	if (target->fd < 0)
		return -errno;
	return fcntl(target->fd, F_SETFL, target->is_direct ? O_DIRECT : 0) ? -errno : 0;
}

static int read_geometry(struct pl_target *target, struct pl_err *err)
{
	struct stat st;
	int block_bytes = FILE_BLOCK_BYTES;

	if (fstat(target->fd, &st))
		return pl_fail(err, -errno, "%s: %s", target->path, strerror(errno));
	target->is_block = S_ISBLK(st.st_mode);
	if (!target->is_block && !S_ISREG(st.st_mode))
		return pl_fail(err, -EINVAL, "%s is neither a regular file nor a block device",
			       target->path);
	target->device = target->is_block ? st.st_rdev : st.st_dev;
	target->size_bytes = (uint64_t)st.st_size;
	if (target->is_block && (ioctl(target->fd, BLKGETSIZE64, &target->size_bytes) ||
				 ioctl(target->fd, BLKSSZGET, &block_bytes)))
		return pl_fail(err, -errno, "%s: its size cannot be read: %s", target->path,
			       strerror(errno));
	target->block_bytes = (uint32_t)block_bytes;
	if (!target->size_bytes)
		return pl_fail(err, -ENODATA, "%s is empty", target->path);
	return 0;
}

int pl_target_open(const char *path, struct pl_target *target, struct pl_err *err)
{
	int rc;

	memset(target, 0, sizeof(*target));
	snprintf(target->path, sizeof(target->path), "%s", path);
	rc = open_readable(path, target);
	if (rc)
		rc = explain_open(path, -rc, err);
	else
		rc = read_geometry(target, err);
	if (rc)
		pl_target_close(target);
	return rc;
}

void pl_target_close(struct pl_target *target)
{
	if (target->path[0] && target->fd >= 0)
		close(target->fd);
	target->fd = -1;
	target->path[0] = 0;
}

/* A number of the queue's settings; a partition has no queue of its own: its parent folder has. */
static int read_queue(dev_t device, const char *name, unsigned *value)
{
	static const char *const below[] = {"queue", "../queue"};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		char path[96];
		FILE *file;
		int found;

		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s/%s", major(device),
			 minor(device), below[i], name);
		file = fopen(path, "re");
		if (!file)
			continue;
		found = fscanf(file, "%u", value);
		fclose(file);
		return found == 1 ? 0 : -EINVAL;
	}
	return -ENOENT;
}

int pl_target_check_limits(const struct pl_target *target, uint32_t size_bytes, unsigned drive_kib,
			   unsigned kernel_kib, struct pl_err *err)
{
	uint32_t size_kib = size_bytes / 1024;

	if (drive_kib && size_kib > drive_kib)
		return pl_fail(err, -ENOTSUP,
			       "%s takes at most %u KiB in one command (queue/max_hw_sectors_kb): "
			       "a read of %u KiB would be several",
			       target->path, drive_kib, size_kib);
	if (kernel_kib && size_kib > kernel_kib)
		return pl_fail(err, -ENOTSUP,
			       "the kernel splits reads of %s above %u KiB "
			       "(queue/max_sectors_kb; it may be raised to %u): a read of %u KiB "
			       "would be several commands",
			       target->path, kernel_kib, drive_kib, size_kib);
	return 0;
}

/* What the drive takes in one command, and what the kernel sends in one. */
static int check_limits(const struct pl_target *target, uint32_t size_bytes, struct pl_err *err)
{
	unsigned drive_kib = 0, kernel_kib = 0;

	if (!target->is_block || read_queue(target->device, "max_hw_sectors_kb", &drive_kib) ||
	    read_queue(target->device, "max_sectors_kb", &kernel_kib))
		return 0;
	return pl_target_check_limits(target, size_bytes, drive_kib, kernel_kib, err);
}

int pl_target_check_size(const struct pl_target *target, uint32_t size_bytes, struct pl_err *err)
{
	if (!size_bytes || size_bytes % target->block_bytes)
		return pl_fail(
			err, -EINVAL,
			"%s is formatted with blocks of %u bytes: it cannot be read %u bytes "
			"at a time",
			target->path, target->block_bytes, size_bytes);
	if (target->size_bytes < size_bytes)
		return pl_fail(err, -ENODATA, "%s has %llu bytes, less than one read of %u",
			       target->path, (unsigned long long)target->size_bytes, size_bytes);
	return check_limits(target, size_bytes, err);
}

uint64_t pl_target_hole_bytes(const struct pl_target *target)
{
	off_t size = (off_t)target->size_bytes, at = 0, data;
	uint64_t sum = 0;

	for (unsigned i = 0; i < PIECES_MAX && !target->is_block && at < size; i++) {
		at = lseek(target->fd, at, SEEK_HOLE);
		if (at < 0 || at >= size)
			break;
		data = lseek(target->fd, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			data = size;
		if (data < at)
			break;
		sum += (uint64_t)(data - at);
		at = data;
	}
	lseek(target->fd, 0, SEEK_SET);
	return sum;
}

int pl_target_can_poll(const struct pl_target *target, struct pl_err *err)
{
	unsigned poll = 0;
	int rc = read_queue(target->device, "io_poll", &poll);

	if (!target->is_direct)
		return pl_fail(err, -EOPNOTSUPP, "polling needs O_DIRECT");
	if (rc)
		return pl_fail(err, -EOPNOTSUPP, "the block device has no queue/io_poll");
	if (!poll)
		return pl_fail(err, -EOPNOTSUPP,
			       "queue/io_poll is 0 (no poll queues; for NVMe boot with "
			       "nvme.poll_queues=1)");
	return 0;
}
