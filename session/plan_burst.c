#include "model/state.h"
#include "session/plan_series.h"

/* The first reads after idle time, one by one. */

#define MS UINT64_C(1000000)
/* One read, for the estimate. */
#define READ_S 90e-6
/* A state that begins later than this takes too long to wait for. */
#define LONGEST_GAP_NS (1000 * MS)

static void add(struct pl_planner *p, const struct pl_slot *slot, uint64_t gap_ns)
{
	bool is_as_found = pl_state_is_same(p->state, "as_found");
	size_t bursts = pl_grid_bursts(p->options->effort, gap_ns, is_as_found);
	struct pl_measurement *m;

	p->gap_ns = gap_ns;
	m = pl_plan_add_sized(p, slot, PL_PROBE_NVME, "read_4k_burst", bursts * PL_GRID_BURST_READS,
			      READ_S + (double)gap_ns / (PL_GRID_BURST_READS * 1e9));
	p->gap_ns = 0;
	m->subject = slot->device->namespaces[0].name;
	m->device = slot->device->bdf;
	m->has_device = true;
	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = "same_lba";
	m->conditions.burst = PL_GRID_BURST_READS;
}

/* Half longer than the drive waits before its first power state; 0: it has none, or too late. */
static uint64_t apst_gap_ns(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->drive_count; i++) {
		const struct pl_drive *drive = &run->drives[i];
		uint64_t gap_ns;

		if (!pl_bdf_is_equal(drive->bdf, slot->device->bdf) || drive->apst_enabled != 1 ||
		    !drive->state_count || !drive->states[0].apst_after_ms)
			continue;
		gap_ns = drive->states[0].apst_after_ms * 3 * MS / 2;
		if (gap_ns < PL_GRID_APST_GAP_NS)
			gap_ns = PL_GRID_APST_GAP_NS;
		return gap_ns <= LONGEST_GAP_NS ? gap_ns : 0;
	}
	return 0;
}

static uint64_t longest(const uint64_t *gaps, size_t count)
{
	uint64_t gap = 0;

	for (size_t i = 0; i < count; i++)
		gap = gaps[i] > gap ? gaps[i] : gap;
	return gap;
}

void pl_plan_bursts(struct pl_planner *p, const struct pl_slot *slot, const uint64_t *gaps,
		    size_t count)
{
	const struct pl_plan_options *o = p->options;
	uint64_t apst_ns = apst_gap_ns(p->run, slot);

	if (o->effort == PL_EFFORT_QUICK || !longest(gaps, count) ||
	    !pl_plan_is_readable_drive(slot) || !pl_plan_wants(p, PL_PROBE_NVME))
		return;
	if (o->effort != PL_EFFORT_THOROUGH && !pl_state_is_same(p->state, "as_found"))
		return;
	add(p, slot, o->gap_count ? longest(gaps, count) : PL_GRID_BURST_GAP_NS);
	if (o->effort != PL_EFFORT_THOROUGH || o->gap_count)
		return;
	add(p, slot, PL_GRID_BURST_LONG_GAP_NS);
	if (apst_ns)
		add(p, slot, apst_ns);
}
