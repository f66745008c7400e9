#include "tests/t.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/report.h"
#include "session/plan.h"
#include "session/session.h"

/* A sampler without hardware: counts up, or fails as told. */
struct fake {
	uint64_t next;
	int fail_with; /* -errno from fail_at on, 0: never */
	uint64_t fail_at;
	bool is_open;
	unsigned opened, closed;
	int refuse;
	size_t most;    /* samples per call; 0: all */
	unsigned asked; /* what others do */
};

static ssize_t fake_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct fake *fake = self;
	size_t n = fake->most && fake->most < count ? fake->most : count;

	for (size_t i = 0; i < n; i++) {
		if (fake->fail_with && fake->next >= fake->fail_at)
			return pl_fail(err, fake->fail_with, "the fake failed");
		ticks[i] = 100 + fake->next++ % 7;
	}
	return (ssize_t)n;
}

static void fake_close(void *self)
{
	((struct fake *)self)->closed++;
}

static int fake_open(void *ctx, struct pl_run *run, struct pl_measurement *m,
		     const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	struct fake *fake = ctx;

	(void)run;
	(void)clock;
	if (fake->refuse)
		return pl_fail(err, fake->refuse, "no permission for the fake");
	fake->opened++;
	m->ns_per_tick = 2.0;
	*sampler = (struct pl_sampler){fake_sample, fake_close, fake, NULL};
	return 0;
}

static void plan_file(struct pl_run *run)
{
	struct pl_plan_options options = {.file = "x"};
	struct pl_err err;

	pl_run_init(run);
	assert_int_equal(pl_plan_build(run, &options, &err), 0);
}

static int measure(struct pl_run *run, struct fake *fake, const struct pl_session_hooks *hooks,
		   struct pl_err *err)
{
	const struct pl_session_probe probe = {PL_PROBE_NVME, fake_open, fake};
	const struct pl_clock clock = {.ns_per_tick = 1.0};
	const struct pl_session_options options = {
		.clock = &clock, .probes = &probe, .probe_count = 1, .hooks = hooks};

	return pl_session_measure(run, &options, err);
}

static void samples_arrive_in_blocks(void **state)
{
	struct fake fake = {.most = 13};
	struct pl_measurement *m;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	m = run.measurements[0];
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_int_equal(m->outcome, PL_OUTCOME_MEASURED);
	assert_true(m->is_valid && run.is_complete);
	assert_int_equal(m->n, m->blocks * m->samples_per_block);
	assert_int_equal(m->blocks_done, m->blocks);
	for (unsigned b = 0; b <= m->blocks; b++)
		assert_int_equal(m->block_start[b], b * m->samples_per_block);
	assert_int_equal(fake.opened, 1);
	assert_int_equal(fake.closed, 1);
	assert_true(m->summary.min_ns == 200.0 && m->summary.max_ns == 212.0);
	pl_run_fini(&run);
}

/* Two operations of somebody else in each second block; asked before a block and after it. */
static int64_t fake_others(void *self)
{
	struct fake *fake = self;

	return fake->asked++ % 4 == 3 ? 2 : 0;
}

static int open_counting(void *ctx, struct pl_run *run, struct pl_measurement *m,
			 const struct pl_clock *clock, struct pl_sampler *sampler,
			 struct pl_err *err)
{
	int rc = fake_open(ctx, run, m, clock, sampler, err);

	sampler->others = fake_others;
	return rc;
}

static void what_others_do_is_counted_block_by_block(void **state)
{
	struct fake fake = {.most = 13};
	const struct pl_session_probe probe = {PL_PROBE_NVME, open_counting, &fake};
	const struct pl_clock clock = {.ns_per_tick = 1.0};
	const struct pl_session_options options = {
		.clock = &clock, .probes = &probe, .probe_count = 1};
	struct pl_measurement *m;
	struct pl_run run;
	unsigned busy = 0;

	(void)state;
	plan_file(&run);
	assert_int_equal(pl_session_measure(&run, &options, NULL), 0);
	m = run.measurements[0];
	for (unsigned b = 0; b < m->blocks_done; b++)
		busy += m->others[b] == 2;
	assert_true(busy > 0 && busy < m->blocks_done);
	assert_true(pl_measurement_find_fact(m, "background_ios")->value == 2.0 * busy);
	assert_int_equal(m->warning_count, 1);
	assert_non_null(strstr(m->warnings[0], "W-BUSY: others did "));
	pl_run_fini(&run);
}

