#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tests/sim/sim_score.h"

/*
 * What the stopping rule saves, in virtual time. "Same width": every series of the grid for as many
 * rounds as the slowest claim of this board needed. "Fixed": a number of rounds chosen beforehand
 * so that 9 boards in 10 get their precision. "Naive": 60 s in each of three states.
 */

#define ROUNDS_MAX 150u
#define SAMPLES 24u
#define NAIVE_S 180.0
#define NS_PER_S 1e9

struct taken {
	double sequential_s, round_s; /* of a round with every series */
	unsigned rounds;              /* of the slowest claim */
};

static unsigned run_board(struct sim_board *board, struct pl_run *run,
			  const struct sim_truth *truth, struct taken *taken)
{
	struct pl_stopping stopping;
	double before_ns;
	bool goes_on = true;

	pl_sim_run_init(run, 1);
	pl_sim_discover(run, truth);
	pl_sim_plan_grid(run, truth, ROUNDS_MAX, SAMPLES);
	pl_stopping_open(&stopping, run, NULL, NULL);
	for (taken->rounds = 0; goes_on && taken->rounds < ROUNDS_MAX; taken->rounds++) {
		before_ns = board->now_ns;
		pl_sim_round(board, run, 0, run->measurement_count, &stopping);
		if (!taken->rounds)
			taken->round_s = (board->now_ns - before_ns) / NS_PER_S;
		pl_stopping_update(&stopping);
		goes_on = false;
		for (size_t i = 0; i < run->measurement_count && !goes_on; i++)
			goes_on = pl_stopping_wants(&stopping, i);
	}
	taken->sequential_s = board->now_ns / NS_PER_S;
	pl_sim_finish(run, 0, run->measurement_count);
	return (unsigned)pl_stopping_close(&stopping);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile_of(double *values, unsigned count, double p)
{
	qsort(values, count, sizeof(*values), compare);
	return values[(unsigned)(p * (double)(count - 1) + 0.5)];
}

static void summarise(struct sim_time *time, const struct taken *taken, unsigned boards)
{
	double *values = calloc(boards, sizeof(*values)), rounds;

	if (!values)
		abort();
	for (unsigned i = 0; i < boards; i++)
		values[i] = taken[i].rounds;
	rounds = quantile_of(values, boards, 0.9);
	for (unsigned i = 0; i < boards; i++)
		values[i] = taken[i].sequential_s;
	time->sequential_s = quantile_of(values, boards, 0.5);
	for (unsigned i = 0; i < boards; i++)
		values[i] = taken[i].round_s * taken[i].rounds;
	time->same_width_s = quantile_of(values, boards, 0.5);
	for (unsigned i = 0; i < boards; i++)
		values[i] = taken[i].round_s * rounds;
	time->fixed_s = quantile_of(values, boards, 0.5);
	time->naive_s = NAIVE_S;
	free(values);
}

void pl_sim_time_boards(unsigned boards, uint64_t seed, struct sim_time *time)
{
	struct taken *taken = calloc(boards, sizeof(*taken));
	struct sim_score scores[SIM_CLAIMS];
	unsigned planned = 0, covered = 0;

	if (!taken)
		abort();
	memset(time, 0, sizeof(*time));
	memset(scores, 0, sizeof(scores));
	time->boards = boards;
	for (unsigned i = 0; i < boards; i++) {
		struct sim_board board;
		struct sim_truth truth;
		struct pl_run run;

		pl_sim_draw(&board, seed + i, false, &truth);
		time->unresolved += run_board(&board, &run, &truth, &taken[i]);
		pl_report_attribute(&run, NULL);
		pl_sim_score_run(scores, &run, &truth);
		pl_run_fini(&run);
	}
	/* The claims that the rule looked at. */
	for (size_t c = 0; c < SIM_CLAIMS; c++) {
		if (c == SIM_HOP_SAME_MODEL || c == SIM_A1 || c == SIM_A0) {
			planned += scores[c].planned;
			covered += scores[c].covered;
		}
		free(scores[c].widths);
	}
	time->coverage = (double)covered / (double)planned;
	summarise(time, taken, boards);
	free(taken);
}
