#include "link/io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_NS 50000000L

char *pl_link_device_path(char out[PL_LINK_PATH_BYTES], struct pl_bdf bdf, const char *name)
{
	char text[PL_BDF_TEXT];

	snprintf(out, PL_LINK_PATH_BYTES, "sys/bus/pci/devices/%s/%s", pl_bdf_format(bdf, text),
		 name);
	return out;
}

int pl_link_pread(int fd, unsigned offset, void *data, size_t size)
{
	ssize_t got = pread(fd, data, size, (off_t)offset);

	if (got == (ssize_t)size)
		return 0;
	return got < 0 ? -errno : -ENODATA;
}

static int write_text(void *ctx, const struct pl_sysroot *root, const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = openat(root->fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t put;
	int rc = 0;

	(void)ctx;
	if (fd < 0)
		return -errno;
	put = write(fd, text, length);
	if (put != (ssize_t)length)
		rc = put < 0 ? -errno : -EIO;
	close(fd);
	return rc;
}

static void settle(void *ctx)
{
	struct timespec wait = {0, SETTLE_NS};

	(void)ctx;
	while (nanosleep(&wait, &wait) && errno == EINTR)
		;
}

const struct pl_link_io pl_link_io_files = {write_text, settle, NULL};

int pl_link_read_line(const struct pl_sysroot *root, const char *path, char *out, size_t size)
{
	int fd = pl_sysroot_openat(root, path);
	ssize_t got;
	int rc = 0;

	if (fd < 0)
		return fd;
	got = read(fd, out, size - 1);
	if (got < 0)
		rc = -errno;
	close(fd);
	if (rc)
		return rc;
	out[got] = '\0';
	got = (ssize_t)strcspn(out, "\n");
	if ((size_t)got == size - 1)
		return -EFBIG;
	while (got > 0 && isspace((unsigned char)out[got - 1]))
		got--;
	out[got] = '\0';
	return 0;
}

int pl_link_can_write(const struct pl_sysroot *root, const char *path)
{
	return faccessat(root->fd, path, W_OK, AT_EACCESS) ? -errno : 0;
}
