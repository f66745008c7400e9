#ifndef PL_NVME_PROBE_READ_H
#define PL_NVME_PROBE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/rng.h"
#include "core/sampler.h"
#include "nvme_probe/ring.h"
#include "nvme_probe/target.h"

/* Software paths, best first. Automatic choice takes the first that works, WAIT never. */
enum pl_read_path {
	PL_READ_IOPOLL, /* io_uring, the kernel polls the completion queue of the drive */
	PL_READ_SPIN,   /* io_uring, the process asks until the interrupt has come */
	PL_READ_WAIT,   /* io_uring, the process sleeps until the interrupt */
	PL_READ_PREAD,  /* pread, sleeps likewise */
	PL_READ_PATHS
};

enum pl_read_pattern { PL_READ_RANDOM, PL_READ_SAME_LBA, PL_READ_SEQUENTIAL, PL_READ_PATTERNS };

/* One reader: owns its ring, its buffer and the target. */
struct pl_reader {
	const struct pl_clock *clock;
	struct pl_target target;
	struct pl_ring ring;
	struct pl_rng rng;
	enum pl_read_path path;
	enum pl_read_pattern pattern;
	uint32_t size_bytes;
	uint64_t places, next; /* reads that fit the target; the next one of a sequence */
	void *buffer;          /* of one read */
	int pending;           /* -errno of a failed read that the next call reports */
	struct pl_err why;
};

const char *pl_read_path_name(enum pl_read_path path);
const char *pl_read_pattern_name(enum pl_read_pattern pattern);

/*
 * Tries to open this path (ring, registration, one untimed read): 0 or the reason. On failure the
 * reader can try the next path; the target stays open.
 */
int pl_reader_try(struct pl_reader *reader, enum pl_read_path path, struct pl_err *err);
/* The sampler of the open path; close frees the reader. */
struct pl_sampler pl_reader_sampler(struct pl_reader *reader);
/* Accepts a reader in any state, NULL too. */
void pl_reader_free(struct pl_reader *reader);

#endif
