#ifndef PL_CORE_SYSROOT_H
#define PL_CORE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/err.h"

/*
 * The machine as a folder: "/" for the live machine, or a capture (--sysroot DIR). All paths are
 * given as on the live machine, without the leading slash ("sys/bus/pci/devices"). Links in a
 * capture must be relative (sysfs links are); openat follows them.
 */
struct pl_sysroot {
	int fd;
	bool live;
	const char *path; /* borrowed from the caller of open; "/" when live */
};

/* path NULL or "/" is the live machine. Errors: -ENOENT, -ENOTDIR, -EACCES with a sentence. */
int pl_sysroot_open(struct pl_sysroot *root, const char *path, struct pl_err *err);
void pl_sysroot_close(struct pl_sysroot *root);

/* O_RDONLY descriptor below the root, or -errno. */
int pl_sysroot_openat(const struct pl_sysroot *root, const char *path);
bool pl_sysroot_exists(const struct pl_sysroot *root, const char *path);
/*
 * Reads a whole file (at most 16 MiB) into the arena, NUL-terminated; *size_bytes (may be NULL) is
 * the length without the NUL. Returns 0 or -errno; no sentence, callers know what they miss.
 */
int pl_sysroot_read(const struct pl_sysroot *root, const char *path, struct pl_arena *arena,
		    char **data, size_t *size_bytes);
/* First line without its newline and trailing blanks, or NULL when the file cannot be read. */
char *pl_sysroot_line(const struct pl_sysroot *root, const char *path, struct pl_arena *arena);
/* A decimal or 0x number in a file. 0 or -errno (-EINVAL when it is not a number). */
int pl_sysroot_u64(const struct pl_sysroot *root, const char *path, uint64_t *value);
/* Last path component of a symbolic link (a driver's name, for example), or NULL. */
char *pl_sysroot_link_name(const struct pl_sysroot *root, const char *path, struct pl_arena *arena);
/* Sorted names in a folder without "." and "..", in the arena. Returns the count or -errno. */
int pl_sysroot_list(const struct pl_sysroot *root, const char *path, struct pl_arena *arena,
		    char ***names);

#endif
