#ifndef PL_NVME_PROBE_TARGET_H
#define PL_NVME_PROBE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

/* What is read: a block device or a regular file, open O_RDONLY. */
struct pl_target {
	int fd;
	bool is_block, is_direct; /* is_direct: O_DIRECT was granted */
	uint64_t size_bytes;
	uint32_t block_bytes; /* logical block size; 512 for a regular file */
	dev_t device;         /* the block device, also the one below a regular file */
	char path[160];
};

/*
 * Errors: -ENODEV (not there), -EACCES/-EPERM with who may read it, -EINVAL (neither a regular file
 * nor a block device), -ENODATA (empty). A file system that refuses O_DIRECT is opened without it.
 */
int pl_target_open(const char *path, struct pl_target *target, struct pl_err *err);
void pl_target_close(struct pl_target *target);

/*
 * Whether reads of this size are possible: 0 or -EINVAL / -ENODATA with the reason; -ENOTSUP when
 * one would be several commands.
 */
int pl_target_check_size(const struct pl_target *target, uint32_t size_bytes, struct pl_err *err);
/*
 * Whether one read of this size is one command: drive_kib is what the drive takes (its MDTS, as the
 * kernel's queue/max_hw_sectors_kb), kernel_kib what the kernel sends in one (max_sectors_kb); 0:
 * not known. 0 or -ENOTSUP.
 */
int pl_target_check_limits(const struct pl_target *target, uint32_t size_bytes, unsigned drive_kib,
			   unsigned kernel_kib, struct pl_err *err);

/*
 * How many bytes of a regular file are holes, or were never written: reads of them give zeros
 * without the drive. 0 where the file system does not tell; of a file in many pieces at least so
 * many.
 */
uint64_t pl_target_hole_bytes(const struct pl_target *target);

/*
 * Whether the block device has poll queues (its queue/io_poll file says 1): 0, or -EOPNOTSUPP with
 * the remedy.
 */
int pl_target_can_poll(const struct pl_target *target, struct pl_err *err);

#endif
