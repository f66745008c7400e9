#ifndef PL_LINK_IO_H
#define PL_LINK_IO_H

/*
 * The seam between link/ and the machine: the only writes there are, and the wait after a change.
 * The default works on the files of a root, live or captured; tests put the kernel's rules behind
 * write_text. Reads always go to the files.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/sysroot.h"
#include "model/bdf.h"

struct pl_link_io {
	/* One write of the whole text, as sysfs wants it. path has no leading slash. 0 or -errno */
	int (*write_text)(void *ctx, const struct pl_sysroot *root, const char *path,
			  const char *text);
	/* Waits until a changed link has settled. */
	void (*settle)(void *ctx);
	void *ctx;
};

extern const struct pl_link_io pl_link_io_files;

#define PL_LINK_PATH_BYTES 192

/* "sys/bus/pci/devices/0000:01:00.0/NAME" */
char *pl_link_device_path(char out[PL_LINK_PATH_BYTES], struct pl_bdf bdf, const char *name);
/*
 * size bytes of an open config file at offset. 0 or -errno; -ENODATA: this user sees fewer bytes.
 */
int pl_link_pread(int fd, unsigned offset, void *data, size_t size);
/*
 * First line of a small file, without blanks at its end, into out. Returns 0 or -errno; -EFBIG when
 * it does not fit.
 */
int pl_link_read_line(const struct pl_sysroot *root, const char *path, char *out, size_t size);
/* Writable by this user: 0, -EACCES, -EROFS, -ENOENT … (nothing is opened or written). */
int pl_link_can_write(const struct pl_sysroot *root, const char *path);

#endif
