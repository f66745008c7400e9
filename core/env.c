#include "core/env.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define CORE_OF_CPU0 "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"
#define LATENCY_FILE "/dev/cpu_dma_latency"

static bool parse_number(const char **at, unsigned *value)
{
	char *end;
	unsigned long number;

	if (!isdigit((unsigned char)**at))
		return false;
	number = strtoul(*at, &end, 10);
	if (number >= CPU_SETSIZE)
		return false;
	*value = (unsigned)number;
	*at = end;
	return true;
}

int pl_env_parse_cpus(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (*text && *text != '\n') {
		unsigned first, last;

		if (!parse_number(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-' && (text++, !parse_number(&text, &last) || last < first))
			return -EINVAL;
		for (unsigned cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*text == ',')
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	return 0;
}

static int first_cpu(const cpu_set_t *set, const cpu_set_t *avoid)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && !(avoid && CPU_ISSET(cpu, avoid)))
			return cpu;
	return -1;
}

int pl_env_choose_cpu(const cpu_set_t *allowed, const cpu_set_t *local, const cpu_set_t *avoid)
{
	cpu_set_t both;
	int cpu;

	CPU_AND(&both, allowed, local);
	cpu = first_cpu(&both, avoid);
	if (cpu < 0)
		cpu = first_cpu(&both, NULL);
	return cpu < 0 ? first_cpu(allowed, NULL) : cpu;
}

static void read_cpus(const char *path, cpu_set_t *set)
{
	char text[1024] = "";
	FILE *file = fopen(path, "re");

	if (file && !fgets(text, sizeof(text), file))
		text[0] = 0;
	if (file)
		fclose(file);
	if (pl_env_parse_cpus(text, set))
		CPU_ZERO(set);
}

static int pin(struct pl_env *env, int wanted_cpu, const char *local_cpus, struct pl_err *err)
{
	cpu_set_t local, avoid, one;
	int cpu = wanted_cpu;

	if (sched_getaffinity(0, sizeof(env->before), &env->before))
		return 0;
	if (cpu >= CPU_SETSIZE)
		return pl_fail(err, -EINVAL, "CPU %d may not be used by this process", cpu);
	if (!local_cpus || pl_env_parse_cpus(local_cpus, &local))
		local = env->before;
	read_cpus(CORE_OF_CPU0, &avoid);
	CPU_SET(0, &avoid);
	if (cpu < 0)
		cpu = pl_env_choose_cpu(&env->before, &local, &avoid);
	if (cpu < 0)
		return 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* One that is kept out of the usual set (isolcpus=) can be asked for all the same. */
	env->is_pinned = !sched_setaffinity(0, sizeof(one), &one);
	if (!env->is_pinned && wanted_cpu >= 0)
		return pl_fail(err, -EINVAL, "CPU %d may not be used by this process", cpu);
	env->cpu = env->is_pinned ? cpu : -1;
	return 0;
}

/*
 * ONFAULT: pages are locked when they are touched, so that large reservations are not filled.
 * With a limit, FUTURE would make a later allocation fail: then only what is there is locked.
 */
static void lock_memory(struct pl_env *env)
{
	struct rlimit limit = {0, 0};
	int flags = MCL_CURRENT | MCL_ONFAULT;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || !geteuid())
		flags |= MCL_FUTURE;
	env->is_locked = !mlockall(flags);
	if (env->is_locked)
		snprintf(env->memory_lock, sizeof(env->memory_lock), "locked");
	else
		snprintf(env->memory_lock, sizeof(env->memory_lock),
			 "not locked: %s (limit %llu KiB; run as root or raise ulimit -l)",
			 strerror(errno), (unsigned long long)limit.rlim_cur / 1024);
}

static void hold_cstates(struct pl_env *env)
{
	int32_t zero_us = 0;

	env->latency_fd = open(LATENCY_FILE, O_WRONLY | O_CLOEXEC);
	if (env->latency_fd >= 0 &&
	    write(env->latency_fd, &zero_us, sizeof(zero_us)) == sizeof(zero_us)) {
		snprintf(env->cstates, sizeof(env->cstates), "held: " LATENCY_FILE " at 0 us");
		return;
	}
	snprintf(env->cstates, sizeof(env->cstates), "not held: " LATENCY_FILE ": %s%s",
		 strerror(errno),
		 errno == EACCES || errno == EPERM ? " (run as root to hold idle states off)" : "");
	if (env->latency_fd >= 0)
		close(env->latency_fd);
	env->latency_fd = -1;
}

int pl_env_hold(struct pl_env *env, int wanted_cpu, const char *local_cpus, struct pl_err *err)
{
	int rc;

	memset(env, 0, sizeof(*env));
	env->cpu = -1;
	env->latency_fd = -1;
	rc = pin(env, wanted_cpu, local_cpus, err);
	if (rc)
		return rc;
	lock_memory(env);
	hold_cstates(env);
	return 0;
}

void pl_env_allow_idle(struct pl_env *env, bool is_allowed)
{
	/* PM_QOS_CPU_LATENCY_DEFAULT_VALUE, include/linux/pm_qos.h: no constraint. */
	const int32_t latency_us = is_allowed ? 2000 * 1000 * 1000 : 0;

	if (env->cstates[0] && env->latency_fd >= 0 &&
	    write(env->latency_fd, &latency_us, sizeof(latency_us)) != sizeof(latency_us))
		snprintf(env->cstates, sizeof(env->cstates), "not held all the time: %s",
			 strerror(errno));
}

void pl_env_release(struct pl_env *env)
{
	if (env->cstates[0] && env->latency_fd >= 0)
		close(env->latency_fd);
	if (env->is_locked)
		munlockall();
	if (env->is_pinned)
		sched_setaffinity(0, sizeof(env->before), &env->before);
	memset(env, 0, sizeof(*env));
	env->cpu = -1;
	env->latency_fd = -1;
}

void pl_env_counters_read(struct pl_env_counters *counters)
{
	struct rusage usage;

	memset(counters, 0, sizeof(*counters));
	if (getrusage(RUSAGE_SELF, &usage))
		return;
	counters->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	counters->voluntary_switches = (uint64_t)usage.ru_nvcsw;
	counters->minor_faults = (uint64_t)usage.ru_minflt;
	counters->major_faults = (uint64_t)usage.ru_majflt;
}

static bool is_counted(const char *line, const char *end, const char *prefix)
{
	size_t length = strlen(prefix);
	const char *word;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	for (word = end; word > line && !isspace((unsigned char)word[-1]); word--)
		;
	if ((size_t)(end - word) <= length || strncmp(word, prefix, length))
		return false;
	if ((size_t)(end - word) == length + 1 && word[length] == '0')
		return false;
	return isdigit((unsigned char)word[length]);
}

static uint64_t sum_line(const char *line, const char *end)
{
	const char *at = memchr(line, ':', (size_t)(end - line));
	uint64_t sum = 0;

	for (at = at ? at + 1 : end; at < end;) {
		char *next;
		unsigned long long count = strtoull(at, &next, 10);

		if (next == at || next > end || !isspace((unsigned char)*next))
			break;
		sum += count;
		at = next;
	}
	return sum;
}

uint64_t pl_env_count_interrupts(const char *text, const char *prefix)
{
	uint64_t sum = 0;

	while (*text) {
		const char *end = strchrnul(text, '\n');

		if (is_counted(text, end, prefix))
			sum += sum_line(text, end);
		text = *end ? end + 1 : end;
	}
	return sum;
}
