#ifndef PL_TESTS_SIM_TRIAL_H
#define PL_TESTS_SIM_TRIAL_H

/* One simulated board through plan, walk and attribution, for the tests of single boards. */

#include "tests/t.h"

#include <math.h>

#include "model/aspm.h"
#include "model/state.h"
#include "report/report.h"
#include "tests/sim/sim_draw.h"

#define BLOCKS 12u
#define SAMPLES 30u

struct trial {
	struct sim_board board;
	struct sim_truth truth;
	struct pl_run run;
};

/* A quiet board: noise small and even, no effect unless a test puts one in. */
static inline void begin(struct trial *t, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	pl_sim_board_init(&t->board, seed);
	t->board.switch_delay_ns = 0.0;
	t->board.noise.shape = 0.03;
	t->board.noise.drift = 0.01;
	t->truth = (struct sim_truth){.device_entry_ns = 12e3,
				      .uplink_entry_ns = 12e3,
				      .state = "l1",
				      .device_state = "device_l1_uplink_off",
				      .bits = PL_ASPM_L1};
	pl_sim_apply(&t->board, &t->truth);
	pl_sim_run_init(&t->run, seed);
}

static inline void plan(struct trial *t, enum pl_probe probe, const char *idle)
{
	static const char *const states[] = {"off", "l1", "device_l1_uplink_off"};

	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
		for (size_t g = 0; g < SIM_GAPS; g++)
			pl_sim_plan(&t->run, 1, probe, states[s], pl_sim_gaps_ns[g], BLOCKS,
				    SAMPLES)
				->conditions.idle = g ? idle : NULL;
}

static inline void finish(struct trial *t)
{
	pl_sim_measure(&t->board, &t->run, 0, t->run.measurement_count);
	assert_int_equal(pl_report_attribute(&t->run, NULL), 0);
}

static inline const struct pl_effect *find(const struct trial *t, enum pl_effect_kind kind,
					   const char *state)
{
	for (size_t i = 0; i < t->run.effect_count; i++)
		if (t->run.effects[i].kind == kind && !strcmp(t->run.effects[i].state, state))
			return &t->run.effects[i];
	fail_msg("no such claim");
	return NULL;
}

static inline void assert_nothing_is_claimed(const struct trial *t)
{
	for (size_t i = 0; i < t->run.effect_count; i++)
		if (t->run.effects[i].status == PL_CLAIM_RESOLVED)
			fail_msg("claimed: %s", t->run.effects[i].sentence);
}

static inline double median_after(const struct trial *t, const char *state, uint64_t gap_ns)
{
	for (size_t i = 0; i < t->run.measurement_count; i++) {
		const struct pl_measurement *m = t->run.measurements[i];

		if (m->slot == &t->run.slots[1] && m->conditions.gap_ns == gap_ns &&
		    pl_state_is_same(m->conditions.state, state))
			return m->summary.p50_ns;
	}
	return (double)NAN;
}

static inline bool has_warning(const struct trial *t, const char *code)
{
	for (size_t i = 0; i < t->run.measurement_count; i++)
		for (size_t k = 0; k < t->run.measurements[i]->warning_count; k++)
			if (!strncmp(t->run.measurements[i]->warnings[k], code, strlen(code)))
				return true;
	return false;
}

#endif
