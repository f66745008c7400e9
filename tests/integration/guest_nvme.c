/*
 * Runs in the guest of the virtual board, as root, against a real Linux NVMe driver: every software
 * path, the proof of polling, queue depths, admin commands and the survey. guest_nvme.py starts it
 * and compares with what the board saw.
 */
#include "tests/t.h"

#include <errno.h>
#include <unistd.h>

#include "core/sysroot.h"
#include "nvme_probe/nvme_probe.h"

#define DRIVE "/dev/nvme0n1"
#define READS 64

static struct pl_clock clock_used;
static struct pl_run run;
static unsigned next_id;

static struct pl_measurement *new_series(const char *metric, const char *path, unsigned depth)
{
	struct pl_measurement *m = pl_run_add_measurement(&run);

	m->id = ++next_id;
	m->probe = PL_PROBE_NVME;
	m->metric = metric;
	m->conditions.path = path;
	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = depth;
	return m;
}

/* What others did while a series was taken; -1: nobody counted. */
static int64_t others;

static int take(struct pl_measurement *m, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct pl_nvme_options options = {.file = DRIVE};
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	int rc = pl_nvme_open(&options, &run, m, &clock_used, &sampler, err);

	if (!rc && sampler.others)
		sampler.others(sampler.self);
	if (!rc)
		rc = (int)sampler.sample(sampler.self, ticks, count, err);
	others = rc > 0 && sampler.others ? sampler.others(sampler.self) : -1;
	pl_sampler_close(&sampler);
	return rc;
}

static void tell(const struct pl_measurement *m, const uint64_t *ticks, size_t count)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < count; i++)
		least = ticks[i] < least ? ticks[i] : least;
	printf("%s %s depth %u: min %.1f us; why not better: %s\n", m->metric, m->conditions.path,
	       m->conditions.queue_depth, pl_clock_ns(&clock_used, least) / 1e3,
	       m->conditions.path_reason ? m->conditions.path_reason : "-");
	for (size_t i = 0; i < m->fact_count; i++)
		if (m->facts[i].text)
			printf("    %s: %s\n", m->facts[i].name, m->facts[i].text);
		else
			printf("    %s: %.0f\n", m->facts[i].name, m->facts[i].value);
}

static void every_path_works(void **state)
{
	const char *path;

	(void)state;
	for (size_t i = 0; (path = pl_nvme_path_name(i)); i++) {
		struct pl_measurement *m = new_series("read_4k", path, 1);
		struct pl_err err = {0, ""};
		uint64_t ticks[READS];
		int rc = take(m, ticks, READS, &err);

		if (rc != READS)
			print_error("%s: %s\n", path, err.text);
		assert_int_equal(rc, READS);
		if (strncmp(path, "passthru", 8) != 0)
			assert_int_equal(others, 0);
		else
			assert_int_equal(others, -1);
		tell(m, ticks, READS);
	}
}

static void best_path_is_polled_and_proven(void **state)
{
	struct pl_measurement *m = new_series("read_4k", NULL, 1);
	struct pl_err err = {0, ""};
	uint64_t ticks[READS];
	const struct pl_fact *proof;

	(void)state;
	assert_int_equal(take(m, ticks, READS, &err), READS);
	assert_string_equal(m->conditions.path, "io_uring-iopoll");
	assert_null(m->conditions.path_reason);
	proof = pl_measurement_find_fact(m, "polling_proof");
	assert_non_null(proof);
	assert_string_equal(proof->text, "64 reads, 0 interrupts of nvme0");
}

static void depths_work(void **state)
{
	(void)state;
	for (unsigned depth = 2; depth <= 32; depth *= 4) {
		struct pl_measurement *m = new_series("read_4k", NULL, depth);
		struct pl_err err = {0, ""};
		uint64_t ticks[256];

		assert_int_equal(take(m, ticks, 256, &err), 256);
		tell(m, ticks, 256);
	}
}

