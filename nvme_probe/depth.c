/* Queue depths above 1: a closed loop of reads. */

#include <errno.h>
#include <liburing.h>

#include "nvme_probe/read.h"

struct loop {
	struct pl_reader *reader;
	uint64_t begin[PL_READ_DEPTH_MAX]; /* of the read in each part of the buffer */
	uint64_t *ticks;
	size_t count, issued, finished, good;
	int failed; /* what the first failed read gave; 0: none */
};

static void issue(struct loop *loop, unsigned slot)
{
	loop->begin[slot] = pl_clock_begin(loop->reader->clock);
	pl_reader_prepare(loop->reader, slot);
	loop->issued++;
}

/* A failed read makes no room for another: the loop runs dry and ends. */
static void finish(struct loop *loop, struct io_uring_cqe *cqe)
{
	struct pl_reader *reader = loop->reader;
	uint64_t end = pl_clock_end(reader->clock);
	unsigned slot = (unsigned)cqe->user_data;
	int result = pl_reader_take(reader, cqe);

	loop->finished++;
	if (result == (int)reader->size_bytes)
		loop->ticks[loop->good++] = end - loop->begin[slot];
	else if (!loop->failed)
		loop->failed = result ? result : -EIO;
	if (!loop->failed && loop->issued < loop->count)
		issue(loop, slot);
}

static int enter(struct loop *loop)
{
	struct io_uring *uring = loop->reader->ring.uring;
	int rc;

	if (loop->reader->path == PL_READ_SPIN || loop->reader->path == PL_READ_PASSTHRU_SPIN)
		rc = io_uring_submit_and_get_events(uring);
	else
		rc = io_uring_submit_and_wait(uring, 1);
	return rc == -EINTR || rc == -EAGAIN || rc == -EBUSY ? 0 : rc;
}

static int run_loop(struct loop *loop)
{
	struct io_uring_cqe *cqe;

	for (unsigned slot = 0; slot < loop->reader->depth && loop->issued < loop->count; slot++)
		issue(loop, slot);
	while (loop->finished < loop->issued) {
		int rc = enter(loop);

		if (rc < 0)
			return rc;
		while (!io_uring_peek_cqe(loop->reader->ring.uring, &cqe))
			finish(loop, cqe);
	}
	return 0;
}

ssize_t pl_depth_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_reader *reader = self;
	struct loop loop = {.reader = reader, .ticks = ticks, .count = count};
	int pending = reader->pending, rc;

	reader->pending = 0;
	if (pending)
		return pl_fail(err, pending, "%s", reader->why.text);
	rc = run_loop(&loop);
	for (size_t i = loop.good; i < count; i++)
		ticks[i] = 0;
	if (!rc)
		rc = loop.failed;
	if (!rc)
		return (ssize_t)loop.good;
	rc = pl_reader_explain(reader, rc, &reader->why);
	if (!loop.good)
		return pl_fail(err, rc, "%s", reader->why.text);
	reader->pending = rc;
	return (ssize_t)loop.good;
}
