#include "link/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/io.h"

#define BOOT_ID_FILE "proc/sys/kernel/random/boot_id"
#define TEMPORARY PL_JOURNAL_FILE ".new"

void pl_journal_fini(struct pl_journal *journal)
{
	pl_arena_fini(&journal->arena);
	memset(journal, 0, sizeof(*journal));
}

void pl_journal_add_link(struct pl_journal *journal, const struct pl_aspm_link *found,
			 unsigned depth)
{
	void *items = journal->links;
	struct pl_journal_link *link = pl_arena_push(&journal->arena, &items, &journal->link_count,
						     &journal->link_capacity, sizeof(*link));
	size_t bytes = found->down_count * sizeof(*found->down);

	journal->links = items;
	link->depth = depth;
	link->found = *found;
	link->found.down = pl_arena_alloc(&journal->arena, bytes);
	memcpy(link->found.down, found->down, bytes);
	link->found.flags = NULL;
	link->found.flag_count = 0;
}

const struct pl_journal_link *pl_journal_find_link(const struct pl_journal *journal,
						   struct pl_bdf up)
{
	for (size_t i = 0; i < journal->link_count; i++)
		if (pl_bdf_is_equal(journal->links[i].found.up.bdf, up))
			return &journal->links[i];
	return NULL;
}

void pl_journal_add_text(struct pl_journal *journal, const struct pl_journal_text *text)
{
	void *items = journal->texts;
	struct pl_journal_text *added = pl_arena_push(&journal->arena, &items, &journal->text_count,
						      &journal->text_capacity, sizeof(*added));

	journal->texts = items;
	*added = *text;
	added->path = pl_arena_strdup(&journal->arena, text->path);
}

const struct pl_journal_text *pl_journal_find_text(const struct pl_journal *journal,
						   const char *path)
{
	for (size_t i = 0; i < journal->text_count; i++)
		if (!strcmp(journal->texts[i].path, path))
			return &journal->texts[i];
	return NULL;
}

void pl_journal_forget_link(struct pl_journal *journal, struct pl_bdf up)
{
	const struct pl_journal_link *link = pl_journal_find_link(journal, up);
	size_t i = link ? (size_t)(link - journal->links) : journal->link_count;

	if (!link)
		return;
	journal->link_count--;
	memmove(&journal->links[i], &journal->links[i + 1],
		(journal->link_count - i) * sizeof(journal->links[0]));
}

void pl_journal_forget_text(struct pl_journal *journal, const char *path)
{
	const struct pl_journal_text *text = pl_journal_find_text(journal, path);
	size_t i = text ? (size_t)(text - journal->texts) : journal->text_count;

	if (!text)
		return;
	journal->text_count--;
	memmove(&journal->texts[i], &journal->texts[i + 1],
		(journal->text_count - i) * sizeof(journal->texts[0]));
}

void pl_journal_read_boot_id(const struct pl_sysroot *root, char out[PL_JOURNAL_BOOT_BYTES])
{
	if (pl_link_read_line(root, BOOT_ID_FILE, out, PL_JOURNAL_BOOT_BYTES) || !out[0])
		snprintf(out, PL_JOURNAL_BOOT_BYTES, "-");
}

int pl_journal_make_dir(const struct pl_sysroot *root)
{
	if (mkdirat(root->fd, PL_JOURNAL_DIR, 0700) && errno != EEXIST) {
		if (errno != ENOENT)
			return -errno;
		if (mkdirat(root->fd, "run", 0755) && errno != EEXIST)
			return -errno;
		if (mkdirat(root->fd, PL_JOURNAL_DIR, 0700) && errno != EEXIST)
			return -errno;
	}
	return faccessat(root->fd, PL_JOURNAL_DIR, W_OK | X_OK, AT_EACCESS) ? -errno : 0;
}

/* A rename is only on disk when its folder is. */
static int sync_dir(const struct pl_sysroot *root)
{
	int fd = openat(root->fd, PL_JOURNAL_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd))
		rc = -errno;
	close(fd);
	return rc;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t put = write(fd, text, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		text += put;
		length -= (size_t)put;
	}
	return 0;
}

static int write_file(const struct pl_sysroot *root, const char *text, size_t length)
{
	int fd, rc;

	/* What a dead run left under this name is not ours to follow or to trust. */
	if (unlinkat(root->fd, TEMPORARY, 0) && errno != ENOENT)
		return -errno;
	fd = openat(root->fd, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, text, length);
	if (!rc && fsync(fd))
		rc = -errno;
	close(fd);
	if (!rc && renameat(root->fd, TEMPORARY, root->fd, PL_JOURNAL_FILE))
		rc = -errno;
	return rc ? rc : sync_dir(root);
}

int pl_journal_write(const struct pl_journal *journal, const struct pl_sysroot *root,
		     struct pl_err *err)
{
	char *text = NULL;
	size_t length = 0;
	int rc = pl_journal_make_dir(root);

	if (!rc)
		rc = pl_journal_format(journal, &text, &length);
	if (!rc)
		rc = write_file(root, text, length);
	free(text);
	if (rc)
		return pl_fail(err, rc,
			       "cannot write the journal /%s: %s; nothing is changed "
			       "without it",
			       PL_JOURNAL_FILE, strerror(-rc));
	return 0;
}

int pl_journal_read(struct pl_journal *journal, const struct pl_sysroot *root, struct pl_err *err)
{
	struct pl_arena arena = {NULL};
	char *text;
	int rc = pl_sysroot_read(root, PL_JOURNAL_FILE, &arena, &text, NULL);

	memset(journal, 0, sizeof(*journal));
	if (rc)
		pl_fail(err, rc, "/%s: %s", PL_JOURNAL_FILE, strerror(-rc));
	else
		rc = pl_journal_parse(journal, text, err);
	pl_arena_fini(&arena);
	return rc;
}

int pl_journal_remove(const struct pl_sysroot *root, const char *path)
{
	if (unlinkat(root->fd, path, 0))
		return errno == ENOENT ? 0 : -errno;
	return sync_dir(root);
}
