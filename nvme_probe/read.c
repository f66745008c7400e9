#include "nvme_probe/read.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/stats.h"
#include "nvme_probe/command.h"
#include "nvme_probe/opcode.h"

#define PLACE_READS 5

static int finish_wait(struct io_uring *uring, struct io_uring_cqe **cqe);
static int finish_spin(struct io_uring *uring, struct io_uring_cqe **cqe);

static const struct {
	const char *name;
	bool is_polled, is_passthru;
	int (*finish)(struct io_uring *uring, struct io_uring_cqe **cqe); /* NULL: pread */
} paths[PL_READ_PATHS] = {
	[PL_READ_IOPOLL] = {"io_uring-iopoll", true, false, finish_wait},
	[PL_READ_SPIN] = {"io_uring-spin", false, false, finish_spin},
	[PL_READ_WAIT] = {"io_uring-wait", false, false, finish_wait},
	[PL_READ_PREAD] = {"pread", false, false, NULL},
	[PL_READ_PASSTHRU_IOPOLL] = {"passthru-iopoll", true, true, finish_wait},
	[PL_READ_PASSTHRU_SPIN] = {"passthru-spin", false, true, finish_spin},
};

static const char *const pattern_names[PL_READ_PATTERNS] = {
	[PL_READ_RANDOM] = "random",
	[PL_READ_SAME_LBA] = "same_lba",
	[PL_READ_FAST_LBA] = "fast_lba",
	[PL_READ_SEQUENTIAL] = "sequential",
};

const char *pl_read_path_name(enum pl_read_path path)
{
	return paths[path].name;
}

const char *pl_read_pattern_name(enum pl_read_pattern pattern)
{
	return pattern_names[pattern];
}

bool pl_read_path_is_passthru(enum pl_read_path path)
{
	return paths[path].is_passthru;
}

bool pl_read_path_is_polled(enum pl_read_path path)
{
	return paths[path].is_polled;
}

/*
 * submit_and_wait is one system call; with IOPOLL the kernel polls inside it. A signal can end it
 * early with the read still on its way: then it is waited for again.
 */
static int finish_wait(struct io_uring *uring, struct io_uring_cqe **cqe)
{
	int rc = io_uring_submit_and_wait(uring, 1);

	while (io_uring_peek_cqe(uring, cqe)) {
		if (rc < 0 && rc != -EINTR && rc != -EAGAIN)
			return rc;
		rc = io_uring_submit_and_wait(uring, 1);
	}
	return 0;
}

static int finish_spin(struct io_uring *uring, struct io_uring_cqe **cqe)
{
	int rc = io_uring_submit(uring);

	while (io_uring_peek_cqe(uring, cqe)) {
		if (rc < 0 && rc != -EINTR && rc != -EAGAIN)
			return rc;
		rc = io_uring_get_events(uring);
	}
	return 0;
}

static int read_ring(struct pl_reader *reader, uint64_t *ticks)
{
	int (*finish)(struct io_uring *, struct io_uring_cqe **) = paths[reader->path].finish;
	const struct pl_clock *clock = reader->clock;
	struct io_uring_cqe *cqe = NULL;
	uint64_t begin;
	int rc;

	pl_reader_prepare(reader, 0);
	begin = pl_clock_begin(clock);
	rc = finish(reader->ring.uring, &cqe);
	*ticks = pl_clock_end(clock) - begin;
	return rc ? rc : pl_reader_take(reader, cqe);
}

static int read_pread(struct pl_reader *reader, uint64_t *ticks)
{
	const struct pl_clock *clock = reader->clock;
	off_t offset = (off_t)pl_reader_next_offset(reader);
	uint64_t begin = pl_clock_begin(clock);
	ssize_t got = pread(reader->target.fd, reader->buffer, reader->size_bytes, offset);

	*ticks = pl_clock_end(clock) - begin;
	return got < 0 ? -errno : (int)got;
}

int pl_reader_explain(const struct pl_reader *reader, int result, struct pl_err *err)
{
	/* A removed drive fails reads with EIO or gives nothing; only its missing node tells. */
	if (access(reader->target.path, F_OK))
		return pl_fail(err, -ENODEV, "%s is gone (it was removed while it was read)",
			       reader->target.path);
	if (result >= 0)
		return pl_fail(err, -EIO, "%s: a read of %u bytes gave %d", reader->target.path,
			       reader->size_bytes, result);
	/* What the block layer makes of a media error (block/blk-core.c, BLK_STS_MEDIUM). */
	if (result == -ENODATA)
		return pl_fail(err, -EIO, "%s: a read failed: the media could not be read",
			       reader->target.path);
	return pl_fail(err, result, "%s: a read failed: %s", reader->target.path,
		       strerror(-result));
}

