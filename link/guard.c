#include "link/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/act.h"
#include "link/journal.h"

#define ALL_IS_WELL 'd'

/* What the guard did, for the next start to tell. */
static void leave_note(const struct pl_sysroot *root, const struct pl_link_restored *result)
{
	int fd = openat(root->fd, PL_JOURNAL_NOTE,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	dprintf(fd, "%zu %zu\n", result->restored, result->gone);
	close(fd);
}

static void put_everything_back(const struct pl_sysroot *root, const struct pl_link_io *io)
{
	struct pl_link_restored result = {.restored = 0};
	struct pl_journal journal;

	if (pl_journal_read(&journal, root, NULL) == 0) {
		pl_link_restore_journal(&journal, root, io, &result);
		if (!result.failed) {
			leave_note(root, &result);
			pl_journal_remove(root, PL_JOURNAL_FILE);
		}
	}
	pl_journal_fini(&journal);
}

static void close_others(const int *keep, size_t count)
{
	unsigned first = 3;

	/* keep is sorted: close what lies between. */
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0 || (unsigned)keep[i] < first)
			continue;
		if ((unsigned)keep[i] > first)
			close_range(first, (unsigned)keep[i] - 1, 0);
		first = (unsigned)keep[i] + 1;
	}
	close_range(first, ~0u, 0);
}

static int compare_int(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void leave_the_terminal(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	prctl(PR_SET_NAME, "pcielat-guard");
}

/* The kernel's out-of-memory killer takes others first; root may ask for that. */
static void refuse_oom(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "-1000");
	close(fd);
}

_Noreturn static void stand_guard(int fd, const struct pl_sysroot *root,
				  const struct pl_link_io *io, int lock_fd)
{
	int keep[3] = {fd, root->fd, lock_fd};
	ssize_t got;
	char word;

	leave_the_terminal();
	qsort(keep, 3, sizeof(keep[0]), compare_int);
	close_others(keep, 3);
	if (root->live)
		refuse_oom();
	do {
		got = read(fd, &word, 1);
	} while (got < 0 && errno == EINTR);
	if (got <= 0 || word != ALL_IS_WELL)
		put_everything_back(root, io);
	_exit(0);
}

int pl_link_guard_start(struct pl_link_guard *guard, const struct pl_sysroot *root,
			const struct pl_link_io *io, int lock_fd, struct pl_err *err)
{
	int ends[2];
	pid_t pid;

	/* A socket, not a pipe: sending to a dead guard must not raise SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return pl_fail(err, -errno, "no socket for the guard process: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		int rc = pl_fail(err, -errno,
				 "cannot start the guard process: %s; nothing is "
				 "changed without it",
				 strerror(errno));

		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	if (pid == 0) {
		close(ends[0]);
		stand_guard(ends[1], root, io, lock_fd);
	}
	close(ends[1]);
	*guard = (struct pl_link_guard){ends[0], pid};
	return 0;
}

static void forget(struct pl_link_guard *guard)
{
	close(guard->fd);
	*guard = (struct pl_link_guard){-1, 0};
}

bool pl_link_guard_is_alive(struct pl_link_guard *guard)
{
	if (!guard->pid)
		return false;
	if (waitpid(guard->pid, NULL, WNOHANG) == 0)
		return true;
	forget(guard);
	return false;
}

void pl_link_guard_dismiss(struct pl_link_guard *guard)
{
	const char word = ALL_IS_WELL;

	if (!guard->pid)
		return;
	send(guard->fd, &word, 1, MSG_NOSIGNAL);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	forget(guard);
}
