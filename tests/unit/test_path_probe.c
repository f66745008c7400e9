#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path_probe/bar_read.h"
#include "path_probe/config_read.h"
#include "path_probe/path_probe.h"

static const struct pl_clock raw = {.ns_per_tick = 1.0, .name = "clock_monotonic_raw"};

static char dir[64];

static const char *at(const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const void *data, size_t size)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/pl-path-XXXXXX");
	return mkdtemp(dir) ? chmod(dir, 0755) : -1;
}

static int remove_dir(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* Configuration space of an NVMe controller that decodes memory. */
static void put_config(size_t size)
{
	unsigned char bytes[4096] = {0x36, 0x1b, 0x10, 0x00, 0x06, 0x04};

	bytes[0x100] = 1;
	put("config", bytes, size);
}

static void put_controller(void)
{
	uint32_t registers[1024] = {0x0303ffff, 0x20, 0x00010400};

	registers[7] = 1;
	put_config(4096);
	put_text("class", "0x010802\n");
	put_text("power_state", "D0\n");
	put("resource0", registers, sizeof(registers));
}

static void config_reads_are_counted(void **state)
{
	struct pl_sampler sampler;
	uint64_t ticks[64] = {0};
	struct pl_err err = {0, ""};

	(void)state;
	put_config(4096);
	assert_int_equal(pl_config_read_open(at("config"), 0x100, &raw, &sampler, &err), 0);
	assert_int_equal(sampler.sample(sampler.self, ticks, 64, &err), 64);
	for (size_t i = 0; i < 64; i++)
		assert_true(ticks[i] > 0);
	pl_sampler_close(&sampler);
}

static void config_size_decides_the_reason(void **state)
{
	struct pl_sampler sampler;
	struct pl_err err = {0, ""};

	(void)state;
	put_config(256);
	assert_int_equal(pl_config_read_open(at("config"), 0x100, &raw, &sampler, &err), -ENXIO);
	assert_non_null(strstr(err.text, "conventional function without offset 0x100"));
	put_config(4096);
	assert_int_equal(pl_config_read_open(at("config"), 4096, &raw, &sampler, &err), -EACCES);
	assert_non_null(strstr(err.text, "only root may read offset 0x1000"));
	put_config(2);
	assert_int_equal(pl_config_read_open(at("config"), 0, &raw, &sampler, &err), -EIO);
	assert_non_null(strstr(err.text, "gave 2 bytes"));
	assert_int_equal(pl_config_read_open(at("none"), 0, &raw, &sampler, &err), -ENODEV);
}

static void config_all_ones_stop_for_good(void **state)
{
	struct pl_sampler sampler;
	uint64_t ticks[4] = {0};
	struct pl_err err = {0, ""};

	(void)state;
	put_config(4096);
	assert_int_equal(pl_config_read_open(at("config"), 0, &raw, &sampler, &err), 0);
	put("config", "\xff\xff\xff\xff", 4);
	assert_int_equal(sampler.sample(sampler.self, ticks, 4, &err), -ENODEV);
	assert_non_null(strstr(err.text, "0xFFFFFFFF"));
	assert_int_equal(ticks[0], 0);
	put_config(4096);
	assert_int_equal(sampler.sample(sampler.self, ticks, 4, &err), -ENODEV);
	pl_sampler_close(&sampler);
}

/* Runs as nobody and gives back what the probe said. */
static void as_nobody(int (*probe)(struct pl_err *err), struct pl_err *said)
{
	int channel[2];
	pid_t child;

	assert_int_equal(pipe(channel), 0);
	fflush(NULL);
	child = fork();
	if (!child) {
		struct pl_err err = {0, ""};

		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		probe(&err);
		_exit(write(channel[1], &err, sizeof(err)) != sizeof(err));
	}
	close(channel[1]);
	assert_int_equal(read(channel[0], said, sizeof(*said)), sizeof(*said));
	close(channel[0]);
	waitpid(child, NULL, 0);
}

static int probe_bar(struct pl_err *err)
{
	struct pl_sampler sampler;

	return pl_bar_read_open(dir, &raw, &sampler, err);
}

static void ordinary_user_is_told_who_may(void **state)
{
	struct pl_err err;

	(void)state;
	if (geteuid())
		skip();
	put_controller();
	assert_int_equal(chmod(at("resource0"), 0600), 0);
	as_nobody(probe_bar, &err);
	assert_int_equal(err.code, -EACCES);
	assert_non_null(strstr(err.text, "only root may read registers; run with sudo"));
}

static void registers_are_read(void **state)
{
	struct pl_sampler sampler;
	uint64_t ticks[64] = {0};
	struct pl_err err = {0, ""};

	(void)state;
	put_controller();
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), 0);
	assert_int_equal(sampler.sample(sampler.self, ticks, 64, &err), 64);
	for (size_t i = 0; i < 64; i++)
		assert_true(ticks[i] > 0);
	pl_sampler_close(&sampler);
}

