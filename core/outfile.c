#include "core/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS_MAX 1000u

/* A link leads to the file that is meant; what is not there yet has the name that was given. */
static int resolve(struct pl_outfile *outfile, const char *file)
{
	if (realpath(file, outfile->file))
		return 0;
	if (errno != ENOENT)
		return -errno;
	return snprintf(outfile->file, sizeof(outfile->file), "%s", file) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

bool pl_outfile_is_regular(const char *file)
{
	struct stat st;

	return stat(file, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* Folder and name of a file that may not be there yet, without links and dots in the folder. */
static bool find_place(const char *file, char place[PATH_MAX])
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	char folder[PATH_MAX], real[PATH_MAX];
	int length = slash ? (int)(slash - file) + 1 : 1;

	if (length >= PATH_MAX)
		return false;
	snprintf(folder, sizeof(folder), "%.*s", length, slash ? file : ".");
	return realpath(folder, real) &&
	       snprintf(place, PATH_MAX, "%.*s/%s", PATH_MAX, real, name) < PATH_MAX;
}

bool pl_outfile_is_same(const char *a, const char *b)
{
	char place_a[PATH_MAX], place_b[PATH_MAX];
	struct stat st_a, st_b;
	bool is_a = !stat(a, &st_a), is_b = !stat(b, &st_b);

	if (is_a && is_b)
		return S_ISREG(st_a.st_mode) && st_a.st_dev == st_b.st_dev &&
		       st_a.st_ino == st_b.st_ino;
	return !is_a && !is_b && find_place(a, place_a) && find_place(b, place_b) &&
	       !strcmp(place_a, place_b);
}

static bool is_drive(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISBLK(st.st_mode);
}

/*
 * A name beside it that nobody has: what is called so already is somebody's file, and may be the
 * one that is measured. No link is followed: the folder may be one that others write to.
 */
static void open_part(struct pl_outfile *outfile)
{
	int fd = -1;

	for (unsigned i = 1; fd < 0 && i <= PARTS_MAX; i++) {
		if (snprintf(outfile->part, sizeof(outfile->part), i > 1 ? "%s.part-%u" : "%s.part",
			     outfile->file, i) >= PATH_MAX)
			break;
		fd = open(outfile->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	outfile->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (fd >= 0 && !outfile->out)
		close(fd);
}

int pl_outfile_open(struct pl_outfile *outfile, const char *file, struct pl_err *err)
{
	int rc;

	*outfile = (struct pl_outfile){.out = NULL};
	rc = resolve(outfile, file);
	if (rc)
		return pl_fail(err, rc, "%s: %s", file, strerror(-rc));
	if (is_drive(outfile->file))
		return pl_fail(err, -EINVAL, "%s is a drive: nothing is written to drives", file);
	if (pl_outfile_is_regular(outfile->file))
		open_part(outfile);
	if (!outfile->out) {
		outfile->part[0] = 0;
		outfile->out = fopen(outfile->file, "we");
	}
	return outfile->out ? 0 : pl_fail(err, -errno, "%s: %s", file, strerror(errno));
}

int pl_outfile_close(struct pl_outfile *outfile, int rc, struct pl_err *err)
{
	int code = 0;

	if (!outfile->out)
		return rc;
	if (fflush(outfile->out) || ferror(outfile->out))
		code = errno ? -errno : -EIO;
	if (fclose(outfile->out) && !code)
		code = -errno;
	outfile->out = NULL;
	if (!rc && code)
		rc = pl_fail(err, code, "%s: %s", outfile->file, strerror(-code));
	if (outfile->part[0] && !rc && rename(outfile->part, outfile->file))
		rc = pl_fail(err, -errno, "%s: %s", outfile->file, strerror(errno));
	if (outfile->part[0] && rc)
		unlink(outfile->part);
	return rc;
}
