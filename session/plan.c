#include "session/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/sequence.h"
#include "session/select.h"

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

/* Setting a state, letting it settle and reading both ends back: once a round; for the estimate. */
#define SET_STATE_S 0.12

/*
 * The most blocks of a series. PL_SEQUENCE_MIN_ROUNDS are always taken (a t interval over fewer
 * covers badly when blocks are skewed), more only while a claim is not precise enough.
 */
static const unsigned blocks_of[] = {[PL_EFFORT_QUICK] = PL_SEQUENCE_MIN_ROUNDS,
				     [PL_EFFORT_DEFAULT] = 2 * PL_SEQUENCE_MIN_ROUNDS,
				     [PL_EFFORT_THOROUGH] = 8 * PL_SEQUENCE_MIN_ROUNDS};

struct planner {
	struct pl_run *run;
	const struct pl_plan_options *options;
	const char *state; /* of the series being added */
	uint64_t gap_ns;
	const char *idle;
};

static bool wants(const struct planner *p, enum pl_probe probe)
{
	if (p->options->ladders_only)
		return probe == PL_PROBE_CONFIG;
	return !p->options->probes || (p->options->probes & (1u << probe));
}

static struct pl_measurement *add_sized(struct planner *p, const struct pl_slot *slot,
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
	m->outcome = PL_OUTCOME_PENDING;
	m->ns_per_tick = 1.0;
	m->blocks = blocks_of[p->options->effort];
	m->samples_per_block = samples;
	m->ticks = pl_arena_array(arena, m->blocks * samples, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(arena, m->blocks + 1, sizeof(m->block_start[0]));
	p->run->planned_s += PL_SEQUENCE_MIN_ROUNDS * (double)samples * sample_s;
	return m;
}

static struct pl_measurement *add(struct planner *p, const struct pl_slot *slot,
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
	return add_sized(p, slot, probe, metric, samples,
			 (budget->cost_ns + (double)p->gap_ns) / 1e9);
}

static bool can_read(const struct planner *p, struct pl_bdf bdf, unsigned offset)
{
	return p->options->can_read_config &&
	       p->options->can_read_config(p->options->ctx, bdf, offset);
}

static void add_rung(struct planner *p, const struct pl_slot *slot, struct pl_bdf bdf,
		     unsigned offset)
{
	struct pl_measurement *m;

	if (!can_read(p, bdf, offset))
		return;
	m = add(p, slot, PL_PROBE_CONFIG, "config_read");
	m->device = bdf;
	m->has_device = true;
	m->conditions.config_offset = offset;
	m->conditions.size_bytes = 4;
}

static void add_rungs(struct planner *p, const struct pl_slot *slot, unsigned offset)
{
	for (size_t i = 0; i < slot->path_count; i++)
		add_rung(p, slot, slot->path[i], offset);
}

/* Offset 0 goes through CF8/CFC, 0x100 through ECAM: two ladders that are never mixed. */
static void plan_ladder(struct planner *p, const struct pl_slot *slot)
{
	struct pl_bdf last;

	if (!p->gap_ns) {
		add_rungs(p, slot, 0);
		add_rungs(p, slot, 0x100);
	} else if (slot->path_count) {
		last = slot->path[slot->path_count - 1];
		add_rungs(p, slot, can_read(p, last, 0x100) ? 0x100 : 0);
	}
}

static void plan_bar(struct planner *p, const struct pl_slot *slot)
{
	struct pl_measurement *m = add(p, slot, PL_PROBE_BAR, "bar_read");

	m->device = slot->device->bdf;
	m->has_device = true;
	m->conditions.size_bytes = 4;
}

static struct pl_measurement *add_nvme(struct planner *p, const struct pl_slot *slot,
				       const char *subject, uint32_t size_bytes,
				       const char *pattern)
{
	struct pl_measurement *m =
		add(p, slot, PL_PROBE_NVME, size_bytes == 512 ? "read_512" : "read_4k");

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

static void plan_prewoken(struct planner *p, const struct pl_slot *slot)
{
	struct pl_measurement *m;

	if (p->options->effort == PL_EFFORT_QUICK || !wants(p, PL_PROBE_CONFIG) ||
	    strcmp(p->state, "as_found") != 0)
		return;
	m = add_nvme(p, slot, slot->device->namespaces[0].name, 4096, "same_lba");
	m->metric = "read_4k_prewoken";
	m->conditions.prewake = "config";
}

/*
 * --thorough, at gap 0 and as found: what the drive, its media and the software path contribute.
 * The first six are rungs from the controller outward (no media: admin commands, a place that
 * answers without it), then the same read through each path, then depth and length.
 */
static const struct {
	const char *metric, *path, *pattern;
	uint32_t size_bytes;
	unsigned depth;
} nvme_more[] = {
	{"get_features", NULL, NULL, 0, 1},
	{"identify", NULL, NULL, 4096, 1},
	{"read_4k_fast_lba", NULL, "fast_lba", 4096, 1},
	{"read_4k_path", "io_uring-iopoll", "same_lba", 4096, 1},
	{"read_4k_path", "io_uring-spin", "same_lba", 4096, 1},
	{"read_4k_path", "io_uring-wait", "same_lba", 4096, 1},
	{"read_4k_path", "pread", "same_lba", 4096, 1},
	{"read_4k_path", "passthru-iopoll", "same_lba", 4096, 1},
	{"read_4k_path", "passthru-spin", "same_lba", 4096, 1},
	{"read_4k_depth", NULL, "random", 4096, 2},
	{"read_4k_depth", NULL, "random", 4096, 4},
	{"read_4k_depth", NULL, "random", 4096, 8},
	{"read_4k_depth", NULL, "random", 4096, 16},
	{"read_4k_depth", NULL, "random", 4096, 32},
	{"read_128k", NULL, "sequential", 131072, 1},
	{"read_128k_depth", NULL, "sequential", 131072, 8},
};

static void plan_nvme_more(struct planner *p, const struct pl_slot *slot)
{
	if (p->options->effort != PL_EFFORT_THOROUGH || strcmp(p->state, "as_found") != 0)
		return;
	for (size_t i = 0; i < sizeof(nvme_more) / sizeof(nvme_more[0]); i++) {
		struct pl_measurement *m = add_nvme(p, slot, slot->device->namespaces[0].name,
						    nvme_more[i].size_bytes, nvme_more[i].pattern);

		m->metric = nvme_more[i].metric;
		m->conditions.path = nvme_more[i].path;
		m->conditions.queue_depth = nvme_more[i].depth;
	}
}

static void no_namespace(struct planner *p, const struct pl_slot *slot)
{
	const char *what = pl_arena_printf(&p->run->arena, "NVMe reads of %s", slot->label);

	pl_run_skip(p->run, what, "the drive shows no namespace as a block device",
		    slot->device->driver ? "check that a namespace is attached (nvme list)"
					 : "load the nvme driver (modprobe nvme)");
}

/*
 * At gap 0 everything; after a gap the repeated block, whose service time scatters least, and from
 * the default effort on the same with the link woken first: what is left then is the drive's.
 */
static void plan_nvme(struct planner *p, const struct pl_slot *slot)
{
	const struct pl_namespace *space = slot->device->namespaces;

	if (!slot->device->namespace_count) {
		no_namespace(p, slot);
		return;
	}
	add_nvme(p, slot, space->name, 4096, "same_lba");
	if (p->gap_ns) {
		plan_prewoken(p, slot);
		return;
	}
	add_nvme(p, slot, space->name, 4096, "random");
	if (space->block_bytes == 512)
		add_nvme(p, slot, space->name, 512, "random");
	plan_nvme_more(p, slot);
}

static void plan_gpu(struct planner *p, const struct pl_slot *slot, const struct pl_gpu *gpu)
{
	for (size_t i = 0; i < gpu->offer_count; i++) {
		const struct pl_offer *offer = &gpu->offers[i];
		struct pl_measurement *m;

		if (offer->effort > (unsigned)p->options->effort)
			continue;
		m = add_sized(p, slot, PL_PROBE_GPU, offer->metric, offer->samples_per_block,
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

/* One point of the grid (p->state, p->gap_ns): every probe that applies. A GPU brings its gaps. */
static void plan_point(struct planner *p, const struct pl_slot *slot)
{
	const struct pl_gpu *gpu = pl_select_gpu_of(p->run, slot);
	bool is_nvme = slot->device && slot->device->kind == PL_DEVICE_NVME;

	if (wants(p, PL_PROBE_CONFIG))
		plan_ladder(p, slot);
	if (is_nvme && wants(p, PL_PROBE_BAR))
		plan_bar(p, slot);
	if (is_nvme && wants(p, PL_PROBE_NVME))
		plan_nvme(p, slot);
	if (gpu && !p->gap_ns && wants(p, PL_PROBE_GPU))
		plan_gpu(p, slot, gpu);
}

static const uint64_t *gaps_of(const struct pl_plan_options *o, size_t *count)
{
	*count = 0;
	if (o->no_gaps || o->ladders_only)
		return NULL;
	if (!o->gap_count)
		return pl_grid_gaps(o->effort, count);
	*count = o->gap_count;
	return o->gaps_ns;
}

/* Functions inside a chip have no link of their own that could sleep: continuous traffic will do.
 */
static bool has_own_link(const struct pl_slot *slot)
{
	return slot->device && slot->link.is_present && !slot->built_in;
}

static void plan_state(struct planner *p, const struct pl_slot *slot, const char *state)
{
	size_t count = 0;
	const uint64_t *gaps = has_own_link(slot) ? gaps_of(p->options, &count) : NULL;

	p->state = state;
	p->gap_ns = 0;
	plan_point(p, slot);
	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		if (gaps[i])
			plan_point(p, slot);
	}
	p->gap_ns = 0;
}

static void plan_slot(struct planner *p, const struct pl_slot *slot)
{
	const struct pl_link_path *path =
		p->options->find_path ? p->options->find_path(p->options->ctx, slot) : NULL;

	if (!path || path->state_count < 2 || p->options->ladders_only || !has_own_link(slot)) {
		plan_state(p, slot, "as_found");
		return;
	}
	for (size_t i = 0; i < path->state_count; i++) {
		if (!pl_grid_takes_state(p->options->effort, &path->states[i]))
			continue;
		plan_state(p, slot, path->states[i].name);
		p->run->planned_s += PL_SEQUENCE_MIN_ROUNDS * SET_STATE_S;
	}
}

static bool is_named(const struct pl_plan_options *o)
{
	return o->slot_count || o->device_count;
}

static bool is_selected(const struct planner *p, const struct pl_slot *slot)
{
	const struct pl_plan_options *o = p->options;
	const struct pl_gpu *gpu = pl_select_gpu_of(p->run, slot);

	for (size_t i = 0; i < o->slot_count; i++)
		if (pl_select_slot_matches(slot, o->slots[i]))
			return true;
	for (size_t i = 0; i < o->device_count; i++)
		if (pl_select_device_matches(slot, o->devices[i]) ||
		    (gpu && pl_select_gpu_matches(gpu, o->devices[i])))
			return true;
	return !is_named(o) && !o->file;
}

static bool is_gpu_named(const struct pl_plan_options *o, const struct pl_gpu *gpu)
{
	for (size_t i = 0; i < o->device_count; i++)
		if (pl_select_gpu_matches(gpu, o->devices[i]))
			return true;
	return false;
}

/* GPUs that sit in no slot: when named, when GPUs were asked for, and real ones anyway. */
static void plan_loose_gpus(struct planner *p)
{
	const struct pl_plan_options *o = p->options;
	bool asked = o->probes & (1u << PL_PROBE_GPU);

	for (size_t i = 0; i < p->run->gpu_count; i++) {
		const struct pl_gpu *gpu = &p->run->gpus[i];
		bool in_slot = gpu->has_bdf && pl_run_find_slot(p->run, gpu->bdf);
		bool by_kind = !is_named(o) && !o->file && (asked || gpu->kind != PL_GPU_SOFTWARE);

		if (!in_slot && wants(p, PL_PROBE_GPU) && (by_kind || is_gpu_named(o, gpu)))
			plan_gpu(p, NULL, gpu);
	}
}

/* The same gaps without any PCIe access: what moves here is the host, not the link. */
static void plan_control(struct planner *p)
{
	size_t count;
	const uint64_t *gaps = gaps_of(p->options, &count);

	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		add(p, NULL, PL_PROBE_HOST, "control")->is_off_path = true;
	}
	p->gap_ns = 0;
	if (count)
		add(p, NULL, PL_PROBE_HOST, "control")->is_off_path = true;
}

static bool has_gaps(const struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->conditions.gap_ns &&
		    run->measurements[i]->probe != PL_PROBE_GPU)
			return true;
	return false;
}

static bool has_link_device(const struct pl_run *run)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].device && run->slots[i].link.is_present)
			return true;
	return false;
}

