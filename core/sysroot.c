#include "core/sysroot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT_BYTES ((size_t)16 * 1024 * 1024)

int pl_sysroot_open(struct pl_sysroot *root, const char *path, struct pl_err *err)
{
	const char *where = path ? path : "/";

	root->fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0)
		return pl_fail(err, -errno, "--sysroot %s: %s", where, strerror(errno));
	root->live = strcmp(where, "/") == 0;
	root->path = where;
	return 0;
}

void pl_sysroot_close(struct pl_sysroot *root)
{
	if (root->path)
		close(root->fd);
	*root = (struct pl_sysroot){.fd = -1};
}

int pl_sysroot_openat(const struct pl_sysroot *root, const char *path)
{
	int fd = openat(root->fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

bool pl_sysroot_exists(const struct pl_sysroot *root, const char *path)
{
	return faccessat(root->fd, path, F_OK, 0) == 0;
}

/* sysfs files report a size of 4096 or 0, so read until the end rather than trust st_size. */
static int read_all(int fd, char *buffer, size_t room, size_t *length)
{
	*length = 0;
	while (*length < room) {
		ssize_t got = read(fd, buffer + *length, room - *length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		*length += (size_t)got;
	}
	return -EFBIG;
}

int pl_sysroot_read(const struct pl_sysroot *root, const char *path, struct pl_arena *arena,
		    char **data, size_t *size_bytes)
{
	size_t room = 8192, length = 0;
	char *buffer = NULL;
	int fd, rc;

	do {
		fd = pl_sysroot_openat(root, path);
		if (fd < 0)
			return fd;
		free(buffer);
		buffer = malloc(room);
		rc = buffer ? read_all(fd, buffer, room, &length) : -ENOMEM;
		close(fd);
		room *= 8;
	} while (rc == -EFBIG && room <= FILE_LIMIT_BYTES);
	if (!rc) {
		*data = pl_arena_alloc(arena, length + 1);
		memcpy(*data, buffer, length);
		if (size_bytes)
			*size_bytes = length;
	}
	free(buffer);
	return rc;
}

char *pl_sysroot_line(const struct pl_sysroot *root, const char *path, struct pl_arena *arena)
{
	char *text, *end;

	if (pl_sysroot_read(root, path, arena, &text, NULL))
		return NULL;
	end = text + strcspn(text, "\n");
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

int pl_sysroot_u64(const struct pl_sysroot *root, const char *path, uint64_t *value)
{
	struct pl_arena arena = {NULL};
	char *text = NULL, *end = NULL;
	int rc = pl_sysroot_read(root, path, &arena, &text, NULL);

	if (!rc) {
		errno = 0;
		*value = strtoull(text, &end, 0);
		if (errno || end == text || (*end && !isspace((unsigned char)*end)))
			rc = -EINVAL;
	}
	pl_arena_fini(&arena);
	return rc;
}

char *pl_sysroot_link_name(const struct pl_sysroot *root, const char *path, struct pl_arena *arena)
{
	char target[1024];
	ssize_t length = readlinkat(root->fd, path, target, sizeof(target) - 1);
	const char *slash;

	if (length <= 0)
		return NULL;
	target[length] = '\0';
	slash = strrchr(target, '/');
	return pl_arena_strdup(arena, slash ? slash + 1 : target);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int pl_sysroot_list(const struct pl_sysroot *root, const char *path, struct pl_arena *arena,
		    char ***names)
{
	size_t count = 0, capacity = 0;
	void *items = NULL;
	struct dirent *entry;
	DIR *dir;
	int fd = openat(root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		*(char **)pl_arena_push(arena, &items, &count, &capacity, sizeof(char *)) =
			pl_arena_strdup(arena, entry->d_name);
	}
	closedir(dir);
	if (count)
		qsort(items, count, sizeof(char *), compare_names);
	*names = items;
	return (int)count;
}
