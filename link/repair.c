#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "link/act.h"
#include "link/lock.h"

/* A guard needs well under a second per link; after this long the holder is taken for alive. */
#define GUARD_PATIENCE_STEPS 100
#define GUARD_STEP_NS 50000000L

static long read_pid(int fd)
{
	char text[32];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return 0;
	text[got] = '\0';
	return strtol(text, NULL, 10);
}

static bool is_process_alive(long pid)
{
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static void wait_a_step(void)
{
	struct timespec step = {0, GUARD_STEP_NS};

	nanosleep(&step, NULL);
}

/* 0 when locked. The lock outlives its run while the run's guard is at work. */
static int lock_patiently(int fd)
{
	for (int i = 0; i < GUARD_PATIENCE_STEPS; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (is_process_alive(read_pid(fd)))
			return -EBUSY;
		wait_a_step();
	}
	return -EBUSY;
}

static int write_pid(int fd)
{
	return ftruncate(fd, 0) || dprintf(fd, "%ld\n", (long)getpid()) < 0 ? -EIO : 0;
}

int pl_link_lock(const struct pl_sysroot *root, struct pl_err *err)
{
	int rc = pl_journal_make_dir(root), fd;

	if (rc)
		return pl_fail(err, rc, "/%s: %s: %s", PL_JOURNAL_DIR, strerror(-rc),
			       pl_link_cause(-rc));
	fd = openat(root->fd, PL_JOURNAL_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pl_fail(err, -errno, "/%s: %s: %s", PL_JOURNAL_LOCK, strerror(errno),
			       pl_link_cause(errno));
	rc = lock_patiently(fd);
	if (!rc)
		rc = write_pid(fd);
	if (!rc)
		return fd;
	if (rc == -EBUSY)
		pl_fail(err, rc, "another pcielat (process %ld) is changing link states",
			read_pid(fd));
	else
		pl_fail(err, rc, "/%s: %s", PL_JOURNAL_LOCK, strerror(-rc));
	close(fd);
	return rc;
}

/* "3 settings put back; 1 belonged to devices no longer there" */
static void tell_counts(const struct pl_link_repair *repair, char *out, size_t size)
{
	int used = snprintf(out, size, "%zu setting%s put back", repair->restored,
			    repair->restored == 1 ? "" : "s");

	if (repair->gone)
		snprintf(out + used, size - (size_t)used,
			 "; %zu belonged to devices no longer there", repair->gone);
}

/* The guard's note of what it did, once. */
static void take_note(const struct pl_sysroot *root, struct pl_link_repair *repair)
{
	char line[64], counts[128];

	if (pl_link_read_line(root, PL_JOURNAL_NOTE, line, sizeof(line)) ||
	    sscanf(line, "%zu %zu", &repair->restored, &repair->gone) < 1)
		return;
	repair->by_guard = true;
	tell_counts(repair, counts, sizeof(counts));
	snprintf(repair->text, sizeof(repair->text),
		 "an earlier run died; its guard process acted: %s", counts);
	pl_journal_remove(root, PL_JOURNAL_NOTE);
}

static int put_back(const struct pl_journal *journal, const struct pl_sysroot *root,
		    const struct pl_link_io *io, struct pl_link_repair *repair, struct pl_err *err)
{
	struct pl_link_restored result;
	char counts[128];

	pl_link_restore_journal(journal, root, io, &result);
	repair->restored = result.restored;
	repair->gone = result.gone;
	repair->failed = result.failed;
	if (result.failed) {
		snprintf(repair->text, sizeof(repair->text), "%s", result.first.text);
		return pl_fail(err, -EIO,
			       "%zu of the settings that a dead run changed could not be "
			       "put back: %s; run `pcielat restore` as root, or reboot",
			       result.failed, result.first.text);
	}
	tell_counts(repair, counts, sizeof(counts));
	snprintf(repair->text, sizeof(repair->text),
		 "an earlier run (process %ld) died without restoring; %s", journal->pid, counts);
	return pl_journal_remove(root, PL_JOURNAL_FILE);
}

int pl_link_repair_locked(const struct pl_sysroot *root, const struct pl_link_io *io,
			  struct pl_link_repair *repair, struct pl_err *err)
{
	struct pl_journal journal;
	char boot_id[PL_JOURNAL_BOOT_BYTES];
	int rc;

	*repair = (struct pl_link_repair){.text = "nothing to restore"};
	take_note(root, repair);
	rc = pl_journal_read(&journal, root, err);
	pl_journal_read_boot_id(root, boot_id);
	if (rc == -ENOENT) {
		rc = 0;
	} else if (!rc && strcmp(journal.boot_id, boot_id)) {
		repair->is_stale = true;
		snprintf(repair->text, sizeof(repair->text),
			 "the journal is of an earlier boot: firmware has set the links up anew");
		rc = pl_journal_remove(root, PL_JOURNAL_FILE);
	} else if (!rc) {
		repair->found = true;
		rc = put_back(&journal, root, io, repair, err);
	}
	pl_journal_fini(&journal);
	return rc;
}

int pl_link_repair(const struct pl_sysroot *root, const struct pl_link_io *io,
		   struct pl_link_repair *repair, struct pl_err *err)
{
	int fd = pl_link_lock(root, err), rc;

	*repair = (struct pl_link_repair){.text = "nothing to restore"};
	if (fd < 0)
		return fd;
	rc = pl_link_repair_locked(root, io ? io : &pl_link_io_files, repair, err);
	close(fd);
	return rc;
}
