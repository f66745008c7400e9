#include "tests/t.h"

#include <math.h>

#include "core/rng.h"
#include "core/sequence.h"
#include "core/stats.h"
#include "core/stats_bracket.h"
#include "core/stats_dist.h"
#include "core/stats_infer.h"
#include "core/stats_step.h"
#include "core/stats_tail.h"

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

/* With 1 degree of freedom t is Cauchy, with 2 it has a closed form. */
static void t_matches_its_closed_forms(void **state)
{
	(void)state;
	assert_true(is_near(pl_stats_t_cdf(1.0, 1.0), 0.75, 1e-12));
	assert_true(is_near(pl_stats_t_cdf(-2.0, 2.0), 0.5 - 1.0 / sqrt(6.0), 1e-12));
	assert_true(is_near(pl_stats_t_quantile(0.75, 1.0), 1.0, 1e-9));
	assert_true(is_near(pl_stats_t_quantile(0.025, 11.0), -2.200985, 1e-6));
	assert_true(pl_stats_t_p(HUGE_VAL, 11.0) == 0.0);
	assert_true(isnan(pl_stats_t_p((double)NAN, 11.0)));
	assert_true(isnan(pl_stats_t_quantile(0.0, 3.0)));
}

/* I_x(1, b) = 1 - (1 - x)^b; P(X <= 1) of 3 trials of 1/2 is 1/2. */
static void beta_and_binomial_match_their_closed_forms(void **state)
{
	(void)state;
	assert_true(is_near(pl_stats_beta_cdf(0.3, 1.0, 4.0), 1.0 - pow(0.7, 4.0), 1e-12));
	assert_true(is_near(pl_stats_beta_cdf(0.9, 3.0, 1.0), pow(0.9, 3.0), 1e-12));
	assert_true(is_near(pl_stats_binomial_cdf(1, 3, 0.5), 0.5, 1e-12));
	assert_true(pl_stats_binomial_cdf(-1, 3, 0.5) == 0.0);
	assert_true(pl_stats_binomial_cdf(3, 3, 0.5) == 1.0);
}

/* 300 samples have no upper bound for p99 (368 would); 1000 samples: ranks 984 and 996. */
static void quantile_ranks_are_exact(void **state)
{
	struct pl_rank_interval r = pl_stats_quantile_ranks(300, 0.99, 0.95);

	(void)state;
	assert_true(r.upper > 300 && r.lower > 0);
	r = pl_stats_quantile_ranks(368, 0.99, 0.95);
	assert_int_equal(r.upper, 368);
	assert_true(r.coverage >= 0.95 && r.coverage < 0.98);
	r = pl_stats_quantile_ranks(1000, 0.99, 0.95);
	assert_in_range(r.lower, 983, 984);
	assert_in_range(r.upper, 996, 997);
	assert_true(r.coverage >= 0.95);
}

static void estimates_match_the_paper_and_pencil_ones(void **state)
{
	const double a[] = {1.0, 2.0, 3.0, 4.0, (double)NAN}, b[] = {0.0, 0.0, 0.0, 0.0, 0.0};
	struct pl_estimate e = pl_stats_estimate_paired(a, b, 5, 0.0);

	(void)state;
	assert_int_equal(e.n, 4);
	assert_true(e.mean == 2.5 && e.df == 3.0);
	assert_true(is_near(e.error, sqrt(5.0 / 3.0) / 2.0, 1e-12));
	assert_true(is_near(e.high - e.mean, 3.1824 * e.error, 1e-3));
	assert_true(is_near(e.p, 0.030466, 1e-5));
	e = pl_stats_estimate_groups(a, 4, b, 4);
	assert_true(e.mean == 2.5 && e.df == 6.0);
	assert_true(is_near(e.error, sqrt(5.0 / 6.0 * 0.5), 1e-12));
	assert_true(isnan(pl_stats_estimate_groups(a, 1, b, 1).low));
}

/* Blocks that all agree on a coarse clock are not infinitely sure. */
static void the_floor_bounds_the_error(void **state)
{
	const double same[12] = {40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40};
	struct pl_estimate e = pl_stats_estimate(same, 12, 40.0);

	(void)state;
	assert_true(is_near(e.error, 40.0 / 12.0, 1e-9));
	assert_true(e.high > e.low);
	e = pl_stats_estimate(same, 12, 0.0);
	assert_true(isnan(e.p));
}

