#include "gpu_probe/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HUGE_BYTES (UINT64_C(2) << 20)

/* Pages of the card's own node; where the kernel has no NUMA, or no such node, nothing changes. */
static void prefer_node(int node, void *start, uint64_t length)
{
	unsigned long mask;

	if (node < 0 || node >= (int)(8 * sizeof(mask)))
		return;
	mask = 1UL << node;
	syscall(SYS_mbind, start, length, MPOL_PREFERRED, &mask, 8 * sizeof(mask), 0);
}

static int map_huge(struct pl_gpu_device *d, uint64_t size_bytes, struct pl_gpu_buffer *b,
		    struct pl_err *err)
{
	uint64_t length = (size_bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	char *raw = mmap(NULL, length + HUGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start;
	size_t head;

	if (raw == MAP_FAILED)
		return pl_fail(err, -ENOMEM, "%s: no memory for %" PRIu64 " bytes of huge pages",
			       d->name, length);
	head = (HUGE_BYTES - (uintptr_t)raw % HUGE_BYTES) % HUGE_BYTES;
	start = raw + head;
	if (head)
		munmap(raw, head);
	munmap(start + length, HUGE_BYTES - head);
	prefer_node(d->numa_node, start, length);
	madvise(start, length, MADV_HUGEPAGE); /* refused: ordinary pages, which the facts show */
	memset(start, 1, length);
	b->imported = start;
	b->imported_bytes = length;
	return 0;
}

static int check_file(const struct pl_gpu_device *d, int fd, uint64_t size_bytes, uint64_t length,
		      struct pl_err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return pl_fail(err, -errno, "%s: %s", d->import_file, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return pl_fail(err, -EINVAL, "%s is no file that can be mapped", d->import_file);
	if ((uint64_t)st.st_size < length)
		return pl_fail(err, -EINVAL,
			       "%s has %lld bytes; a region of %" PRIu64 " bytes does not fit",
			       d->import_file, (long long)st.st_size, size_bytes);
	return 0;
}

/* "DIR/driver" for "DIR/resource2"; other files are no BARs. Links are followed. */
static bool driver_link(const char *file, char *link, size_t size)
{
	char real[PATH_MAX];
	char *slash = realpath(file, real) ? strrchr(real, '/') : NULL;

	if (!slash || strncmp(slash + 1, "resource", 8))
		return false;
	*slash = '\0';
	return (size_t)snprintf(link, size, "%s/driver", real) < size;
}

/* A BAR whose device a driver uses is not ours to lay a chain in. */
static int check_no_driver(const struct pl_gpu_device *d, struct pl_err *err)
{
	char link[PATH_MAX], target[256];
	const char *slash;
	ssize_t length = -1;

	if (driver_link(d->import_file, link, sizeof(link)))
		length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return 0;
	target[length] = '\0';
	slash = strrchr(target, '/');
	return pl_fail(
		err, -EBUSY,
		"%s belongs to a device that the driver %s uses; a chain would overwrite its "
		"memory",
		d->import_file, slash ? slash + 1 : target);
}

static bool is_sysfs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == SYSFS_MAGIC;
}

static int map_descriptor(const struct pl_gpu_device *d, int fd, uint64_t length, bool is_device,
			  struct pl_gpu_buffer *b, struct pl_err *err)
{
	void *start = mmap(NULL, length, PROT_READ | PROT_WRITE,
			   is_device ? MAP_SHARED : MAP_PRIVATE, fd, 0);

	if (start == MAP_FAILED)
		return pl_fail(err, -errno, "%s cannot be mapped: %s", d->import_file,
			       strerror(errno));
	b->imported = start;
	b->imported_bytes = length;
	return 0;
}

/* A BAR in sysfs is mapped shared and written; any other file privately: it does not change. */
static int map_file(struct pl_gpu_device *d, uint64_t size_bytes, struct pl_gpu_buffer *b,
		    struct pl_err *err)
{
	uint64_t align = d->import_alignment;
	uint64_t length = (size_bytes + align - 1) / align * align;
	bool is_device;
	int fd, rc;

	if (!d->import_file)
		return pl_fail(err, -EINVAL, "%s: no file was given to chase in (--chase-memory)",
			       d->name);
	is_device = is_sysfs(d->import_file);
	rc = check_no_driver(d, err);
	if (rc)
		return rc;
	fd = open(d->import_file, (is_device ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return pl_fail(err, -errno, "%s: %s", d->import_file, strerror(errno));
	rc = check_file(d, fd, size_bytes, length, err);
	if (!rc)
		rc = map_descriptor(d, fd, length, is_device, b, err);
	close(fd);
	return rc;
}

int pl_gpu_import_map(struct pl_gpu_device *d, enum pl_gpu_memory memory, uint64_t size_bytes,
		      struct pl_gpu_buffer *buffer, struct pl_err *err)
{
	if (!d->has_import)
		return pl_fail(err, -ENOTSUP,
			       "%s: the driver cannot import host memory "
			       "(VK_EXT_external_memory_host)",
			       d->name);
	if (memory == PL_GPU_HOST_FILE)
		return map_file(d, size_bytes, buffer, err);
	return map_huge(d, size_bytes, buffer, err);
}

void pl_gpu_import_unmap(struct pl_gpu_buffer *buffer)
{
	if (buffer->imported)
		munmap(buffer->imported, buffer->imported_bytes);
	buffer->imported = NULL;
}

uint64_t pl_gpu_huge_bytes(const void *mapping)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[256];
	bool is_ours = false;
	uint64_t kib = 0;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		uint64_t from, to;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
			is_ours = (uintptr_t)mapping >= from && (uintptr_t)mapping < to;
		else if (is_ours && sscanf(line, "AnonHugePages: %" SCNu64, &kib) == 1)
			break;
	}
	if (smaps)
		fclose(smaps);
	return kib * 1024;
}
