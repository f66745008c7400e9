#include "session/plan.h"

#include <errno.h>
#include <string.h>

#include "core/sequence.h"
#include "model/state.h"
#include "session/plan_series.h"
#include "session/select.h"

/* Setting a state, letting it settle and reading both ends back: once a round; for the estimate. */
#define SET_STATE_S 0.12

/* One point of the grid (p->state, p->gap_ns): every probe that applies. A GPU brings its gaps. */
static void plan_point(struct pl_planner *p, const struct pl_slot *slot)
{
	const struct pl_gpu *gpu = pl_select_gpu_of(p->run, slot);
	bool is_nvme = slot->device && slot->device->kind == PL_DEVICE_NVME;

	if (pl_plan_wants(p, PL_PROBE_CONFIG))
		pl_plan_ladder(p, slot);
	if (is_nvme && pl_plan_wants(p, PL_PROBE_BAR))
		pl_plan_bar(p, slot);
	if (is_nvme && pl_plan_wants(p, PL_PROBE_NVME))
		pl_plan_nvme(p, slot);
	if (gpu && !p->gap_ns && pl_plan_wants(p, PL_PROBE_GPU))
		pl_plan_gpu(p, slot, gpu);
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

/* One of each probe, at the device: for arms that stand beside the grid. */
static void plan_beside(struct pl_planner *p, const struct pl_slot *slot)
{
	struct pl_bdf device = slot->device->bdf;

	if (pl_plan_wants(p, PL_PROBE_CONFIG))
		pl_plan_rung(p, slot, device, pl_plan_can_read(p, device, 0x100) ? 0x100 : 0);
	if (slot->device->kind == PL_DEVICE_NVME && pl_plan_wants(p, PL_PROBE_BAR))
		pl_plan_bar(p, slot);
	if (pl_plan_is_readable_drive(slot) && pl_plan_wants(p, PL_PROBE_NVME))
		pl_plan_nvme_repeated(p, slot);
}

/*
 * Spinning holds the processor awake, and with it perhaps what the links hang on. A few gaps are
 * therefore slept as well, with the processor's idle states allowed; they enter no estimate.
 */
static void plan_slept(struct pl_planner *p, const struct pl_slot *slot, const uint64_t *gaps,
		       size_t count)
{
	p->idle = "slept";
	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		if (gaps[i] && pl_grid_is_slept_gap(p->options->effort, i, count))
			plan_beside(p, slot);
	}
	p->idle = NULL;
}

static void plan_state(struct pl_planner *p, const struct pl_slot *slot, const char *state)
{
	size_t count = 0;
	const uint64_t *gaps = has_own_link(slot) ? gaps_of(p->options, &count) : NULL;
	bool is_pair = pl_state_is_off(state) || pl_state_is_same(state, "as_found");

	p->state = state;
	p->gap_ns = 0;
	plan_point(p, slot);
	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		if (!gaps[i])
			continue;
		plan_point(p, slot);
		if (is_pair && pl_grid_is_slept_gap(p->options->effort, i, count) &&
		    pl_plan_is_readable_drive(slot) && pl_plan_wants(p, PL_PROBE_NVME))
			pl_plan_nvme_prewoken(p, slot);
	}
	if (is_pair)
		plan_slept(p, slot, gaps, count);
	if (count)
		pl_plan_bursts(p, slot, gaps, count);
	p->gap_ns = 0;
}

/* The links off a second time in each round: what differs then is no link. */
static void plan_control_arm(struct pl_planner *p, const struct pl_slot *slot)
{
	size_t count = 0;
	const uint64_t *gaps = gaps_of(p->options, &count);

	p->state = "off_again";
	p->gap_ns = 0;
	plan_beside(p, slot);
	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		if (gaps[i] && pl_grid_is_control_gap(i, count))
			plan_beside(p, slot);
	}
	p->gap_ns = 0;
	p->run->planned_s += PL_SEQUENCE_MIN_ROUNDS * SET_STATE_S;
}

