#include <string.h>

#include "core/arena.h"
#include "core/stats.h"
#include "model/summary.h"
#include "tests/sim/sim.h"

#define MAX_SERIES 512
#define SAMPLES_MAX 256 /* of a block whose gaps are noted */
/* Gaps are never shorter and a little longer, at random: else they beat with periodic load. */
#define GAP_JITTER 0.02

/* Slots 0 and 1 hold two drives of one model, slots 2 and 3 the same card, moved. */
static const struct {
	const char *key, *label, *bdf, *unit, *path[3];
	enum pl_attachment attachment;
	enum pl_device_kind kind;
	int hops;
	size_t path_count;
} places[SIM_SLOTS] = {
	{"0000:00:01.1/00.0",
	 "M2_1",
	 "01:00.0",
	 "drive-a",
	 {"00:01.1", "01:00.0", NULL},
	 PL_ATTACH_CPU_DIRECT,
	 PL_DEVICE_NVME,
	 0,
	 2},
	{"0000:00:02.1/00.0/00.0",
	 "M2_2",
	 "04:00.0",
	 "drive-b",
	 {"00:02.1", "02:00.0", "04:00.0"},
	 PL_ATTACH_CHIPSET,
	 PL_DEVICE_NVME,
	 1,
	 3},
	{"0000:00:01.2/00.0",
	 "PCIEX16_1",
	 "05:00.0",
	 "card",
	 {"00:01.2", "05:00.0", NULL},
	 PL_ATTACH_CPU_DIRECT,
	 PL_DEVICE_GPU,
	 0,
	 2},
	{"0000:00:02.1/00.0/01.0",
	 "PCIEX16_2",
	 "06:00.0",
	 "card",
	 {"00:02.1", "02:00.0", "06:00.0"},
	 PL_ATTACH_CHIPSET,
	 PL_DEVICE_GPU,
	 1,
	 3},
};

static struct pl_device *make_device(struct pl_run *run, size_t i)
{
	struct pl_device *device = pl_arena_alloc(&run->arena, sizeof(*device));

	pl_bdf_parse(places[i].bdf, &device->bdf);
	device->vendor_id = 0x144d;
	device->device_id = 0xa80a;
	device->kind = places[i].kind;
	device->model = places[i].kind == PL_DEVICE_NVME ? "Drive" : "Card";
	device->unit_hash = places[i].unit;
	return device;
}

void pl_sim_run_init(struct pl_run *run, uint64_t seed)
{
	pl_run_init(run);
	run->seed = seed;
	run->is_complete = true;
	run->machine.is_live = true;
	for (size_t i = 0; i < SIM_SLOTS; i++)
		pl_run_add_slot(run);
	for (size_t i = 0; i < SIM_SLOTS; i++) {
		struct pl_slot *slot = &run->slots[i];
		struct pl_bdf *path =
			pl_arena_array(&run->arena, places[i].path_count, sizeof(*path));
		struct pl_via *via = pl_arena_alloc(&run->arena, sizeof(*via));

		for (size_t k = 0; k < places[i].path_count; k++)
			pl_bdf_parse(places[i].path[k], &path[k]);
		*via = (struct pl_via){.kind = PL_VIA_CHIPSET, .name = "PROM21", .bdf = path[1]};
		*slot = (struct pl_slot){
			.key = places[i].key,
			.label = places[i].label,
			.attachment = places[i].attachment,
			.chipset_hops = places[i].hops,
			.chipset = places[i].hops ? "PROM21" : NULL,
			.via = via,
			.via_count = (size_t)places[i].hops,
			.path = path,
			.path_count = places[i].path_count,
			.device = make_device(run, i),
		};
		slot->link = (struct pl_link){.is_present = true,
					      .speed_mts = 16000,
					      .width = 4,
					      .aspm_enabled = PL_ASPM_L1,
					      .l0s_exit_ns = -1,
					      .l1_exit_ns = -1,
					      .clkpm_enabled = 0};
	}
}

