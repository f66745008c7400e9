/* `monitor` on a simulated drive: it finds what was put in, and nothing where nothing was. */
#include "tests/t.h"

#include <errno.h>
#include <math.h>

#include "core/rng.h"
#include "session/gap_step.h"
#include "session/spikes.h"
#include "session/watch.h"

#define CLEAN_RUNS 100u
#define MS 1e6
/* Of 30 runs at 0.5 % each; more has a probability below 1e-4. */
#define WRONG_MAX 3u

static uint64_t seed;
static struct pl_watch watch;

/* A drive in virtual time: 1 tick is 1 ns. */
struct drive {
	uint64_t now, last_end;
	struct pl_rng rng;
	double base_ns, noise_ns;
	double stall_every_ns, stall_ns, stall_jitter, next_stall_ns; /* 0: none */
	double random_stalls_per_s;                                   /* at random times */
	double entry_ns, exit_ns;                                     /* 0: none */
	double creep;   /* ns more for each ns of idle beyond 1 ms: a host that dozes off */
	double cool_ns; /* more for each doubling of the idle time beyond 20 us: caches */
	double host_ns; /* after 200 us of idle everything takes so much longer */
	bool has_control;
	double gone_from_ns, gone_to_ns;
	unsigned fail_every, reads;
	bool is_shared; /* somebody else reads twice a second */
	uint64_t asked;
	double equal_stalls_per_s;  /* at random times, 5 ms each */
	unsigned stop_every, stops; /* this program is stopped for 3 s during such a read */
};

static uint64_t drive_now(void *self)
{
	return ((struct drive *)self)->now;
}

static void drive_idle_until(void *self, uint64_t ticks)
{
	struct drive *drive = self;

	if (ticks > drive->now)
		drive->now = ticks;
}

static double stall_left_ns(struct drive *drive)
{
	double now = (double)drive->now;

	if (drive->stall_every_ns <= 0.0)
		return 0.0;
	while (now >= drive->next_stall_ns + drive->stall_ns)
		drive->next_stall_ns +=
			drive->stall_every_ns *
			(1.0 + drive->stall_jitter * (2.0 * pl_rng_unit(&drive->rng) - 1.0));
	return now >= drive->next_stall_ns ? drive->next_stall_ns + drive->stall_ns - now : 0.0;
}

/* What the host adds after idle time, whatever is done then. */
static double idle_ns(const struct drive *drive)
{
	double idle = (double)(drive->now - drive->last_end);

	return (idle > MS ? drive->creep * (idle - MS) : 0.0) +
	       (idle > 20000.0 ? drive->cool_ns * log2(idle / 20000.0) : 0.0) +
	       (idle >= 200000.0 ? drive->host_ns : 0.0);
}

static ssize_t control_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct drive *drive = self;

	(void)err;
	*ticks = (uint64_t)(500.0 + 50.0 * exp(pl_rng_normal(&drive->rng)) + idle_ns(drive));
	drive->now += *ticks;
	drive->last_end = drive->now;
	return (ssize_t)count;
}

static ssize_t drive_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct drive *drive = self;
	double ns;

	(void)count;
	if ((double)drive->now >= drive->gone_from_ns && (double)drive->now < drive->gone_to_ns)
		return pl_fail(err, -ENODEV, "the drive is gone");
	if (drive->fail_every && ++drive->reads % drive->fail_every == 0)
		return pl_fail(err, -EIO, "a read failed");
	ns = drive->base_ns + drive->noise_ns * exp(pl_rng_normal(&drive->rng));
	if (drive->exit_ns > 0.0 && (double)(drive->now - drive->last_end) >= drive->entry_ns)
		ns += drive->exit_ns;
	ns += idle_ns(drive);
	if (pl_rng_unit(&drive->rng) < drive->random_stalls_per_s / 200.0)
		ns += 5.0 * MS * pl_rng_unit(&drive->rng);
	ns += stall_left_ns(drive);
	if (pl_rng_unit(&drive->rng) < drive->equal_stalls_per_s / 200.0)
		ns = 5.0 * MS;
	if (drive->stop_every && ++drive->reads % drive->stop_every == 0) {
		ns += 3000.0 * MS;
		drive->stops++;
	}
	*ticks = (uint64_t)ns;
	drive->now += *ticks;
	drive->last_end = drive->now;
	return 1;
}

