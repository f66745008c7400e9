#include "session/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How much of each kind of access one effort takes. Costs are for the estimate only. */
struct budget {
	enum pl_probe probe;
	unsigned blocks[3]; /* quick, default, thorough */
	size_t samples_per_block[3];
	double cost_ns; /* of one sample, gap excluded */
};

/*
 * At least 12 blocks always (a t interval over fewer covers badly); NVMe takes 12 x 900 by default
 * because p99.9 needs 10 000 samples, and --quick is content with p99.
 */
static const struct budget budgets[] = {
	{PL_PROBE_CONFIG, {12, 16, 32}, {100, 500, 1000}, 4000.0},
	{PL_PROBE_BAR, {12, 16, 32}, {100, 500, 1000}, 1500.0},
	{PL_PROBE_NVME, {12, 12, 24}, {100, 900, 2000}, 90000.0},
	{PL_PROBE_GPU, {12, 12, 24}, {1, 1, 1}, 0.0}, /* its offers bring their own */
};

struct planner {
	struct pl_run *run;
	const struct pl_plan_options *options;
	struct pl_err *err;
};

static const struct budget *budget_for(enum pl_probe probe)
{
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++)
		if (budgets[i].probe == probe)
			return &budgets[i];
	return &budgets[0];
}

static bool wants(const struct planner *p, enum pl_probe probe)
{
	if (p->options->ladders_only)
		return probe == PL_PROBE_CONFIG;
	return !p->options->probes || (p->options->probes & (1u << probe));
}

static struct pl_measurement *add_sized(struct planner *p, const struct pl_slot *slot,
					enum pl_probe probe, const char *metric,
					size_t samples_per_block, double sample_s)
{
	const struct budget *budget = budget_for(probe);
	struct pl_measurement *m = pl_run_add_measurement(p->run);

	m->slot = slot;
	m->probe = probe;
	m->metric = metric;
	m->conditions.state = "as_found";
	m->outcome = PL_OUTCOME_PENDING;
	m->ns_per_tick = 1.0;
	m->blocks = budget->blocks[p->options->effort];
	m->samples_per_block = samples_per_block;
	m->ticks = pl_arena_array(&p->run->arena, m->blocks * m->samples_per_block,
				  sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(&p->run->arena, m->blocks + 1, sizeof(m->block_start[0]));
	p->run->planned_s += (double)m->blocks * (double)samples_per_block * sample_s;
	return m;
}

static struct pl_measurement *add(struct planner *p, const struct pl_slot *slot,
				  enum pl_probe probe, const char *metric)
{
	const struct budget *budget = budget_for(probe);

	return add_sized(p, slot, probe, metric, budget->samples_per_block[p->options->effort],
			 budget->cost_ns / 1e9);
}

static void add_rung(struct planner *p, const struct pl_slot *slot, struct pl_bdf bdf,
		     unsigned offset)
{
	struct pl_measurement *m;

	if (!p->options->can_read_config(p->options->ctx, bdf, offset))
		return;
	m = add(p, slot, PL_PROBE_CONFIG, "config_read");
	m->device = bdf;
	m->has_device = true;
	m->conditions.config_offset = offset;
	m->conditions.size_bytes = 4;
}

/* Offset 0 goes through CF8/CFC, 0x100 through ECAM: two ladders that are never mixed. */
static void plan_ladder(struct planner *p, const struct pl_slot *slot)
{
	static const unsigned offsets[] = {0, 0x100};

	for (size_t o = 0; o < 2; o++)
		for (size_t i = 0; i < slot->path_count; i++)
			add_rung(p, slot, slot->path[i], offsets[o]);
}

static void plan_bar(struct planner *p, const struct pl_slot *slot)
{
	struct pl_measurement *m = add(p, slot, PL_PROBE_BAR, "bar_read");

	m->device = slot->device->bdf;
	m->has_device = true;
	m->conditions.size_bytes = 4;
}

static void add_nvme(struct planner *p, const struct pl_slot *slot, const char *subject,
		     uint32_t size_bytes, const char *pattern)
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
}

static void plan_nvme(struct planner *p, const struct pl_slot *slot)
{
	const struct pl_device *device = slot->device;
	char what[128];

	if (!device->namespace_count) {
		snprintf(what, sizeof(what), "NVMe reads of %s", slot->label);
		pl_run_skip(p->run, what, "the drive shows no namespace as a block device",
			    device->driver ? "check that the namespace is attached"
					   : "load the nvme driver");
		return;
	}
	add_nvme(p, slot, device->namespaces[0].name, 4096, "random");
	add_nvme(p, slot, device->namespaces[0].name, 4096, "same_lba");
	if (device->namespaces[0].block_bytes == 512)
		add_nvme(p, slot, device->namespaces[0].name, 512, "random");
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

static const struct pl_gpu *gpu_of(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->gpu_count; i++)
		if (run->gpus[i].has_bdf && pl_run_find_slot(run, run->gpus[i].bdf) == slot)
			return &run->gpus[i];
	return NULL;
}

static void plan_slot(struct planner *p, const struct pl_slot *slot)
{
	const struct pl_gpu *gpu = gpu_of(p->run, slot);

	if (wants(p, PL_PROBE_CONFIG))
		plan_ladder(p, slot);
	if (!slot->device)
		return;
	if (slot->device->kind == PL_DEVICE_NVME && wants(p, PL_PROBE_BAR))
		plan_bar(p, slot);
	if (slot->device->kind == PL_DEVICE_NVME && wants(p, PL_PROBE_NVME))
		plan_nvme(p, slot);
	if (gpu && wants(p, PL_PROBE_GPU))
		plan_gpu(p, slot, gpu);
}

