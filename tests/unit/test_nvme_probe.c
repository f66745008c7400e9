#include "tests/nvme_file.h"

#include <errno.h>

#include "nvme_probe/ring.h"

static void every_path_reads(void **state)
{
	static const char *const patterns[] = {"random", "same_lba", "sequential", NULL};
	static const char *const paths[] = {"io_uring-spin", "io_uring-wait", "pread"};

	(void)state;
	for (size_t i = has_io_uring() ? 0 : 2; i < 3; i++)
		for (size_t j = 0; j < 4; j++) {
			struct series s = {.err = {0, ""}};
			uint64_t ticks[50] = {0};

			assert_int_equal(open_series(&s, paths[i], patterns[j], 4096), 0);
			assert_string_equal(s.m.conditions.path, paths[i]);
			assert_string_equal(s.m.conditions.pattern,
					    patterns[j] ? patterns[j] : "random");
			assert_int_equal(s.m.conditions.queue_depth, 1);
			assert_true(s.m.ns_per_tick == 1.0);
			assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 50, &s.err), 50);
			for (size_t k = 0; k < 50; k++)
				assert_true(ticks[k] > 0);
			close_series(&s);
		}
}

static void best_path_says_why_not_better(void **state)
{
	struct series s = {.err = {0, ""}};

	(void)state;
	assert_int_equal(open_series(&s, NULL, "random", 4096), 0);
	if (has_io_uring() && strcmp(s.m.conditions.path, "io_uring-iopoll")) {
		assert_string_equal(s.m.conditions.path, "io_uring-spin");
		assert_non_null(strstr(s.m.conditions.path_reason, "io_uring-iopoll: "));
		assert_true(strstr(s.m.conditions.path_reason, "io_poll") ||
			    strstr(s.m.conditions.path_reason, "O_DIRECT"));
	}
	close_series(&s);
	s.options.no_io_uring = true;
	assert_int_equal(open_series(&s, NULL, "random", 4096), 0);
	assert_string_equal(s.m.conditions.path, "pread");
	assert_string_equal(s.m.conditions.path_reason, "io_uring: not tried, as asked");
	close_series(&s);
}

static void wrong_requests_get_a_sentence(void **state)
{
	static const struct {
		const char *file, *path, *pattern;
		uint32_t bytes;
		int rc;
		const char *text;
	} cases[] = {
		{NULL, NULL, "random", 1000, -EINVAL, "blocks of 512 bytes"},
		{NULL, NULL, "random", 0, -EINVAL, "0 bytes at a time"},
		{NULL, NULL, "random", 2u << 20, -ENODATA, "less than one read"},
		{NULL, NULL, "spiral", 4096, -EINVAL, "no read pattern is called spiral"},
		{NULL, "telepathy", "random", 4096, -EINVAL, "no path is called telepathy"},
		{"/nonexistent", NULL, "random", 4096, -ENODEV, "/nonexistent is not there"},
		{"/", NULL, "random", 4096, -EINVAL, "neither a regular file nor a block device"},
		{"/dev/null", NULL, "random", 4096, -EINVAL, "neither a regular file"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series s = {.options = {.file = cases[i].file}, .err = {0, ""}};

		assert_int_equal(open_series(&s, cases[i].path, cases[i].pattern, cases[i].bytes),
				 cases[i].rc);
		assert_non_null(strstr(s.err.text, cases[i].text));
		assert_null(s.sampler.self);
		close_series(&s);
	}
}

static void fifo_does_not_hang(void **state)
{
	struct series s = {.err = {0, ""}};
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	s.options.file = path;
	alarm(10);
	assert_int_equal(open_series(&s, NULL, NULL, 4096), -EINVAL);
	alarm(0);
	close_series(&s);
}

/* A read beyond the end is the failure that any machine can make. */
static void failed_read_is_reported_once_and_never_counted(void **state)
{
	static const char *const paths[] = {"io_uring-spin", "io_uring-wait", "pread"};
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/short", dir);
	for (size_t i = has_io_uring() ? 0 : 2; i < 3; i++) {
		struct series s = {.options = {.file = path}, .err = {0, ""}};
		uint64_t ticks[8] = {0};

		close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
		assert_int_equal(truncate(path, 4 * 4096), 0);
		assert_int_equal(open_series(&s, paths[i], "sequential", 4096), 0);
		assert_int_equal(truncate(path, 3 * 4096), 0);
		/* The probe's own read was place 0; 1 and 2 work, 3 fails, then 0 again. */
		assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 8, &s.err), 2);
		assert_int_equal(ticks[2], 0);
		assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 8, &s.err), -EIO);
		assert_non_null(strstr(s.err.text, "a read of 4096 bytes gave 0"));
		assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 3, &s.err), 3);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 1, &s.err), -ENODEV);
		assert_non_null(strstr(s.err.text, "is gone"));
		close_series(&s);
	}
}

