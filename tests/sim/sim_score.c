#include "tests/sim/sim_score.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define BLOCKS 12u
#define SAMPLES 24u

static const double multiples[SIM_MULTIPLES] = {1.0, 2.0, 4.0};

void pl_sim_claim_all(struct sim_board *board, struct pl_run *run, const struct sim_truth *truth)
{
	pl_sim_run(board, run, truth, BLOCKS, SAMPLES);
	pl_report_attribute(run, NULL);
}

static void add_width(struct sim_score *score, double width)
{
	if (score->width_count == score->width_capacity) {
		score->width_capacity = score->width_capacity ? 2 * score->width_capacity : 256;
		score->widths =
			realloc(score->widths, score->width_capacity * sizeof(*score->widths));
		if (!score->widths)
			abort();
	}
	score->widths[score->width_count++] = width;
}

static void score_effect(struct sim_score *score, const struct pl_effect *effect, double truth)
{
	bool is_shown = effect->status == PL_CLAIM_RESOLVED;
	bool is_covered = effect->low_ns <= truth && truth <= effect->high_ns;

	/* An entry timer that is not shown says nothing, and nothing cannot be wrong. */
	if (isnan(effect->low_ns) || isnan(effect->high_ns)) {
		score->not_made++;
		return;
	}
	score->planned++;
	score->covered += is_covered;
	score->shown += is_shown;
	score->shown_covered += is_shown && is_covered;
	add_width(score, effect->high_ns - effect->low_ns);
}

void pl_sim_score_run(struct sim_score *scores, const struct pl_run *run,
		      const struct sim_truth *truth)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *effect = &run->effects[i];
		enum sim_claim claim = pl_sim_claim_of(effect, truth);

		if (claim != SIM_CLAIMS)
			score_effect(&scores[claim], effect, pl_sim_true_value(effect, truth));
	}
}

double pl_sim_coverage(const struct sim_score *score)
{
	return score->planned ? (double)score->covered / (double)score->planned : (double)NAN;
}

static void score_verdicts(struct sim_calibration *result, const struct pl_run *run,
			   const struct sim_truth *truth)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *effect = &run->effects[i];

		if (pl_sim_claim_of(effect, truth) != SIM_A1 || !effect->verdict ||
		    strcmp(effect->verdict, "exceeds") != 0)
			continue;
		result->exceeds++;
		result->exceeds_wrong += !pl_sim_exceeds(effect, truth);
	}
}

static bool has_claim(const struct pl_run *run)
{
	for (size_t i = 0; i < run->effect_count; i++)
		if (run->effects[i].status == PL_CLAIM_RESOLVED)
			return true;
	return false;
}

/* ---- power ---- */

/* The effect that is scored for a kind of claim, on these boards. */
static const struct pl_effect *find(const struct pl_run *run, const struct sim_truth *truth,
				    enum sim_claim claim)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *effect = &run->effects[i];

		if (pl_sim_claim_of(effect, truth) == claim &&
		    (claim != SIM_A1 || !strcmp(effect->state, truth->device_state)))
			return effect;
	}
	return NULL;
}

/* Entry timers of boards whose power is asked for: asleep inside a command, and in every gap. */
static void settle(struct sim_board *board, struct sim_truth *truth)
{
	truth->device_entry_ns = truth->uplink_entry_ns = fmin(truth->device_entry_ns, 64e3);
	board->links[2].other_rate = 0.0;
	board->switch_delay_ns = 0.0;
}

/* One effect of this size, nothing else. */
static void put_effect(struct sim_truth *truth, enum sim_claim claim, double ns)
{
	truth->hop_unit_ns = claim == SIM_HOP_SAME_UNIT ? ns : 0.0;
	truth->hop_model_ns = claim == SIM_HOP_SAME_MODEL ? ns : 0.0;
	truth->device_exit_ns = claim == SIM_A1 || claim == SIM_A0 || claim == SIM_TAIL ? ns : 0.0;
	truth->uplink_exit_ns = claim == SIM_CHAIN || claim == SIM_A0 ? ns : 0.0;
	memset(truth->more_exit_ns, 0, sizeof(truth->more_exit_ns));
}

