#include "tests/t.h"

#include <math.h>

#include "core/rng.h"
#include "model/summary.h"
#include "report/quality.h"
#include "tests/sim/sim.h"

/*
 * The gates on the quality of single series, each where it alone matters: a healthy series with
 * one thing wrong, and exactly that thing is said.
 */

#define SAMPLES 30u
#define LEVEL_NS 6500.0
#define GAP_NS 100000u

struct gate {
	struct pl_run run;
	struct pl_rng rng;
	struct pl_measurement *m;
};

/* 24 rounds and more are asked for by what looks along the run. */
static void begin(struct gate *g, uint64_t seed, unsigned blocks)
{
	pl_rng_init(&g->rng, seed);
	pl_sim_run_init(&g->run, seed);
	g->m = pl_sim_plan(&g->run, 1, PL_PROBE_BAR, "l1", GAP_NS, blocks, SAMPLES);
}

static double level_of(double (*shape)(unsigned b, unsigned blocks), const struct gate *g)
{
	return LEVEL_NS * (shape ? shape(g->m->blocks_done, g->m->blocks) : 1.0);
}

/* Noise of 3 %; the level of a round is shape(round, rounds) times the base. */
static void fill(struct gate *g, double (*shape)(unsigned b, unsigned blocks))
{
	struct pl_measurement *m = g->m;

	while (m->blocks_done < m->blocks) {
		double level = level_of(shape, g);

		for (unsigned i = 0; i < SAMPLES; i++)
			m->ticks[m->n++] = (uint64_t)(level * exp(0.03 * pl_rng_normal(&g->rng)));
		m->block_start[++m->blocks_done] = m->n;
	}
	m->outcome = PL_OUTCOME_MEASURED;
	m->is_valid = true;
	pl_measurement_summarise(m);
}

static void check(struct gate *g)
{
	pl_quality_check(&g->run);
}

/* What was seen; why it matters; what to do. */
static void assert_says_three_things(const char *text)
{
	const char *second = strchr(text, ';');

	assert_non_null(second);
	assert_non_null(strchr(second + 1, ';'));
}

static void assert_only(const struct gate *g, const char *code)
{
	assert_int_equal(g->m->warning_count, 1);
	assert_memory_equal(g->m->warnings[0], code, strlen(code));
	assert_int_equal(g->m->warnings[0][strlen(code)], ':');
	assert_says_three_things(g->m->warnings[0]);
}

/* One in a thousand for each of the gates that judge by chance: 20 of 2000 would be ten times it.
 */
static void a_healthy_series_is_left_alone(void **state)
{
	unsigned warned = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct gate g;

		begin(&g, seed, 12);
		fill(&g, NULL);
		check(&g);
		warned += g.m->warning_count != 0;
		pl_run_fini(&g.run);
	}
	assert_in_range(warned, 0, 20);
}

static void too_few_rounds(void **state)
{
	struct gate g;

	(void)state;
	begin(&g, 1, 11);
	fill(&g, NULL);
	check(&g);
	assert_only(&g, "W-BLOCKS");
	pl_run_fini(&g.run);
}

static double cold_start(unsigned b, unsigned blocks)
{
	(void)blocks;
	return b ? 1.0 : 1.15;
}

static double slow_rise(unsigned b, unsigned blocks)
{
	return 1.0 + 0.06 * (double)b / (double)(blocks - 1);
}

static double fast_rise(unsigned b, unsigned blocks)
{
	return 1.0 + 0.4 * (double)b / (double)(blocks - 1);
}

/* Back where it began: no trend, but rounds beside each other are alike. */
static double swing(unsigned b, unsigned blocks)
{
	return 1.0 + 0.03 * cos(2.0 * M_PI * ((double)b + 0.5) / (double)blocks);
}

/* Along the run: one shape each. */
static void the_shape_of_a_run_is_named(void **state)
{
	static const struct {
		const char *code;
		unsigned blocks;
		double (*shape)(unsigned b, unsigned blocks);
	} cases[] = {
		{"W-FIRST-BLOCK", 12, cold_start},
		{"W-DRIFT", 12, slow_rise},
		{"W-THROTTLED", 12, fast_rise},
		{"W-AUTOCORRELATED", 48, swing},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gate g;

		begin(&g, 10 + i, cases[i].blocks);
		fill(&g, cases[i].shape);
		check(&g);
		assert_only(&g, cases[i].code);
		assert_true(g.m->is_valid);
		pl_run_fini(&g.run);
	}
}

