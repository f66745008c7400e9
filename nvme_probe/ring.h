#ifndef PL_NVME_PROBE_RING_H
#define PL_NVME_PROBE_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

struct io_uring;

struct pl_ring_options {
	int fd;              /* what is read; registered as file 0 */
	bool is_polled;      /* IORING_SETUP_IOPOLL */
	bool is_passthrough; /* 128-byte entries, URING_CMD allowed as well */
	unsigned entries;    /* queue depth */
	void *buffer;        /* registered as buffer 0 where the memory limit allows */
	size_t buffer_bytes;
};

/*
 * An io_uring that can only read: created disabled, restricted to READ, READ_FIXED and NOP (and
 * URING_CMD for passthrough) on registered files, then enabled. Nothing can lift the restriction.
 */
struct pl_ring {
	struct io_uring *uring; /* NULL: closed */
	bool has_fixed_buffer;
	char flags[96]; /* the set-up flags that the kernel took, for people */
};

/*
 * Errors: -EPERM (kernel.io_uring_disabled or a seccomp filter; the sentence says which), -ENOSYS,
 * -EINVAL (a kernel that cannot restrict a ring), -ENOMEM, -EMFILE. Close accepts a zeroed struct.
 */
int pl_ring_open(const struct pl_ring_options *options, struct pl_ring *ring, struct pl_err *err);
void pl_ring_close(struct pl_ring *ring);

/*
 * The sentence for an errno of io_uring_setup; disabled is the first character of
 * /proc/sys/kernel/io_uring_disabled. Returns -error. Pure.
 */
int pl_ring_explain_setup(int error, char disabled, struct pl_err *err);

#endif