/* What somebody else did since this was asked last. */
static int64_t drive_others(void *self)
{
	struct drive *drive = self;
	uint64_t before = drive->asked / 500000000u;

	drive->asked = drive->now;
	return drive->is_shared ? (int64_t)(drive->now / 500000000u - before) : -1;
}

static int drive_reopen(void *ctx, struct pl_sampler *sampler, struct pl_err *err)
{
	struct drive *drive = ctx;

	if ((double)drive->now < drive->gone_to_ns)
		return pl_fail(err, -ENODEV, "the drive is still gone");
	*sampler = (struct pl_sampler){drive_sample, NULL, drive, NULL};
	return 0;
}

static unsigned drive_stops(void *ctx)
{
	return ((struct drive *)ctx)->stops;
}

static int watch_every(struct drive *drive, double interval_s, double seconds, uint64_t run_seed)
{
	struct pl_clock clock = {.ns_per_tick = 1.0,
				 .name = "virtual",
				 .now = drive_now,
				 .idle_until = drive_idle_until,
				 .self = drive};
	struct pl_sampler sampler = {drive_sample, NULL, drive, drive_others};
	struct pl_sampler control = {control_sample, NULL, drive, NULL};
	struct pl_watch_options options = {.control = drive->has_control ? &control : NULL,
					   .interval_ns = (uint64_t)(interval_s * 1e9),
					   .stops = drive_stops,
					   .duration_ns = (uint64_t)(seconds * 1e9),
					   .seed = run_seed,
					   .reopen = drive_reopen,
					   .ctx = drive};

	pl_rng_init(&drive->rng, run_seed);
	return pl_watch_run(&watch, &clock, &sampler, &options, NULL);
}

static int watch_drive(struct drive *drive, double seconds, uint64_t run_seed)
{
	return watch_every(drive, 0.01, seconds, run_seed);
}

static const struct drive clean = {
	.base_ns = 80000.0, .noise_ns = 3000.0, .random_stalls_per_s = 0.3};

static void regular_stalls_are_named(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.stall_every_ns = 5000 * MS;
		drive.next_stall_ns = 1700 * MS;
		drive.stall_ns = 20 * MS;
		drive.stall_jitter = i % 2 ? 0.2 : 0.0;
		assert_int_equal(watch_drive(&drive, 90.0, seed + i), 0);
		assert_true(watch.period.is_found);
		assert_true(watch.period.median_s > 4.0 && watch.period.median_s < 6.0);
		assert_true(watch.period.latency_ns > 5 * MS);
		wrong += watch.gap_step.is_found;
	}
	assert_true(wrong <= WRONG_MAX);
}

static void gap_dependent_exit_is_named_and_bracketed(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.entry_ns = 40000.0;
		drive.exit_ns = 30000.0;
		assert_int_equal(watch_drive(&drive, 30.0, seed + i), 0);
		assert_true(watch.gap_step.is_found);
		assert_int_equal(watch.gap_step.below_ns, 20000);
		assert_int_equal(watch.gap_step.above_ns, 50000);
		assert_true(fabs(watch.gap_step.step_ns - 30000.0) < 1500.0);
		assert_true(watch.gap_step.low_ns < watch.gap_step.high_ns);
		wrong += watch.period.is_found;
	}
	assert_true(wrong <= WRONG_MAX);
}

/* Beside a control the same is found, and it is not the control's own step. */
static void an_exit_is_told_from_a_slow_host(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.has_control = true;
		drive.host_ns = 20000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		assert_true(watch.has_control);
		wrong += watch.gap_step.is_found;
		drive = clean;
		drive.has_control = true;
		drive.host_ns = 20000.0;
		drive.entry_ns = 40000.0;
		drive.exit_ns = 30000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		assert_true(watch.gap_step.is_found);
		assert_int_equal(watch.gap_step.above_ns, 50000);
		assert_true(fabs(watch.gap_step.step_ns - 30000.0) < 1500.0);
	}
	assert_true(wrong <= WRONG_MAX);
}