/* Holm (1979): 0.01, 0.03, 0.04, 0.005 become 0.03, 0.06, 0.06, 0.02. */
static void holm_matches_the_textbook(void **state)
{
	double p[] = {0.01, 0.03, (double)NAN, 0.04, 0.005};

	(void)state;
	pl_stats_holm(p, 5);
	assert_true(is_near(p[0], 0.03, 1e-12) && is_near(p[1], 0.06, 1e-12));
	assert_true(is_near(p[3], 0.06, 1e-12) && is_near(p[4], 0.02, 1e-12));
	assert_true(isnan(p[2]));
}

/* An AR(1) series with phi = 0.6 is worth n (1 - phi) / (1 + phi) = n / 4. */
static void effective_count_sees_autocorrelation(void **state)
{
	double white[4000], red[4000], last = 0.0;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 3);
	for (size_t i = 0; i < 4000; i++) {
		white[i] = pl_rng_normal(&rng);
		red[i] = last = 0.6 * last + pl_rng_normal(&rng);
	}
	assert_true(pl_stats_effective_count(white, 4000) > 3400.0);
	assert_true(is_near(pl_stats_effective_count(red, 4000), 1000.0, 200.0));
	assert_true(pl_stats_effective_count(white, 3) == 3.0);
}

/* Exponential blocks are skewed: bootstrap-t leans the right way and covers. */
static void bootstrap_t_covers_skewed_blocks(void **state)
{
	unsigned covered = 0;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 4);
	for (unsigned r = 0; r < 400; r++) {
		double v[16];
		struct pl_estimate e;

		for (size_t i = 0; i < 16; i++)
			v[i] = -log(1.0 - pl_rng_unit(&rng));
		e = pl_stats_estimate_bootstrap(v, 16, 399, &rng);
		covered += e.low <= 1.0 && 1.0 <= e.high;
	}
	/* 0.95 minus four standard errors of 400 (0.044). */
	assert_true(covered >= 362);
}

static void fill_curve(struct pl_rng *rng, double *d, size_t step, double height)
{
	for (size_t b = 0; b < 12; b++)
		for (size_t g = 0; g < 10; g++)
			d[b * 10 + g] =
				100.0 + pl_rng_normal(rng) + (step && g >= step ? height : 0.0);
}

static void steps_are_found_where_they_are(void **state)
{
	double d[120];
	struct pl_rng rng;
	struct pl_step step;

	(void)state;
	pl_rng_init(&rng, 5);
	for (size_t at = 1; at < 10; at++) {
		fill_curve(&rng, d, at, 10.0);
		step = pl_stats_find_step(d, 12, 10, 0.01, 1);
		assert_int_equal(step.shape, PL_SHAPE_STEP);
		assert_int_equal(step.split, at);
		assert_true(step.low <= at && at <= step.high);
		/* Only the pattern that was seen reaches it: 1 of 2^11. */
		assert_true(is_near(step.p, 1.0 / 2048.0, 1e-9));
	}
}

/* A fall is a step as well. */
static void falls_are_found_too(void **state)
{
	double d[120];
	struct pl_rng rng;
	struct pl_step step;

	(void)state;
	pl_rng_init(&rng, 14);
	fill_curve(&rng, d, 6, -10.0);
	step = pl_stats_find_step(d, 12, 10, 0.01, 1);
	assert_int_equal(step.shape, PL_SHAPE_STEP);
	assert_int_equal(step.split, 6);
}

/* What was stopped by the rule is wider by 1/n, and its p-value is that of the wider interval. */
static void stopping_widens_by_one_part_in_n(void **state)
{
	const double v[] = {9.0, 10.0, 11.0, 12.0, 8.0};
	struct pl_estimate plain = pl_stats_estimate(v, 5, 0.0), wide = plain;

	(void)state;
	pl_sequence_widen(&wide);
	assert_true(is_near(wide.high - wide.mean, 1.2 * (plain.high - plain.mean), 1e-9));
	assert_true(is_near(wide.error, 1.2 * plain.error, 1e-9));
	assert_true(wide.p > plain.p);
	assert_true(is_near(pl_sequence_judge(v, 5, 0.0, &pl_precision_hop, 9.0).half_width_ns,
			    wide.high - wide.mean, 1e-9));
}