static void set_queue(const char *name, const char *value)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/nvme0n1/queue/%s", name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(value, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* 128 KiB at every depth; not where the kernel would make several commands of one read. */
static void long_reads_work(void **state)
{
	struct pl_measurement *m;
	struct pl_err err = {0, ""};
	uint64_t ticks[64];

	(void)state;
	for (unsigned depth = 1; depth <= 32; depth *= 2) {
		m = new_series("read_128k", NULL, depth);
		m->conditions.size_bytes = 131072;
		m->conditions.pattern = "sequential";
		assert_int_equal(take(m, ticks, 64, &err), 64);
		tell(m, ticks, 64);
	}
	set_queue("max_sectors_kb", "64");
	m = new_series("read_128k", NULL, 1);
	m->conditions.size_bytes = 131072;
	assert_int_equal(take(m, ticks, 1, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "splits reads"));
	set_queue("max_sectors_kb", "128");
	assert_int_equal(take(m, ticks, 1, &err), 1);
}

static void fast_place_is_found(void **state)
{
	struct pl_measurement *m = new_series("read_4k", NULL, 1);
	struct pl_err err = {0, ""};
	uint64_t ticks[READS];

	(void)state;
	m->conditions.pattern = "fast_lba";
	assert_int_equal(take(m, ticks, READS, &err), READS);
	tell(m, ticks, READS);
	assert_non_null(strstr(pl_measurement_find_fact(m, "fast_lba_data")->text, "zero"));
}

static struct pl_bdf find_drive(void)
{
	char link[512] = "", *at;
	struct pl_bdf bdf = {0, 0, 0, 0};

	assert_true(readlink("/sys/class/nvme/nvme0/device", link, sizeof(link) - 1) > 0);
	at = strrchr(link, '/');
	assert_non_null(at);
	assert_int_equal(pl_bdf_parse(at + 1, &bdf), 0);
	return bdf;
}

static void admin_commands_are_timed(void **state)
{
	static const char *const metrics[] = {"identify", "get_features"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pl_measurement *m = new_series(metrics[i], NULL, 1);
		struct pl_err err = {0, ""};
		uint64_t ticks[READS];

		m->device = find_drive();
		m->has_device = true;
		assert_int_equal(take(m, ticks, READS, &err), READS);
		assert_string_equal(m->conditions.path, "ioctl");
		tell(m, ticks, READS);
	}
}

static void survey_asks_the_controller(void **state)
{
	static const struct pl_namespace space = {"nvme0n1", 0, 0};
	static struct pl_device device = {
		.kind = PL_DEVICE_NVME, .namespaces = &space, .namespace_count = 1};
	struct pl_sysroot root;
	const struct pl_drive *drive;

	(void)state;
	device.bdf = find_drive();
	pl_run_add_slot(&run)->device = &device;
	assert_int_equal(pl_sysroot_open(&root, NULL, NULL), 0);
	pl_nvme_survey(&run, &root, NULL);
	pl_sysroot_close(&root);
	assert_int_equal(run.drive_count, 1);
	drive = &run.drives[0];
	assert_null(drive->why);
	assert_true(drive->state_count >= 1);
	assert_int_equal(drive->current_state, 0);
	assert_true(drive->deallocated_reads_as >= 0);
	assert_string_equal(drive->io_poll, "1");
	printf("firmware %s, %zu power states, PS0 %.2f W, entry %u us, exit %u us, APST %s, "
	       "deallocated blocks read as %d\n",
	       drive->firmware, drive->state_count, drive->states[0].max_power_w,
	       drive->states[0].entry_us, drive->states[0].exit_us,
	       drive->is_apst_supported ? "yes" : "no", drive->deallocated_reads_as);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_works),
		cmocka_unit_test(best_path_is_polled_and_proven),
		cmocka_unit_test(depths_work),
		cmocka_unit_test(long_reads_work),
		cmocka_unit_test(fast_place_is_found),
		cmocka_unit_test(admin_commands_are_timed),
		cmocka_unit_test(survey_asks_the_controller),
	};
	int failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	pl_run_init(&run);
	run.machine.is_live = true;
	if (access(DRIVE, R_OK) || pl_clock_open(&clock_used, PL_CLOCK_AUTO, NULL))
		return T_SKIP;
	failed = cmocka_run_group_tests_name("guest_nvme", tests, NULL, NULL);
	pl_run_fini(&run);
	return failed;
}