/* A real host with sleeping threads: +30 us at 2 ms of idle, +120 us at 5 ms. */
static void slow_growth_is_no_step(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.creep = 0.03;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
	}
	assert_true(wrong <= WRONG_MAX);
}

/* Neither is what grows with the logarithm of the gap, at no gap more than at its neighbours. */
static void growth_over_all_gaps_is_no_step(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.cool_ns = 8000.0;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		wrong += watch.gap_step.is_found;
		assert_true(watch.gap_step.is_found == !watch.gap_step.why);
	}
	assert_true(wrong <= WRONG_MAX);
}

/* 1 % may be named by chance; more than 6 of 100 has a probability below 1e-4 at that rate. */
static void clean_runs_name_nothing(void **state)
{
	unsigned named = 0;

	(void)state;
	for (unsigned i = 0; i < CLEAN_RUNS; i++) {
		struct drive drive = clean;

		assert_int_equal(watch_drive(&drive, 40.0, seed + 1000 + i), 0);
		named += watch.period.is_found || watch.gap_step.is_found;
	}
	printf("named in %u of %u clean runs\n", named, CLEAN_RUNS);
	assert_true(named <= 6);
}

static void removal_is_an_outage_not_an_end(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.gone_from_ns = 5000 * MS;
	drive.gone_to_ns = 9500 * MS;
	assert_int_equal(watch_drive(&drive, 20.0, seed), 0);
	assert_int_equal(watch.outage_count, 1);
	assert_true(fabs(watch.outages[0].from_s - 5.0) < 0.1);
	assert_true(watch.outages[0].to_s >= 9.5 && watch.outages[0].to_s < 11.0);
	assert_true(watch.hist.n > 2000);
	assert_string_equal(watch.failure, "the drive is gone");
}

static void failed_reads_are_counted_apart(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.fail_every = 100;
	assert_int_equal(watch_drive(&drive, 20.0, seed), 0);
	assert_true(watch.failed >= 35 && watch.failed <= 45);
	assert_int_equal(watch.outage_count, 0);
	assert_true(watch.hist.n + watch.failed == drive.reads);
}

static void what_others_do_is_counted(void **state)
{
	struct drive drive = clean;
	int64_t sum = 0;

	(void)state;
	assert_int_equal(watch_drive(&drive, 10.0, seed), 0);
	assert_int_equal(watch.others, -1);
	drive = clean;
	drive.is_shared = true;
	assert_int_equal(watch_drive(&drive, 5000.0, seed), 0);
	for (size_t i = 0; i < watch.point_count; i++)
		sum += watch.points[i].others;
	assert_true(watch.others >= sum); /* of the window that was not ended, too */
	assert_true(watch.others >= 9999 && watch.others <= 10001);
}

/* Days of watching: the record stays within its bounds and its windows cover the time. */
static void memory_is_constant(void **state)
{
	struct drive drive = clean;
	uint64_t reads = 0;

	(void)state;
	drive.random_stalls_per_s = 2.0;
	assert_int_equal(watch_drive(&drive, 5000.0, seed), 0);
	assert_true(watch.point_count <= PL_WATCH_POINTS && watch.window_s == 4.0);
	assert_true(watch.spike_count <= PL_WATCH_SPIKES && watch.spikes_dropped > 0);
	assert_true(watch.block_count <= PL_WATCH_BLOCKS);
	for (size_t i = 0; i < watch.point_count; i++)
		reads += watch.points[i].n;
	assert_true(reads + 1000 > watch.hist.n && reads <= watch.hist.n);
	for (size_t i = 1; i < watch.spike_count; i++)
		assert_true(watch.spikes[i].t_s > watch.spikes[i - 1].t_s);
}

/* No window overlaps another, also where the short ones were joined. */
static void windows_follow_each_other(void **state)
{
	struct drive drive = clean;

	(void)state;
	for (double seconds = 2047.5; seconds < 2054.0; seconds += 1.0) {
		assert_int_equal(watch_drive(&drive, seconds, seed), 0);
		for (size_t i = 1; i < watch.point_count; i++)
			assert_true(fabs(watch.points[i].t_s - watch.points[i - 1].t_s -
					 watch.window_s) < 1e-6);
		drive = clean;
	}
}

