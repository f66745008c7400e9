#ifndef PL_CORE_ENV_H
#define PL_CORE_ENV_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

/*
 * The measuring process: pinned to one CPU near the device, its memory locked, the processor's
 * idle states held off. Nothing of this is required; what could not be had is said in the texts.
 * A zeroed struct is "nothing held"; release may be called on it.
 */
struct pl_env {
	int cpu; /* the measuring CPU; -1: not pinned */
	bool is_pinned, is_locked;
	int latency_fd;        /* /dev/cpu_dma_latency while held; -1 */
	cpu_set_t before;      /* affinity to go back to */
	char cstates[192];     /* "held: …" or "not held: why, and the remedy" */
	char memory_lock[192]; /* "locked" or "not locked: why, and the remedy" */
};

/*
 * Holds all three. wanted_cpu -1 chooses a CPU of local_cpus ("0-7,16", NULL: any) that this
 * process may use and that does not share a core with CPU 0. Errors: -EINVAL when wanted_cpu may
 * not be used (nothing is held then); everything else is only said in the texts.
 * The latency request is an int32 0 written to /dev/cpu_dma_latency; the kernel drops it when the
 * descriptor is closed, also when the process dies.
 */
int pl_env_hold(struct pl_env *env, int wanted_cpu, const char *local_cpus, struct pl_err *err);
void pl_env_release(struct pl_env *env);
/*
 * Lets the processor idle as it would without us (the sleeping arm of a gap sweep), or holds its
 * idle states off again. Nothing happens when they were not held.
 */
void pl_env_allow_idle(struct pl_env *env, bool is_allowed);

/* Parses a kernel CPU list ("0-3,8,10-11"). 0 or -EINVAL (also for numbers >= CPU_SETSIZE). */
int pl_env_parse_cpus(const char *text, cpu_set_t *set);
/*
 * The first CPU of `allowed` and `local` outside `avoid`; else of `allowed` and `local`; else of
 * `allowed`; -1 when allowed is empty. Pure.
 */
int pl_env_choose_cpu(const cpu_set_t *allowed, const cpu_set_t *local, const cpu_set_t *avoid);

/* What disturbed a block: differences of two of these. */
struct pl_env_counters {
	uint64_t involuntary_switches, voluntary_switches, minor_faults, major_faults;
};

void pl_env_counters_read(struct pl_env_counters *counters);

/*
 * Sum of the interrupt counts, over all CPUs, of the lines of /proc/interrupts (its text) whose
 * last word begins with prefix and goes on with a digit, leaving out the one called prefix + "0"
 * (an NVMe controller's admin queue when prefix is "nvme0q"). Pure.
 */
uint64_t pl_env_count_interrupts(const char *text, const char *prefix);

#endif
