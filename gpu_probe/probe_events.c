#include "gpu_probe/probe_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOURCES "sys/bus/event_source/devices"

/*
 * AMD families 10h to 15h: NBPMCx0EC "Probe Responses and Upstream Requests", unit mask 0Fh = all
 * probe responses (BKDG for family 15h models 00h-0Fh, section 3.15). Intel client: UNC_CBO_XSNP_
 * RESPONSE, event 22h, unit masks 21h/24h/28h = external snoops that miss, hit, hit modified
 * (kernel, tools/perf/pmu-events/arch/x86/ivybridge). Zen's data fabric has no public probe event.
 */
static const struct {
	const char *unit; /* the name of a PMU, or its beginning when there are several */
	uint64_t config;
	const char *name;
} table[] = {
	{"amd_nb", 0x0fec, "amd_nb: probe responses, all"},
	{"uncore_cbox_", 0x2d22, "uncore_cbox: external snoop responses, all"},
};

static int open_counter(const struct pl_sysroot *root, struct pl_arena *arena, const char *unit,
			uint64_t config)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = config};
	char *mask =
		pl_sysroot_line(root, pl_arena_printf(arena, SOURCES "/%s/cpumask", unit), arena);
	int cpu = mask ? (int)strtol(mask, NULL, 10) : 0; /* the first of the list */
	uint64_t type;
	int rc = pl_sysroot_u64(root, pl_arena_printf(arena, SOURCES "/%s/type", unit), &type);
	long fd;

	if (rc)
		return rc;
	attr.type = (uint32_t)type;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* All units of one line of the table; 0 when this CPU has none. */
static int open_units(struct pl_probe_events *events, const struct pl_sysroot *root,
		      struct pl_arena *arena, size_t line)
{
	char **names;
	int found = pl_sysroot_list(root, SOURCES, arena, &names);

	for (int i = 0; i < found && events->count < PL_PROBE_COUNTERS; i++) {
		int fd;

		if (strncmp(names[i], table[line].unit, strlen(table[line].unit)))
			continue;
		fd = open_counter(root, arena, names[i], table[line].config);
		if (fd < 0)
			return fd;
		events->fds[events->count++] = fd;
		events->name = table[line].name;
	}
	return 0;
}

int pl_probe_events_open(struct pl_probe_events *events, const struct pl_sysroot *root,
			 struct pl_err *err)
{
	struct pl_arena arena = {NULL};
	int rc = 0;

	*events = (struct pl_probe_events){.count = 0};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && !rc && !events->count; i++)
		rc = open_units(events, root, &arena, i);
	pl_arena_fini(&arena);
	if (rc)
		pl_probe_events_close(events);
	if (rc == -EACCES || rc == -EPERM)
		return pl_fail(err, -EACCES,
			       "the kernel does not let this user count coherence probes (root, or "
			       "kernel.perf_event_paranoid at most 0)");
	if (rc)
		return pl_fail(err, rc, "the counters of coherence probes: %s", strerror(-rc));
	if (!events->count)
		return pl_fail(err, -ENOTSUP,
			       "this CPU shows no counter of coherence probes through perf");
	return 0;
}

int pl_probe_events_read(const struct pl_probe_events *events, uint64_t *sum)
{
	*sum = 0;
	for (size_t i = 0; i < events->count; i++) {
		uint64_t value;

		if (read(events->fds[i], &value, sizeof(value)) != sizeof(value))
			return -EIO;
		*sum += value;
	}
	return 0;
}

void pl_probe_events_close(struct pl_probe_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		close(events->fds[i]);
	*events = (struct pl_probe_events){.count = 0};
}
