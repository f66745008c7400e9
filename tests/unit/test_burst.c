/* The first reads after idle time: planned, in order, judged, and kept out of all else. */
#include "tests/t.h"

#include <errno.h>
#include <math.h>

#include "core/rng.h"
#include "model/access.h"
#include "report/burst.h"
#include "report/report.h"
#include "session/plan.h"
#include "session/session.h"

#define READS PL_GRID_BURST_READS
#define BASE_NS 20000.0
#define SLEEPS_AFTER_NS 100000.0

/* A drive in virtual time: after idle time its first `slow` reads cost more. */
struct model {
	struct pl_rng rng;
	double now_ns, ended_ns, cost_ns;
	unsigned slow, left;      /* left: reads that still cost more */
	size_t most;              /* samples per call; 0: all */
	unsigned bursts, fail_in; /* the burst whose sixth read fails; 0: none */
	bool is_failing;
};

static const struct pl_bdf device_path[] = {{0, 0, 1, 1}, {0, 1, 0, 0}};
static const struct pl_namespace spaces[] = {{"nvme0n1", 1 << 30, 4096}};

static uint64_t now(void *self)
{
	return (uint64_t)((struct model *)self)->now_ns;
}

static void idle_until(void *self, uint64_t ticks)
{
	struct model *model = self;

	if ((double)ticks > model->now_ns)
		model->now_ns = (double)ticks;
}

static double read_once(struct model *model)
{
	double ns = BASE_NS * (1.0 + 0.02 * fabs(pl_rng_normal(&model->rng)));

	if (model->now_ns - model->ended_ns > SLEEPS_AFTER_NS)
		model->left = model->slow;
	if (model->left) {
		ns += model->cost_ns;
		model->left--;
	}
	model->now_ns += ns;
	model->ended_ns = model->now_ns;
	return ns;
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct model *model = self;
	size_t n = model->most && model->most < count ? model->most : count;

	/* Like the probe: what was good is given, the next call tells of the failure. */
	if (model->is_failing) {
		model->is_failing = false;
		return pl_fail(err, -EIO, "a read failed");
	}
	if (count == READS && model->fail_in && ++model->bursts == model->fail_in) {
		model->is_failing = true;
		n = 5;
	}
	for (size_t i = 0; i < n; i++)
		ticks[i] = (uint64_t)read_once(model);
	return (ssize_t)n;
}

static int open_model(void *ctx, struct pl_run *run, struct pl_measurement *m,
		      const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	(void)run;
	(void)m;
	(void)clock;
	(void)err;
	*sampler = (struct pl_sampler){sample, NULL, ctx, NULL};
	return 0;
}

static void make_run(struct pl_run *run, struct pl_device *device)
{
	struct pl_slot *slot;

	pl_run_init(run);
	run->machine.is_live = true;
	run->seed = 1;
	*device = (struct pl_device){.bdf = {0, 1, 0, 0},
				     .kind = PL_DEVICE_NVME,
				     .functions = &device_path[1],
				     .function_count = 1,
				     .namespaces = spaces,
				     .namespace_count = 1};
	slot = pl_run_add_slot(run);
	slot->key = "0000:00:01.1/00.0";
	slot->label = "M2_1";
	slot->device = device;
	slot->path = device_path;
	slot->path_count = 2;
	slot->link.is_present = true;
}

static const struct pl_measurement *burst_of(const struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->conditions.burst)
			return run->measurements[i];
	return NULL;
}

static void measure_plan(struct pl_run *run, struct model *model,
			 const struct pl_plan_options *plan)
{
	const struct pl_session_probe probe = {PL_PROBE_NVME, open_model, model};
	const struct pl_clock clock = {.ns_per_tick = 1.0,
				       .name = "virtual",
				       .now = now,
				       .idle_until = idle_until,
				       .self = model};
	const struct pl_session_options options = {
		.clock = &clock, .probes = &probe, .probe_count = 1};
	struct pl_err err = {0, ""};

	if (pl_plan_build(run, plan, &err) || pl_session_measure(run, &options, &err))
		fail_msg("%s", err.text);
}