/* Media long enough that the link sleeps inside the command, as A0 needs. */
static void set_media(struct sim_board *board, const struct sim_truth *truth)
{
	board->slots[1].device.media_ns = board->slots[0].device.media_ns =
		fmax(board->slots[1].device.media_ns, 3.0 * truth->device_entry_ns);
}

static void try_power(struct sim_score *score, enum sim_claim claim, uint64_t seed, double limit_ns)
{
	for (size_t k = 0; k < SIM_MULTIPLES; k++) {
		struct sim_board board;
		struct sim_truth truth;
		struct pl_run run;
		const struct pl_effect *effect;

		pl_sim_draw(&board, seed, true, &truth);
		settle(&board, &truth);
		set_media(&board, &truth);
		put_effect(&truth, claim, limit_ns * multiples[k]);
		pl_sim_apply(&board, &truth);
		/* Same board, other noise. */
		pl_rng_init(&board.rng, seed + 1000 * (k + 1) + claim);
		pl_sim_claim_all(&board, &run, &truth);
		effect = find(&run, &truth, claim);
		score->tried[k]++;
		score->found[k] += effect && effect->status == PL_CLAIM_RESOLVED;
		pl_run_fini(&run);
	}
}

static void power_of_board(struct sim_score *scores, uint64_t seed)
{
	struct sim_board board;
	struct sim_truth truth;
	struct pl_run run;

	pl_sim_draw(&board, seed, true, &truth);
	settle(&board, &truth);
	set_media(&board, &truth);
	pl_sim_apply(&board, &truth);
	pl_sim_claim_all(&board, &run, &truth);
	for (enum sim_claim claim = 0; claim < SIM_CLAIMS; claim++) {
		/* An entry timer is shown with the exit it belongs to: at that one's limit. */
		const struct pl_effect *effect =
			find(&run, &truth, claim == SIM_TAU ? SIM_A1 : claim);

		if (effect && effect->detection_limit_ns > 0.0)
			try_power(&scores[claim], claim == SIM_TAU ? SIM_A1 : claim, seed,
				  effect->detection_limit_ns);
	}
	pl_run_fini(&run);
}

/* ---- all ---- */

static void one_board(struct sim_calibration *result, uint64_t seed, bool is_null)
{
	struct sim_board board;
	struct sim_truth truth;
	struct pl_run run;

	pl_sim_draw(&board, seed, is_null, &truth);
	pl_sim_claim_all(&board, &run, &truth);
	if (is_null) {
		result->null_claimed += has_claim(&run);
	} else {
		pl_sim_score_run(result->claims, &run, &truth);
		score_verdicts(result, &run, &truth);
	}
	result->null_boards += is_null;
	pl_run_fini(&run);
}

void pl_sim_calibrate(const struct sim_calibration_options *options, struct sim_calibration *result)
{
	struct pl_rng seeds;

	memset(result, 0, sizeof(*result));
	result->options = *options;
	pl_rng_init(&seeds, options->seed);
	for (unsigned i = 0; i < options->boards; i++) {
		one_board(result, pl_rng_u64(&seeds), false);
		one_board(result, pl_rng_u64(&seeds), true);
		if (options->power_every && i % options->power_every == 0)
			power_of_board(result->claims, pl_rng_u64(&seeds));
	}
	pl_sim_time_boards((options->boards + 19) / 20, pl_rng_u64(&seeds), &result->time);
}

