#ifndef PL_LINK_GUARD_H
#define PL_LINK_GUARD_H

/*
 * A process of its own that puts everything back when this one dies, SIGKILL included. It holds the
 * other end of a socket: end of file without the word that all is well means death. What to restore
 * it takes from the journal.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "core/err.h"
#include "core/sysroot.h"
#include "link/io.h"

struct pl_link_guard {
	int fd;    /* our end; meaningless while pid is 0 */
	pid_t pid; /* 0: none */
};

/* Forks it. lock_fd is shared: the machine stays locked while the guard works. */
int pl_link_guard_start(struct pl_link_guard *guard, const struct pl_sysroot *root,
			const struct pl_link_io *io, int lock_fd, struct pl_err *err);
/* False also when it has died; then it may be started again. */
bool pl_link_guard_is_alive(struct pl_link_guard *guard);
/* All is well: it ends without touching anything. Nothing happens when there is none. */
void pl_link_guard_dismiss(struct pl_link_guard *guard);

#endif
