#ifndef PL_TESTS_SIM_SCORE_H
#define PL_TESTS_SIM_SCORE_H

#include <stdio.h>

#include "tests/sim/sim_draw.h"

/* Claims against truth over many boards: used by bench/calibration and by the tests. */

#define SIM_MULTIPLES 3 /* effects of 1, 2 and 4 times the printed detection limit */

struct sim_score {
	unsigned planned, covered; /* claims with an interval, shown or not */
	unsigned not_made;         /* planned claims without an interval */
	unsigned shown, shown_covered;
	double *widths;
	size_t width_count, width_capacity;
	unsigned tried[SIM_MULTIPLES], found[SIM_MULTIPLES];
};

struct sim_time {
	double sequential_s, same_width_s, fixed_s, naive_s; /* medians, virtual time */
	double coverage;                                     /* of intervals stopped by the rule */
	unsigned boards, unresolved;
};

struct sim_calibration_options {
	unsigned boards;
	unsigned power_every; /* power is asked for on one board in so many; 0: on none */
	uint64_t seed;
	bool is_quiet;
};

struct sim_calibration {
	struct sim_calibration_options options;
	struct sim_score claims[SIM_CLAIMS];
	unsigned null_boards, null_claimed;
	unsigned exceeds, exceeds_wrong; /* verdicts on what is advertised */
	struct sim_time time;
};

/* Boards with effects, as many without; some of them for power, a twentieth for time. */
void pl_sim_calibrate(const struct sim_calibration_options *options,
		      struct sim_calibration *result);
void pl_sim_calibration_fini(struct sim_calibration *result);
void pl_sim_calibration_print(const struct sim_calibration *result, FILE *out);
void pl_sim_calibration_print_json(const struct sim_calibration *result, FILE *out);

/* One board through plan, walk and attribution; the caller ends the run. */
void pl_sim_claim_all(struct sim_board *board, struct pl_run *run, const struct sim_truth *truth);
/* Adds the claims of one run to the scores. */
void pl_sim_score_run(struct sim_score *scores, const struct pl_run *run,
		      const struct sim_truth *truth);
double pl_sim_coverage(const struct sim_score *score);
/* tests/sim/sim_time.c: sequential measuring against fixed numbers of rounds. */
void pl_sim_time_boards(unsigned boards, uint64_t seed, struct sim_time *time);

#endif