struct pl_measurement *pl_sim_plan(struct pl_run *run, size_t slot, enum pl_probe probe,
				   const char *state, uint64_t gap_ns, unsigned blocks,
				   size_t samples)
{
	struct pl_measurement *m = pl_run_add_measurement(run);

	m->slot = &run->slots[slot];
	m->device = m->slot->device->bdf;
	m->has_device = true;
	m->probe = probe;
	m->metric = probe == PL_PROBE_NVME  ? "read_4k"
		    : probe == PL_PROBE_GPU ? "load"
					    : "bar_read";
	m->conditions.state = state;
	m->conditions.gap_ns = gap_ns;
	m->conditions.size_bytes = probe == PL_PROBE_NVME ? 4096 : 4;
	m->outcome = PL_OUTCOME_PENDING;
	m->ns_per_tick = 1.0;
	m->blocks = blocks;
	m->samples_per_block = samples;
	m->ticks = pl_arena_array(&run->arena, blocks * samples, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(&run->arena, blocks + 1, sizeof(m->block_start[0]));
	return m;
}

/* What the session knows of the idle time: least and most of the medians of the blocks. */
static void note_idle(struct pl_run *run, struct pl_measurement *m, uint64_t *idles, size_t count)
{
	const struct pl_fact *least = pl_measurement_find_fact(m, "real_gap_min_ns");
	const struct pl_fact *most = pl_measurement_find_fact(m, "real_gap_max_ns");
	double median;

	pl_stats_sort(idles, count);
	median = (double)pl_stats_quantile(idles, count, 0.5);
	if (!least || median < least->value)
		pl_measurement_set_number(run, m, "real_gap_min_ns", median);
	if (!most || median > most->value)
		pl_measurement_set_number(run, m, "real_gap_max_ns", median);
}

static void take_after_gaps(const struct pl_clock *clock, struct pl_sampler *sampler,
			    struct pl_run *run, struct pl_measurement *m, struct pl_rng *rng)
{
	uint64_t idles[SAMPLES_MAX];
	size_t count = m->samples_per_block < SAMPLES_MAX ? m->samples_per_block : SAMPLES_MAX;

	for (size_t i = 0; i < m->samples_per_block; i++) {
		uint64_t gap = (uint64_t)((double)m->conditions.gap_ns *
					  (1.0 + GAP_JITTER * pl_rng_unit(rng)));

		if (i < count)
			idles[i] = gap;
		pl_clock_idle_until(clock, pl_clock_now(clock) + gap);
		sampler->sample(sampler->self, m->ticks + m->n + i, 1, NULL);
	}
	note_idle(run, m, idles, count);
}

/* The same order of calls as a real walk: idle, then one access; one to warm up. */
static void take_block(const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_run *run,
		       struct pl_measurement *m, struct pl_rng *rng)
{
	uint64_t warm;

	sampler->sample(sampler->self, &warm, 1, NULL);
	if (m->conditions.gap_ns)
		take_after_gaps(clock, sampler, run, m, rng);
	else
		sampler->sample(sampler->self, m->ticks + m->n, m->samples_per_block, NULL);
	m->n += m->samples_per_block;
	m->block_start[++m->blocks_done] = m->n;
}

/* A device clock that steps does so between blocks. */
static void step_clocks(struct sim_board *board)
{
	for (size_t s = 0; s < SIM_SLOTS && board->noise.clock_step > 0.0; s++)
		board->slots[s].device.clock_factor =
			1.0 +
			board->noise.clock_step * (double)(pl_rng_below(&board->rng, 3)) / 2.0;
}

void pl_sim_round(struct sim_board *board, struct pl_run *run, size_t first, size_t last,
		  const struct pl_stopping *stopping)
{
	struct pl_clock clock = pl_sim_clock(board);
	size_t order[MAX_SERIES], count = 0;

	for (size_t i = first; i < last && count < MAX_SERIES; i++)
		if (stopping ? pl_stopping_wants(stopping, i)
			     : run->measurements[i]->blocks_done < run->measurements[i]->blocks)
			order[count++] = i;
	pl_rng_shuffle(&board->rng, order, count);
	for (size_t i = 0; i < count; i++) {
		struct pl_sampler sampler;

		step_clocks(board);
		pl_sim_open(board, run, run->measurements[order[i]], &sampler);
		take_block(&clock, &sampler, run, run->measurements[order[i]], &board->rng);
		pl_sampler_close(&sampler);
	}
}

void pl_sim_finish(struct pl_run *run, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		struct pl_measurement *m = run->measurements[i];

		m->outcome = PL_OUTCOME_MEASURED;
		m->is_valid = true;
		pl_measurement_summarise(m);
	}
}

void pl_sim_measure(struct sim_board *board, struct pl_run *run, size_t first, size_t last)
{
	unsigned rounds = 0;

	for (size_t i = first; i < last; i++)
		if (run->measurements[i]->blocks > rounds)
			rounds = run->measurements[i]->blocks;
	for (unsigned round = 0; round < rounds; round++)
		pl_sim_round(board, run, first, last, NULL);
	pl_sim_finish(run, first, last);
}
