#ifndef PL_TESTS_SIM_DRAW_H
#define PL_TESTS_SIM_DRAW_H

#include "tests/sim/sim.h"

/* A random board, the run that a plan would make for it, and what is true about it. */

#define SIM_GAPS 10
extern const uint64_t pl_sim_gaps_ns[SIM_GAPS];

enum sim_claim {
	SIM_HOP_SAME_UNIT,
	SIM_HOP_SAME_MODEL,
	SIM_A0,
	SIM_A1,
	SIM_TAU,
	SIM_TAIL,
	SIM_CHAIN,
	SIM_CLAIMS
};

/* What was put in: everything that a claim may be about. */
struct sim_truth {
	double hop_unit_ns, hop_model_ns;
	size_t uplinks; /* links above the device's, behind the chipset: 1 to 3 */
	double device_exit_ns, uplink_exit_ns; /* of the one link; of the first one above */
	double device_entry_ns, uplink_entry_ns;
	double more_exit_ns[SIM_LINKS - 2]; /* of further links above, entered as the first */
	int64_t advertised_ns[SIM_LINKS];   /* L1 exit, root port first; true or not */
	double media_ns;
	double a0_ns, exit_ns, path_exit_ns; /* of the device link; of the whole path */
	const char *state, *device_state;    /* names of the two arms beside "off" */
	unsigned bits;                       /* the state as enum pl_aspm bits */
};

/* Draws noise, topology and effects; is_null: no effect at all. */
void pl_sim_draw(struct sim_board *board, uint64_t seed, bool is_null, struct sim_truth *truth);
/* Puts the (changed) effects of the truth into the board and works out what follows from them. */
void pl_sim_apply(struct sim_board *board, struct sim_truth *truth);
/* ---- tests/sim/sim_path.c ---- */

void pl_sim_draw_advertised(struct pl_rng *rng, struct sim_truth *truth);
/* Paths and links of the run as long as the truth has them. */
void pl_sim_discover(struct pl_run *run, const struct sim_truth *truth);
/* Whether the true exit is longer than what is advertised allows. */
bool pl_sim_exceeds(const struct pl_effect *effect, const struct sim_truth *truth);

/* ---- a run ---- */

/* The series of one boot: the drive behind the chipset over states and gaps, and its reference. */
void pl_sim_plan_grid(struct pl_run *run, const struct sim_truth *truth, unsigned blocks,
		      size_t samples);
/* Plans and measures a whole run; samples per block of the grid, blocks per series. */
void pl_sim_run(struct sim_board *board, struct pl_run *run, const struct sim_truth *truth,
		unsigned blocks, size_t samples);

/* Which kind of claim an effect is; SIM_CLAIMS: none that is scored. */
enum sim_claim pl_sim_claim_of(const struct pl_effect *effect, const struct sim_truth *truth);
/* What is true for it (for SIM_TAU: the entry timer). */
double pl_sim_true_value(const struct pl_effect *effect, const struct sim_truth *truth);
const char *pl_sim_claim_name(enum sim_claim claim);

#endif
