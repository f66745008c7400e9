#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "tests/sim/sim.h"

#define HOUR_NS 3.6e12

/* Which bit of enum pl_aspm allows which sleep. */
static const unsigned state_bits[SIM_STATES] = {PL_ASPM_L0S, PL_ASPM_L1, PL_ASPM_L1_2};

void pl_sim_board_init(struct sim_board *board, uint64_t seed)
{
	memset(board, 0, sizeof(*board));
	pl_rng_init(&board->rng, seed);
	board->software_ns = 60.0;
	board->switch_delay_ns = 500.0;
	board->noise.drift_period_ns = 1e9;
	board->phase = pl_rng_unit(&board->rng);
	for (size_t s = 0; s < SIM_SLOTS; s++) {
		board->slots[s].device.register_ns = 650.0;
		board->slots[s].device.media_ns = 8000.0;
		board->slots[s].device.load_ns = 650.0;
		board->slots[s].device.clock_factor = 1.0;
		board->slots[s].device.phase = pl_rng_unit(&board->rng);
	}
}

void pl_sim_reboot(struct sim_board *board)
{
	double common = pl_rng_normal(&board->rng);

	for (size_t s = 0; s < SIM_SLOTS; s++)
		board->slots[s].device.boot_offset = board->noise.boot_spread * common;
}

static uint64_t clock_now(void *self)
{
	return (uint64_t)((struct sim_board *)self)->now_ns;
}

static void clock_idle_until(void *self, uint64_t ticks)
{
	struct sim_board *board = self;

	if ((double)ticks > board->now_ns)
		board->now_ns = (double)ticks;
}

struct pl_clock pl_sim_clock(struct sim_board *board)
{
	return (struct pl_clock){.ns_per_tick = 1.0,
				 .name = "virtual",
				 .now = clock_now,
				 .idle_until = clock_idle_until,
				 .self = board};
}

/* The deepest state that a link has reached after this idle time; -1: awake. */
static int asleep(const struct sim_link *link, double idle_ns)
{
	int deepest = -1;

	for (int s = 0; s < SIM_STATES; s++)
		if ((link->allowed & state_bits[s]) && idle_ns >= link->entry_ns[s])
			deepest = s;
	return deepest;
}

/* Idle time of a link now; other traffic may have passed at any moment of it. */
static double idle_of(struct sim_board *board, const struct sim_link *link)
{
	double idle = board->now_ns - link->busy_until_ns;

	if (link->other_rate > 0.0) {
		double since = -log(1.0 - pl_rng_unit(&board->rng)) / link->other_rate;

		idle = since < idle ? since : idle;
	}
	return idle;
}

/*
 * Waking a path, from the root: a switch lets its uplink sleep in L1 only while the link below
 * sleeps, and starts waking the next link while the first still wakes, so the exits overlap.
 */
static double wake(struct sim_board *board, const struct sim_slot *slot)
{
	double longest = 0.0;
	int below = SIM_L1;
	int state[SIM_LINKS];
	size_t sleeping = 0;

	for (size_t i = slot->link_count; i-- > 0;) {
		const struct sim_link *link = &board->links[slot->links[i]];

		state[i] = asleep(link, idle_of(board, link));
		if (state[i] >= SIM_L1 && below < SIM_L1)
			state[i] = -1;
		below = state[i];
	}
	for (size_t i = 0; i < slot->link_count; i++) {
		double exit;

		if (state[i] < 0)
			continue;
		exit = board->links[slot->links[i]].exit_ns[state[i]] +
		       (double)sleeping * board->switch_delay_ns;
		longest = exit > longest ? exit : longest;
		sleeping++;
	}
	return longest;
}

double pl_sim_path_exit_ns(const struct sim_board *board, size_t index, unsigned device,
			   unsigned uplink)
{
	struct sim_board copy = *board;
	struct sim_slot *slot = &copy.slots[index];

	copy.now_ns = 1e15;
	for (size_t i = 0; i < slot->link_count; i++) {
		struct sim_link *link = &copy.links[slot->links[i]];

		link->allowed = i + 1 == slot->link_count ? device : uplink;
		link->busy_until_ns = 0.0;
		link->other_rate = 0.0;
	}
	return wake(&copy, slot);
}

struct source {
	struct sim_board *board;
	size_t slot;
	enum pl_probe probe;
	struct pl_state state;
	double hop_ns; /* of this kind of access */
	bool is_slept;
};

static double slow(const struct sim_board *board, double phase)
{
	return sin(2.0 * M_PI * (board->now_ns / board->noise.drift_period_ns + phase));
}

