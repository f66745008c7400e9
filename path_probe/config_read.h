#ifndef PL_PATH_PROBE_CONFIG_READ_H
#define PL_PATH_PROBE_CONFIG_READ_H

#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"

/*
 * Timed 4-byte reads of one offset of a configuration space file (`/sys/bus/pci/devices/…/config`,
 * or any file in tests). The descriptor is O_RDONLY. Open reads once and fails with the reason:
 * -ENODEV (no such function, or all ones: gone or in D3cold), -EACCES (only root reads beyond the
 * first 64 bytes), -ENXIO (256-byte configuration space). After a failure the sampler stays
 * failed.
 */
int pl_config_read_open(const char *file, unsigned offset, const struct pl_clock *clock,
			struct pl_sampler *sampler, struct pl_err *err);

#endif
