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
	uint64_t seed;       /* of the random offsets */
};

/*
 * Opens the sampler of one planned measurement: m says slot/device, conditions.size_bytes and
 * conditions.pattern ("random" or "same_lba"). Falls back step by step from polled io_uring to
 * pread and fills conditions.path (what runs) and path_reason (why each better rung did not).
 * Errors: -EACCES/-EPERM (who may), -EINVAL (size not a multiple of the block size), -ENODEV.
 */
int pl_nvme_open(const struct pl_nvme_options *options, struct pl_run *run,
		 struct pl_measurement *m, const struct pl_clock *clock, struct pl_sampler *sampler,
		 struct pl_err *err);

#endif