/* Half of them are left when there are too many, though none is larger than the others. */
static void equal_spikes_are_not_all_dropped(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.random_stalls_per_s = 0.0;
	drive.equal_stalls_per_s = 2.0;
	assert_int_equal(watch_drive(&drive, 700.0, seed), 0);
	assert_true(watch.spikes_dropped > 0);
	assert_true(watch.spike_count >= PL_WATCH_SPIKES / 2);
	for (size_t i = 1; i < watch.spike_count; i++)
		assert_true(watch.spikes[i].t_s > watch.spikes[i - 1].t_s);
}

static void a_watch_ends_in_time(void **state)
{
	struct drive drive = clean;

	(void)state;
	assert_int_equal(watch_every(&drive, 3600.0, 1.0, seed), 0);
	assert_true(watch.elapsed_s < 1.1);
	assert_int_equal(watch.hist.n, 0);
	drive = clean;
	drive.gone_to_ns = 1e12;
	watch_drive(&drive, 2.5, seed);
	assert_true(watch.elapsed_s < 2.6);
}

/* What the drive did is not known then: no stall of 3 s, and none that comes regularly. */
static void a_stopped_program_is_no_stall(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.random_stalls_per_s = 0.0;
	drive.stop_every = 1000;
	assert_int_equal(watch_drive(&drive, 200.0, seed), 0);
	assert_true(watch.stopped >= 10 && watch.stopped == drive.stops);
	assert_true(watch.hist.n + watch.stopped == drive.reads);
	assert_true((double)watch.hist.max_ns < 1000 * MS);
	assert_false(watch.period.is_found);
	assert_int_equal(watch.failed, 0);
}

/* A window without a read has no latency, and one of 200 reads no p99. */
static void windows_tell_what_they_carry(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.gone_from_ns = 5000 * MS;
	drive.gone_to_ns = 9500 * MS;
	assert_int_equal(watch_drive(&drive, 20.0, seed), 0);
	for (size_t i = 0; i < watch.point_count; i++) {
		const struct pl_watch_point *point = &watch.points[i];

		assert_true(isnan(point->p50_ns) == !point->n);
		assert_true(isnan(point->max_ns) == !point->n);
		assert_true(isnan(point->p99_ns));
	}
	assert_int_equal(watch.points[7].n, 0);
	assert_false(isnan(pl_hist_carried_ns(&watch.hist, 0.99)));
	assert_true(isnan(pl_hist_carried_ns(&watch.hist, 0.999)));
}

static void few_stalls_prove_nothing(void **state)
{
	static const struct pl_spike five[] = {{5, 1}, {10, 1}, {15, 1}, {20, 1}, {25, 1}};
	struct pl_period period = pl_spikes_find_period(five, 5, 0.03, seed);

	(void)state;
	assert_false(period.is_found);
	assert_false(pl_spikes_find_period(NULL, 0, 0.03, seed).is_found);
	memset(&watch, 0, sizeof(watch));
	assert_false(pl_gap_step_find(&watch, seed).is_found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_stalls_are_named),
		cmocka_unit_test(gap_dependent_exit_is_named_and_bracketed),
		cmocka_unit_test(an_exit_is_told_from_a_slow_host),
		cmocka_unit_test(slow_growth_is_no_step),
		cmocka_unit_test(growth_over_all_gaps_is_no_step),
		cmocka_unit_test(clean_runs_name_nothing),
		cmocka_unit_test(removal_is_an_outage_not_an_end),
		cmocka_unit_test(failed_reads_are_counted_apart),
		cmocka_unit_test(what_others_do_is_counted),
		cmocka_unit_test(memory_is_constant),
		cmocka_unit_test(windows_follow_each_other),
		cmocka_unit_test(equal_spikes_are_not_all_dropped),
		cmocka_unit_test(a_watch_ends_in_time),
		cmocka_unit_test(a_stopped_program_is_no_stall),
		cmocka_unit_test(windows_tell_what_they_carry),
		cmocka_unit_test(few_stalls_prove_nothing),
	};

	seed = t_seed();
	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