static void registers_need_an_awake_nvme_controller(void **state)
{
	struct pl_sampler sampler;
	struct pl_err err = {0, ""};

	(void)state;
	put_controller();
	put_text("power_state", "D3cold\n");
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), -EBUSY);
	assert_non_null(strstr(err.text, "D3cold"));
	put_controller();
	put_text("class", "0x030000\n");
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), -ENOTSUP);
	put_controller();
	put("config", "\x36\x1b\x10\x00\x00\x00\x00\x00", 8);
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), -ENXIO);
	assert_non_null(strstr(err.text, "does not decode memory"));
	put_controller();
	assert_int_equal(unlink(at("resource0")), 0);
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no BAR0"));
}

static void all_ones_and_removal_stop_register_reads(void **state)
{
	uint32_t ones[1024];
	struct pl_sampler sampler;
	uint64_t ticks[4];
	struct pl_err err = {0, ""};

	(void)state;
	put_controller();
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), 0);
	memset(ones, 0xff, sizeof(ones));
	put("resource0", ones, sizeof(ones));
	assert_int_equal(sampler.sample(sampler.self, ticks, 4, &err), -ENODEV);
	assert_non_null(strstr(err.text, "0xFFFFFFFF"));
	pl_sampler_close(&sampler);

	put_controller();
	assert_int_equal(pl_bar_read_open(dir, &raw, &sampler, &err), 0);
	assert_int_equal(truncate(at("resource0"), 0), 0);
	assert_int_equal(sampler.sample(sampler.self, ticks, 4, &err), -ENODEV);
	assert_non_null(strstr(err.text, "removed while it was measured"));
	assert_int_equal(sampler.sample(sampler.self, ticks, 4, &err), -ENODEV);
	pl_sampler_close(&sampler);
}

static void refused_mappings_name_the_remedy(void **state)
{
	static const struct {
		int error;
		const char *text;
	} cases[] = {
		{EPERM, "lockdown"}, {EINVAL, "iomem=relaxed"}, {EACCES, "sudo"}, {EIO, "dev"}};
	struct pl_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pl_bar_explain_map("dev", cases[i].error, &err), -cases[i].error);
		assert_non_null(strstr(err.text, cases[i].text));
	}
}

static void live_functions_answer(void **state)
{
	struct pl_bdf host_bridge = {0, 0, 0, 0}, nowhere = {0xffff, 0xff, 0x1f, 7};
	struct pl_err err = {0, ""};

	(void)state;
	assert_int_equal(pl_path_can_read_config(nowhere, 0, &err), -ENODEV);
	if (access("/sys/bus/pci/devices/0000:00:00.0/config", R_OK))
		skip();
	assert_int_equal(pl_path_can_read_config(host_bridge, 0, &err), 0);
}

static void captures_are_never_timed(void **state)
{
	struct pl_measurement m = {.has_device = true};
	struct pl_sampler sampler;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	pl_run_init(&run);
	run.machine.is_live = false;
	run.machine.source = "sysroot x";
	assert_int_equal(pl_path_open_config(&run, &m, &raw, &sampler, &err), -ENOTSUP);
	assert_int_equal(pl_path_open_bar(&run, &m, &raw, &sampler, &err), -ENOTSUP);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config_reads_are_counted),
		cmocka_unit_test(config_size_decides_the_reason),
		cmocka_unit_test(config_all_ones_stop_for_good),
		cmocka_unit_test(ordinary_user_is_told_who_may),
		cmocka_unit_test(registers_are_read),
		cmocka_unit_test(registers_need_an_awake_nvme_controller),
		cmocka_unit_test(all_ones_and_removal_stop_register_reads),
		cmocka_unit_test(refused_mappings_name_the_remedy),
		cmocka_unit_test(live_functions_answer),
		cmocka_unit_test(captures_are_never_timed),
	};

	return cmocka_run_group_tests_name("path_probe", tests, make_dir, remove_dir);
}