static int submit_one(struct io_uring *uring, unsigned char *buffer, unsigned opcode, int fd,
		      unsigned flags)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(uring);
	struct io_uring_cqe *cqe;
	int result;

	io_uring_prep_rw((int)opcode, sqe, fd, buffer, 4096, 0);
	sqe->flags = (uint8_t)flags;
	io_uring_submit_and_wait(uring, 1);
	assert_int_equal(io_uring_wait_cqe(uring, &cqe), 0);
	result = cqe->res;
	io_uring_cqe_seen(uring, cqe);
	return result;
}

/* The file is open for writing here on purpose: only the ring stands between it and a write. */
static void ring_refuses_everything_but_reads(void **state)
{
	static _Alignas(4096) unsigned char buffer[4096];
	int fd = open(file, O_RDWR);
	struct pl_ring_options options = {.fd = fd, .entries = 1};
	struct pl_ring ring;
	struct pl_err err;
	struct stat before, after;

	(void)state;
	assert_true(fd >= 0);
	if (!has_io_uring())
		skip();
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(pl_ring_open(&options, &ring, &err), 0);
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		int result = submit_one(ring.uring, buffer, opcode, 0, IOSQE_FIXED_FILE);

		if (opcode == IORING_OP_READ)
			assert_int_equal(result, 4096);
		else if (opcode != IORING_OP_NOP && opcode != IORING_OP_READ_FIXED)
			assert_true(result == -EACCES || result == -EINVAL);
		if (opcode == IORING_OP_WRITE || opcode == IORING_OP_WRITE_FIXED ||
		    opcode == IORING_OP_URING_CMD)
			assert_int_equal(result, -EACCES);
	}
	assert_int_equal(buffer[0], DATA);
	assert_int_equal(
		submit_one(ring.uring, buffer, IORING_OP_READ, 0, IOSQE_FIXED_FILE | IOSQE_ASYNC),
		-EACCES);
	assert_int_equal(io_uring_register_buffers(ring.uring, &(struct iovec){buffer, 4096}, 1),
			 -EACCES);
	assert_int_equal(fstat(fd, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	pl_ring_close(&ring);
	close(fd);
}

static void nothing_is_open_for_writing(void **state)
{
	char before[1024] = {0}, path[64];
	struct series s = {.err = {0, ""}};

	(void)state;
	for (int fd = 0; fd < 1024; fd++)
		before[fd] = fcntl(fd, F_GETFD) >= 0;
	assert_int_equal(open_series(&s, NULL, NULL, 4096), 0);
	for (int fd = 0; fd < 1024; fd++) {
		char link[128] = "";

		if (before[fd] || fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_true(readlink(path, link, sizeof(link) - 1) > 0);
		if (strcmp(link, "anon_inode:[io_uring]"))
			assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	}
	close_series(&s);
}

static void unusual_requests_say_what_they_need(void **state)
{
	struct series s = {.depth = 4, .err = {0, ""}}, t = {.err = {0, ""}},
		      u = {.depth = 1000, .err = {0, ""}};

	(void)state;
	assert_int_equal(open_series(&s, "pread", "random", 4096), -ENOTSUP);
	assert_non_null(strstr(s.err.text, "one read in flight"));
	close_series(&s);
	assert_int_equal(open_series(&t, "passthru-spin", "random", 4096), -ENOTSUP);
	assert_non_null(strstr(t.err.text, "is not an NVMe namespace"));
	close_series(&t);
	assert_int_equal(open_series(&u, NULL, "random", 4096), -EINVAL);
	close_series(&u);
}

static void facts_tell_how_it_was_read(void **state)
{
	struct series s = {.err = {0, ""}};

	(void)state;
	assert_int_equal(open_series(&s, NULL, "fast_lba", 4096), 0);
	assert_non_null(strstr(pl_measurement_find_fact(&s.m, "write_guarantee")->text,
			       "opened read-only"));
	assert_non_null(strstr(pl_measurement_find_fact(&s.m, "fast_lba_data")->text, "not zero"));
	assert_true(pl_measurement_find_fact(&s.m, "fast_lba_scanned")->value == 200.0);
	close_series(&s);
}

/* More rings than a thread may register descriptors for (16), opened and closed twice. */
static void many_series_fit(void **state)
{
	static struct series all[40];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 40; i++)
			assert_int_equal(open_series(&all[i], NULL, NULL, 4096), 0);
		for (size_t i = 0; i < 40; i++) {
			uint64_t ticks[2];

			assert_string_equal(all[i].m.conditions.path, all[0].m.conditions.path);
			assert_int_equal(all[i].sampler.sample(all[i].sampler.self, ticks, 2, NULL),
					 2);
			close_series(&all[i]);
		}
	}
}