static bool device_matches(const struct pl_slot *slot, const char *name)
{
	const struct pl_device *device = slot->device;
	struct pl_bdf bdf;

	if (!device)
		return false;
	if (!pl_bdf_parse(name, &bdf)) {
		for (size_t i = 0; i < device->function_count; i++)
			if (pl_bdf_is_equal(device->functions[i], bdf))
				return true;
		return pl_bdf_is_equal(device->bdf, bdf);
	}
	for (size_t i = 0; i < device->namespace_count; i++)
		if (!strcmp(device->namespaces[i].name, name))
			return true;
	for (size_t i = 0; i < device->interface_count; i++)
		if (!strcmp(device->interfaces[i], name))
			return true;
	return false;
}

static bool slot_matches(const struct pl_slot *slot, const char *name)
{
	struct pl_bdf bdf;

	if (!strcmp(slot->label, name) || !strcmp(slot->key, name))
		return true;
	if (slot->neutral_name && !strcmp(slot->neutral_name, name))
		return true;
	return !pl_bdf_parse(name, &bdf) &&
	       (device_matches(slot, name) ||
		(slot->path_count && pl_bdf_is_equal(slot->path[slot->path_count - 1], bdf)));
}

static bool gpu_matches(const struct pl_gpu *gpu, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "gpu%u", gpu->index);
	return !strcmp(text, name);
}

static bool is_selected(const struct planner *p, const struct pl_slot *slot)
{
	const struct pl_plan_options *o = p->options;
	const struct pl_gpu *gpu = gpu_of(p->run, slot);

	for (size_t i = 0; i < o->slot_count; i++)
		if (slot_matches(slot, o->slots[i]))
			return true;
	for (size_t i = 0; i < o->device_count; i++)
		if (device_matches(slot, o->devices[i]) || (gpu && gpu_matches(gpu, o->devices[i])))
			return true;
	return !o->slot_count && !o->device_count && !o->file;
}

/* A wish that names nothing is a mistake worth an error: the sentence shows what there is. */
static int check_names(struct planner *p, const char *option, const char *const *names,
		       size_t count, bool is_device)
{
	char known[256] = "";

	for (size_t n = 0; n < count; n++) {
		bool found = false;

		for (size_t i = 0; i < p->run->slot_count && !found; i++)
			found = is_device ? device_matches(&p->run->slots[i], names[n])
					  : slot_matches(&p->run->slots[i], names[n]);
		for (size_t i = 0; is_device && i < p->run->gpu_count && !found; i++)
			found = gpu_matches(&p->run->gpus[i], names[n]);
		if (found)
			continue;
		for (size_t i = 0; i < p->run->slot_count && strlen(known) < 200; i++)
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%.40s",
				 i ? ", " : "", p->run->slots[i].label);
		return pl_fail(p->err, -ENOENT, "%s %s: no such %s; there is: %s", option, names[n],
			       is_device ? "device" : "slot", *known ? known : "nothing");
	}
	return 0;
}

static bool is_gpu_selected(const struct planner *p, const struct pl_gpu *gpu)
{
	for (size_t i = 0; i < p->options->device_count; i++)
		if (gpu_matches(gpu, p->options->devices[i]))
			return true;
	return !p->options->device_count && !p->options->slot_count && !p->options->file;
}

/* GPUs that sit in no slot (software, unmapped) are measured only when GPUs were asked for. */
static void plan_loose_gpus(struct planner *p)
{
	for (size_t i = 0; i < p->run->gpu_count; i++) {
		const struct pl_gpu *gpu = &p->run->gpus[i];
		bool in_slot = gpu->has_bdf && pl_run_find_slot(p->run, gpu->bdf);
		bool asked = p->options->probes & (1u << PL_PROBE_GPU);

		if (!in_slot && is_gpu_selected(p, gpu) && wants(p, PL_PROBE_GPU) &&
		    (asked || gpu->kind != PL_GPU_SOFTWARE || p->options->device_count))
			plan_gpu(p, NULL, gpu);
	}
}

static bool has_link_device(const struct pl_run *run)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].device && run->slots[i].link.is_present)
			return true;
	return false;
}

static bool is_named(const struct pl_plan_options *o)
{
	return o->slot_count || o->device_count;
}

int pl_plan_build(struct pl_run *run, const struct pl_plan_options *options, struct pl_err *err)
{
	struct planner p = {run, options, err};
	int rc = check_names(&p, "--slot", options->slots, options->slot_count, false);

	if (!rc)
		rc = check_names(&p, "--device", options->devices, options->device_count, true);
	if (rc)
		return rc;
	if (options->file)
		add_nvme(&p, NULL, options->file, 4096, "random");
	for (size_t i = 0; i < run->slot_count; i++)
		if (is_selected(&p, &run->slots[i]) &&
		    (has_link_device(run) || is_named(options) || options->ladders_only))
			plan_slot(&p, &run->slots[i]);
	plan_loose_gpus(&p);
	if (!run->measurement_count)
		return pl_fail(err, -ENODATA,
			       run->slot_count && has_link_device(run)
				       ? "nothing to measure with these options"
				       : "nothing to measure: no device behind a PCIe link was "
					 "found on this machine");
	return 0;
}
