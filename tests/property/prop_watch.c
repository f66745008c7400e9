/* `monitor` on a simulated drive: it finds what was put in, and nothing where nothing was. */
#include "tests/t.h"

#include <math.h>

#include "session/gap_step.h"
#include "session/spikes.h"
#include "tests/fake/watched_drive.h"

#define CLEAN_RUNS 100u
/* Of 30 runs at 0.5 % each; more has a probability below 1e-4. */
#define WRONG_MAX 3u

static uint64_t seed;

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

/* As on a busy host: many short stalls at random times beside the regular ones. */
static void regular_stalls_are_named_among_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct drive drive = clean;

		drive.stall_every_ns = 5000 * MS;
		drive.next_stall_ns = 1700 * MS;
		drive.stall_ns = 20 * MS;
		drive.random_stalls_per_s = 0.5 * (i + 1);
		assert_int_equal(watch_drive(&drive, 38.0, seed + i), 0);
		assert_true(watch.period.is_found);
		assert_true(watch.period.median_s > 4.5 && watch.period.median_s < 5.5);
		assert_true(watch.period.latency_ns > 10 * MS);
	}
}

/* More even than random, but from 0.2 to 1.2 s apart: nobody would call that a period. */
static void uneven_stalls_are_not_regular(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct drive drive = clean;

		drive.random_stalls_per_s = 0.0;
		drive.stall_every_ns = 700 * MS;
		drive.next_stall_ns = 700 * MS;
		drive.stall_ns = 5 * MS;
		drive.stall_jitter = 0.7;
		assert_int_equal(watch_drive(&drive, 40.0, seed + i), 0);
		wrong += watch.period.is_found;
	}
	printf("named in %u of 30 runs\n", wrong);
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
	assert_false(watch.period.is_found);
	assert_non_null(strstr(watch.period.why, "more spikes than are kept"));
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

/* A busy host is not a drive that stalls, but a stall stays one when the host was busy too. */
static void waiting_for_a_processor_is_no_spike(void **state)
{
	struct drive drive = clean;

	(void)state;
	drive.random_stalls_per_s = 0.0;
	drive.wait_every = 1000;
	assert_int_equal(watch_drive(&drive, 60.0, seed), 0);
	assert_true(watch.host_waits >= 8 && watch.host_waits == drive.reads / 1000);
	assert_int_equal(watch.spike_count, 0);
	assert_true((double)watch.hist.max_ns > 5 * MS); /* it took that long all the same */
	drive = clean;
	drive.random_stalls_per_s = 0.0;
	drive.stall_every_ns = 3000 * MS;
	drive.stall_ns = 20 * MS;
	drive.next_stall_ns = 2500 * MS;
	drive.waits_in_stalls = true;
	assert_int_equal(watch_drive(&drive, 60.0, seed), 0);
	assert_true(watch.spike_count >= 15 && watch.period.is_found);
	assert_int_equal(watch.host_waits, 0);
	drive = clean;
	drive.random_stalls_per_s = 0.0;
	drive.wait_every = 1000;
	drive.waited_ns = -1;
	assert_int_equal(watch_drive(&drive, 60.0, seed), 0);
	assert_int_equal(watch.host_waits, -1);
	assert_true(watch.spike_count >= 8);
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

/* Spikes at random times, of random size: one in 200 may be named. */
static void random_stalls_have_no_period(void **state)
{
	struct pl_spike spikes[24];
	unsigned named = 0;
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, seed);
	for (unsigned i = 0; i < 400; i++) {
		size_t count = 6 + i % 19;
		double t_s = 0.0;

		for (size_t k = 0; k < count; k++) {
			t_s -= log(1.0 - pl_rng_unit(&rng));
			spikes[k] = (struct pl_spike){t_s, 1e6 * (1.0 + pl_rng_unit(&rng))};
		}
		named += pl_spikes_find_period(spikes, count, 0.0, seed + i).is_found;
	}
	printf("named in %u of 400 runs\n", named);
	assert_true(named <= 8);
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
		cmocka_unit_test(regular_stalls_are_named_among_others),
		cmocka_unit_test(uneven_stalls_are_not_regular),
		cmocka_unit_test(clean_runs_name_nothing),
		cmocka_unit_test(removal_is_an_outage_not_an_end),
		cmocka_unit_test(failed_reads_are_counted_apart),
		cmocka_unit_test(what_others_do_is_counted),
		cmocka_unit_test(memory_is_constant),
		cmocka_unit_test(windows_follow_each_other),
		cmocka_unit_test(equal_spikes_are_not_all_dropped),
		cmocka_unit_test(a_watch_ends_in_time),
		cmocka_unit_test(a_stopped_program_is_no_stall),
		cmocka_unit_test(waiting_for_a_processor_is_no_spike),
		cmocka_unit_test(windows_tell_what_they_carry),
		cmocka_unit_test(random_stalls_have_no_period),
		cmocka_unit_test(few_stalls_prove_nothing),
	};

	seed = t_seed();
	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