static void a_refusal_is_data_with_its_reason(void **state)
{
	struct fake fake = {.refuse = -EACCES};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	assert_int_equal(measure(&run, &fake, NULL, &err), -EACCES);
	assert_int_equal(run.measurements[0]->outcome, PL_OUTCOME_SKIPPED);
	assert_string_equal(run.measurements[0]->why, "no permission for the fake");
	assert_non_null(strstr(err.text, "no permission for the fake"));
	pl_run_fini(&run);
}

static void a_vanished_device_keeps_what_it_gave(void **state)
{
	struct fake fake = {.fail_with = -ENODEV};
	struct pl_measurement *m;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	m = run.measurements[0];
	fake.fail_at = 3 * (m->samples_per_block + 32) + 5;
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_int_equal(m->outcome, PL_OUTCOME_PARTIAL);
	assert_false(m->is_valid);
	assert_int_equal(m->n, 3 * m->samples_per_block);
	assert_int_equal(m->failed, 1);
	assert_string_equal(m->why, "the fake failed");
	assert_int_equal(fake.closed, 1);
	pl_run_fini(&run);
}

static void repeated_errors_stop_a_series(void **state)
{
	struct fake fake = {.fail_with = -EIO};
	struct pl_measurement *m;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	m = run.measurements[0];
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_int_equal(m->outcome, PL_OUTCOME_FAILED);
	assert_int_equal(m->n, 0);
	assert_int_equal(m->failed, 3);
	pl_run_fini(&run);
}

static bool stop_after_five(void *ctx)
{
	return ++*(unsigned *)ctx > 5;
}

static void an_interrupt_keeps_whole_blocks(void **state)
{
	struct fake fake = {0};
	unsigned asked = 0;
	struct pl_session_hooks hooks = {.is_interrupted = stop_after_five, .ctx = &asked};
	struct pl_measurement *m;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	m = run.measurements[0];
	assert_int_equal(measure(&run, &fake, &hooks, &err), 0);
	assert_false(run.is_complete);
	assert_int_equal(m->outcome, PL_OUTCOME_PARTIAL);
	assert_int_equal(m->n, 5 * m->samples_per_block);
	assert_non_null(strstr(m->why, "interrupted"));
	pl_run_fini(&run);
}

/* What is kept while a run goes on. */
struct keeper {
	char dir[64];
	unsigned asked, saved;
	unsigned blocks; /* of the series that was kept last */
	enum pl_outcome outcome;
};

static bool is_every_other_round(void *ctx)
{
	return ++((struct keeper *)ctx)->asked % 2 == 0;
}

static void keep(void *ctx, const struct pl_run *run)
{
	struct keeper *keeper = ctx;
	struct pl_err err;

	assert_false(run->is_complete);
	keeper->saved++;
	keeper->blocks = run->measurements[0]->blocks_done;
	keeper->outcome = run->measurements[0]->outcome;
	if (pl_report_save_partial(run, keeper->dir, &err))
		fail_msg("%s", err.text);
}

static void remove_results(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/results.json", dir);
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* no temporary file stayed */
}

static void assert_kept(const struct keeper *keeper)
{
	char path[128];
	const char *paths[] = {path};
	struct pl_run run;
	struct pl_err err;

	snprintf(path, sizeof(path), "%s/results.json", keeper->dir);
	pl_run_init(&run);
	if (pl_report_read(&run, paths, 1, &err))
		fail_msg("%s", err.text);
	assert_false(run.is_complete);
	assert_int_equal(run.measurement_count, 1);
	assert_int_equal(run.measurements[0]->outcome, keeper->outcome);
	assert_int_equal(run.measurements[0]->blocks_done, keeper->blocks);
	assert_true(run.measurements[0]->summary.n >= keeper->blocks);
	assert_true(run.measurements[0]->summary.p50_ns > 0.0);
	assert_int_equal(pl_report_attribute(&run, &err), 0);
	pl_run_fini(&run);
}

