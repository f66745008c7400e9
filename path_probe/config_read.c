#include "path_probe/config_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES 4
/* Without CAP_SYS_ADMIN the kernel answers the first 64 bytes only (drivers/pci/pci-sysfs.c). */
#define UNPRIVILEGED_BYTES 64u
#define CONVENTIONAL_BYTES 256

struct config_reader {
	int fd;
	unsigned offset;
	const struct pl_clock *clock;
	int failed; /* -errno of the first failure: nothing is read after it */
	struct pl_err why;
	char file[160];
};

static int explain_short(const struct config_reader *reader, ssize_t got, struct pl_err *err)
{
	struct stat st;

	if (!fstat(reader->fd, &st) && st.st_size <= CONVENTIONAL_BYTES &&
	    reader->offset >= CONVENTIONAL_BYTES)
		return pl_fail(err, -ENXIO,
			       "%s has %lld bytes: a conventional function without offset 0x%x",
			       reader->file, (long long)st.st_size, reader->offset);
	if (got == 0 && reader->offset >= UNPRIVILEGED_BYTES)
		return pl_fail(err, -EACCES,
			       "%s: only root may read offset 0x%x (the kernel gives others the "
			       "first 64 bytes); run with sudo",
			       reader->file, reader->offset);
	return pl_fail(err, -EIO, "%s: a read of 4 bytes at 0x%x gave %zd bytes", reader->file,
		       reader->offset, got);
}

static int explain(const struct config_reader *reader, ssize_t got, int error, struct pl_err *err)
{
	if (got < 0 && error == ENODEV)
		return pl_fail(err, -ENODEV, "%s: the function is gone", reader->file);
	if (got < 0)
		return pl_fail(err, -error, "%s: read at 0x%x failed: %s", reader->file,
			       reader->offset, strerror(error));
	if (got != READ_BYTES)
		return explain_short(reader, got, err);
	return pl_fail(err, -ENODEV,
		       "%s: 0x%x reads 0xFFFFFFFF: the function is gone, powered off or in D3cold",
		       reader->file, reader->offset);
}

static ssize_t config_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct config_reader *reader = self;
	const struct pl_clock *clock = reader->clock;
	const int fd = reader->fd;
	const off_t offset = (off_t)reader->offset;

	for (size_t i = 0; i < count && !reader->failed; i++) {
		uint32_t value = UINT32_MAX;
		uint64_t begin = pl_clock_begin(clock);
		ssize_t got = pread(fd, &value, READ_BYTES, offset);

		ticks[i] = pl_clock_end(clock) - begin;
		if (got == READ_BYTES && value != UINT32_MAX)
			continue;
		ticks[i] = 0;
		reader->failed = explain(reader, got, errno, &reader->why);
		if (i)
			return (ssize_t)i;
	}
	return reader->failed ? pl_fail(err, reader->failed, "%s", reader->why.text)
			      : (ssize_t)count;
}

static void config_close(void *self)
{
	struct config_reader *reader = self;

	close(reader->fd);
	free(reader);
}

static int open_failed(const char *file, int error, struct pl_err *err)
{
	if (error == ENOENT)
		return pl_fail(err, -ENODEV, "%s: there is no such function", file);
	return pl_fail(err, -error, "%s: %s", file, strerror(error));
}

int pl_config_read_open(const char *file, unsigned offset, const struct pl_clock *clock,
			struct pl_sampler *sampler, struct pl_err *err)
{
	struct config_reader *reader;
	uint64_t ticks;
	ssize_t got;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return open_failed(file, errno, err);
	reader = calloc(1, sizeof(*reader));
	if (!reader) {
		close(fd);
		return pl_fail(err, -ENOMEM, "out of memory");
	}
	reader->fd = fd;
	reader->offset = offset;
	reader->clock = clock;
	snprintf(reader->file, sizeof(reader->file), "%s", file);
	got = config_sample(reader, &ticks, 1, err);
	if (got < 0) {
		config_close(reader);
		return (int)got;
	}
	*sampler = (struct pl_sampler){config_sample, config_close, reader, NULL};
	return 0;
}