/* Plans one drive and one gap, and measures it. */
static const struct pl_measurement *measure(struct pl_run *run, struct pl_device *device,
					    struct model *model)
{
	static const uint64_t gap_ns = 2000000;
	const struct pl_plan_options plan = {.effort = PL_EFFORT_DEFAULT,
					     .probes = 1u << PL_PROBE_NVME,
					     .gaps_ns = &gap_ns,
					     .gap_count = 1};

	make_run(run, device);
	measure_plan(run, model, &plan);
	return burst_of(run);
}

/* Each sample is at the place that it was read at, also when a sampler gives a few at a time. */
static void samples_keep_their_places(void **state)
{
	static const size_t most[] = {0, 1, 5};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct model model = {.cost_ns = 30000.0, .slow = 3, .most = most[k]};
		struct pl_arena arena = {NULL};
		struct pl_device device;
		const struct pl_measurement *m;
		const struct pl_burst_place *places;
		struct pl_run run;

		pl_rng_init(&model.rng, k + 1);
		m = measure(&run, &device, &model);
		assert_int_equal(m->outcome, PL_OUTCOME_MEASURED);
		assert_int_equal(m->blocks_done, 12);
		assert_int_equal(m->n, 12 * 16 * READS);
		for (size_t b = 0; b < m->blocks_done; b++)
			for (size_t i = m->block_start[b]; i < m->block_start[b + 1]; i++) {
				bool is_slow = (double)m->ticks[i] > BASE_NS + 25000.0;

				assert_int_equal(is_slow, (i - m->block_start[b]) % READS < 3);
			}
		places = pl_measurement_places(&arena, m);
		assert_int_equal(places[15].n, 12 * 16);
		assert_true(places[2].p50_ns - places[3].p50_ns > 29000.0);
		assert_true(isnan(places[0].p99_ns)); /* 192 reads do not carry it */
		pl_arena_fini(&arena);
		pl_run_fini(&run);
	}
}

/* A read that fails inside a burst costs its block: what follows has no place any more. */
static void a_failed_read_costs_the_block(void **state)
{
	struct model model = {.cost_ns = 30000.0, .slow = 1, .fail_in = 40};
	struct pl_device device;
	const struct pl_measurement *m;
	struct pl_run run;

	(void)state;
	pl_rng_init(&model.rng, 1);
	m = measure(&run, &device, &model);
	assert_int_equal(m->failed, 1);
	assert_int_equal(m->n, 11 * 16 * READS);
	for (size_t i = 0; i < m->n; i++)
		assert_int_equal((double)m->ticks[i] > BASE_NS + 25000.0, i % READS == 0);
	pl_run_fini(&run);
}

/* What was put in comes out: how many reads, and how much. */
static void a_known_cost_is_found(void **state)
{
	static const struct {
		unsigned slow;
		double cost_ns;
	} cases[] = {{1, 31000.0}, {1, 5000.0}, {3, 8000.0}, {READS, 9000.0}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct model model = {.cost_ns = cases[k].cost_ns, .slow = cases[k].slow};
		struct pl_arena arena = {NULL};
		struct pl_device device;
		struct pl_burst burst;
		struct pl_run run;

		pl_rng_init(&model.rng, k + 7);
		pl_burst_judge(&arena, &run, measure(&run, &device, &model), &burst);
		assert_int_equal(burst.status, PL_CLAIM_RESOLVED);
		assert_int_equal(burst.back_low, cases[k].slow);
		assert_int_equal(burst.back_high, cases[k].slow);
		for (unsigned i = 0; i < READS; i++) {
			double truth = i < cases[k].slow ? cases[k].cost_ns : 0.0;

			assert_true(fabs(burst.over[i].estimate - truth) < 200.0);
		}
		pl_arena_fini(&arena);
		pl_run_fini(&run);
	}
}

