#ifndef PL_PATH_PROBE_BAR_READ_H
#define PL_PATH_PROBE_BAR_READ_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"

/*
 * Timed 32-bit reads of the NVMe register VS (BAR0 offset 0x08), which has no read side effects
 * and is never all ones (NVM Express Base Specification, "Controller Properties"). CAP and CSTS
 * are read once at open. device_dir is the function's sysfs folder: class, power_state, config and
 * resource0 are used, O_RDONLY and PROT_READ.
 *
 * Errors: -ENOTSUP (not an NVMe controller), -EBUSY (not in D0), -ENXIO (memory decoding is off or
 * there is no BAR0), -EACCES/-EPERM/-EINVAL (the kernel refuses the mapping: pl_bar_explain_map
 * says why), -ENODEV (all ones, or removed while mapped). After a failure the sampler stays
 * failed.
 */
int pl_bar_read_open(const char *device_dir, const struct pl_clock *clock,
		     struct pl_sampler *sampler, struct pl_err *err);

/* The sentence for an errno of open or mmap of resource0, with the remedy. Returns -error. */
int pl_bar_explain_map(const char *device_dir, int error, struct pl_err *err);

#endif