/* The same series with and without being kept after every other round; the files can be read. */
static void a_run_is_kept_while_it_goes_on(void **state)
{
	struct keeper keeper = {.dir = "/tmp/pl-keep-XXXXXX"};
	const struct pl_session_hooks hooks = {
		.is_save_due = is_every_other_round, .save = keep, .ctx = &keeper};
	struct fake fakes[2] = {{0}, {0}};
	struct pl_run runs[2];
	struct pl_err err;

	(void)state;
	assert_non_null(mkdtemp(keeper.dir));
	for (size_t i = 0; i < 2; i++) {
		plan_file(&runs[i]);
		runs[i].seed = 5;
		assert_int_equal(measure(&runs[i], &fakes[i], i ? &hooks : NULL, &err), 0);
		assert_true(runs[i].is_complete);
	}
	assert_true(keeper.saved >= 6);
	assert_true(keeper.saved == keeper.asked / 2);
	assert_int_equal(keeper.outcome, PL_OUTCOME_MEASURED);
	assert_kept(&keeper);
	assert_int_equal(runs[0].measurements[0]->n, runs[1].measurements[0]->n);
	assert_int_equal(runs[0].measurements[0]->fact_count, runs[1].measurements[0]->fact_count);
	assert_null(runs[1].measurements[0]->why);
	assert_true(runs[1].measurements[0]->is_valid);
	remove_results(keeper.dir);
	pl_run_fini(&runs[0]);
	pl_run_fini(&runs[1]);
}

struct virtual_time {
	uint64_t now, idled;
};

static uint64_t virtual_now(void *self)
{
	return ((struct virtual_time *)self)->now;
}

static void virtual_idle(void *self, uint64_t ticks)
{
	struct virtual_time *time = self;

	time->idled += ticks - time->now;
	time->now = ticks;
}

static void every_access_waits_its_gap(void **state)
{
	struct virtual_time time = {0, 0};
	struct pl_clock clock = {
		.ns_per_tick = 0.5, .now = virtual_now, .idle_until = virtual_idle, .self = &time};
	struct fake fake = {0};
	const struct pl_session_probe probe = {PL_PROBE_NVME, fake_open, &fake};
	const struct pl_session_options options = {
		.clock = &clock, .probes = &probe, .probe_count = 1};
	struct pl_measurement *m;
	struct pl_run run;
	struct pl_err err;
	double least, most;

	(void)state;
	plan_file(&run);
	m = run.measurements[0];
	m->conditions.gap_ns = 40000;
	assert_int_equal(pl_session_measure(&run, &options, &err), 0);
	/* Never shorter than asked for, up to a twentieth longer, and not always the same. */
	assert_true(time.idled > fake.next * 80000u);
	assert_true(time.idled < fake.next * 84000u);
	assert_true(fake.next >= m->n);
	/* The accesses of the fake take no time: the real gap is the one that was waited for. */
	least = pl_measurement_find_fact(m, "real_gap_min_ns")->value;
	most = pl_measurement_find_fact(m, "real_gap_max_ns")->value;
	assert_true(least >= 40000.0 && least < most && most <= 42000.0);
	pl_run_fini(&run);
}

/* Each read pattern through two software paths: two samplers, each with its own path. */
static void paths_have_samplers_of_their_own(void **state)
{
	struct pl_plan_options options = {.file = "x"};
	struct fake fake = {0};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	pl_run_init(&run);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	run.measurements[0]->conditions.path = "pread";
	run.measurements[1]->conditions.path = "io_uring-wait";
	run.measurements[2]->conditions.path = "pread";
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_int_equal(fake.opened, 2);
	assert_string_equal(run.measurements[1]->conditions.path, "io_uring-wait");
	pl_run_fini(&run);
}

static void reads_that_follow_each_other_have_a_rate(void **state)
{
	struct fake fake = {0};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	plan_file(&run);
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_true(pl_measurement_find_fact(run.measurements[0], "iops")->value > 0.0);
	pl_run_fini(&run);
	plan_file(&run);
	run.measurements[0]->conditions.gap_ns = 1000;
	assert_int_equal(measure(&run, &fake, NULL, &err), 0);
	assert_null(pl_measurement_find_fact(run.measurements[0], "iops"));
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_arrive_in_blocks),
		cmocka_unit_test(what_others_do_is_counted_block_by_block),
		cmocka_unit_test(a_refusal_is_data_with_its_reason),
		cmocka_unit_test(a_vanished_device_keeps_what_it_gave),
		cmocka_unit_test(repeated_errors_stop_a_series),
		cmocka_unit_test(an_interrupt_keeps_whole_blocks),
		cmocka_unit_test(every_access_waits_its_gap),
		cmocka_unit_test(paths_have_samplers_of_their_own),
		cmocka_unit_test(reads_that_follow_each_other_have_a_rate),
		cmocka_unit_test(a_run_is_kept_while_it_goes_on),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
