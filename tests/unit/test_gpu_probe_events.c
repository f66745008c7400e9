#include "tests/t.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu_probe/probe_events.h"

static char folder[] = "/tmp/pcielat-events-XXXXXX";

static void add_unit(const char *unit, const char *type)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "mkdir -p %s/sys/bus/event_source/devices/%s", folder, unit);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s/type", folder, unit);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(type, file);
	fclose(file);
}

static int open_here(struct pl_probe_events *events, struct pl_err *err)
{
	struct pl_sysroot root;
	int rc;

	assert_int_equal(pl_sysroot_open(&root, folder, NULL), 0);
	rc = pl_probe_events_open(events, &root, err);
	pl_sysroot_close(&root);
	return rc;
}

static void a_cpu_without_them_says_so(void **state)
{
	struct pl_probe_events events;
	struct pl_err err = {0, ""};

	(void)state;
	assert_int_equal(open_here(&events, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "no counter of coherence probes"));
	add_unit("amd_df", "12"); /* no public event */
	assert_int_equal(open_here(&events, &err), -ENOTSUP);
	pl_probe_events_close(&events);
}

/* A unit that the kernel does not know: refused with the kernel's reason, nothing left open. */
static void a_unit_that_cannot_be_opened_is_an_error(void **state)
{
	struct pl_probe_events events;
	struct pl_err err = {0, ""};

	(void)state;
	add_unit("amd_nb", "4242");
	assert_true(open_here(&events, &err) < 0);
	assert_true(*err.text);
	assert_int_equal(events.count, 0);
}

/* Pipes stand in for the counters of two units. */
static void counters_are_added_up(void **state)
{
	struct pl_probe_events events = {.name = "x", .count = 2};
	uint64_t sum = 0, words[2] = {3, 39};
	int pipes[2][2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(pipe(pipes[i]), 0);
		assert_int_equal(write(pipes[i][1], &words[i], 8), 8);
		events.fds[i] = pipes[i][0];
	}
	assert_int_equal(pl_probe_events_read(&events, &sum), 0);
	assert_int_equal(sum, 42);
	for (size_t i = 0; i < 2; i++)
		close(pipes[i][1]);
	assert_int_equal(pl_probe_events_read(&events, &sum), -EIO);
	pl_probe_events_close(&events);
	assert_int_equal(events.count, 0);
}

static int make_folder(void **state)
{
	char command[128];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(command, sizeof(command), "mkdir -p %s/sys/bus/event_source/devices", folder);
	return system(command);
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_without_them_says_so),
		cmocka_unit_test(a_unit_that_cannot_be_opened_is_an_error),
		cmocka_unit_test(counters_are_added_up),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
