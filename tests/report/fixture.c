#include "tests/report/fixture.h"

#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "model/summary.h"
#include "tests/report/fixture_slots.h"

#define TICK_NS 0.25

static const struct pl_bdf *path_of(struct pl_run *run, const struct pl_bdf *path, size_t count)
{
	struct pl_bdf *copy = pl_arena_array(&run->arena, count, sizeof(*copy));

	memcpy(copy, path, count * sizeof(*copy));
	return copy;
}

static void machine(struct pl_run *run, const char *board, const char *cpu)
{
	run->machine = (struct pl_machine){
		.board_vendor = "Example",
		.board_name = board,
		.board_version = "1.0",
		.bios_vendor = "Example",
		.bios_version = "F31",
		.bios_date = "2026-05-20",
		.cpu = cpu,
		.microcode = "0xb404023",
		.os = "Debian GNU/Linux 12",
		.kernel = "6.1.0-50-amd64",
		.kernel_cmdline = "quiet",
		.architecture = "x86_64",
		.aspm_policy = "default",
		.lockdown = "none",
		.iommu = "on: DMA-FQ",
		.governor = "performance",
		.is_live = true,
		.source = "live",
		.is_root = true,
		.numa_nodes = 1,
		.boot_time_s = 1764498000,
		.boot_id = "b3c1f6a0-0000-4000-8000-000000000001",
	};
	run->clock = (struct pl_clock_facts){"tsc", "invariant TSC, 4.000 GHz", TICK_NS, 9.5, 14.0};
	run->session_id = "example-20261130T100000Z";
	run->started_utc = "2026-11-30T10:00:00Z";
	run->finished_utc = "2026-11-30T10:06:40Z";
	run->seed = UINT64_C(18446744073709551557);
	run->is_complete = true;
	run->cpu = 2;
	run->cstates = "held: /dev/cpu_dma_latency at 0";
	run->memory_lock = "locked";
	run->planned_s = 400.0;
	run->actual_s = 398.5;
}

struct pl_measurement *fx_series(struct pl_run *run, const struct pl_slot *slot,
				 enum pl_probe probe, const char *metric, double median_ns,
				 unsigned blocks, size_t per_block)
{
	struct pl_measurement *m = pl_run_add_measurement(run);
	struct pl_rng rng;

	pl_rng_init(&rng, m->id);
	m->slot = slot;
	m->probe = probe;
	m->metric = metric;
	m->outcome = PL_OUTCOME_MEASURED;
	m->is_valid = true;
	m->ns_per_tick = TICK_NS;
	m->conditions.state = "as_found";
	m->conditions.clock = "tsc";
	m->blocks = m->blocks_done = blocks;
	m->samples_per_block = per_block;
	m->n = blocks * per_block;
	m->ticks = pl_arena_array(&run->arena, m->n, sizeof(*m->ticks));
	m->block_start = pl_arena_array(&run->arena, blocks + 1, sizeof(*m->block_start));
	for (size_t i = 0; i < m->n; i++) {
		double tail = pl_rng_unit(&rng) < 0.002 ? 4.0 * pl_rng_unit(&rng) : 0.0;
		double ns = median_ns * (1.0 + 0.01 * fabs(pl_rng_normal(&rng)) + tail);

		m->ticks[i] = (uint64_t)(ns / TICK_NS);
	}
	for (unsigned b = 0; b <= blocks; b++)
		m->block_start[b] = b * per_block;
	if (slot && slot->device) {
		m->device = slot->device->bdf;
		m->has_device = true;
	}
	pl_measurement_summarise(m);
	return m;
}

/* A series that was planned and could not be taken. */
static void skipped_series(struct pl_run *run, const struct pl_slot *slot, enum pl_probe probe,
			   const char *metric, const char *why)
{
	struct pl_measurement *m = pl_run_add_measurement(run);

	m->slot = slot;
	m->probe = probe;
	m->metric = metric;
	m->outcome = PL_OUTCOME_SKIPPED;
	m->why = why;
	m->conditions.state = "as_found";
	if (slot && slot->device) {
		m->device = slot->device->bdf;
		m->has_device = true;
	}
}

static const struct pl_via *via_of(struct pl_run *run, const struct fx_slot *plan)
{
	size_t count = plan->hops > 0 ? (size_t)plan->hops : 0;
	struct pl_via *via = pl_arena_array(&run->arena, count, sizeof(*via));

	for (size_t i = 0; i < count; i++) {
		struct pl_bdf at =
			plan->path_count > 2 * i + 1 ? plan->path[2 * i + 1] : plan->path[0];

		via[i] = (struct pl_via){
			PL_VIA_CHIPSET, plan->chipset, 0x1022, 0x43f4, at, 16000, 4};
	}
	return via;
}