/* Without a step p is uniform: 5 % below 0.05, within four standard errors of 400 curves. */
/* Without slack the middle 95 % of a logarithm, or of a length; all slack: of a length again. */
static void brackets_match_their_closed_forms(void **state)
{
	struct pl_interval i = pl_stats_bracket(8.0, 16.0, 0.0, 0.95);

	(void)state;
	assert_true(is_near(i.low, 8.0 * pow(2.0, 0.025), 1e-9));
	assert_true(is_near(i.high, 8.0 * pow(2.0, 0.975), 1e-9));
	assert_true(is_near(i.estimate, 8.0 * sqrt(2.0), 1e-9));
	i = pl_stats_bracket(0.0, 10.0, 0.0, 0.95);
	assert_true(is_near(i.low, 0.25, 1e-9) && is_near(i.high, 9.75, 1e-9));
	i = pl_stats_bracket(5.0, 5.0, 4.0, 0.95);
	assert_true(is_near(i.low, 5.1, 1e-9) && is_near(i.high, 8.9, 1e-9));
	/* Two lengths of 10: a triangle, whose tail of 2.5 % begins at 10 * sqrt(2 * 0.025). */
	i = pl_stats_bracket(0.0, 10.0, 10.0, 0.95);
	assert_true(is_near(i.low, 10.0 * sqrt(0.05), 1e-9));
	assert_true(is_near(i.high, 20.0 - 10.0 * sqrt(0.05), 1e-9));
	assert_true(isnan(pl_stats_bracket(2.0, 1.0, 0.0, 0.95).low));
	assert_true(isnan(pl_stats_bracket((double)NAN, 1.0, 0.0, 0.95).low));
	assert_true(isnan(pl_stats_bracket(1.0, 2.0, -1.0, 0.95).high));
}

/* A timer anywhere between two gaps, whatever part of an access the link rests besides. */
static void brackets_cover_timers_anywhere(void **state)
{
	unsigned covered = 0;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 5);
	for (unsigned t = 0; t < 20000; t++) {
		double low = exp(8.0 * pl_rng_unit(&rng)), high = low * (1.1 + pl_rng_unit(&rng));
		double slack = 3.0 * low * pow(pl_rng_unit(&rng), 4.0);
		double timer = low * pow(high / low, pl_rng_unit(&rng)) + slack * pl_rng_unit(&rng);
		struct pl_interval i = pl_stats_bracket(low, high, slack, 0.95);

		covered += i.low <= timer && timer <= i.high;
	}
	/* 95 % within four standard errors (0.15 %). */
	assert_in_range(covered, 18877, 19123);
}

static void the_step_test_keeps_its_level(void **state)
{
	unsigned below = 0;
	double d[120];
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 6);
	for (unsigned r = 0; r < 400; r++) {
		fill_curve(&rng, d, 0, 0.0);
		below += pl_stats_find_step(d, 12, 10, 0.0, 1).p <= 0.05;
	}
	assert_in_range(below, 3, 37);
}

static void random_patterns_agree_with_all_of_them(void **state)
{
	double d[200];
	struct pl_rng rng;
	struct pl_step exact, random;

	(void)state;
	pl_rng_init(&rng, 7);
	for (size_t i = 0; i < 200; i++)
		d[i] = pl_rng_normal(&rng) + (i % 10 >= 4 ? 0.25 : 0.0);
	exact = pl_stats_find_step(d, 13, 10, 0.0, 1);
	/* A round with a hole is left out, so 14 rounds are 13 whole ones. */
	d[139] = (double)NAN;
	random = pl_stats_find_step(d, 14, 10, 0.0, 1);
	assert_true(exact.p == random.p);
	random = pl_stats_find_step(d, 20, 10, 0.0, 1);
	assert_true(random.p > 0.0 && random.p < 0.5);
}

static void slopes_and_double_steps_are_named(void **state)
{
	double d[120];
	struct pl_rng rng;
	struct pl_step step;

	(void)state;
	pl_rng_init(&rng, 8);
	for (size_t i = 0; i < 120; i++)
		d[i] = pl_rng_normal(&rng) + 5.0 * (double)(i % 10);
	assert_int_equal(pl_stats_find_step(d, 12, 10, 0.01, 1).shape, PL_SHAPE_SLOPE);
	for (size_t i = 0; i < 120; i++)
		d[i] = pl_rng_normal(&rng) + (i % 10 >= 3 ? 10.0 : 0.0) +
		       (i % 10 >= 7 ? 20.0 : 0.0);
	step = pl_stats_find_step(d, 12, 10, 0.01, 1);
	assert_int_equal(step.shape, PL_SHAPE_TWO_STEPS);
	assert_int_equal(step.split, 3);
	assert_int_equal(step.second, 7);
}

