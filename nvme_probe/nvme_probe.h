#ifndef PL_NVME_PROBE_NVME_PROBE_H
#define PL_NVME_PROBE_NVME_PROBE_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "core/sysroot.h"
#include "model/run.h"

/*
 * host -> drive -> host: one command after another at queue depth 1, or a closed loop above. Never
 * writes: descriptors are O_RDONLY, the ring is restricted to READ, READ_FIXED and NOP before it is
 * enabled, and NVMe commands pass one default-deny list of opcodes.
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
 * Opens the sampler of one planned measurement: m says slot/device, conditions.size_bytes,
 * conditions.queue_depth (0 is 1) and conditions.pattern:
 *   "random"      any place of the device, aligned to the size (also NULL)
 *   "same_lba"    its first blocks, always
 *   "fast_lba"    the place that answered fastest in a read-only scan at open
 *   "sequential"  upwards
 * A measurement without a slot takes options->file. Metrics "identify" and "get_features" time an
 * admin command of the controller instead (root only): no media, no wake from a power state.
 *
 * Falls back step by step from polled io_uring to pread and fills conditions.path (what runs) and
 * path_reason (why each better rung did not). Facts: "write_guarantee", "polling_proof",
 * "ring_flags", "fast_lba_offset_bytes", "fast_lba_data". The sampler counts what others do on a
 * block device.
 *
 * Above depth 1 each latency is from the submission of that read to the moment its completion was
 * seen; the next read is only issued when one is done (closed loop), so a stall delays reads but
 * hides none, and nothing is "corrected" for coordinated omission.
 *
 * A size above 4 KiB needs depth times as much memory: 4 MiB for 128 KiB at depth 32.
 *
 * Errors: -EACCES/-EPERM (who may), -EINVAL (size not a multiple of the block size, unknown path
 * or pattern), -ENOTSUP (one read would be several commands: MDTS, max_sectors_kb), -ENODEV (not
 * there, removed), -ENODATA (an empty file). A read that fails ends the call of the sampler; the
 * next call returns its error once, and goes on after that.
 */
int pl_nvme_open(const struct pl_nvme_options *options, struct pl_run *run,
		 struct pl_measurement *m, const struct pl_clock *clock, struct pl_sampler *sampler,
		 struct pl_err *err);

/*
 * Fills run->drives: one entry for each NVMe device of the slots, with what sysfs and, as root, the
 * controller itself (Identify, Get Features: read only) say about power states and queues. What
 * could not be had is said in its why. dev_dir NULL: "/dev".
 */
void pl_nvme_survey(struct pl_run *run, const struct pl_sysroot *root, const char *dev_dir);

/* Names of the software paths, best first; NULL beyond the last. */
const char *pl_nvme_path_name(size_t index);

#endif