static struct pl_device *device_of(struct pl_run *run, const struct fx_slot *plan)
{
	struct pl_device *device;
	struct pl_bdf *functions;

	if (!plan->device)
		return NULL;
	device = pl_arena_alloc(&run->arena, sizeof(*device));
	functions = pl_arena_array(&run->arena, 1, sizeof(*functions));
	functions[0] = plan->path[plan->path_count - 1];
	device->bdf = functions[0];
	device->functions = functions;
	device->function_count = 1;
	device->name = plan->device;
	device->model = plan->kind == PL_DEVICE_NVME ? plan->device : NULL;
	device->unit_hash = plan->unit;
	device->kind = plan->kind;
	device->class_code = plan->class_code;
	device->class_name = plan->kind == PL_DEVICE_NVME ? "Non-Volatile memory controller"
							  : "VGA compatible controller";
	device->vendor_id = 0x10de;
	device->device_id = 0x1fb0;
	device->driver = plan->kind == PL_DEVICE_NVME ? "nvme" : "nvidia";
	device->power_state = "D0";
	device->numa_node = -1;
	return device;
}

static void link_of(struct pl_slot *slot, const struct fx_slot *plan)
{
	slot->link = (struct pl_link){
		.is_present = plan->max_width > 0,
		.speed_mts = plan->device ? plan->speed_mts : 0,
		.width = plan->device ? plan->width : 0,
		.max_speed_mts = plan->max_speed_mts,
		.max_width = plan->max_width,
		.aspm_supported = PL_ASPM_L1 | PL_ASPM_L1_2,
		.aspm_enabled = PL_ASPM_L1,
		.l0s_exit_ns = -1,
		.l1_exit_ns = 32000,
		.l0s_acceptable_ns = -1,
		.l1_acceptable_ns = INT64_MAX,
		.ltr_enabled = 1,
		.clkpm_enabled = 0,
		.atomic_routing = -1,
	};
}

static void add_slot(struct pl_run *run, const struct fx_slot *plan)
{
	struct pl_slot *slot = pl_run_add_slot(run);

	slot->key = plan->key;
	slot->label = plan->label ? plan->label : plan->key;
	slot->label_source = plan->label ? PL_LABEL_SMBIOS : PL_LABEL_PATH;
	slot->neutral_name = plan->key;
	slot->attachment = plan->attachment;
	slot->chipset_hops = plan->hops;
	slot->chipset = plan->chipset;
	slot->origin = plan->origin;
	slot->confidence = PL_CONFIDENCE_HIGH;
	slot->built_in = plan->attachment == PL_ATTACH_INTEGRATED;
	slot->via = via_of(run, plan);
	slot->via_count = plan->hops > 0 ? (size_t)plan->hops : 0;
	slot->reason = "bridge ids of the path";
	slot->path = path_of(run, plan->path, plan->path_count);
	slot->path_count = plan->path_count;
	slot->device = device_of(run, plan);
	link_of(slot, plan);
}

static void add_slots(struct pl_run *run, const struct fx_slot *plans, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_slot(run, &plans[i]);
}

static struct pl_effect *claim(struct pl_run *run, enum pl_effect_kind kind, unsigned slot,
			       int reference, double estimate_ns, double half_ns)
{
	struct pl_effect *e = pl_run_add_effect(run);

	e->kind = kind;
	e->slot = &run->slots[slot];
	e->reference_slot = reference < 0 ? NULL : &run->slots[reference];
	e->probe = PL_PROBE_NVME;
	e->state = "as_found";
	e->estimate_ns = estimate_ns;
	e->low_ns = estimate_ns - half_ns;
	e->high_ns = estimate_ns + half_ns;
	e->detection_limit_ns = half_ns * 1.3;
	e->n = 12;
	e->unit_of_n = "blocks";
	e->p_value = 0.0001;
	e->metric = "read_4k";
	e->reference_class = reference < 0 ? PL_REF_SAME_SLOT : PL_REF_SAME_UNIT;
	e->status = PL_CLAIM_RESOLVED;
	return e;
}

void fx_unclaimed(struct pl_run *run, enum pl_effect_kind kind, unsigned slot,
		  enum pl_claim_status status, const char *reason)
{
	struct pl_effect *e = claim(run, kind, slot, -1, (double)NAN, (double)NAN);

