#ifndef PL_NVME_PROBE_NVME_PROBE_H
#define PL_NVME_PROBE_NVME_PROBE_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "model/run.h"

/*
 * host -> drive -> host: one read at queue depth 1. Never writes: descriptors are O_RDONLY and the
 * ring is restricted to READ, READ_FIXED and NOP before it is enabled.
 */
struct pl_nvme_options {
	const char *file;    /* --file PATH: any regular file or block device; NULL: the slot's
				namespace */
	const char *dev_dir; /* where block devices are; NULL: "/dev" */
	bool no_io_uring;    /* start at the pread rung (tests, --nvme-path pread) */
	const char *path;    /* one of pl_nvme_path_name: this rung or an error; NULL: the best that
				works. m->conditions.path, when set, goes before it */
	uint64_t seed;       /* of the random offsets */
};

/*
 * Opens the sampler of one planned measurement: m says slot/device, conditions.size_bytes and
 * conditions.pattern ("random", "same_lba" or "sequential"; NULL is random). A measurement
 * without a slot takes options->file. Falls back step by step from polled io_uring to pread and
 * fills conditions.path (what runs) and path_reason (why each better rung did not).
 * Errors: -EACCES/-EPERM (who may), -EINVAL (size not a multiple of the block size, unknown path
 * or pattern), -ENODEV (not there, removed), -ENODATA (an empty file). A read that fails ends the
 * call of the sampler; the next call returns its error once, and goes on after that.
 */
int pl_nvme_open(const struct pl_nvme_options *options, struct pl_run *run,
		 struct pl_measurement *m, const struct pl_clock *clock, struct pl_sampler *sampler,
		 struct pl_err *err);

/* Names of the software paths, best first; NULL beyond the last. */
const char *pl_nvme_path_name(size_t index);

#endif
