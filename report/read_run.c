#include "report/read.h"

#include <math.h>
#include <stdlib.h>

/* The mirror of the head of results.json: what the numbers were taken on, and how. */

void pl_read_environment(struct pl_run *run, const json_t *environment)
{
	struct pl_machine *m = &run->machine;
	const json_t *board = json_object_get(environment, "board");
	const json_t *bios = json_object_get(environment, "bios");
	const json_t *cpu = json_object_get(environment, "cpu");
	const json_t *kernel = json_object_get(environment, "kernel");
	const json_t *aspm = json_object_get(environment, "aspm");

	m->board_vendor = pl_read_text(run, board, "vendor");
	m->board_name = pl_read_text(run, board, "name");
	m->board_version = pl_read_text(run, board, "version");
	m->bios_vendor = pl_read_text(run, bios, "vendor");
	m->bios_version = pl_read_text(run, bios, "version");
	m->bios_date = pl_read_text(run, bios, "date");
	m->cpu = pl_read_text(run, cpu, "name");
	m->microcode = pl_read_text(run, cpu, "microcode");
	m->os = pl_read_text(run, environment, "os");
	m->kernel = pl_read_text(run, kernel, "release");
	m->kernel_cmdline = pl_read_text(run, kernel, "cmdline");
	m->lockdown = pl_read_text(run, kernel, "lockdown");
	m->architecture = pl_read_text(run, environment, "architecture");
	m->aspm_policy = pl_read_text(run, aspm, "policy");
	m->aspm_is_disabled = pl_read_bool(aspm, "disabled");
	m->iommu = pl_read_text(run, environment, "iommu");
	m->governor = pl_read_text(run, environment, "governor");
	m->hypervisor = pl_read_text(run, environment, "hypervisor");
	m->is_live = pl_read_bool(environment, "is_live");
	m->source = pl_read_text(run, environment, "source");
	m->is_root = pl_read_bool(environment, "is_root");
	m->numa_nodes = (unsigned)pl_read_u64(environment, "numa_nodes", 0);
	m->boot_time_s = pl_read_u64(environment, "boot_time_s", 0);
	m->boot_id = pl_read_text(run, environment, "boot_id");
}

static double known(double value)
{
	return isnan(value) ? 0.0 : value;
}

static void read_clock(struct pl_run *run, const json_t *clock)
{
	run->clock.name = pl_read_text(run, clock, "name");
	run->clock.reason = pl_read_text(run, clock, "reason");
	run->clock.ns_per_tick = pl_read_real(clock, "ns_per_tick");
	run->clock.cost_ns = pl_read_real(clock, "cost_ns");
	run->clock.cost_p999_ns = pl_read_real(clock, "cost_p999_ns");
}

void pl_read_session(struct pl_run *run, const json_t *session)
{
	const char *seed = json_string_value(json_object_get(session, "seed"));

	run->session_id = pl_read_text(run, session, "id");
	run->argv = pl_read_texts(run, session, "argv", &run->argc);
	run->started_utc = pl_read_text(run, session, "started_utc");
	run->finished_utc = pl_read_text(run, session, "finished_utc");
	run->seed = seed ? strtoull(seed, NULL, 10) : 0;
	run->is_complete = pl_read_bool(session, "complete");
	run->allow_virtual = pl_read_bool(session, "allow_virtual");
	run->cpu = (int)pl_read_i64(session, "cpu", -1);
	run->cstates = pl_read_text(run, session, "cstates");
	run->memory_lock = pl_read_text(run, session, "memory_lock");
	read_clock(run, json_object_get(session, "clock"));
	run->planned_s = known(pl_read_real(session, "planned_s"));
	run->actual_s = known(pl_read_real(session, "actual_s"));
}