static void few_rounds_or_gaps_find_nothing(void **state)
{
	double d[120];
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 9);
	fill_curve(&rng, d, 5, 100.0);
	assert_true(pl_stats_find_step(d, 5, 10, 0.01, 1).p == 1.0);
	assert_true(pl_stats_find_step(d, 12, 2, 0.01, 1).p == 1.0);
	assert_true(pl_stats_find_step(d, 0, 10, 0.01, 1).p == 1.0);
}

static void contrasts_leave_holes_out(void **state)
{
	const double d[] = {1.0, 3.0, 10.0, (double)NAN, (double)NAN, (double)NAN, 5.0, 6.0};
	double out[2];

	(void)state;
	pl_stats_step_contrast(d, 2, 4, 2, 2, out);
	assert_true(out[0] == 8.0);
	assert_true(isnan(out[1]));
}

#define TAIL_BLOCKS 12
#define TAIL_SAMPLES 250

static void draw_tail(struct pl_rng *rng, uint64_t *ticks, size_t *start, double shift)
{
	for (size_t i = 0; i < TAIL_BLOCKS * TAIL_SAMPLES; i++)
		ticks[i] = (uint64_t)(1000.0 + shift + 50.0 * fabs(pl_rng_normal(rng)));
	for (size_t b = 0; b <= TAIL_BLOCKS; b++)
		start[b] = b * TAIL_SAMPLES;
}

static void tails_are_compared_by_shares(void **state)
{
	uint64_t a[TAIL_BLOCKS * TAIL_SAMPLES], b[TAIL_BLOCKS * TAIL_SAMPLES];
	size_t start[TAIL_BLOCKS + 1];
	struct pl_blocks x = {a, start, TAIL_BLOCKS, 1.0}, y = {b, start, TAIL_BLOCKS, 1.0};
	unsigned covered = 0, claimed = 0;
	struct pl_rng rng;
	struct pl_estimate e;

	(void)state;
	pl_rng_init(&rng, 10);
	for (unsigned r = 0; r < 100; r++) {
		draw_tail(&rng, a, start, 60.0);
		draw_tail(&rng, b, start, 0.0);
		e = pl_stats_tail_difference(&x, &y, 0.99);
		covered += e.low <= 60.0 && 60.0 <= e.high;
		draw_tail(&rng, a, start, 0.0);
		claimed += pl_stats_tail_difference(&x, &y, 0.99).p < 0.01;
	}
	assert_true(covered >= 87);
	assert_true(claimed <= 5);
	/* Nothing carries p99.9 here, and two rounds carry nothing. */
	assert_true(isnan(pl_stats_tail_difference(&x, &y, 0.999).low));
	x.count = 2;
	assert_true(isnan(pl_stats_tail_difference(&x, &y, 0.99).low));
}

/* A tail that lies in one round only is bounded by nothing. */
static void a_tail_of_one_round_has_no_bounds(void **state)
{
	uint64_t a[TAIL_BLOCKS * TAIL_SAMPLES], b[TAIL_BLOCKS * TAIL_SAMPLES];
	size_t start[TAIL_BLOCKS + 1];
	struct pl_blocks x = {a, start, TAIL_BLOCKS, 1.0}, y = {b, start, TAIL_BLOCKS, 1.0};
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 11);
	draw_tail(&rng, a, start, 0.0);
	draw_tail(&rng, b, start, 0.0);
	for (size_t i = 0; i < 60; i++)
		a[i] = 100000;
	assert_true(pl_stats_tail_difference(&x, &y, 0.99).p > 0.05);
}