static int check(const struct planner *p, struct pl_err *err)
{
	const struct pl_plan_options *o = p->options;
	int rc = pl_select_check_slots(p->run, "--slot", o->slots, o->slot_count, err);

	if (!rc)
		rc = pl_select_check_devices(p->run, "--device", o->devices, o->device_count, err);
	return rc;
}

int pl_plan_build(struct pl_run *run, const struct pl_plan_options *options, struct pl_err *err)
{
	struct planner p = {.run = run, .options = options, .state = "as_found"};
	bool with_slots = has_link_device(run) || is_named(options) || options->ladders_only;
	int rc = check(&p, err);

	if (rc)
		return rc;
	if (options->file)
		add_nvme(&p, NULL, options->file, 4096, "random");
	for (size_t i = 0; i < run->slot_count && with_slots; i++)
		if (is_selected(&p, &run->slots[i]))
			plan_slot(&p, &run->slots[i]);
	p.state = "as_found";
	plan_loose_gpus(&p);
	if (has_gaps(run))
		plan_control(&p);
	if (run->measurement_count)
		return 0;
	return pl_fail(err, -ENODATA, "%s",
		       has_link_device(run) ? "nothing to measure with these options"
					    : "nothing to measure: no device behind a PCIe link "
					      "was found on this machine");
}
