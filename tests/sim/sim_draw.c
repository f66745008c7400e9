#include "tests/sim/sim_draw.h"

#include <math.h>
#include <string.h>

#include "model/state.h"

const uint64_t pl_sim_gaps_ns[SIM_GAPS] = {0,     1000,  2000,  4000,   8000,
					   16000, 32000, 64000, 128000, 256000};

#define BOOTS 3u
#define TAIL_SAMPLES 3000u /* 30 beyond p99: below that hardly any tail can be told */
#define NEVER_NS 1e9       /* an entry timer beyond every gap */

static double uniform(struct pl_rng *rng, double low, double high)
{
	return low + (high - low) * pl_rng_unit(rng);
}

static double log_uniform(struct pl_rng *rng, double low, double high)
{
	return low * pow(high / low, pl_rng_unit(rng));
}

static bool chance(struct pl_rng *rng, double p)
{
	return pl_rng_unit(rng) < p;
}

static void draw_noise(struct sim_noise *n, struct pl_rng *rng)
{
	static const double quanta[] = {1.0, 1.0, 10.0, 20.0, 40.0};

	n->shape = log_uniform(rng, 0.02, 0.15);
	n->memory = chance(rng, 0.4) ? uniform(rng, 0.0, 0.8) : 0.0;
	n->stall_rate = chance(rng, 0.6) ? log_uniform(rng, 1e-4, 3e-3) : 0.0;
	n->quantum_ns = quanta[pl_rng_below(rng, 5)];
	n->drift = uniform(rng, 0.0, 0.03);
	n->own_drift = chance(rng, 0.5) ? uniform(rng, 0.0, 0.01) : 0.0;
	n->drift_period_ns = log_uniform(rng, 2e6, 2e9);
	n->trend = chance(rng, 0.3) ? uniform(rng, -0.5, 0.5) : 0.0;
	n->boot_spread = uniform(rng, 0.0, 0.02);
	n->clock_step = chance(rng, 0.15) ? uniform(rng, 0.01, 0.05) : 0.0;
	if (chance(rng, 0.3)) {
		n->period_ns = log_uniform(rng, 1e5, 1e7);
		n->burst_ns = n->period_ns * uniform(rng, 0.01, 0.1);
		n->burst_cost_ns = log_uniform(rng, 500.0, 5000.0);
	}
}

static void draw_devices(struct sim_board *board)
{
	struct pl_rng *rng = &board->rng;
	double media = chance(rng, 0.5) ? uniform(rng, 60e3, 100e3) : uniform(rng, 7e3, 10e3);

	for (size_t s = 0; s < SIM_SLOTS; s++) {
		struct sim_device *device = &board->slots[s].device;

		device->register_ns = uniform(rng, 500.0, 900.0);
		device->load_ns = uniform(rng, 500.0, 900.0);
		device->media_ns = media;
		if (chance(rng, 0.3)) {
			device->ps0_idle_ns = log_uniform(rng, 20e3, 200e3);
			device->ps0_exit_ns = log_uniform(rng, 500.0, 5e3);
		}
		if (chance(rng, 0.3)) {
			device->apst_idle_ns = log_uniform(rng, 1e5, 1e8);
			device->apst_exit_ns = 1e6;
		}
	}
	/* One model: two units differ in nothing that the claim is about. One card is one card. */
	board->slots[1].device.register_ns = board->slots[0].device.register_ns;
	board->slots[3].device = board->slots[2].device;
}

/* Ranges of entry timers and exits by state. */
static const struct {
	const char *all, *device;
	unsigned bits;
	size_t index;
	double entry_low, entry_high, exit_low, exit_high;
} kinds[] = {
	{"l1", "device_l1_uplink_off", PL_ASPM_L1, SIM_L1, 2e3, 64e3, 200.0, 60e3},
	{"l1", "device_l1_uplink_off", PL_ASPM_L1, SIM_L1, 2e3, 64e3, 200.0, 60e3},
	{"l0s", "device_l0s_uplink_off", PL_ASPM_L0S, SIM_L0S, 1.2e3, 7e3, 60.0, 4e3},
	{"l1_2", "device_l1_2_uplink_off", PL_ASPM_L1 | PL_ASPM_L1_2, SIM_L1_2, 8e3, 100e3, 10e3,
	 100e3},
};