/* Nothing is there: then nothing is named, over many drives. */
static void no_cost_is_not_claimed(void **state)
{
	unsigned named = 0, cleared = 0;

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct model model = {.slow = 0};
		struct pl_arena arena = {NULL};
		struct pl_device device;
		struct pl_burst burst;
		struct pl_run run;

		pl_rng_init(&model.rng, 1000 + seed);
		pl_burst_judge(&arena, &run, measure(&run, &device, &model), &burst);
		named += burst.status == PL_CLAIM_RESOLVED && burst.back_low > 0;
		cleared += burst.status == PL_CLAIM_RESOLVED && burst.back_high == 0;
		pl_arena_fini(&arena);
		pl_run_fini(&run);
	}
	assert_int_equal(named, 0);
	assert_int_equal(cleared, 60);
}

/* A cost of exactly the tolerance is on neither side: one run cannot tell, and none says so. */
static void a_cost_at_the_tolerance_is_not_resolved(void **state)
{
	struct model model = {.cost_ns = PL_BURST_TOLERANCE * BASE_NS * 1.0135, .slow = 1};
	struct pl_arena arena = {NULL};
	struct pl_device device;
	struct pl_burst burst;
	struct pl_run run;

	(void)state;
	pl_rng_init(&model.rng, 3);
	pl_burst_judge(&arena, &run, measure(&run, &device, &model), &burst);
	assert_int_equal(burst.status, PL_CLAIM_NOT_RESOLVED);
	assert_non_null(strstr(burst.sentence, "not resolved"));
	run.machine.hypervisor = "QEMU";
	pl_burst_judge(&arena, &run, burst.m, &burst);
	assert_int_equal(burst.status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(burst.sentence, "virtual machine"));
	assert_false(isnan(burst.over[0].estimate)); /* the numbers stay, the verdict goes */
	pl_arena_fini(&arena);
	pl_run_fini(&run);
}

static const unsigned no_targets[] = {0, 0};
static const struct pl_link_state states_of_path[] = {
	{"off", "", PL_LINK_STATE_OFF, no_targets, true, NULL},
	{"as_found", "", PL_LINK_STATE_AS_FOUND, no_targets, true, NULL},
	{"l1", "", PL_LINK_STATE_SUBSET, no_targets, true, NULL},
};
static const struct pl_link_path path_with_states = {
	.link_count = 2, .states = states_of_path, .state_count = 3};

static const struct pl_link_path *find_path(void *ctx, const struct pl_slot *slot)
{
	(void)ctx;
	(void)slot;
	return &path_with_states;
}

static size_t count(const struct pl_run *run, const char *state, uint64_t gap_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_conditions *c = &run->measurements[i]->conditions;

		n += c->burst && (!state || !strcmp(c->state, state)) &&
		     (!gap_ns || c->gap_ns == gap_ns);
	}
	return n;
}

static void plan(struct pl_run *run, struct pl_device *device, enum pl_effort effort,
		 uint32_t apst_after_ms)
{
	static struct pl_drive drive;
	const struct pl_plan_options options = {.effort = effort, .find_path = find_path};
	struct pl_err err = {0, ""};

	make_run(run, device);
	drive = (struct pl_drive){
		.bdf = device->bdf, .state_count = 5, .apst_enabled = apst_after_ms > 0};
	drive.states[0] = (struct pl_power_state){.apst_after_ms = apst_after_ms, .apst_to = 3};
	run->drives = &drive;
	run->drive_count = 1;
	assert_int_equal(pl_plan_build(run, &options, &err), 0);
}

