#ifndef PL_CORE_WAITS_H
#define PL_CORE_WAITS_H

#include <stdint.h>

/*
 * How long a thread was ready to run and waited for a processor that somebody else had, as the
 * kernel counts it: the second number of /proc/thread-self/schedstat
 * (Documentation/scheduler/sched-stats.rst; needs CONFIG_SCHED_INFO).
 */

/* For the calling thread: a descriptor that the caller closes, or -errno. */
int pl_waits_open(void);
/* Since the thread began, ns; -1: not known (no descriptor, or the kernel does not count). */
int64_t pl_waits_ns(int fd);

#endif
