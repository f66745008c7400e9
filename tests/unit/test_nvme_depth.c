#include "tests/nvme_file.h"

#include <errno.h>

#include "nvme_probe/target.h"

static void deep_queues_read_everything(void **state)
{
	static const char *const paths[] = {"io_uring-spin", "io_uring-wait"};
	static const unsigned depths[] = {2, 3, 8, 32};

	(void)state;
	if (!has_io_uring())
		skip();
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 4; j++) {
			struct series s = {.err = {0, ""}};
			uint64_t ticks[100] = {0};

			s.depth = depths[j];
			assert_int_equal(open_series(&s, paths[i], "random", 4096), 0);
			assert_int_equal(s.m.conditions.queue_depth, depths[j]);
			assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 100, &s.err), 100);
			for (size_t k = 0; k < 100; k++)
				assert_true(ticks[k] > 0);
			/* Fewer than are kept in flight. */
			assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 1, &s.err), 1);
			pl_sampler_close(&s.sampler);
			close_series(&s);
		}
}

static void deep_queues_survive_failed_reads(void **state)
{
	struct series s = {.depth = 4, .err = {0, ""}};
	uint64_t ticks[64] = {0};
	ssize_t good, rc;
	char path[128];

	(void)state;
	if (!has_io_uring())
		skip();
	snprintf(path, sizeof(path), "%s/deep", dir);
	close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	assert_int_equal(truncate(path, 40 * 4096), 0);
	s.options.file = path;
	assert_int_equal(open_series(&s, NULL, "sequential", 4096), 0);
	assert_int_equal(truncate(path, 20 * 4096), 0);
	good = s.sampler.sample(s.sampler.self, ticks, 64, &s.err);
	assert_true(good >= 15 && good <= 19);
	for (ssize_t i = 0; i < 64; i++)
		assert_true((ticks[i] > 0) == (i < good));
	rc = s.sampler.sample(s.sampler.self, ticks, 64, &s.err);
	assert_int_equal(rc, -EIO);
	close_series(&s);
}

/* 32 reads of 128 KiB in flight: each has its own 128 KiB, and all of them arrive. */
static void long_reads_have_room(void **state)
{
	static const unsigned depths[] = {1, 2, 4, 8, 16, 32};

	(void)state;
	if (!has_io_uring())
		skip();
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct series s = {.depth = depths[i], .err = {0, ""}};
		uint64_t ticks[64] = {0};

		assert_int_equal(open_series(&s, "io_uring-spin", "sequential", 131072), 0);
		assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 64, &s.err), 64);
		for (size_t k = 0; k < 64; k++)
			assert_true(ticks[k] > 0);
		close_series(&s);
	}
}

static void one_read_is_one_command(void **state)
{
	static const struct {
		unsigned drive_kib, kernel_kib;
		int rc;
		const char *why;
	} cases[] = {{512, 512, 0, NULL},
		     {128, 128, 0, NULL},
		     {0, 0, 0, NULL},
		     {64, 64, -ENOTSUP, "takes at most 64 KiB in one command"},
		     {512, 64, -ENOTSUP, "max_sectors_kb; it may be raised to 512"}};
	const struct pl_target target = {.path = "/dev/nvme0n1"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pl_err err = {0, ""};

		assert_int_equal(pl_target_check_limits(&target, 131072, cases[i].drive_kib,
							cases[i].kernel_kib, &err),
				 cases[i].rc);
		if (cases[i].why)
			assert_non_null(strstr(err.text, cases[i].why));
		assert_int_equal(pl_target_check_limits(&target, 4096, cases[i].drive_kib,
							cases[i].kernel_kib, &err),
				 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deep_queues_read_everything),
		cmocka_unit_test(deep_queues_survive_failed_reads),
		cmocka_unit_test(long_reads_have_room),
		cmocka_unit_test(one_read_is_one_command),
	};

	return cmocka_run_group_tests_name("nvme_depth", tests, make_file, remove_file);
}