/* One gap as found by default; every state, and gaps beyond L1 and APST, when thorough. */
static void effort_decides_where_bursts_are(void **state)
{
	struct pl_device device;
	struct pl_run run;

	(void)state;
	plan(&run, &device, PL_EFFORT_QUICK, 100);
	assert_int_equal(count(&run, NULL, 0), 0);
	pl_run_fini(&run);
	plan(&run, &device, PL_EFFORT_DEFAULT, 100);
	assert_int_equal(count(&run, NULL, 0), 1);
	assert_int_equal(count(&run, "as_found", 2000000), 1);
	pl_run_fini(&run);
	plan(&run, &device, PL_EFFORT_THOROUGH, 100);
	assert_int_equal(count(&run, NULL, 0), 9);
	assert_int_equal(count(&run, "off", 2000000), 1);
	assert_int_equal(count(&run, "l1", 10000000), 1);
	assert_int_equal(count(&run, "as_found", 200000000), 1);
	assert_true(12 * burst_of(&run)->samples_per_block / READS >= 12 * 16);
	pl_run_fini(&run);
	plan(&run, &device, PL_EFFORT_THOROUGH, 400);
	assert_int_equal(count(&run, "off", 600000000), 1); /* half longer than it waits */
	pl_run_fini(&run);
	plan(&run, &device, PL_EFFORT_THOROUGH, 2000);
	assert_int_equal(count(&run, NULL, 0), 6); /* too long to wait for */
	pl_run_fini(&run);
	plan(&run, &device, PL_EFFORT_THOROUGH, 0);
	assert_int_equal(count(&run, NULL, 0), 6);
	pl_run_fini(&run);
}

/* Bursts with the links off and as found would make an exit of their own: they make none. */
static void bursts_enter_no_claim(void **state)
{
	static const uint64_t gaps[] = {20000, 200000, 2000000};
	const struct pl_plan_options options = {.effort = PL_EFFORT_THOROUGH,
						.probes = 1u << PL_PROBE_NVME,
						.gaps_ns = gaps,
						.gap_count = 3,
						.find_path = find_path};
	struct model model = {.cost_ns = 30000.0, .slow = 1};
	struct pl_device device;
	struct pl_run run;
	size_t bursts = 0;

	(void)state;
	pl_rng_init(&model.rng, 5);
	make_run(&run, &device);
	measure_plan(&run, &model, &options);
	for (size_t i = 0; i < run.measurement_count; i++) {
		const struct pl_measurement *m = run.measurements[i];

		bursts += m->conditions.burst > 0;
		if (!m->conditions.burst)
			continue;
		assert_int_equal(m->blocks_done, 12);
		assert_false(pl_measurement_is_claimable(m));
	}
	assert_int_equal(bursts, 3);
	assert_int_equal(pl_report_attribute(&run, NULL), 0);
	assert_true(run.effect_count > 0);
	for (size_t i = 0; i < run.effect_count; i++)
		assert_string_not_equal(run.effects[i].metric, "read_4k_burst");
	pl_run_fini(&run);
}

/* As found, --thorough reads often enough for p99 of each place. */
static void thorough_carries_the_tail(void **state)
{
	struct pl_device device;
	struct pl_run run;

	(void)state;
	plan(&run, &device, PL_EFFORT_THOROUGH, 0);
	for (size_t i = 0; i < run.measurement_count; i++) {
		const struct pl_measurement *m = run.measurements[i];

		if (m->conditions.burst && !strcmp(m->conditions.state, "as_found"))
			assert_true(pl_stats_quantile_is_carried(12 * m->samples_per_block / READS,
								 0.99));
	}
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_keep_their_places),
		cmocka_unit_test(a_failed_read_costs_the_block),
		cmocka_unit_test(a_known_cost_is_found),
		cmocka_unit_test(no_cost_is_not_claimed),
		cmocka_unit_test(a_cost_at_the_tolerance_is_not_resolved),
		cmocka_unit_test(effort_decides_where_bursts_are),
		cmocka_unit_test(thorough_carries_the_tail),
		cmocka_unit_test(bursts_enter_no_claim),
	};

	return cmocka_run_group_tests_name("burst", tests, NULL, NULL);
}