/* One read, and one with the link woken first, after a gap that lets the drive sleep too. */
static void plan_apst_cell(struct pl_planner *p, const struct pl_slot *slot, const char *state,
			   const char *apst)
{
	p->state = state;
	p->apst = apst;
	p->gap_ns = PL_GRID_APST_GAP_NS;
	pl_plan_nvme_repeated(p, slot);
	pl_plan_nvme_prewoken(p, slot);
	p->gap_ns = 0;
	p->apst = NULL;
	p->run->planned_s += PL_SEQUENCE_MIN_ROUNDS * SET_STATE_S;
}

/* --thorough: power states of the link × power states of the drive. */
static void plan_apst(struct pl_planner *p, const struct pl_slot *slot)
{
	const struct pl_plan_options *o = p->options;
	static const char *const states[] = {"off", "as_found"};

	if (o->effort != PL_EFFORT_THOROUGH || !pl_plan_is_readable_drive(slot) || o->no_gaps ||
	    !pl_plan_wants(p, PL_PROBE_NVME) || !o->can_hold_apst ||
	    !o->can_hold_apst(o->ctx, slot))
		return;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		plan_apst_cell(p, slot, states[i], "as_found");
		plan_apst_cell(p, slot, states[i], "off");
	}
}

/* Links that were not held off beside it are said, with the cause: it is often the same for all. */
static void warn_of_fixed(struct pl_planner *p, const struct pl_link_path *path)
{
	const char *why = path->why_fixed;

	if (!why && path->state_count && !path->states[0].is_settable)
		why = path->states[0].why_not;
	if (why)
		pl_run_warn(p->run, "W-ASPM-FIXED", "info", path->slot ? path->slot->key : NULL,
			    "link states were left as found: %s", why);
}

static void plan_slot(struct pl_planner *p, const struct pl_slot *slot)
{
	const struct pl_link_path *path =
		p->options->find_path ? p->options->find_path(p->options->ctx, slot) : NULL;

	if (path && has_own_link(slot) && !p->options->ladders_only)
		warn_of_fixed(p, path);
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
	if (path->states[0].is_settable) {
		plan_control_arm(p, slot);
		plan_apst(p, slot);
	}
}

static bool is_named(const struct pl_plan_options *o)
{
	return o->slot_count || o->device_count;
}

static bool is_selected(const struct pl_planner *p, const struct pl_slot *slot)
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
static void plan_loose_gpus(struct pl_planner *p)
{
	const struct pl_plan_options *o = p->options;
	bool asked = o->probes & (1u << PL_PROBE_GPU);

	for (size_t i = 0; i < p->run->gpu_count; i++) {
		const struct pl_gpu *gpu = &p->run->gpus[i];
		bool in_slot = gpu->has_bdf && pl_run_find_slot(p->run, gpu->bdf);
		bool by_kind = !is_named(o) && !o->file && (asked || gpu->kind != PL_GPU_SOFTWARE);

		if (!in_slot && pl_plan_wants(p, PL_PROBE_GPU) && (by_kind || is_gpu_named(o, gpu)))
			pl_plan_gpu(p, NULL, gpu);
	}
}

/* The same gaps without any PCIe access: what moves here is the host, not the link. */
static void plan_control(struct pl_planner *p)
{
	size_t count;
	const uint64_t *gaps = gaps_of(p->options, &count);

	for (size_t i = 0; i < count; i++) {
		p->gap_ns = gaps[i];
		pl_plan_add(p, NULL, PL_PROBE_HOST, "control")->is_off_path = true;
	}
	p->gap_ns = 0;
	if (count)
		pl_plan_add(p, NULL, PL_PROBE_HOST, "control")->is_off_path = true;
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

static int check(const struct pl_planner *p, struct pl_err *err)
{
	const struct pl_plan_options *o = p->options;
	int rc = pl_select_check_slots(p->run, "--slot", o->slots, o->slot_count, err);

	if (!rc)
		rc = pl_select_check_devices(p->run, "--device", o->devices, o->device_count, err);
	return rc;
}

int pl_plan_build(struct pl_run *run, const struct pl_plan_options *options, struct pl_err *err)
{
	struct pl_planner p = {.run = run, .options = options, .state = "as_found"};
	bool with_slots = has_link_device(run) || is_named(options) || options->ladders_only;
	int rc = check(&p, err);

	if (rc)
		return rc;
	if (options->file)
		pl_plan_nvme_read(&p, NULL, options->file, 4096, "random");
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
