#include "gpu_probe/shader_clock.h"

#include <errno.h>
#include <math.h>

#include "gpu_probe/kernel.h"
#include "gpu_probe/tick_rate.h"

#define PCI_VENDOR_AMD 0x1002u
/* RDNA's SHADER_CYCLES has 20 bits; Vulkan does not say how many there are. */
#define AMD_SUBGROUP_MASK 0xfffffu
#define FIRST_TURNS 64u
#define MAX_TURNS 60000u /* llvmpipe ends a kernel after 65,535 */
#define TARGET_NS 40e6
#define TARGET_TICKS (UINT32_C(1) << 30) /* the sum of the ticks must fit 32 bits */
#define REPEATS 5
#define TRIES 4 /* of REPEATS each */
/* A clock this close to the timestamps' own rate is the same oscillator. */
#define SAME_RATE 0.02
#define SAME_RATE_SOFTWARE 0.25 /* its threads share the CPU with everything else */

static int run_turns(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, uint32_t mask,
		     uint32_t turns, struct pl_tick_run *run, struct pl_err *err)
{
	struct pl_push push = {.count = turns, .load_mask = mask};
	struct pl_gpu_timing timing;
	int rc = pl_gpu_dispatch(d, kernel, &d->result, &push, 1, &timing, err);

	if (rc)
		return rc;
	if (d->result.words[PL_RESULT_COUNT] != turns)
		return pl_fail(err, -EIO, "%s: the driver cut the calibration of its clock short",
			       d->name);
	run->ns = isnan(timing.device_ns) ? timing.host_ns : timing.device_ns;
	run->ticks = d->result.words[PL_RESULT_TICKS];
	return 0;
}

static int find_turns(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, uint32_t mask,
		      uint32_t *turns, struct pl_err *err)
{
	struct pl_tick_run run = {0, 0};
	int rc = run_turns(d, kernel, mask, FIRST_TURNS, &run, err);

	for (*turns = FIRST_TURNS; !rc; *turns *= 2) {
		rc = run_turns(d, kernel, mask, *turns, &run, err);
		if (run.ns >= TARGET_NS || run.ticks >= TARGET_TICKS || *turns * 2 > MAX_TURNS)
			break;
	}
	return rc;
}

static int say_why(const struct pl_gpu_device *d, const struct pl_tick_run *extended,
		   struct pl_err *err)
{
	if (extended->ticks > 0)
		return pl_fail(err, -EAGAIN,
			       "%s: the machine is too busy to tell how long a tick of the shader "
			       "clock is",
			       d->name);
	return pl_fail(err, -EIO, "%s: the shader clock stands still", d->name);
}

/* ns per tick by slope over two lengths, in turns; more of each until there is a slope. */
static int measure(struct pl_gpu_device *d, enum pl_gpu_kernel kernel, uint32_t mask, double *rate,
		   struct pl_err *err)
{
	struct pl_tick_run brief[REPEATS * TRIES], extended[REPEATS * TRIES];
	uint32_t turns;
	int rc = find_turns(d, kernel, mask, &turns, err);
	size_t n = 0;

	while (!rc && n < REPEATS * TRIES) {
		rc = run_turns(d, kernel, mask, turns / 4, &brief[n], err);
		if (!rc)
			rc = run_turns(d, kernel, mask, turns, &extended[n], err);
		if (!rc && !(++n % REPEATS) && !pl_tick_rate(brief, extended, n, rate))
			return 0;
	}
	return rc ? rc : say_why(d, &extended[0], err);
}

static int calibrate(struct pl_gpu_device *d, struct pl_gpu_clock *clock, bool is_device_clock,
		     struct pl_err *err)
{
	double period_ns = (double)d->properties.limits.timestampPeriod;
	double near_enough = d->kind == PL_GPU_SOFTWARE ? SAME_RATE_SOFTWARE : SAME_RATE;
	bool is_amd = d->properties.vendorID == PCI_VENDOR_AMD;
	int rc;

	if (clock->is_calibrated)
		return 0;
	clock->mask = is_amd && !is_device_clock ? AMD_SUBGROUP_MASK : UINT32_MAX;
	rc = measure(d, is_device_clock ? PL_KERNEL_TICK_DEVICE : PL_KERNEL_TICK_SUBGROUP,
		     clock->mask, &clock->measured_ns_per_tick, err);
	if (rc)
		return rc;
	clock->ns_per_tick = clock->measured_ns_per_tick;
	if (is_device_clock && !pl_gpu_timestamp_reason(d) &&
	    fabs(clock->ns_per_tick / period_ns - 1.0) < near_enough)
		clock->ns_per_tick = period_ns;
	clock->is_calibrated = true;
	return 0;
}

static const struct pl_gpu_clocks device_only = {
	.load_kernel = PL_KERNEL_LOAD_DEVICE,
	.gap_kernel = PL_KERNEL_GAP_DEVICE,
	.load_name = "device clock",
	.reason = "the driver has no subgroup clock: loads are timed in the device clock's steps",
};
static const struct pl_gpu_clocks subgroup_only = {
	.load_kernel = PL_KERNEL_LOAD_SUBGROUP,
	.gap_kernel = PL_KERNEL_GAP_SUBGROUP,
	.load_name = "subgroup clock",
	.reason = "the driver has no device clock: gaps are counted in core cycles",
};
static const struct pl_gpu_clocks mixed = {
	.load_kernel = PL_KERNEL_LOAD_SUBGROUP,
	.gap_kernel = PL_KERNEL_GAP_MIXED,
	.load_name = "subgroup clock",
};

int pl_gpu_clocks_need(struct pl_gpu_device *d, struct pl_gpu_clocks *clocks, struct pl_err *err)
{
	bool is_software = d->kind == PL_GPU_SOFTWARE;
	int rc = 0;

	if (!d->has_device_clock && !d->has_subgroup_clock)
		return pl_fail(
			err, -ENOTSUP,
			"%s: the driver has no shader clock (VK_KHR_shader_clock), so single "
			"loads cannot be timed; the chase needs none",
			d->name);
	if (!d->has_subgroup_clock || (is_software && d->has_device_clock))
		*clocks = device_only;
	else if (!d->has_device_clock)
		*clocks = subgroup_only;
	else
		*clocks = mixed;
	if (is_software && d->has_device_clock)
		clocks->reason = NULL;
	clocks->load = clocks->load_kernel == PL_KERNEL_LOAD_SUBGROUP ? &d->subgroup_clock
								      : &d->device_clock;
	clocks->gap = clocks->gap_kernel == PL_KERNEL_GAP_SUBGROUP ? &d->subgroup_clock
								   : &d->device_clock;
	if (clocks->load == &d->subgroup_clock)
		rc = calibrate(d, &d->subgroup_clock, false, err);
	if (!rc && (clocks->load == &d->device_clock || clocks->gap == &d->device_clock))
		rc = calibrate(d, &d->device_clock, true, err);
	return rc;
}