static void draw_effects(struct sim_board *board, bool is_null, struct sim_truth *t)
{
	struct pl_rng *rng = &board->rng;
	size_t k = pl_rng_below(rng, sizeof(kinds) / sizeof(kinds[0]));
	bool is_never = chance(rng, 0.05);

	t->state = kinds[k].all;
	t->device_state = kinds[k].device;
	t->bits = kinds[k].bits;
	t->device_entry_ns = log_uniform(rng, kinds[k].entry_low, kinds[k].entry_high);
	t->uplink_entry_ns = log_uniform(rng, kinds[k].entry_low, t->device_entry_ns);
	if (is_never)
		t->device_entry_ns = t->uplink_entry_ns = NEVER_NS;
	t->hop_model_ns = log_uniform(rng, 100.0, 1500.0);
	t->hop_unit_ns = log_uniform(rng, 100.0, 1500.0);
	t->device_exit_ns = log_uniform(rng, kinds[k].exit_low, kinds[k].exit_high);
	t->uplink_exit_ns = log_uniform(rng, kinds[k].exit_low, kinds[k].exit_high);
	t->uplinks = chance(rng, 0.6) ? 1 : 2 + pl_rng_below(rng, SIM_LINKS - 2);
	for (size_t i = 0; i < SIM_LINKS - 2; i++)
		t->more_exit_ns[i] =
			is_null ? 0.0 : log_uniform(rng, kinds[k].exit_low, kinds[k].exit_high);
	pl_sim_draw_advertised(rng, t);
	if (is_null)
		t->hop_model_ns = t->hop_unit_ns = t->device_exit_ns = t->uplink_exit_ns = 0.0;
	board->switch_delay_ns = is_null ? 0.0 : uniform(rng, 0.0, 1000.0);
	/*
	 * Part of an access passes before its first packet and after its last; not so much that
	 * links sleep without a gap: then traffic is not continuous.
	 */
	board->software_ns =
		pl_rng_unit(rng) * fmin(board->slots[1].device.register_ns + t->hop_model_ns,
					0.95 * t->uplink_entry_ns);
	if (chance(rng, 0.25) && !is_never)
		board->links[2].other_rate = 0.02 * pl_rng_unit(rng) / t->device_entry_ns;
}

static size_t state_index(unsigned bits)
{
	return bits & PL_ASPM_L1_2 ? SIM_L1_2 : bits & PL_ASPM_L1 ? SIM_L1 : SIM_L0S;
}

/* A link that reaches one state only: the shallower ones take as long to enter. */
static void set_link(struct sim_link *link, unsigned bits, double entry_ns, double exit_ns)
{
	for (size_t s = 0; s < SIM_STATES; s++) {
		link->entry_ns[s] = s <= state_index(bits) ? entry_ns : NEVER_NS;
		link->exit_ns[s] = exit_ns;
	}
}

/* Links: 0 CPU slot, 1 first uplink, 2 drive behind the chipset, 3 CPU card, 4 chipset card, more
 * links above from 5 on. */
static void set_links(struct sim_board *board, const struct sim_truth *t)
{
	struct sim_slot *slots = board->slots;
	size_t uplinks = t->uplinks ? t->uplinks : 1;

	for (size_t i = 0; i < 5; i++)
		set_link(&board->links[i], t->bits, NEVER_NS, 0.0);
	set_link(&board->links[1], t->bits, t->uplink_entry_ns, t->uplink_exit_ns);
	set_link(&board->links[2], t->bits, t->device_entry_ns, t->device_exit_ns);
	slots[0].links[0] = 0;
	slots[2].links[0] = 3;
	slots[1].links[0] = slots[3].links[0] = 1;
	for (size_t i = 1; i < uplinks; i++) {
		set_link(&board->links[4 + i], t->bits, t->uplink_entry_ns, t->more_exit_ns[i - 1]);
		slots[1].links[i] = slots[3].links[i] = 4 + i;
	}
	slots[1].links[uplinks] = 2;
	slots[3].links[uplinks] = 4;
	slots[0].link_count = slots[2].link_count = 1;
	slots[1].link_count = slots[3].link_count = uplinks + 1;
}

void pl_sim_apply(struct sim_board *board, struct sim_truth *t)
{
	struct sim_slot *slots = board->slots;
	bool sleeps = t->device_entry_ns < NEVER_NS;
	double media = slots[1].device.media_ns;

	set_links(board, t);
	slots[1].hop_ns = t->hop_model_ns;
	slots[3].hop_ns = t->hop_unit_ns;
	/* Media times near the entry timer sleep in some commands only: not drawn. */
	if (media > 0.5 * t->device_entry_ns && media < 2.5 * t->device_entry_ns)
		slots[0].device.media_ns = slots[1].device.media_ns = media =
			2.5 * t->device_entry_ns;
	t->media_ns = media;
	t->exit_ns = sleeps ? pl_sim_path_exit_ns(board, 1, t->bits, 0) : 0.0;
	t->path_exit_ns = sleeps ? pl_sim_path_exit_ns(board, 1, t->bits, t->bits) : 0.0;
	t->a0_ns = media > t->device_entry_ns ? t->path_exit_ns : 0.0;
}