/* A clock that steps by more than the noise. */
static void ticks_that_alias(void **state)
{
	struct gate g;

	(void)state;
	begin(&g, 20, 12);
	fill(&g, NULL);
	for (size_t i = 0; i < g.m->n; i++)
		g.m->ticks[i] = (g.m->ticks[i] + 250) / 1000 * 1000;
	check(&g);
	assert_only(&g, "W-TICK");
	pl_run_fini(&g.run);
}

/* Speed or width before and after: two links in one series are no series. */
static void a_link_that_trained_anew(void **state)
{
	static const char *const facts[][2] = {{"link_speed_before_mts", "link_speed_after_mts"},
					       {"link_width_before", "link_width_after"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct gate g;

		begin(&g, 30 + i, 12);
		fill(&g, NULL);
		pl_measurement_set_number(&g.run, g.m, facts[i][0], 16.0);
		pl_measurement_set_number(&g.run, g.m, facts[i][1], 16.0);
		check(&g);
		assert_int_equal(g.m->warning_count, 0);
		pl_measurement_set_number(&g.run, g.m, facts[i][1], 8.0);
		check(&g);
		assert_only(&g, "W-RETRAINED");
		assert_false(g.m->is_valid);
		pl_run_fini(&g.run);
	}
}

/* The probe saw it itself and left those samples out: the series stays. */
static void samples_left_out_are_counted(void **state)
{
	struct gate g;

	(void)state;
	begin(&g, 40, 12);
	fill(&g, NULL);
	pl_measurement_set_number(&g.run, g.m, "dropped_link_retrained", 3.0);
	check(&g);
	assert_only(&g, "W-RETRAINED");
	assert_true(g.m->is_valid);
	pl_run_fini(&g.run);
}

static void add_host(struct gate *g, uint64_t gap_ns, uint64_t ns)
{
	struct pl_measurement *m =
		pl_sim_plan(&g->run, 1, PL_PROBE_HOST, "as_found", gap_ns, 12, SAMPLES);

	for (size_t i = 0; i < m->blocks * m->samples_per_block; i++)
		m->ticks[m->n++] = ns + i % 3;
	pl_measurement_summarise(m);
}

/* Without any access the same gap costs the host as much. */
static void a_host_that_is_slow_after_the_gap(void **state)
{
	struct gate g;

	(void)state;
	begin(&g, 50, 12);
	fill(&g, NULL);
	add_host(&g, 0, 300);
	add_host(&g, GAP_NS, 400);
	check(&g);
	assert_int_equal(g.m->warning_count, 0);
	add_host(&g, GAP_NS, 1500);
	/* The first control of a gap stands for it. */
	g.run.measurements[2]->conditions.gap_ns = 1;
	check(&g);
	assert_only(&g, "W-CONTAMINATED");
	pl_run_fini(&g.run);
}

/* Two levels: a link that other traffic wakes now and then. */
static void two_levels_are_a_mixture(void **state)
{
	struct gate g;

	(void)state;
	begin(&g, 60, 12);
	fill(&g, NULL);
	for (size_t i = 0; i < g.m->n; i++)
		g.m->ticks[i] += i % 3 ? 0 : 20000;
	check(&g);
	assert_only(&g, "W-MIXTURE");
	/* With the links off nothing can be half asleep. */
	g.m->conditions.state = "off";
	g.m->warning_count = 0;
	check(&g);
	assert_int_equal(g.m->warning_count, 0);
	pl_run_fini(&g.run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_series_is_left_alone),
		cmocka_unit_test(too_few_rounds),
		cmocka_unit_test(the_shape_of_a_run_is_named),
		cmocka_unit_test(ticks_that_alias),
		cmocka_unit_test(a_link_that_trained_anew),
		cmocka_unit_test(samples_left_out_are_counted),
		cmocka_unit_test(a_host_that_is_slow_after_the_gap),
		cmocka_unit_test(two_levels_are_a_mixture),
	};

	return cmocka_run_group_tests_name("gates", tests, NULL, NULL);
}
