#include "nvme_probe/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nvme_probe/command.h"
#include "nvme_probe/opcode.h"

int pl_admin_open(const char *path, struct pl_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return pl_fail(err, -errno, "%s: only root may ask the controller; run with sudo",
			       path);
	if (errno == ENOENT || errno == ENXIO)
		return pl_fail(err, -ENODEV, "%s is not there", path);
	return pl_fail(err, -errno, "%s: %s", path, strerror(errno));
}

static int explain(const struct pl_admin_command *command, int rc, int error, struct pl_err *err)
{
	if (rc > 0)
		return pl_fail(err, -EIO, "admin command 0x%02x ended with NVMe status 0x%x",
			       command->opcode, (unsigned)rc);
	if (error == EACCES || error == EPERM)
		return pl_fail(err, -error,
			       "the kernel lets only root send admin command 0x%02x; run with sudo",
			       command->opcode);
	if (error == ENODEV || error == ENXIO)
		return pl_fail(err, -ENODEV, "the controller is gone");
	return pl_fail(err, -error, "admin command 0x%02x failed: %s", command->opcode,
		       strerror(error));
}

static struct nvme_passthru_cmd fill(const struct pl_admin_command *command)
{
	return (struct nvme_passthru_cmd){
		.opcode = command->opcode,
		.nsid = command->nsid,
		.addr = (uint64_t)(uintptr_t)command->data,
		.data_len = command->data_bytes,
		.cdw10 = command->cdw10,
		.cdw11 = command->cdw11,
	};
}

static int check(const struct pl_admin_command *command, struct pl_err *err)
{
	if (pl_nvme_is_allowed(PL_NVME_QUEUE_ADMIN, command->opcode))
		return 0;
	return pl_fail(err, -EPERM,
		       "admin command 0x%02x is not on the list of commands that only read",
		       command->opcode);
}

int pl_admin_send(int fd, const struct pl_admin_command *command, uint32_t *result,
		  struct pl_err *err)
{
	struct nvme_passthru_cmd raw = fill(command);
	int rc = check(command, err);

	if (rc)
		return rc;
	rc = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &raw);
	if (rc)
		return explain(command, rc, errno, err);
	if (result)
		*result = raw.result;
	return 0;
}

int pl_admin_identify_controller(int fd, uint8_t data[4096], struct pl_err *err)
{
	struct pl_admin_command command = {.opcode = PL_NVME_ADMIN_IDENTIFY,
					   .cdw10 = PL_NVME_CNS_CONTROLLER,
					   .data = data,
					   .data_bytes = PL_NVME_IDENTIFY_BYTES};

	return pl_admin_send(fd, &command, NULL, err);
}

int pl_admin_identify_namespace(int fd, uint32_t nsid, uint8_t data[4096], struct pl_err *err)
{
	struct pl_admin_command command = {.opcode = PL_NVME_ADMIN_IDENTIFY,
					   .nsid = nsid,
					   .cdw10 = PL_NVME_CNS_NAMESPACE,
					   .data = data,
					   .data_bytes = PL_NVME_IDENTIFY_BYTES};

	return pl_admin_send(fd, &command, NULL, err);
}

int pl_admin_get_feature(int fd, uint8_t feature, uint32_t *result, void *data, uint32_t data_bytes,
			 struct pl_err *err)
{
	struct pl_admin_command command = {.opcode = PL_NVME_ADMIN_GET_FEATURES,
					   .cdw10 = feature,
					   .data = data,
					   .data_bytes = data_bytes};

	return pl_admin_send(fd, &command, result, err);
}

struct admin_sampler {
	int fd;
	const struct pl_clock *clock;
	struct pl_admin_command command;
	int pending; /* -errno of a failed command that the next call reports */
	struct pl_err why;
	uint8_t data[PL_NVME_IDENTIFY_BYTES];
};

static ssize_t admin_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct admin_sampler *sampler = self;
	const struct pl_clock *clock = sampler->clock;
	int pending = sampler->pending;

	sampler->pending = 0;
	if (pending)
		return pl_fail(err, pending, "%s", sampler->why.text);
	for (size_t i = 0; i < count; i++) {
		struct nvme_passthru_cmd raw = fill(&sampler->command);
		uint64_t begin = pl_clock_begin(clock);
		int rc = ioctl(sampler->fd, NVME_IOCTL_ADMIN_CMD, &raw);

		ticks[i] = pl_clock_end(clock) - begin;
		if (!rc)
			continue;
		ticks[i] = 0;
		pending = explain(&sampler->command, rc, errno, &sampler->why);
		if (!i)
			return pl_fail(err, pending, "%s", sampler->why.text);
		sampler->pending = pending;
		return (ssize_t)i;
	}
	return (ssize_t)count;
}

static void admin_close(void *self)
{
	struct admin_sampler *sampler = self;

	close(sampler->fd);
	free(sampler);
}

static int choose_command(struct admin_sampler *sampler, const char *metric, struct pl_err *err)
{
	if (!strcmp(metric, "identify"))
		sampler->command = (struct pl_admin_command){.opcode = PL_NVME_ADMIN_IDENTIFY,
							     .cdw10 = PL_NVME_CNS_CONTROLLER,
							     .data = sampler->data,
							     .data_bytes = sizeof(sampler->data)};
	else if (!strcmp(metric, "get_features"))
		sampler->command = (struct pl_admin_command){.opcode = PL_NVME_ADMIN_GET_FEATURES,
							     .cdw10 = PL_NVME_FEATURE_POWER};
	else
		return pl_fail(err, -EINVAL, "no admin command is called %s", metric);
	return check(&sampler->command, err);
}

int pl_admin_sampler_open(const char *path, const char *metric, const struct pl_clock *clock,
			  struct pl_sampler *out, struct pl_err *err)
{
	struct admin_sampler *sampler;
	uint64_t ticks;
	ssize_t got;
	int rc, fd = pl_admin_open(path, err);

	if (fd < 0)
		return fd;
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler) {
		close(fd);
		return pl_fail(err, -ENOMEM, "out of memory");
	}
	sampler->fd = fd;
	sampler->clock = clock;
	rc = choose_command(sampler, metric, err);
	got = rc ? rc : admin_sample(sampler, &ticks, 1, err);
	if (got < 0) {
		admin_close(sampler);
		return (int)got;
	}
	*out = (struct pl_sampler){admin_sample, admin_close, sampler, NULL};
	return 0;
}