	e->status = status;
	e->reason = reason;
	e->n = 0;
	e->reference_class = PL_REF_NONE;
	e->detection_limit_ns = (double)NAN;
	e->p_value = (double)NAN;
}

/* The ladder along one slot's path at one offset, each rung step_ns above the one before. */
static void ladder(struct pl_run *run, const struct pl_slot *slot, unsigned offset, double first_ns,
		   double step_ns)
{
	for (size_t i = 0; i < slot->path_count; i++) {
		struct pl_measurement *m = fx_series(run, slot, PL_PROBE_CONFIG, "config_read",
						     first_ns + step_ns * (double)i, 12, 100);

		m->device = slot->path[i];
		m->has_device = true;
		m->conditions.config_offset = offset;
		m->conditions.path = offset ? "ecam" : "cf8";
	}
}

static struct pl_measurement *nvme(struct pl_run *run, const struct pl_slot *slot, double ns)
{
	struct pl_measurement *m = fx_series(run, slot, PL_PROBE_NVME, "read_4k", ns, 12, 1000);

	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = "random";
	m->conditions.path = "io_uring";
	m->conditions.path_reason = "no poll queues: nvme.poll_queues is 0";
	return m;
}

static struct pl_measurement *gpu(struct pl_run *run, const struct pl_slot *slot, double ns,
				  uint64_t region_bytes)
{
	struct pl_measurement *m = fx_series(run, slot, PL_PROBE_GPU, "chase", ns, 12, 40);

	m->conditions.region_bytes = region_bytes;
	m->conditions.memory = "host cached";
	m->conditions.path = "vulkan";
	m->conditions.clock = "gpu";
	return m;
}

static void links(struct pl_run *run)
{
	static const char *const flags[] = {"W-ASPM-ENDS: both ends differ"};
	struct pl_aspm_link *link = pl_arena_alloc(&run->arena, sizeof(*link));

	link->down = pl_arena_array(&run->arena, 1, sizeof(*link->down));
	link->down_count = 1;
	link->up.bdf = run->slots[1].path[0];
	link->up.is_readable = true;
	link->up.lnkcap = 0x00476844;
	link->up.supported = link->supported = PL_ASPM_L1 | PL_ASPM_L1_2;
	link->up.enabled = link->enabled = PL_ASPM_L1;
	link->down[0].bdf = run->slots[1].path[1];
	link->owner = PL_OWNER_KERNEL;
	link->l0s_exit_ns = link->l0s_acceptable_ns = link->l1_acceptable_ns = -1;
	link->l1_exit_ns = 32000;
	link->common_mode_restore_us = 10;
	link->power_on_us = -1;
	link->l1_2_threshold_ns = 100000;
	link->ltr_enabled = 1;
	link->flags = flags;
	link->flag_count = 1;
	run->aspm_links = link;
	run->aspm_link_count = 1;
}

/* The grid of one drive: with L1 allowed the link sleeps from 30 µs of idle on. */
static void grid(struct pl_run *run, const struct pl_slot *slot)
{
	static const struct {
		const char *name;
		double exit_ns;
	} states[] = {{"as_found", 31000}, {"off", 0}, {"l1", 31000}, {"l1_2", 95000}};
	static const uint64_t gaps[] = {1000, 10000, 40000, 100000, 1000000};

	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
		for (size_t g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
			double ns = 53500 + (gaps[g] > 30000 ? states[s].exit_ns : 0);
			struct pl_measurement *m =
				fx_series(run, slot, PL_PROBE_NVME, "read_4k", ns, 12, 100);

			m->conditions.state = states[s].name;
			m->conditions.gap_ns = gaps[g];
			m->conditions.size_bytes = 4096;
			m->conditions.queue_depth = 1;
			m->conditions.pattern = "random";
			m->conditions.path = "io_uring";
		}
}

static void gpu_devices(struct pl_run *run)
{
	run->gpus = pl_arena_array(&run->arena, 2, sizeof(*run->gpus));
	run->gpu_count = 2;
	run->gpus[0] = (struct pl_gpu){.kind = PL_GPU_DISCRETE,
				       .name = "NVIDIA T1000",
				       .driver = "NVIDIA 535.261",
				       .api_version = "1.3",
				       .has_bdf = true,
				       .bdf = {0, 1, 0, 0}};
	run->gpus[1] = (struct pl_gpu){.index = 1,
				       .kind = PL_GPU_SOFTWARE,
				       .name = "llvmpipe",
				       .driver = "Mesa",
				       .no_path_reason = "a software device: no PCIe path"};
}

