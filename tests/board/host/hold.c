/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hold.h"

#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u
/* The device can wake the main loop before the plugin's callback has run. */
#define RACE_NS 1500u
/* How long after a deadline the loop stays hot at least. */
#define AFTER_NS 2000000u

typedef int (*ppoll_fn)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

static const uint64_t *hot_ns_p;
static bool realtime;
static _Atomic uint64_t deadline_ns; /* 0: nothing held */

uint64_t vb_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void vb_spin_until(uint64_t ns)
{
	while (vb_now_ns() < ns)
		__builtin_ia32_pause();
}

void vb_use_realtime(void)
{
	realtime = true;
}

/*
 * Neighbours on the machine are the largest noise. Real-time priority is for
 * root only, and only these two threads get it: helpers do not inherit it.
 */
void vb_pin(unsigned cpu)
{
	const struct sched_param lowest = {.sched_priority = 1};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (cpus < 2)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu % (unsigned)cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (realtime)
		sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest);
}

void vb_hold_init(const uint64_t *hot_ns)
{
	hot_ns_p = hot_ns;
}

void vb_hold_until(uint64_t ns)
{
	uint64_t old = atomic_load(&deadline_ns);

	while (old < ns && !atomic_compare_exchange_weak(&deadline_ns, &old, ns))
		;
}

/* Poll without sleeping until `until_ns` or the caller's timeout. */
static int poll_hot(ppoll_fn real, struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		    const sigset_t *mask, uint64_t until_ns)
{
	const struct timespec zero = {0};
	int r;

	if (timeout) {
		uint64_t t = vb_now_ns() + (uint64_t)timeout->tv_sec * NS_PER_S +
			     (uint64_t)timeout->tv_nsec;

		until_ns = t < until_ns ? t : until_ns;
	}
	do
		r = real(fds, n, &zero, mask);
	while (r == 0 && vb_now_ns() < until_ns);
	return r;
}

static void serve_hold(uint64_t *hot_until)
{
	uint64_t end = vb_now_ns() + RACE_NS;
	uint64_t d;

	while (!(d = atomic_load(&deadline_ns)) && vb_now_ns() < end)
		__builtin_ia32_pause();
	if (!d)
		return;
	while (vb_now_ns() < (d = atomic_load(&deadline_ns)))
		__builtin_ia32_pause();
	atomic_compare_exchange_strong(&deadline_ns, &d, 0);
	if (*hot_until < vb_now_ns() + AFTER_NS)
		*hot_until = vb_now_ns() + AFTER_NS;
}

/* The thread that this process began with is QEMU's main loop. */
static bool in_main_loop(void)
{
	static _Thread_local int known;

	if (!known) {
		known = syscall(SYS_gettid) == getpid() ? 1 : 2;
		if (known == 1 && hot_ns_p)
			vb_pin(0);
	}
	return known == 1;
}

__attribute__((visibility("default"))) int
ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	static ppoll_fn real;
	static uint64_t hot_until;
	int r = 0;

	if (!real)
		real = (ppoll_fn)dlsym(RTLD_NEXT, "ppoll");
	if (!hot_ns_p || !in_main_loop())
		return real(fds, n, timeout, mask);
	if (atomic_load(&deadline_ns))
		hot_until = vb_now_ns() + *hot_ns_p;
	if (*hot_ns_p && hot_until > vb_now_ns())
		r = poll_hot(real, fds, n, timeout, mask, hot_until);
	if (r == 0)
		r = real(fds, n, timeout, mask);
	serve_hold(&hot_until);
	return r;
}
