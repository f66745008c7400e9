#include "nvme_probe/ring.h"

#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DISABLED_FILE "/proc/sys/kernel/io_uring_disabled"

/* Best first; a kernel that does not know one flag answers EINVAL and the next line is tried. */
static const struct {
	unsigned flags;
	const char *name;
} setups[] = {
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "single_issuer+defer_taskrun"},
	{IORING_SETUP_COOP_TASKRUN, "coop_taskrun"},
	{0, "no task flags"},
};

/* The first character of kernel.io_uring_disabled; '0' where there is no such setting. */
static char read_disabled(void)
{
	FILE *file = fopen(DISABLED_FILE, "re");
	int mode = file ? fgetc(file) : '0';

	if (file)
		fclose(file);
	return (char)mode;
}

int pl_ring_explain_setup(int error, char disabled, struct pl_err *err)
{
	if (error == EPERM && (disabled == '1' || disabled == '2'))
		return pl_fail(
			err, -error,
			"the kernel refuses io_uring (kernel.io_uring_disabled is %c; sysctl "
			"kernel.io_uring_disabled=0 allows it)",
			disabled);
	if (error == EPERM || error == EACCES)
		return pl_fail(err, -error,
			       "io_uring is refused (a seccomp filter, as containers have)");
	if (error == ENOSYS)
		return pl_fail(err, -error, "this kernel has no io_uring");
	if (error == EINVAL)
		return pl_fail(err, -error,
			       "this kernel cannot create an io_uring that is restricted to reads "
			       "(5.10 and later can)");
	return pl_fail(err, -error, "io_uring could not be set up: %s", strerror(error));
}

static int set_up(const struct pl_ring_options *options, struct pl_ring *ring, struct pl_err *err)
{
	unsigned common = IORING_SETUP_R_DISABLED;
	int rc = -EINVAL;

	if (options->is_polled)
		common |= IORING_SETUP_IOPOLL;
	if (options->is_passthrough)
		common |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]) && rc == -EINVAL; i++) {
		memset(ring->uring, 0, sizeof(*ring->uring));
		rc = io_uring_queue_init(options->entries, ring->uring, common | setups[i].flags);
		snprintf(ring->flags, sizeof(ring->flags), "%s", setups[i].name);
	}
	return rc ? pl_ring_explain_setup(-rc, read_disabled(), err) : 0;
}

/* liburing 2.3 declares the two calls that use this, but its shared library lacks them. */
static int register_call(const struct pl_ring *ring, unsigned opcode, const void *argument,
			 unsigned count)
{
	long rc = syscall(SYS_io_uring_register, ring->uring->ring_fd, opcode, argument, count);

	return rc < 0 ? -errno : 0;
}

static int restrict_to_reads(struct pl_ring *ring, bool is_passthrough, struct pl_err *err)
{
	struct io_uring_restriction allowed[] = {
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ_FIXED},
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ},
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_NOP},
		{.opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED, .sqe_flags = IOSQE_FIXED_FILE},
		/* Closing gives the registered ring descriptor back; there are 16 per thread. */
		{.opcode = IORING_RESTRICTION_REGISTER_OP,
		 .register_op = IORING_UNREGISTER_RING_FDS},
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_URING_CMD},
	};
	unsigned count = sizeof(allowed) / sizeof(allowed[0]) - !is_passthrough;
	int rc = register_call(ring, IORING_REGISTER_RESTRICTIONS, allowed, count);

	if (rc)
		return pl_fail(err, rc, "io_uring could not be restricted to reads: %s",
			       strerror(-rc));
	return 0;
}

/*
 * The file is needed, the buffer and the ring descriptor are not: an ordinary user's memory limit
 * or the 17th ring of a thread only costs a few nanoseconds.
 */
static int register_all(const struct pl_ring_options *options, struct pl_ring *ring,
			struct pl_err *err)
{
	struct iovec buffer = {options->buffer, options->buffer_bytes};
	int rc = io_uring_register_files(ring->uring, &options->fd, 1);

	if (rc)
		return pl_fail(err, rc, "io_uring could not register the file: %s", strerror(-rc));
	if (options->buffer)
		ring->has_fixed_buffer = !io_uring_register_buffers(ring->uring, &buffer, 1);
	(void)io_uring_register_ring_fd(ring->uring);
	return 0;
}

int pl_ring_open(const struct pl_ring_options *options, struct pl_ring *ring, struct pl_err *err)
{
	int rc;

	memset(ring, 0, sizeof(*ring));
	ring->uring = calloc(1, sizeof(*ring->uring));
	if (!ring->uring)
		return pl_fail(err, -ENOMEM, "out of memory");
	rc = set_up(options, ring, err);
	if (rc) {
		free(ring->uring);
		ring->uring = NULL;
		return rc;
	}
	rc = restrict_to_reads(ring, options->is_passthrough, err);
	if (!rc)
		rc = register_all(options, ring, err);
	if (!rc && (rc = register_call(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0)))
		rc = pl_fail(err, rc, "io_uring could not be enabled: %s", strerror(-rc));
	if (rc)
		pl_ring_close(ring);
	return rc;
}

void pl_ring_close(struct pl_ring *ring)
{
	if (ring->uring) {
		io_uring_queue_exit(ring->uring);
		free(ring->uring);
	}
	memset(ring, 0, sizeof(*ring));
}