/* Service time with its noise; idle_ns is how long the device had nothing to do. */
static double service(struct sim_board *board, const struct source *source,
		      struct sim_device *device, double idle_ns)
{
	const struct sim_noise *n = &board->noise;
	double base = source->probe == PL_PROBE_NVME  ? device->media_ns
		      : source->probe == PL_PROBE_GPU ? device->load_ns
						      : device->register_ns;
	double drift = n->drift * slow(board, board->phase) +
		       n->own_drift * slow(board, device->phase) +
		       n->trend * board->now_ns / HOUR_NS + device->boot_offset;
	double ns;

	device->z = n->memory * device->z +
		    sqrt(1.0 - n->memory * n->memory) * pl_rng_normal(&board->rng);
	ns = base * (device->clock_factor * exp(n->shape * device->z) + drift);
	if (device->ps0_idle_ns > 0.0 && idle_ns > device->ps0_idle_ns)
		ns += device->ps0_exit_ns;
	if (device->apst_idle_ns > 0.0 && idle_ns > device->apst_idle_ns)
		ns += device->apst_exit_ns;
	return ns;
}

/* What the host adds: stalls, interference, C-states of a slept gap. */
static double host(struct sim_board *board, const struct source *source, double idle_ns)
{
	const struct sim_noise *n = &board->noise;
	double ns = 0.0;

	if (n->stall_rate > 0.0 && pl_rng_unit(&board->rng) < n->stall_rate)
		ns += 20e3 + 80e3 * pl_rng_unit(&board->rng);
	if (n->period_ns > 0.0 && fmod(board->now_ns, n->period_ns) < n->burst_ns)
		ns += n->burst_cost_ns * pl_rng_unit(&board->rng);
	if (source->is_slept && idle_ns > 2e3)
		ns += idle_ns > 100e3 ? board->cstate_ns[1] : board->cstate_ns[0];
	return ns;
}

/* A timer that steps: both ends of an interval fall to a step, at a random phase. */
static uint64_t quantise(struct sim_board *board, double ns)
{
	double q = board->noise.quantum_ns > 1.0 ? board->noise.quantum_ns : 1.0;
	double begin = q * pl_rng_unit(&board->rng);

	return (uint64_t)(floor((begin + ns) / q) * q);
}

static uint64_t access_once(struct source *source)
{
	struct sim_board *board = source->board;
	struct sim_slot *slot = &board->slots[source->slot];
	struct sim_link *own = &board->links[slot->links[slot->link_count - 1]];
	double idle_ns = board->now_ns - own->busy_until_ns, exit_ns = wake(board, slot);
	double media_ns = service(board, source, &slot->device, idle_ns);
	double ns = exit_ns + source->hop_ns + media_ns + host(board, source, idle_ns);
	double start_ns = board->now_ns;

	if (slot->slope_ns > 0.0 && (source->state.device || source->state.uplink))
		ns += slot->slope_ns * log2(1.0 + idle_ns / 1e3);
	if (slot->retrained_from_ns > 0.0 && board->now_ns > slot->retrained_from_ns)
		ns *= slot->retrained_factor;

	/* The data find the link asleep again when the media took longer than the entry timer. */
	if (source->probe == PL_PROBE_NVME) {
		for (size_t i = 0; i < slot->link_count; i++)
			board->links[slot->links[i]].busy_until_ns = board->now_ns + exit_ns;
		board->now_ns += exit_ns + media_ns;
		ns += wake(board, slot);
	}
	board->now_ns = start_ns + ns;
	for (size_t i = 0; i < slot->link_count; i++)
		board->links[slot->links[i]].busy_until_ns = board->now_ns;
	board->now_ns += board->software_ns;
	return quantise(board, ns);
}

static void set_links(struct source *source)
{
	struct sim_slot *slot = &source->board->slots[source->slot];

	for (size_t i = 0; i < slot->link_count; i++)
		source->board->links[slot->links[i]].allowed =
			i + 1 == slot->link_count ? source->state.device : source->state.uplink;
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct source *source = self;

	(void)err;
	set_links(source);
	for (size_t i = 0; i < count; i++)
		ticks[i] = access_once(source);
	return (ssize_t)count;
}

void pl_sim_open(struct sim_board *board, const struct pl_run *run, struct pl_measurement *m,
		 struct pl_sampler *sampler)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		abort();
	source->board = board;
	source->slot = (size_t)(m->slot - run->slots);
	source->probe = m->probe;
	source->hop_ns = board->slots[source->slot].hop_ns;
	source->is_slept = m->conditions.idle && !strcmp(m->conditions.idle, "slept");
	if (pl_state_parse(m->conditions.state, &source->state))
		abort();
	*sampler = (struct pl_sampler){sample, free, source, NULL};
}
