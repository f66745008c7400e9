#include "path_probe/path_probe.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/tsc.h"
#include "path_probe/bar_read.h"
#include "path_probe/config_read.h"

#define DIR_TEXT 96
#define ECAM_BEGIN 0x100u

static char *device_dir(struct pl_bdf bdf, char out[DIR_TEXT])
{
	char name[PL_BDF_TEXT];

	snprintf(out, DIR_TEXT, "/sys/bus/pci/devices/%s", pl_bdf_format(bdf, name));
	return out;
}

static int open_config(struct pl_bdf bdf, unsigned offset, const struct pl_clock *clock,
		       struct pl_sampler *sampler, struct pl_err *err)
{
	char dir[DIR_TEXT], file[DIR_TEXT + 8];

	snprintf(file, sizeof(file), "%s/config", device_dir(bdf, dir));
	return pl_config_read_open(file, offset, clock, sampler, err);
}

static int check_live(const struct pl_run *run, const struct pl_measurement *m, struct pl_err *err)
{
	if (!run->machine.is_live)
		return pl_fail(err, -ENOTSUP, "%s is not this machine: nothing can be timed",
			       run->machine.source ? run->machine.source : "the capture");
	if (!m->has_device)
		return pl_fail(err, -EINVAL, "the series names no PCI function");
	return 0;
}

static void note(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
		 const char *path)
{
	m->ns_per_tick = clock->ns_per_tick;
	m->conditions.clock = pl_arena_strdup(&run->arena, clock->name);
	m->conditions.path = path;
}

int pl_path_open_config(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
			struct pl_sampler *sampler, struct pl_err *err)
{
	unsigned offset = m->conditions.config_offset;
	bool by_ports = pl_cpu_has_config_ports() && offset < ECAM_BEGIN && !m->device.domain;
	int rc = check_live(run, m, err);

	if (!rc)
		rc = open_config(m->device, offset, clock, sampler, err);
	if (rc)
		return rc;
	note(run, m, clock, by_ports ? "cf8/cfc" : "ecam");
	if (by_ports)
		m->conditions.path_reason =
			"offsets below 0x100 in domain 0 go through I/O ports 0xCF8/0xCFC";
	return 0;
}

int pl_path_open_bar(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
		     struct pl_sampler *sampler, struct pl_err *err)
{
	char dir[DIR_TEXT];
	int rc = check_live(run, m, err);

	if (!rc)
		rc = pl_bar_read_open(device_dir(m->device, dir), clock, sampler, err);
	if (!rc)
		note(run, m, clock, "mmio");
	return rc;
}

static ssize_t control_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	const struct pl_clock *clock = self;

	(void)err;
	for (size_t i = 0; i < count; i++) {
		uint64_t begin = pl_clock_begin(clock);

		syscall(SYS_getppid);
		ticks[i] = pl_clock_end(clock) - begin;
	}
	return (ssize_t)count;
}

int pl_path_open_control(struct pl_run *run, struct pl_measurement *m, const struct pl_clock *clock,
			 struct pl_sampler *sampler, struct pl_err *err)
{
	(void)err;
	note(run, m, clock, "getppid");
	*sampler = (struct pl_sampler){control_sample, NULL, (void *)clock, NULL};
	return 0;
}

int pl_path_can_read_config(struct pl_bdf bdf, unsigned offset, struct pl_err *err)
{
	static const struct pl_clock raw = {.ns_per_tick = 1.0, .name = "clock_monotonic_raw"};
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	int rc = open_config(bdf, offset, &raw, &sampler, err);

	pl_sampler_close(&sampler);
	return rc;
}
