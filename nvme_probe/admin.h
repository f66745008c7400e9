#ifndef PL_NVME_PROBE_ADMIN_H
#define PL_NVME_PROBE_ADMIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"

/* One admin command that reads: opcode on the list of pl_nvme_is_allowed, or it is refused. */
struct pl_admin_command {
	uint8_t opcode;
	uint32_t nsid, cdw10, cdw11;
	void *data; /* data_bytes of it are written by the drive; NULL: none */
	uint32_t data_bytes;
};

/*
 * The controller's character device ("/dev/nvme0"), O_RDONLY. Errors: -EACCES (only root), -ENODEV.
 */
int pl_admin_open(const char *path, struct pl_err *err);

/*
 * Sends the command (NVME_IOCTL_ADMIN_CMD) and waits. *result (may be NULL) is completion dword 0.
 * Errors: -EPERM (not on the list, or the kernel refuses), -EIO (the drive answered with a status;
 * the sentence has it), -errno.
 */
int pl_admin_send(int fd, const struct pl_admin_command *command, uint32_t *result,
		  struct pl_err *err);

int pl_admin_identify_controller(int fd, uint8_t data[4096], struct pl_err *err);
int pl_admin_identify_namespace(int fd, uint32_t nsid, uint8_t data[4096], struct pl_err *err);
/* data may be NULL for features without a data structure. */
int pl_admin_get_feature(int fd, uint8_t feature, uint32_t *result, void *data, uint32_t data_bytes,
			 struct pl_err *err);

/*
 * Times one admin command: metric "identify" (controller, 4 KiB from the drive's memory) or
 * "get_features" (power state, no data). It does not wake a drive from a non-operational power
 * state and never touches the media. -EINVAL for another metric.
 */
int pl_admin_sampler_open(const char *path, const char *metric, const struct pl_clock *clock,
			  struct pl_sampler *sampler, struct pl_err *err);

#endif
