#ifndef PL_PATH_PROBE_PATH_PROBE_H
#define PL_PATH_PROBE_PATH_PROBE_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "model/run.h"

/*
 * CPU -> function: timed configuration reads (4 bytes at m->conditions.config_offset: 0 goes
 * through CF8/CFC on x86, 0x100 through ECAM) and timed 32-bit register reads of an NVMe
 * controller's BAR0 (CAP, VS or CSTS only, PROT_READ).
 *
 * Each opens the sampler for one planned measurement: m says device, probe and offset; open fills
 * m->ns_per_tick, conditions.path, path_reason and clock. Errors (-EACCES, -EPERM, -ENOTSUP,
 * -ENODEV …) carry the exact reason and the remedy. The sampler checks the returned byte count and
 * stops with -ENODEV at 0xFFFFFFFF. clock must outlive the sampler; text goes into run->arena.
 */
int pl_path_open_config(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
			struct pl_sampler *sampler, struct pl_err *err);
int pl_path_open_bar(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
		     struct pl_sampler *sampler, struct pl_err *err);

/*
 * The control: a system call that touches no device (getppid). At every gap it shows what the host
 * alone adds; where it moves, the gap is host-contaminated.
 */
int pl_path_open_control(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
			 struct pl_sampler *sampler, struct pl_err *err);

/*
 * Whether this process may read 4 bytes at this offset of this function's configuration space:
 * 0 or -errno with the reason. Used by the plan to choose the rungs of a ladder.
 */
int pl_path_can_read_config(struct pl_bdf bdf, unsigned offset, struct pl_err *err);

#endif
