/*
 * Runs in the guest as root: guest_fault DRIVE. One block of the drive cannot be read; the series
 * goes on around it and the failed read is in no statistic.
 */
#include "tests/t.h"

#include <errno.h>

#include "nvme_probe/nvme_probe.h"

/* read_error_sector of monitor.board, as the number of a 4 KiB read. */
#define BAD_PLACE 1000u
#define READS 2000u

static struct pl_nvme_options options;

static void unreadable_block_is_one_failure(void **state)
{
	static uint64_t ticks[READS];
	struct pl_measurement m = {.id = 1, .metric = "read_4k"};
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	struct pl_err err = {0, ""};
	struct pl_clock clock;
	struct pl_run run;
	ssize_t before, after;

	(void)state;
	pl_run_init(&run);
	run.machine.is_live = true;
	m.conditions.size_bytes = 4096;
	m.conditions.pattern = "sequential";
	assert_int_equal(pl_clock_open(&clock, PL_CLOCK_AUTO, NULL), 0);
	assert_int_equal(pl_nvme_open(&options, &run, &m, &clock, &sampler, &err), 0);
	before = sampler.sample(sampler.self, ticks, READS, &err);
	/* Open has read some places itself, to try the path and to prove that it polls. */
	assert_true(before > 0 && before < (ssize_t)BAD_PLACE);
	for (size_t i = 0; i < READS; i++)
		assert_true((ticks[i] > 0) == ((ssize_t)i < before));
	after = sampler.sample(sampler.self, ticks, READS, &err);
	assert_true(after < 0);
	assert_int_not_equal(after, -ENODEV);
	assert_non_null(strstr(err.text, "a read failed"));
	printf("after %zd reads: %s\n", before, err.text);
	assert_int_equal(sampler.sample(sampler.self, ticks, READS, &err), READS);
	pl_sampler_close(&sampler);
	pl_run_fini(&run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(unreadable_block_is_one_failure)};

	if (argc != 2)
		return T_SKIP;
	options.file = argv[1];
	return cmocka_run_group_tests_name("guest_fault", tests, NULL, NULL);
}
