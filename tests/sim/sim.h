#ifndef PL_TESTS_SIM_H
#define PL_TESTS_SIM_H

/*
 * Simulated boards behind the sampler and clock seams. A board has links that fall asleep and wake,
 * a host, devices with media, and every kind of noise a real machine adds; time is virtual. What
 * the tool claims about such a board is compared with what was put in. One seed makes one board.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/rng.h"
#include "core/sampler.h"
#include "model/run.h"
#include "session/precision.h"

#define SIM_LINKS 4 /* of one path */
#define SIM_SLOTS 4
#define SIM_STATES 3 /* L0s, L1, L1.2 */

enum { SIM_L0S, SIM_L1, SIM_L1_2 };

/* One link: how long it must be idle to fall asleep, and what waking takes, by state. */
struct sim_link {
	double entry_ns[SIM_STATES], exit_ns[SIM_STATES];
	unsigned allowed;     /* enum pl_aspm bits, set by the state of the series */
	double busy_until_ns; /* end of the last traffic */
	double other_rate;    /* other traffic, events per ns; 0: none */
};

/* Where time goes besides links. All in ns. */
struct sim_noise {
	double shape;      /* lognormal: sigma of the logarithm of the service time */
	double memory;     /* autocorrelation of one sample with the next */
	double stall_rate; /* probability of a stall of 20 to 100 µs */
	double quantum_ns; /* step of the timer; 0: 1 ns */
	double period_ns, burst_ns, burst_cost_ns; /* periodic interference; period 0: none */
	double drift;     /* amplitude of the machine's slow drift, part of the base */
	double own_drift; /* the same of one device alone */
	double drift_period_ns;
	double trend;       /* warming up: part of the base per hour */
	double boot_spread; /* between boots, part of the base */
	double clock_step;  /* a device clock that changes: part of the base, per block */
};

/* What an access costs besides links: B of the model and C(gap). */
struct sim_device {
	double register_ns, media_ns, load_ns;
	double ps0_idle_ns, ps0_exit_ns;   /* controller's own idle within PS0; 0: none */
	double apst_idle_ns, apst_exit_ns; /* power state of the drive; 0: none */
	double phase, boot_offset, clock_factor;
	double z; /* memory of the noise */
};

struct sim_slot {
	double hop_ns;
	size_t links[SIM_LINKS]; /* indices, root port first */
	size_t link_count;
	double slope_ns; /* adversarial: per doubling of the gap, in every state but off */
	double retrained_from_ns, retrained_factor; /* from then on everything takes longer */
	struct sim_device device;
};

struct sim_board {
	struct pl_rng rng;
	double now_ns;
	struct sim_link links[8];
	struct sim_slot slots[SIM_SLOTS];
	struct sim_noise noise;
	double switch_delay_ns; /* of waking the next link, at most 1 µs */
	double software_ns;     /* idle time of the link that no stamp of the tool sees */
	double cstate_ns[2];    /* what a slept gap adds: beyond 2 µs, beyond 100 µs */
	bool has_cstates;       /* gaps are slept and C-states not held */
	double phase;
};

/* ---- physics ---- */

void pl_sim_board_init(struct sim_board *board, uint64_t seed);
/* The virtual clock of a board: 1 tick is 1 ns, a gap costs nothing. */
struct pl_clock pl_sim_clock(struct sim_board *board);
/* What waking the path of a slot takes when every link of it sleeps in the state it may. */
double pl_sim_path_exit_ns(const struct sim_board *board, size_t slot, unsigned device,
			   unsigned uplink);
/* The sampler of one series: m->slot (its index in the run), probe, conditions.state. */
void pl_sim_open(struct sim_board *board, const struct pl_run *run, struct pl_measurement *m,
		 struct pl_sampler *sampler);
/* A reboot: new offsets of the devices. */
void pl_sim_reboot(struct sim_board *board);

/* ---- a run on a board ---- */

/* Slots and devices of a run, as discovery would have filled them. */
void pl_sim_run_init(struct pl_run *run, uint64_t seed);
/* Adds a planned series with its buffers. */
struct pl_measurement *pl_sim_plan(struct pl_run *run, size_t slot, enum pl_probe probe,
				   const char *state, uint64_t gap_ns, unsigned blocks,
				   size_t samples);
/*
 * Measures one more round of the series first … last - 1 of the run that have blocks left, in
 * random order; with a stopping rule those that it wants.
 */
void pl_sim_round(struct sim_board *board, struct pl_run *run, size_t first, size_t last,
		  const struct pl_stopping *stopping);
/* The series are measured and valid. */
void pl_sim_finish(struct pl_run *run, size_t first, size_t last);
/* All planned rounds of the series first … last - 1; they become measured and valid. */
void pl_sim_measure(struct sim_board *board, struct pl_run *run, size_t first, size_t last);

#endif