void fx_am5(struct pl_run *run)
{
	const struct pl_measurement *far;
	const struct pl_slot *s;
	struct pl_effect *e;

	pl_run_init(run);
	machine(run, "X670E Example", "AMD Ryzen 9 9900X (example data)");
	add_slots(run, fx_am5_slots, fx_am5_slot_count);
	s = run->slots;
	links(run);
	ladder(run, &s[0], 0x100, 420, 130);
	ladder(run, &s[1], 0x100, 420, 240);
	ladder(run, &s[2], 0x100, 420, 310);
	ladder(run, &s[3], 0x100, 420, 310);
	ladder(run, &s[4], 0x100, 420, 310);
	gpu(run, &s[0], 651, 1 << 20);
	gpu(run, &s[0], 655, 64 << 20);
	gpu(run, &s[2], 1216, 1 << 20);
	far = gpu(run, &s[2], 1221, 64 << 20);
	fx_series(run, &s[1], PL_PROBE_BAR, "bar_read", 640, 12, 200)->conditions.path = "mmap";
	skipped_series(run, &s[3], PL_PROBE_BAR, "bar_read",
		       "the kernel refuses to map the BAR of a bound device (IO_STRICT_DEVMEM)");
	pl_measurement_set_number(run, nvme(run, &s[1], 52300), "real_gap_min_ns", 40.5);
	nvme(run, &s[3], 53500);
	grid(run, &s[3]);
	gpu(run, &s[0], 2.2e6, 64 << 20)->metric = "read";
	fx_drive(run, &s[1]);
	gpu_devices(run);
	e = claim(run, PL_EFFECT_HOP, 2, 0, 569.7, 9.1);
	e->probe = PL_PROBE_GPU;
	e->metric = "chase";
	e->conditions = &far->conditions;
	e->sentence = "The chipset adds 570 ns ± 9 ns (95 % CI) to a GPU read of host memory "
		      "(same card: PCIEX16_2, one PROM21, 1221 ns; PCIEX16_1, CPU, 651 ns).";
	e = claim(run, PL_EFFECT_EXIT, 3, -1, 31200, 1100);
	e->state = "l1";
	e->reference_class = PL_REF_SAME_SLOT;
	fx_unclaimed(run, PL_EFFECT_EXIT, 1, PL_CLAIM_NOT_MADE,
		     "the link of this slot supports no state that could be switched");
	pl_run_warn(run, "W-LINK", "warning", "PCIEX16_1",
		    "the link trained at 8 GT/s, both ends can do 16 GT/s");
	pl_run_skip(run, "link states", "not root: the sysfs link files cannot be written",
		    "sudo pcielat --all-slots");
}

void fx_intel(struct pl_run *run)
{
	struct pl_effect *e;

	pl_run_init(run);
	machine(run, "Z890 Example", "Intel Core Ultra 9 285K (example data)");
	add_slots(run, fx_intel_slots, fx_intel_slot_count);
	ladder(run, &run->slots[0], 0x100, 380, 90);
	ladder(run, &run->slots[1], 0x100, 900, 150);
	gpu(run, &run->slots[0], 785, 64 << 20);
	gpu(run, &run->slots[1], 1335, 64 << 20);
	e = claim(run, PL_EFFECT_HOP, 1, 0, 550.0, 12.0);
	e->probe = PL_PROBE_GPU;
	e->sentence = "The chipset adds 550 ns ± 12 ns (95 % CI) to a GPU read of host memory; the "
		      "DMI link between CPU and PCH cannot be read and may have slept.";
}

void fx_nothing(struct pl_run *run)
{

	pl_run_init(run);
	machine(run, "B650 Example", "AMD Ryzen 5 7600 (example data)");
	run->machine.hypervisor = "QEMU";
	run->allow_virtual = true;
	add_slots(run, fx_nothing_slots, fx_nothing_slot_count);
	for (unsigned i = 0; i < 2; i++) {
		run->slots[i].link.aspm_enabled = 0;
		nvme(run, &run->slots[i], 61000 + 900 * i);
		fx_unclaimed(run, PL_EFFECT_EXIT, i, PL_CLAIM_NOT_MADE, "firmware left ASPM off");
	}
	fx_unclaimed(run, PL_EFFECT_HOP, 1, PL_CLAIM_NOT_MADE,
		     "different drives: not attributable");
}

void fx_empty(struct pl_run *run)
{
	pl_run_init(run);
	machine(run, NULL, NULL);
	run->machine = (struct pl_machine){.is_live = true, .source = "live"};
	run->clock = (struct pl_clock_facts){0};
}
