#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvme_probe/nvme_probe.h"
#include "nvme_probe/ring.h"
#include "nvme_probe/target.h"

#define FILE_BYTES ((size_t)1 << 20)
#define DATA 0x5a

static const struct pl_clock raw = {.ns_per_tick = 1.0, .name = "clock_monotonic_raw"};

static char dir[64], file[96];

static int make_file(void **state)
{
	static unsigned char bytes[FILE_BYTES];
	int fd;

	(void)state;
	strcpy(dir, "/var/tmp/pl-nvme-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0755))
		return -1;
	snprintf(file, sizeof(file), "%s/data", dir);
	memset(bytes, DATA, sizeof(bytes));
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* One planned series on the file, and everything a probe needs to open it. */
struct series {
	struct pl_run run;
	struct pl_measurement m;
	struct pl_nvme_options options;
	struct pl_sampler sampler;
	struct pl_err err;
};

static int open_series(struct series *s, const char *path, const char *pattern, uint32_t bytes)
{
	pl_run_init(&s->run);
	s->run.machine.is_live = true;
	s->m = (struct pl_measurement){.id = 1, .probe = PL_PROBE_NVME};
	s->m.conditions.pattern = pattern;
	s->m.conditions.size_bytes = bytes;
	s->options.file = s->options.file ? s->options.file : file;
	s->options.path = path;
	s->sampler = (struct pl_sampler){NULL, NULL, NULL};
	return pl_nvme_open(&s->options, &s->run, &s->m, &raw, &s->sampler, &s->err);
}

static void close_series(struct series *s)
{
	pl_sampler_close(&s->sampler);
	pl_run_fini(&s->run);
}

static bool has_io_uring(void)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(1, &ring, IORING_SETUP_R_DISABLED);

	if (!rc)
		io_uring_queue_exit(&ring);
	return !rc;
}

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
		assert_non_null(strstr(s.m.conditions.path_reason, "io_poll"));
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
	int fd = open(file, O_RDWR | O_DIRECT);
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

/* What a child process, changed by `prepare`, was told. */
struct told {
	int rc;
	char path[32], reason[600], error[512];
};

static struct told told_in_child(int (*prepare)(void), const char *name)
{
	struct told told = {0};
	int channel[2];
	pid_t child;

	assert_int_equal(pipe(channel), 0);
	fflush(NULL);
	child = fork();
	if (!child) {
		struct series s = {.options = {.file = name}, .err = {0, ""}};

		if (prepare())
			_exit(1);
		told.rc = open_series(&s, NULL, "random", 4096);
		snprintf(told.path, sizeof(told.path), "%s", told.rc ? "" : s.m.conditions.path);
		if (!told.rc && s.m.conditions.path_reason)
			snprintf(told.reason, sizeof(told.reason), "%s",
				 s.m.conditions.path_reason);
		snprintf(told.error, sizeof(told.error), "%s", s.err.text);
		_exit(write(channel[1], &told, sizeof(told)) != sizeof(told));
	}
	close(channel[1]);
	assert_int_equal(read(channel[0], &told, sizeof(told)), sizeof(told));
	close(channel[0]);
	waitpid(child, NULL, 0);
	return told;
}

static int forbid_io_uring(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int forbid_as_a_container(void)
{
	return forbid_io_uring(EPERM);
}

static int forbid_as_an_old_kernel(void)
{
	return forbid_io_uring(ENOSYS);
}

static int become_nobody(void)
{
	return setgroups(0, NULL) || setgid(65534) || setuid(65534);
}

static void refused_io_uring_gives_pread_and_the_reason(void **state)
{
	struct told told = told_in_child(forbid_as_a_container, file);

	(void)state;
	assert_int_equal(told.rc, 0);
	assert_string_equal(told.path, "pread");
	assert_non_null(
		strstr(told.reason, "io_uring-spin: io_uring is refused (a seccomp filter"));
	told = told_in_child(forbid_as_an_old_kernel, file);
	assert_int_equal(told.rc, 0);
	assert_string_equal(told.path, "pread");
	assert_non_null(strstr(told.reason, "io_uring-spin: this kernel has no io_uring"));
}

static void disabled_io_uring_names_the_setting(void **state)
{
	struct pl_err err;

	(void)state;
	assert_int_equal(pl_ring_explain_setup(EPERM, '2', &err), -EPERM);
	assert_non_null(strstr(err.text, "kernel.io_uring_disabled is 2"));
	assert_int_equal(pl_ring_explain_setup(EPERM, '0', &err), -EPERM);
	assert_non_null(strstr(err.text, "seccomp"));
	assert_int_equal(pl_ring_explain_setup(EINVAL, '0', &err), -EINVAL);
	assert_non_null(strstr(err.text, "restricted"));
	assert_int_equal(pl_ring_explain_setup(EMFILE, '0', &err), -EMFILE);
}

static void ordinary_user_is_told_who_may_read(void **state)
{
	char path[128];
	struct told told;

	(void)state;
	if (geteuid())
		skip();
	snprintf(path, sizeof(path), "%s/secret", dir);
	close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
	assert_int_equal(truncate(path, 65536), 0);
	told = told_in_child(become_nobody, path);
	assert_int_equal(told.rc, -EACCES);
	assert_non_null(strstr(told.error, "may not be read by this user; run as root"));
	assert_int_equal(chown(path, 0, 6), 0);
	assert_int_equal(chmod(path, 0640), 0);
	told = told_in_child(become_nobody, path);
	assert_non_null(strstr(told.error, "join the group disk"));
	told = told_in_child(become_nobody, file);
	assert_int_equal(told.rc, 0);
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
		cmocka_unit_test(many_series_fit),
		cmocka_unit_test(refused_io_uring_gives_pread_and_the_reason),
		cmocka_unit_test(disabled_io_uring_names_the_setting),
		cmocka_unit_test(ordinary_user_is_told_who_may_read),
		cmocka_unit_test(loop_device_reads),
		cmocka_unit_test(captures_are_never_read),
	};

	return cmocka_run_group_tests_name("nvme_probe", tests, make_file, remove_file);
}
