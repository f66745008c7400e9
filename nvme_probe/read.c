#include "nvme_probe/read.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const path_names[PL_READ_PATHS] = {
	[PL_READ_IOPOLL] = "io_uring-iopoll",
	[PL_READ_SPIN] = "io_uring-spin",
	[PL_READ_WAIT] = "io_uring-wait",
	[PL_READ_PREAD] = "pread",
};

static const char *const pattern_names[PL_READ_PATTERNS] = {
	[PL_READ_RANDOM] = "random",
	[PL_READ_SAME_LBA] = "same_lba",
	[PL_READ_SEQUENTIAL] = "sequential",
};

const char *pl_read_path_name(enum pl_read_path path)
{
	return path_names[path];
}

const char *pl_read_pattern_name(enum pl_read_pattern pattern)
{
	return pattern_names[pattern];
}

static uint64_t next_offset(struct pl_reader *reader)
{
	uint64_t place = 0;

	if (reader->pattern == PL_READ_RANDOM)
		place = pl_rng_below(&reader->rng, reader->places);
	else if (reader->pattern == PL_READ_SEQUENTIAL)
		place = reader->next++ % reader->places;
	return place * reader->size_bytes;
}

static void prepare(struct pl_reader *reader)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(reader->ring.uring);
	uint64_t offset = next_offset(reader);

	if (reader->ring.has_fixed_buffer)
		io_uring_prep_read_fixed(sqe, 0, reader->buffer, reader->size_bytes, offset, 0);
	else
		io_uring_prep_read(sqe, 0, reader->buffer, reader->size_bytes, offset);
	sqe->flags |= IOSQE_FIXED_FILE;
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

static int take_result(struct pl_reader *reader, int rc, struct io_uring_cqe *cqe)
{
	int result = rc;

	if (!rc) {
		result = cqe->res;
		io_uring_cqe_seen(reader->ring.uring, cqe);
	}
	return result;
}

static int read_wait(struct pl_reader *reader, uint64_t *ticks)
{
	const struct pl_clock *clock = reader->clock;
	struct io_uring_cqe *cqe = NULL;
	uint64_t begin;
	int rc;

	prepare(reader);
	begin = pl_clock_begin(clock);
	rc = finish_wait(reader->ring.uring, &cqe);
	*ticks = pl_clock_end(clock) - begin;
	return take_result(reader, rc, cqe);
}

static int read_spin(struct pl_reader *reader, uint64_t *ticks)
{
	const struct pl_clock *clock = reader->clock;
	struct io_uring_cqe *cqe = NULL;
	uint64_t begin;
	int rc;

	prepare(reader);
	begin = pl_clock_begin(clock);
	rc = finish_spin(reader->ring.uring, &cqe);
	*ticks = pl_clock_end(clock) - begin;
	return take_result(reader, rc, cqe);
}

static int read_pread(struct pl_reader *reader, uint64_t *ticks)
{
	const struct pl_clock *clock = reader->clock;
	off_t offset = (off_t)next_offset(reader);
	uint64_t begin = pl_clock_begin(clock);
	ssize_t got = pread(reader->target.fd, reader->buffer, reader->size_bytes, offset);

	*ticks = pl_clock_end(clock) - begin;
	return got < 0 ? -errno : (int)got;
}

static int (*const read_one[PL_READ_PATHS])(struct pl_reader *, uint64_t *) = {
	[PL_READ_IOPOLL] = read_wait,
	[PL_READ_SPIN] = read_spin,
	[PL_READ_WAIT] = read_wait,
	[PL_READ_PREAD] = read_pread,
};

static int explain_read(const struct pl_reader *reader, int result, struct pl_err *err)
{
	/* A removed drive fails reads with EIO or gives nothing; only its missing node tells. */
	if (access(reader->target.path, F_OK))
		return pl_fail(err, -ENODEV, "%s is gone (it was removed while it was read)",
			       reader->target.path);
	if (result >= 0)
		return pl_fail(err, -EIO, "%s: a read of %u bytes gave %d", reader->target.path,
			       reader->size_bytes, result);
	return pl_fail(err, result, "%s: a read failed: %s", reader->target.path,
		       strerror(-result));
}

static ssize_t reader_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_reader *reader = self;
	int (*read)(struct pl_reader *, uint64_t *) = read_one[reader->path];
	int pending = reader->pending;

	reader->pending = 0;
	if (pending)
		return pl_fail(err, pending, "%s", reader->why.text);
	for (size_t i = 0; i < count; i++) {
		int result = read(reader, ticks + i);

		if (result == (int)reader->size_bytes)
			continue;
		ticks[i] = 0;
		pending = explain_read(reader, result, &reader->why);
		if (!i)
			return pl_fail(err, pending, "%s", reader->why.text);
		reader->pending = pending;
		return (ssize_t)i;
	}
	return (ssize_t)count;
}

static int open_ring(struct pl_reader *reader, bool is_polled, struct pl_err *err)
{
	struct pl_ring_options options = {
		.fd = reader->target.fd,
		.is_polled = is_polled,
		.entries = 1,
		.buffer = reader->buffer,
		.buffer_bytes = reader->size_bytes,
	};
	int rc = is_polled ? pl_target_can_poll(&reader->target, err) : 0;

	return rc ? rc : pl_ring_open(&options, &reader->ring, err);
}

int pl_reader_try(struct pl_reader *reader, enum pl_read_path path, struct pl_err *err)
{
	uint64_t ticks;
	ssize_t got = 0;
	int rc = 0;

	if (path != PL_READ_PREAD)
		rc = open_ring(reader, path == PL_READ_IOPOLL, err);
	if (rc)
		return rc;
	reader->path = path;
	got = reader_sample(reader, &ticks, 1, err);
	if (got < 0)
		pl_ring_close(&reader->ring);
	return got < 0 ? (int)got : 0;
}

static void reader_close(void *self)
{
	pl_reader_free(self);
}

struct pl_sampler pl_reader_sampler(struct pl_reader *reader)
{
	return (struct pl_sampler){reader_sample, reader_close, reader};
}

void pl_reader_free(struct pl_reader *reader)
{
	if (!reader)
		return;
	pl_ring_close(&reader->ring);
	pl_target_close(&reader->target);
	free(reader->buffer);
	free(reader);
}
