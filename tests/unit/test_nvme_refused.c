#include "tests/nvme_file.h"

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "nvme_probe/ring.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_io_uring_gives_pread_and_the_reason),
		cmocka_unit_test(disabled_io_uring_names_the_setting),
		cmocka_unit_test(ordinary_user_is_told_who_may_read),
	};

	return cmocka_run_group_tests_name("nvme_refused", tests, make_file, remove_file);
}
