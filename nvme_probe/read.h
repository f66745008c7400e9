#ifndef PL_NVME_PROBE_READ_H
#define PL_NVME_PROBE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/rng.h"
#include "core/sampler.h"
#include "model/run.h"
#include "nvme_probe/background.h"
#include "nvme_probe/ring.h"
#include "nvme_probe/target.h"

struct io_uring_cqe;

/* Software paths. Automatic choice takes the first of IOPOLL, SPIN and PREAD that works. */
enum pl_read_path {
	PL_READ_IOPOLL,          /* io_uring, the kernel polls the completion queue of the drive */
	PL_READ_SPIN,            /* io_uring, the process asks until the interrupt has come */
	PL_READ_WAIT,            /* io_uring, the process sleeps until the interrupt */
	PL_READ_PREAD,           /* pread, sleeps likewise */
	PL_READ_PASSTHRU_IOPOLL, /* NVMe Read command on /dev/ngXnY, polled */
	PL_READ_PASSTHRU_SPIN,   /* the same, by interrupt */
	PL_READ_PATHS
};

enum pl_read_pattern {
	PL_READ_RANDOM,
	PL_READ_SAME_LBA,   /* the first of the device, always */
	PL_READ_FAST_LBA,   /* the one that answered fastest in a scan at open, always */
	PL_READ_SEQUENTIAL, /* upwards, wrapping at the end */
	PL_READ_PATTERNS
};

/* One reader: owns its ring, its buffer and its descriptors. */
struct pl_reader {
	const struct pl_clock *clock;
	struct pl_target target;
	struct pl_ring ring;
	struct pl_rng rng;
	enum pl_read_path path;
	enum pl_read_pattern pattern;
	uint32_t size_bytes;
	unsigned depth;        /* reads in flight; 1 … PL_READ_DEPTH_MAX */
	uint64_t places, next; /* reads that fit the target; the next one of a sequence */
	uint64_t fast_place;
	void *buffer; /* depth reads */
	int passthru_fd;
	uint32_t nsid;
	int pending; /* -errno of a failed read that the next call reports */
	struct pl_err why;
	struct pl_background background;
	struct pl_run *run; /* whose measurement m gets the facts; NULL: nobody's */
	struct pl_measurement *m;
};

#define PL_READ_DEPTH_MAX 256u

const char *pl_read_path_name(enum pl_read_path path);
const char *pl_read_pattern_name(enum pl_read_pattern pattern);
bool pl_read_path_is_passthru(enum pl_read_path path);
bool pl_read_path_is_polled(enum pl_read_path path);

/*
 * Tries to open this path (ring, registration, one untimed read): 0 or the reason. On failure the
 * reader can try the next path; the target stays open.
 */
int pl_reader_try(struct pl_reader *reader, enum pl_read_path path, struct pl_err *err);
/*
 * The sampler of the open path; close frees the reader. With depth 1 the reads follow each other;
 * above that it is a closed loop: depth reads are in flight, each that is done makes room for the
 * next, and each latency is from its own submission to the moment its completion was seen.
 */
struct pl_sampler pl_reader_sampler(struct pl_reader *reader);
/* Accepts a reader in any state, NULL too. */
void pl_reader_free(struct pl_reader *reader);

/*
 * Reads one place several times and gives the median, in ticks. For the scan of fast places. 0 or
 * -errno.
 */
int pl_reader_time_place(struct pl_reader *reader, uint64_t place, uint64_t *median,
			 struct pl_err *err);

/* The sentence of a failed read; result is what the kernel gave. For the samplers. */
int pl_reader_explain(const struct pl_reader *reader, int result, struct pl_err *err);
/* Puts the next read, into part `slot` of the buffer, on the ring without submitting it. */
void pl_reader_prepare(struct pl_reader *reader, unsigned slot);
/* Bytes read, or -errno, of a completion; gives the completion back to the ring. */
int pl_reader_take(struct pl_reader *reader, struct io_uring_cqe *cqe);
/* Byte offset of the next read of the pattern. */
uint64_t pl_reader_next_offset(struct pl_reader *reader);

/* struct pl_sampler.sample for depth > 1. */
ssize_t pl_depth_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err);

#endif
