#include "session/plan_series.h"

#include <string.h>

#include "core/sequence.h"
#include "session/grid.h"

/* How much of each kind of access one effort takes at gap 0. Costs are for the estimate only. */
struct budget {
	enum pl_probe probe;
	size_t samples_per_block[3]; /* quick, default, thorough */
	double cost_ns;              /* of one sample, gap excluded */
};

/* NVMe takes 12 x 900 by default because p99.9 needs 10 000 samples; --quick is content with p99.
 */
static const struct budget budgets[] = {
	{PL_PROBE_CONFIG, {100, 400, 1000}, 4000.0}, {PL_PROBE_BAR, {100, 400, 1000}, 1500.0},
	{PL_PROBE_NVME, {100, 900, 2000}, 90000.0},  {PL_PROBE_GPU, {1, 1, 1}, 0.0},
	{PL_PROBE_HOST, {100, 400, 1000}, 300.0},
};

/*
 * The most blocks of a series. PL_SEQUENCE_MIN_ROUNDS are always taken (a t interval over fewer
 * covers badly when blocks are skewed), more only while a claim is not precise enough.
 */
static const unsigned blocks_of[] = {[PL_EFFORT_QUICK] = PL_SEQUENCE_MIN_ROUNDS,
				     [PL_EFFORT_DEFAULT] = 2 * PL_SEQUENCE_MIN_ROUNDS,
				     [PL_EFFORT_THOROUGH] = 8 * PL_SEQUENCE_MIN_ROUNDS};

bool pl_plan_wants(const struct pl_planner *p, enum pl_probe probe)
{
	if (p->options->ladders_only)
		return probe == PL_PROBE_CONFIG;
	return !p->options->probes || (p->options->probes & (1u << probe));
}