/* Coverage of intervals that were stopped by the rule, for noise that needs 6 to 150 rounds. */
static void stopped_intervals_cover(void **state)
{
	static const double need[] = {6.0, 16.0, 40.0, 150.0};
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, 12);
	for (size_t k = 0; k < sizeof(need) / sizeof(need[0]); k++) {
		double sd = sqrt(need[k]) * 5.0 / 1.96, v[400];
		unsigned covered = 0;

		for (unsigned r = 0; r < 400; r++) {
			struct pl_sequence s;
			size_t n = 0;

			do {
				v[n++] = 100.0 + sd * pl_rng_normal(&rng);
				s = pl_sequence_judge(v, n, 0.0, &pl_precision_hop,
						      (double)(400 - n));
			} while (s.verdict == PL_SEQUENCE_CONTINUE);
			assert_int_equal(s.verdict, PL_SEQUENCE_RESOLVED);
			assert_true(s.half_width_ns <= 5.0 && n >= PL_SEQUENCE_MIN_ROUNDS);
			covered += s.estimate.low <= 100.0 && 100.0 <= s.estimate.high;
		}
		/* 0.95 minus four standard errors of 400. */
		assert_true(covered >= 362);
	}
}

static void what_the_budget_cannot_reach_is_given_up(void **state)
{
	struct pl_rng rng;
	double v[12];

	(void)state;
	pl_rng_init(&rng, 13);
	for (size_t i = 0; i < 12; i++)
		v[i] = 1000.0 * pl_rng_normal(&rng);
	assert_int_equal(pl_sequence_judge(v, 12, 0.0, &pl_precision_hop, 50.0).verdict,
			 PL_SEQUENCE_UNRESOLVABLE);
	assert_int_equal(pl_sequence_judge(v, 12, 0.0, &pl_precision_hop, 1e7).verdict,
			 PL_SEQUENCE_CONTINUE);
	assert_int_equal(pl_sequence_judge(v, 2, 0.0, &pl_precision_hop, 0.0).verdict,
			 PL_SEQUENCE_UNRESOLVABLE);
	/* Never before the least number of rounds, however quiet. */
	for (size_t i = 0; i < 11; i++)
		v[i] = 100.0 + 0.001 * (double)i;
	assert_int_equal(pl_sequence_judge(v, 11, 0.0, &pl_precision_hop, 1.0).verdict,
			 PL_SEQUENCE_CONTINUE);
}

static void ties_are_interpolated(void **state)
{
	/* 10 below, 80 at 40, 10 above: the middle of the bin. */
	uint64_t v[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		v[i] = i < 10 ? 0 : i < 90 ? 40 : 80;
	assert_true(pl_stats_grouped_median(v, 100) == 40.0);
	for (size_t i = 0; i < 100; i++)
		v[i] = i < 40 ? 0 : i < 90 ? 40 : 80;
	/* 10 of the 50 in the bin of 40 wide (20 … 60) lie below the middle. */
	assert_true(pl_stats_grouped_median(v, 100) == 28.0);
	assert_int_equal(pl_stats_step(v, 100), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_matches_its_closed_forms),
		cmocka_unit_test(beta_and_binomial_match_their_closed_forms),
		cmocka_unit_test(quantile_ranks_are_exact),
		cmocka_unit_test(estimates_match_the_paper_and_pencil_ones),
		cmocka_unit_test(the_floor_bounds_the_error),
		cmocka_unit_test(holm_matches_the_textbook),
		cmocka_unit_test(effective_count_sees_autocorrelation),
		cmocka_unit_test(bootstrap_t_covers_skewed_blocks),
		cmocka_unit_test(steps_are_found_where_they_are),
		cmocka_unit_test(falls_are_found_too),
		cmocka_unit_test(stopping_widens_by_one_part_in_n),
		cmocka_unit_test(brackets_match_their_closed_forms),
		cmocka_unit_test(brackets_cover_timers_anywhere),
		cmocka_unit_test(the_step_test_keeps_its_level),
		cmocka_unit_test(random_patterns_agree_with_all_of_them),
		cmocka_unit_test(slopes_and_double_steps_are_named),
		cmocka_unit_test(few_rounds_or_gaps_find_nothing),
		cmocka_unit_test(contrasts_leave_holes_out),
		cmocka_unit_test(tails_are_compared_by_shares),
		cmocka_unit_test(a_tail_of_one_round_has_no_bounds),
		cmocka_unit_test(stopped_intervals_cover),
		cmocka_unit_test(what_the_budget_cannot_reach_is_given_up),
		cmocka_unit_test(ties_are_interpolated),
	};

	return cmocka_run_group_tests_name("infer", tests, NULL, NULL);
}