static ssize_t reader_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_reader *reader = self;
	int (*read)(struct pl_reader *, uint64_t *) =
		paths[reader->path].finish ? read_ring : read_pread;
	int pending = reader->pending;

	reader->pending = 0;
	if (pending)
		return pl_fail(err, pending, "%s", reader->why.text);
	for (size_t i = 0; i < count; i++) {
		int result = read(reader, ticks + i);

		if (result == (int)reader->size_bytes)
			continue;
		ticks[i] = 0;
		pending = pl_reader_explain(reader, result, &reader->why);
		if (!i)
			return pl_fail(err, pending, "%s", reader->why.text);
		reader->pending = pending;
		return (ssize_t)i;
	}
	return (ssize_t)count;
}

/* "/dev/nvme0n1" has its command device beside it: "/dev/ng0n1". */
static int open_passthru(struct pl_reader *reader, struct pl_err *err)
{
	const char *path = reader->target.path, *name = strrchr(path, '/');
	char node[sizeof(reader->target.path)];
	int nsid = ioctl(reader->target.fd, NVME_IOCTL_ID);

	name = name ? name + 1 : path;
	if (!reader->target.is_block || nsid <= 0 || strncmp(name, "nvme", 4))
		return pl_fail(err, -ENOTSUP, "%s is not an NVMe namespace", path);
	if (!pl_nvme_is_allowed(PL_NVME_QUEUE_IO, PL_NVME_IO_READ))
		return pl_fail(err, -EPERM, "Read is not on the list of allowed commands");
	snprintf(node, sizeof(node), "%.*sng%s", (int)(name - path), path, name + 4);
	if (reader->passthru_fd <= 0)
		reader->passthru_fd = open(node, O_RDONLY | O_CLOEXEC);
	if (reader->passthru_fd < 0 && (errno == EACCES || errno == EPERM))
		return pl_fail(err, -errno, "%s may be opened by root only", node);
	if (reader->passthru_fd < 0)
		return pl_fail(err, -errno, "%s: %s (partitions have no command device)", node,
			       strerror(errno));
	reader->nsid = (uint32_t)nsid;
	return 0;
}

static int open_ring(struct pl_reader *reader, enum pl_read_path path, struct pl_err *err)
{
	bool is_passthru = paths[path].is_passthru;
	struct pl_ring_options options = {
		.is_polled = paths[path].is_polled,
		.is_passthrough = is_passthru,
		.entries = reader->depth,
		.buffer = reader->buffer,
		.buffer_bytes = (size_t)reader->size_bytes * reader->depth,
	};
	int rc = options.is_polled ? pl_target_can_poll(&reader->target, err) : 0;

	if (!rc && is_passthru)
		rc = open_passthru(reader, err);
	options.fd = is_passthru ? reader->passthru_fd : reader->target.fd;
	return rc ? rc : pl_ring_open(&options, &reader->ring, err);
}

int pl_reader_try(struct pl_reader *reader, enum pl_read_path path, struct pl_err *err)
{
	uint64_t ticks;
	ssize_t got;
	int rc = 0;

	if (paths[path].finish)
		rc = open_ring(reader, path, err);
	else if (reader->depth > 1)
		rc = pl_fail(err, -ENOTSUP, "one thread of pread has one read in flight");
	if (rc)
		return rc;
	reader->path = path;
	got = reader_sample(reader, &ticks, 1, err);
	if (got < 0)
		pl_ring_close(&reader->ring);
	return got < 0 ? (int)got : 0;
}

int pl_reader_time_place(struct pl_reader *reader, uint64_t place, uint64_t *median,
			 struct pl_err *err)
{
	enum pl_read_pattern pattern = reader->pattern;
	uint64_t ticks[PLACE_READS];
	ssize_t got;

	reader->pattern = PL_READ_FAST_LBA;
	reader->fast_place = place;
	got = reader_sample(reader, ticks, PLACE_READS, err);
	reader->pattern = pattern;
	if (got < 0)
		return (int)got;
	pl_stats_sort(ticks, (size_t)got);
	*median = pl_stats_quantile(ticks, (size_t)got, 0.5);
	return 0;
}

static ssize_t sample_counted(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_reader *reader = self;
	ssize_t got = reader->depth > 1 ? pl_depth_sample(reader, ticks, count, err)
					: reader_sample(reader, ticks, count, err);

	pl_background_add(&reader->background, got, count);
	return got;
}

static int64_t reader_others(void *self)
{
	struct pl_reader *reader = self;

	return pl_background_others(&reader->background);
}

static void reader_close(void *self)
{
	pl_reader_free(self);
}

struct pl_sampler pl_reader_sampler(struct pl_reader *reader)
{
	return (struct pl_sampler){sample_counted, reader_close, reader, reader_others};
}

void pl_reader_free(struct pl_reader *reader)
{
	if (!reader)
		return;
	pl_ring_close(&reader->ring);
	pl_target_close(&reader->target);
	pl_background_close(&reader->background);
	if (reader->passthru_fd > 0)
		close(reader->passthru_fd);
	free(reader->buffer);
	free(reader);
}