struct pl_measurement *pl_plan_add_sized(struct pl_planner *p, const struct pl_slot *slot,
					 enum pl_probe probe, const char *metric, size_t samples,
					 double sample_s)
{
	struct pl_arena *arena = &p->run->arena;
	struct pl_measurement *m = pl_run_add_measurement(p->run);

	m->slot = slot;
	m->probe = probe;
	m->metric = metric;
	m->conditions.state = p->state;
	m->conditions.gap_ns = p->gap_ns;
	m->conditions.idle = p->idle;
	m->conditions.apst = p->apst;
	m->outcome = PL_OUTCOME_PENDING;
	m->ns_per_tick = 1.0;
	m->blocks = blocks_of[p->options->effort];
	m->samples_per_block = samples;
	m->ticks = pl_arena_array(arena, m->blocks * samples, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(arena, m->blocks + 1, sizeof(m->block_start[0]));
	p->run->planned_s += PL_SEQUENCE_MIN_ROUNDS * (double)samples * sample_s;
	return m;
}

struct pl_measurement *pl_plan_add(struct pl_planner *p, const struct pl_slot *slot,
				   enum pl_probe probe, const char *metric)
{
	const struct budget *budget = budgets;
	size_t samples;

	while (budget->probe != probe)
		budget++;
	if (p->gap_ns)
		samples = pl_grid_samples(p->options->effort, p->gap_ns);
	else if (strcmp(p->state, "as_found") == 0)
		samples = budget->samples_per_block[p->options->effort];
	else
		samples = budget->samples_per_block[PL_EFFORT_QUICK]; /* medians, no tails */
	return pl_plan_add_sized(p, slot, probe, metric, samples,
				 (budget->cost_ns + (double)p->gap_ns) / 1e9);
}

bool pl_plan_is_readable_drive(const struct pl_slot *slot)
{
	return slot->device && slot->device->kind == PL_DEVICE_NVME &&
	       slot->device->namespace_count;
}

bool pl_plan_can_read(const struct pl_planner *p, struct pl_bdf bdf, unsigned offset)
{
	return p->options->can_read_config &&
	       p->options->can_read_config(p->options->ctx, bdf, offset);
}

void pl_plan_rung(struct pl_planner *p, const struct pl_slot *slot, struct pl_bdf bdf,
		  unsigned offset)
{
	struct pl_measurement *m;

	if (!pl_plan_can_read(p, bdf, offset))
		return;
	m = pl_plan_add(p, slot, PL_PROBE_CONFIG, "config_read");
	m->device = bdf;
	m->has_device = true;
	m->conditions.config_offset = offset;
	m->conditions.size_bytes = 4;
}

static void add_rungs(struct pl_planner *p, const struct pl_slot *slot, unsigned offset)
{
	for (size_t i = 0; i < slot->path_count; i++)
		pl_plan_rung(p, slot, slot->path[i], offset);
}

/* A link that slept shows in its rung after milliseconds already; longer gaps cost most of a run.
 */
static bool wants_every_rung(const struct pl_planner *p)
{
	return p->gap_ns <= PL_GRID_RUNGS_MAX_NS || p->options->effort == PL_EFFORT_THOROUGH;
}

/* Offset 0 goes through CF8/CFC, 0x100 through ECAM: two ladders that are never mixed. */
void pl_plan_ladder(struct pl_planner *p, const struct pl_slot *slot)
{
	struct pl_bdf last;
	unsigned offset;

	if (!p->gap_ns) {
		add_rungs(p, slot, 0);
		add_rungs(p, slot, 0x100);
	} else if (slot->path_count) {
		last = slot->path[slot->path_count - 1];
		offset = pl_plan_can_read(p, last, 0x100) ? 0x100 : 0;
		if (wants_every_rung(p))
			add_rungs(p, slot, offset);
		else
			pl_plan_rung(p, slot, last, offset);
	}
}

void pl_plan_bar(struct pl_planner *p, const struct pl_slot *slot)
{
	struct pl_measurement *m = pl_plan_add(p, slot, PL_PROBE_BAR, "bar_read");

	m->device = slot->device->bdf;
	m->has_device = true;
	m->conditions.size_bytes = 4;
}

struct pl_measurement *pl_plan_nvme_read(struct pl_planner *p, const struct pl_slot *slot,
					 const char *subject, uint32_t size_bytes,
					 const char *pattern)
{
	struct pl_measurement *m =
		pl_plan_add(p, slot, PL_PROBE_NVME, size_bytes == 512 ? "read_512" : "read_4k");

	m->subject = subject;
	m->conditions.size_bytes = size_bytes;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = pattern;
	if (slot) {
		m->device = slot->device->bdf;
		m->has_device = true;
	}
	return m;
}

/* The same read with the link woken in between: what is left of the gap then is the drive's. */
void pl_plan_nvme_prewoken(struct pl_planner *p, const struct pl_slot *slot)
{
	struct pl_measurement *m;

	if (p->options->effort == PL_EFFORT_QUICK || !pl_plan_wants(p, PL_PROBE_CONFIG))
		return;
	m = pl_plan_nvme_read(p, slot, slot->device->namespaces[0].name, 4096, "same_lba");
	m->metric = "read_4k_prewoken";
	m->conditions.prewake = "config";
}

/*
 * --thorough, at gap 0: what the drive, its media and the software path contribute. The first rows
 * are rungs from the controller outward (no media: admin commands, a place that answers without
 * it), then the same read through each path, both as found; then depth and length, in every link
 * state that is visited.
 */
static const struct {
	const char *metric, *path, *pattern;
	uint32_t size_bytes;
	unsigned depth;
	bool in_every_state;
} nvme_more[] = {
	{"get_features", NULL, NULL, 0, 1, false},
	{"identify", NULL, NULL, 4096, 1, false},
	{"read_4k_fast_lba", NULL, "fast_lba", 4096, 1, false},
	{"read_4k_path", "io_uring-iopoll", "same_lba", 4096, 1, false},
	{"read_4k_path", "io_uring-spin", "same_lba", 4096, 1, false},
	{"read_4k_path", "io_uring-wait", "same_lba", 4096, 1, false},
	{"read_4k_path", "pread", "same_lba", 4096, 1, false},
	{"read_4k_path", "passthru-iopoll", "same_lba", 4096, 1, false},
	{"read_4k_path", "passthru-spin", "same_lba", 4096, 1, false},
	{"read_4k_depth", NULL, "random", 4096, 2, true},
	{"read_4k_depth", NULL, "random", 4096, 4, true},
	{"read_4k_depth", NULL, "random", 4096, 8, true},
	{"read_4k_depth", NULL, "random", 4096, 16, true},
	{"read_4k_depth", NULL, "random", 4096, 32, true},
	{"read_128k", NULL, "sequential", 131072, 1, true},
	{"read_128k_depth", NULL, "sequential", 131072, 2, true},
	{"read_128k_depth", NULL, "sequential", 131072, 4, true},
	{"read_128k_depth", NULL, "sequential", 131072, 8, true},
	{"read_128k_depth", NULL, "sequential", 131072, 16, true},
	{"read_128k_depth", NULL, "sequential", 131072, 32, true},
};

static void plan_nvme_more(struct pl_planner *p, const struct pl_slot *slot)
{
	bool is_as_found = strcmp(p->state, "as_found") == 0;

	if (p->options->effort != PL_EFFORT_THOROUGH)
		return;
	for (size_t i = 0; i < sizeof(nvme_more) / sizeof(nvme_more[0]); i++) {
		struct pl_measurement *m;

		if (!is_as_found && !nvme_more[i].in_every_state)
			continue;
		m = pl_plan_nvme_read(p, slot, slot->device->namespaces[0].name,
				      nvme_more[i].size_bytes, nvme_more[i].pattern);
		m->metric = nvme_more[i].metric;
		m->conditions.path = nvme_more[i].path;
		m->conditions.queue_depth = nvme_more[i].depth;
	}
}

static void no_namespace(struct pl_planner *p, const struct pl_slot *slot)
{
	const char *what = pl_arena_printf(&p->run->arena, "NVMe reads of %s", slot->label);

	pl_run_skip(p->run, what, "the drive shows no namespace as a block device",
		    slot->device->driver ? "check that a namespace is attached (nvme list)"
					 : "load the nvme driver (modprobe nvme)");
}

void pl_plan_nvme_repeated(struct pl_planner *p, const struct pl_slot *slot)
{
	pl_plan_nvme_read(p, slot, slot->device->namespaces[0].name, 4096, "same_lba");
}

/* At gap 0 everything; after a gap the repeated block, whose service time scatters least. */
void pl_plan_nvme(struct pl_planner *p, const struct pl_slot *slot)
{
	const struct pl_namespace *space = slot->device->namespaces;

	if (!slot->device->namespace_count) {
		no_namespace(p, slot);
		return;
	}
	pl_plan_nvme_repeated(p, slot);
	if (p->gap_ns)
		return;
	pl_plan_nvme_read(p, slot, space->name, 4096, "random");
	if (space->block_bytes == 512)
		pl_plan_nvme_read(p, slot, space->name, 512, "random");
	plan_nvme_more(p, slot);
}

void pl_plan_gpu(struct pl_planner *p, const struct pl_slot *slot, const struct pl_gpu *gpu)
{
	for (size_t i = 0; i < gpu->offer_count; i++) {
		const struct pl_offer *offer = &gpu->offers[i];
		struct pl_measurement *m;

		if (offer->effort > (unsigned)p->options->effort)
			continue;
		m = pl_plan_add_sized(p, slot, PL_PROBE_GPU, offer->metric,
				      offer->samples_per_block,
				      offer->block_s / (double)offer->samples_per_block);
		m->subject = pl_arena_printf(&p->run->arena, "gpu%u", gpu->index);
		m->device = gpu->bdf;
		m->has_device = gpu->has_bdf;
		m->is_off_path = !slot || gpu->no_path_reason;
		m->conditions.region_bytes = offer->region_bytes;
		m->conditions.memory = offer->memory;
		m->conditions.gap_ns = offer->gap_ns;
		m->conditions.size_bytes = 4;
	}
}