static void loop_device_reads(void **state)
{
	char command[160], node[64] = "";
	struct series s = {.err = {0, ""}};
	uint64_t ticks[20];
	FILE *pipe_in;

	(void)state;
	snprintf(command, sizeof(command), "losetup -r -f --show %s 2>/dev/null", file);
	pipe_in = geteuid() ? NULL : popen(command, "r");
	if (pipe_in && !fgets(node, sizeof(node), pipe_in))
		node[0] = 0;
	if (!pipe_in || pclose(pipe_in) || !node[0])
		skip();
	node[strcspn(node, "\n")] = 0;
	s.options.file = node;
	assert_int_equal(open_series(&s, NULL, "random", 512), 0);
	assert_int_equal(s.sampler.sample(s.sampler.self, ticks, 20, &s.err), 20);
	assert_non_null(strstr(s.m.conditions.path_reason, "queue/io_poll is 0"));
	close_series(&s);
	snprintf(command, sizeof(command), "losetup -d %s", node);
	assert_int_equal(system(command), 0);
}

static bool has_warning(const struct series *s, const char *text)
{
	for (size_t i = 0; i < s->m.warning_count; i++)
		if (strstr(s->m.warnings[i], text))
			return true;
	return false;
}

/* Zeros that the kernel makes up are no reads of a drive. */
static void holes_of_a_file_are_said(void **state)
{
	struct series s = {.err = {0, ""}};
	char sparse[112];
	int fd;

	(void)state;
	assert_int_equal(open_series(&s, NULL, "random", 4096), 0);
	assert_false(has_warning(&s, "W-SPARSE"));
	close_series(&s);
	snprintf(sparse, sizeof(sparse), "%s/sparse", dir);
	fd = open(sparse, O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(pwrite(fd, sparse, sizeof(sparse), 1 << 19), sizeof(sparse));
	if (lseek(fd, 0, SEEK_HOLE) > 0)
		skip(); /* this file system does not tell */
	close(fd);
	s = (struct series){.err = {0, ""}};
	s.options.file = sparse;
	assert_int_equal(open_series(&s, NULL, "random", 4096), 0);
	assert_true(has_warning(&s, "W-SPARSE: 9"));
	close_series(&s);
}

static void captures_are_never_read(void **state)
{
	struct series s = {.err = {0, ""}};

	(void)state;
	pl_run_init(&s.run);
	s.run.machine.source = "dump x";
	assert_int_equal(pl_nvme_open(&s.options, &s.run, &s.m, &raw, &s.sampler, &s.err),
			 -ENOTSUP);
	close_series(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_reads),
		cmocka_unit_test(best_path_says_why_not_better),
		cmocka_unit_test(wrong_requests_get_a_sentence),
		cmocka_unit_test(fifo_does_not_hang),
		cmocka_unit_test(failed_read_is_reported_once_and_never_counted),
		cmocka_unit_test(ring_refuses_everything_but_reads),
		cmocka_unit_test(nothing_is_open_for_writing),
		cmocka_unit_test(unusual_requests_say_what_they_need),
		cmocka_unit_test(facts_tell_how_it_was_read),
		cmocka_unit_test(many_series_fit),
		cmocka_unit_test(loop_device_reads),
		cmocka_unit_test(holes_of_a_file_are_said),
		cmocka_unit_test(captures_are_never_read),
	};

	return cmocka_run_group_tests_name("nvme_probe", tests, make_file, remove_file);
}