void pl_sim_calibration_fini(struct sim_calibration *result)
{
	for (size_t i = 0; i < SIM_CLAIMS; i++)
		free(result->claims[i].widths);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_width(const struct sim_score *score)
{
	if (!score->width_count)
		return (double)NAN;
	qsort(score->widths, score->width_count, sizeof(double), compare);
	return score->widths[score->width_count / 2];
}

static double power(const struct sim_score *score, size_t k)
{
	return score->tried[k] ? (double)score->found[k] / (double)score->tried[k] : (double)NAN;
}

static double shown_coverage(const struct sim_score *score)
{
	return score->shown ? (double)score->shown_covered / (double)score->shown : (double)NAN;
}

void pl_sim_calibration_print(const struct sim_calibration *result, FILE *out)
{
	fprintf(out, "%-15s %7s %8s %7s %8s %12s %6s %6s %6s\n", "claim", "n", "coverage", "shown",
		"of shown", "width ns", "1x", "2x", "4x");
	for (size_t i = 0; i < SIM_CLAIMS; i++) {
		const struct sim_score *s = &result->claims[i];

		fprintf(out, "%-15s %7u %8.4f %7u %8.4f %12.1f %6.3f %6.3f %6.3f\n",
			pl_sim_claim_name((enum sim_claim)i), s->planned, pl_sim_coverage(s),
			s->shown, shown_coverage(s), median_width(s), power(s, 0), power(s, 1),
			power(s, 2));
	}
	fprintf(out, "boards without effect: %u of %u with a claim\n", result->null_claimed,
		result->null_boards);
	fprintf(out, "\"exceeds what is advertised\": %u times, %u of them wrong\n",
		result->exceeds, result->exceeds_wrong);
	fprintf(out,
		"time to the default precision (median of %u boards): %.2f s; all series for the "
		"same width %.2f s; fixed rounds for 9 boards in 10 %.2f s; coverage %.4f\n",
		result->time.boards, result->time.sequential_s, result->time.same_width_s,
		result->time.fixed_s, result->time.coverage);
}

/* A number, or null where it is not defined. */
static void put(FILE *out, const char *name, double value, const char *after)
{
	if (isnan(value))
		fprintf(out, "\"%s\": null%s", name, after);
	else
		fprintf(out, "\"%s\": %.6g%s", name, value, after);
}

static void put_claim(FILE *out, enum sim_claim claim, const struct sim_score *s)
{
	fprintf(out, "\"%s\": {", pl_sim_claim_name(claim));
	put(out, "coverage", pl_sim_coverage(s), ", ");
	put(out, "coverage_shown", shown_coverage(s), ", ");
	put(out, "median_width_ns", median_width(s), ", ");
	put(out, "power_1x", power(s, 0), ", ");
	put(out, "power_2x", power(s, 1), ", ");
	put(out, "power_4x", power(s, 2), ", ");
	fprintf(out, "\"n\": %u}", s->planned);
}

static void put_counts(FILE *out, const struct sim_calibration *result)
{
	fputs("\"counts\": {", out);
	for (size_t i = 0; i < SIM_CLAIMS; i++)
		fprintf(out, "%s\"%s\": {\"shown\": %u, \"not_made\": %u}", i ? ", " : "",
			pl_sim_claim_name((enum sim_claim)i), result->claims[i].shown,
			result->claims[i].not_made);
	fprintf(out, "}, \"verdicts\": {\"exceeds\": %u, \"wrong\": %u}, ", result->exceeds,
		result->exceeds_wrong);
}

void pl_sim_calibration_print_json(const struct sim_calibration *result, FILE *out)
{
	const struct sim_time *t = &result->time;

	fputs("{\"claims\": {", out);
	for (size_t i = 0; i < SIM_CLAIMS; i++) {
		fputs(i ? ", " : "", out);
		put_claim(out, (enum sim_claim)i, &result->claims[i]);
	}
	fputs("}, ", out);
	put(out, "false_claim_rate", (double)result->null_claimed / (double)result->null_boards,
	    ", ");
	put_counts(out, result);
	fputs("\"time\": {", out);
	put(out, "sequential_s", t->sequential_s, ", ");
	put(out, "fixed_same_width_s", t->same_width_s, ", ");
	put(out, "fixed_rounds_s", t->fixed_s, ", ");
	put(out, "naive_60s_x3_states_s", t->naive_s, ", ");
	put(out, "ratio_same_width", t->sequential_s / t->same_width_s, ", ");
	put(out, "ratio_fixed_rounds", t->sequential_s / t->fixed_s, ", ");
	put(out, "ratio_naive", t->sequential_s / t->naive_s, ", ");
	put(out, "coverage", t->coverage, ", ");
	fprintf(out, "\"boards\": %u, \"unresolved\": %u}, ", t->boards, t->unresolved);
	fprintf(out, "\"boards\": %u, \"seed\": %" PRIu64 "}\n", result->options.boards,
		result->options.seed);
}
