/* One drive that a thorough run looked into: made up, like everything here. */

#include <math.h>

#include "model/summary.h"
#include "tests/report/fixture.h"

static const struct pl_power_state states[] = {
	{8.5, true, 0, 0, 100, 3},
	{4.2, true, 0, 200, 100, 3},
	{(double)NAN, true, 0, 1000, 100, 3},
	{0.045, false, 2000, 1200, 2000, 4},
	{0.005, false, 15000, 9500, 0, 0},
};

static struct pl_measurement *series(struct pl_run *run, const struct pl_slot *slot,
				     const char *metric, const char *pattern, double ns)
{
	struct pl_measurement *m = fx_series(run, slot, PL_PROBE_NVME, metric, ns, 12, 1000);

	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = pattern;
	m->conditions.path = "io_uring-iopoll";
	return m;
}

static void loads(struct pl_run *run, const struct pl_slot *slot)
{
	for (unsigned depth = 2; depth <= 32; depth *= 2) {
		struct pl_measurement *m =
			series(run, slot, "read_4k_depth", "random", 60000.0 + 800.0 * depth);

		m->conditions.queue_depth = depth;
		pl_measurement_set_number(run, m, "iops", 16000.0 * depth);
	}
}

static void long_loads(struct pl_run *run, const struct pl_slot *slot)
{
	for (unsigned depth = 1; depth <= 32; depth *= 2) {
		const char *metric = depth > 1 ? "read_128k_depth" : "read_128k";
		struct pl_measurement *m =
			series(run, slot, metric, "sequential", 90000.0 + 19000.0 * depth);

		m->conditions.size_bytes = 131072;
		m->conditions.queue_depth = depth;
		pl_measurement_set_number(run, m, "iops",
					  1e9 * depth / (90000.0 + 19000.0 * depth));
	}
}

/* The first read after the gap wakes the link, the second does not. */
static void bursts(struct pl_run *run, const struct pl_slot *slot)
{
	const unsigned reads = 16, wake_ns = 31000;
	struct pl_measurement *m =
		fx_series(run, slot, PL_PROBE_NVME, "read_4k_burst", 9010, 12, 16 * (size_t)reads);

	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = "same_lba";
	m->conditions.path = "io_uring-iopoll";
	m->conditions.gap_ns = 2000000;
	m->conditions.burst = reads;
	for (size_t i = 0; i < m->n; i += reads)
		m->ticks[i] += (uint64_t)(wake_ns / m->ns_per_tick);
	pl_measurement_summarise(m);
}

static void paths(struct pl_run *run, const struct pl_slot *slot)
{
	struct pl_measurement *m = series(run, slot, "read_4k_path", "same_lba", 46000);

	pl_measurement_set_text(run, m, "polling_proof", "64 reads, 0 interrupts of nvme0");
	m = pl_run_add_measurement(run);
	m->slot = slot;
	m->device = slot->device->bdf;
	m->has_device = true;
	m->probe = PL_PROBE_NVME;
	m->metric = "read_4k_path";
	m->conditions.path = "passthru-iopoll";
	m->conditions.state = "as_found";
	m->outcome = PL_OUTCOME_SKIPPED;
	m->why = "/dev/ng0n1 may be opened by root only";
}

/* 200 ms of idle: the drive left to itself is in PS3 then. */
static void power(struct pl_run *run, const struct pl_slot *slot)
{
	static const char *const apst[] = {"off", "as_found"};

	for (size_t i = 0; i < 2; i++) {
		struct pl_measurement *m = fx_series(run, slot, PL_PROBE_NVME, "read_4k_prewoken",
						     i ? 1160000 : 60000, 12, 4);

		m->conditions.size_bytes = 4096;
		m->conditions.queue_depth = 1;
		m->conditions.pattern = "same_lba";
		m->conditions.gap_ns = 200000000;
		m->conditions.prewake = "config";
		m->conditions.apst = apst[i];
	}
}

void fx_drive(struct pl_run *run, const struct pl_slot *slot)
{
	struct pl_drive *drive =
		pl_arena_push(&run->arena, (void **)&run->drives, &run->drive_count,
			      &run->drive_capacity, sizeof(*drive));
	struct pl_measurement *m;

	*drive = (struct pl_drive){
		.bdf = slot->device->bdf,
		.controller = "nvme0",
		.namespace_name = "nvme0n1",
		.firmware = "4B2QEXM7",
		.state_count = sizeof(states) / sizeof(states[0]),
		.is_apst_supported = true,
		.apst_enabled = 1,
		.current_state = 0,
		.deallocated_reads_as = 1,
		.latency_tolerance = "100000",
		.max_latency = "100000",
		.scheduler = "[none] mq-deadline",
		.io_poll = "1",
		.poll_queues = "1",
		.iostats = "1",
		.nomerges = "0",
		.wbt_lat_us = "2000",
		.mounted_at = "/home",
	};
	for (size_t i = 0; i < drive->state_count; i++)
		drive->states[i] = states[i];
	m = series(run, slot, "read_4k_fast_lba", "fast_lba", 9000);
	pl_measurement_set_text(run, m, "fast_lba_data", "all zero: probably deallocated");
	series(run, slot, "read_4k", "same_lba", 9010);
	series(run, slot, "read_512", "random", 51000)->conditions.size_bytes = 512;
	series(run, slot, "get_features", NULL, 30000)->conditions.path = "ioctl";
	series(run, slot, "identify", NULL, 34000)->conditions.path = "ioctl";
	loads(run, slot);
	long_loads(run, slot);
	bursts(run, slot);
	paths(run, slot);
	power(run, slot);
}