void pl_sim_draw(struct sim_board *board, uint64_t seed, bool is_null, struct sim_truth *truth)
{
	memset(truth, 0, sizeof(*truth));
	pl_sim_board_init(board, seed);
	draw_noise(&board->noise, &board->rng);
	draw_devices(board);
	draw_effects(board, is_null, truth);
	pl_sim_apply(board, truth);
}

/* Tails are looked for after the longest gap: enough samples there for a p99. */
static void plan_state(struct pl_run *run, const char *state, unsigned blocks, size_t samples)
{
	for (size_t g = 0; g < SIM_GAPS; g++) {
		bool is_last = g + 1 == SIM_GAPS;
		size_t enough = TAIL_SAMPLES / blocks;

		pl_sim_plan(run, 1, PL_PROBE_BAR, state, pl_sim_gaps_ns[g], blocks,
			    is_last && enough > samples ? enough : samples);
	}
}

void pl_sim_plan_grid(struct pl_run *run, const struct sim_truth *t, unsigned blocks,
		      size_t samples)
{
	pl_sim_plan(run, 0, PL_PROBE_BAR, "off", 0, blocks, samples);
	plan_state(run, "off", blocks, samples);
	plan_state(run, t->device_state, blocks, samples);
	plan_state(run, t->state, blocks, samples);
	pl_sim_plan(run, 1, PL_PROBE_NVME, "off", 0, blocks, samples);
	pl_sim_plan(run, 1, PL_PROBE_NVME, t->state, 0, blocks, samples);
}

void pl_sim_run(struct sim_board *board, struct pl_run *run, const struct sim_truth *t,
		unsigned blocks, size_t samples)
{
	size_t first;

	pl_sim_run_init(run, pl_rng_u64(&board->rng));
	pl_sim_discover(run, t);
	pl_sim_plan_grid(run, t, blocks, samples);
	pl_sim_measure(board, run, 0, run->measurement_count);
	for (unsigned boot = 0; boot < 2 * BOOTS; boot++) {
		pl_sim_reboot(board);
		first = run->measurement_count;
		pl_sim_plan(run, boot % 2 ? 3 : 2, PL_PROBE_GPU, "off", 0, blocks, samples)->boot =
			boot;
		pl_sim_measure(board, run, first, first + 1);
	}
}

enum sim_claim pl_sim_claim_of(const struct pl_effect *effect, const struct sim_truth *t)
{
	bool is_device = !strcmp(effect->state, t->device_state);

	switch (effect->kind) {
	case PL_EFFECT_HOP:
		return effect->probe == PL_PROBE_GPU   ? SIM_HOP_SAME_UNIT
		       : effect->probe == PL_PROBE_BAR ? SIM_HOP_SAME_MODEL
						       : SIM_CLAIMS;
	case PL_EFFECT_EXIT_IN_COMMAND:
		return effect->probe == PL_PROBE_NVME ? SIM_A0 : SIM_CLAIMS;
	case PL_EFFECT_EXIT:
		return effect->probe == PL_PROBE_BAR ? SIM_A1 : SIM_CLAIMS;
	case PL_EFFECT_ENTRY_TIMER:
		return is_device ? SIM_TAU : SIM_CLAIMS;
	case PL_EFFECT_TAIL:
		return SIM_TAIL;
	case PL_EFFECT_CHAIN:
		return SIM_CHAIN;
	case PL_EFFECT_CONFIG_STEP:
	case PL_EFFECT_PREWOKEN:
	case PL_EFFECT_APST:
		break;
	}
	return SIM_CLAIMS;
}

double pl_sim_true_value(const struct pl_effect *effect, const struct sim_truth *t)
{
	bool is_device = !strcmp(effect->state, t->device_state);

	switch (pl_sim_claim_of(effect, t)) {
	case SIM_HOP_SAME_UNIT:
		return t->hop_unit_ns;
	case SIM_HOP_SAME_MODEL:
		return t->hop_model_ns;
	case SIM_A0:
		return t->a0_ns;
	case SIM_TAU:
		return t->device_entry_ns;
	case SIM_CHAIN:
		return t->path_exit_ns - t->exit_ns;
	case SIM_A1:
	case SIM_TAIL:
		return is_device ? t->exit_ns : t->path_exit_ns;
	case SIM_CLAIMS:
		break;
	}
	return (double)NAN;
}

const char *pl_sim_claim_name(enum sim_claim claim)
{
	static const char *const names[] = {"hop_same_unit", "hop_same_model", "a0",   "a1",
					    "tau",           "tail",           "chain"};

	return claim < SIM_CLAIMS ? names[claim] : "none";
}
