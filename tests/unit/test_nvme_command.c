#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sysroot.h"
#include "nvme_probe/admin.h"
#include "nvme_probe/background.h"
#include "nvme_probe/command.h"
#include "nvme_probe/nvme_probe.h"
#include "nvme_probe/opcode.h"
#include "nvme_probe/power.h"
#include "nvme_probe/proof.h"

static const struct pl_clock raw = {.ns_per_tick = 1.0, .name = "clock_monotonic_raw"};

/* All 256 opcodes of both queues; the expectation is written out here on purpose. */
static void only_reading_commands_are_allowed(void **state)
{
	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		assert_int_equal(pl_nvme_is_allowed(PL_NVME_QUEUE_IO, (uint8_t)opcode),
				 opcode == 0x02);
		assert_int_equal(pl_nvme_is_allowed(PL_NVME_QUEUE_ADMIN, (uint8_t)opcode),
				 opcode == 0x02 || opcode == 0x06 || opcode == 0x0a);
		assert_false(pl_nvme_is_allowed((enum pl_nvme_queue)2, (uint8_t)opcode));
	}
}

/* A refused command never reaches the kernel: /dev/null would answer ENOTTY. */
static void admin_commands_pass_the_list(void **state)
{
	int fd = open("/dev/null", O_RDONLY);
	struct pl_err err;

	(void)state;
	assert_true(fd >= 0);
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		struct pl_admin_command command = {.opcode = (uint8_t)opcode};
		bool is_read = opcode == 0x02 || opcode == 0x06 || opcode == 0x0a;

		assert_int_equal(pl_admin_send(fd, &command, NULL, &err),
				 is_read ? -ENOTTY : -EPERM);
		if (!is_read)
			assert_non_null(strstr(err.text, "not on the list"));
	}
	close(fd);
}

static void admin_needs_a_controller(void **state)
{
	struct pl_sampler sampler;
	struct pl_err err;

	(void)state;
	assert_int_equal(pl_admin_open("/dev/nvme-none", &err), -ENODEV);
	assert_int_equal(pl_admin_sampler_open("/dev/null", "identify", &raw, &sampler, &err) < 0,
			 1);
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* The power states of a drive with three operational and two deeper states. */
static void power_states_decode(void **state)
{
	static const struct {
		uint32_t power, flags, entry_us, exit_us;
		double power_w;
		bool is_operational;
	} psd[] = {
		{849, 0, 0, 0, 8.49, true},       {448, 0, 0, 200, 4.48, true},
		{318, 0, 0, 200, 3.18, true},     {400, 3, 2000, 1200, 0.04, false},
		{50, 3, 500, 9500, 0.005, false},
	};
	uint8_t identify[4096] = {0}, apst[256] = {0};
	struct pl_drive drive = {.state_count = 0};

	(void)state;
	identify[263] = 4;
	for (size_t i = 0; i < 5; i++) {
		uint8_t *at = identify + 2048 + 32 * i;

		put32(at, psd[i].power | psd[i].flags << 24);
		put32(at + 4, psd[i].entry_us);
		put32(at + 8, psd[i].exit_us);
	}
	identify[265] = 0;
	drive.apst_enabled = -1;
	pl_power_decode_states(identify, &drive);
	assert_false(drive.is_apst_supported);
	assert_int_equal(drive.apst_enabled, 0); /* known: there is none */
	identify[265] = 1;
	pl_power_decode_states(identify, &drive);
	assert_int_equal(drive.state_count, 5);
	assert_true(drive.is_apst_supported);
	for (size_t i = 0; i < 5; i++) {
		assert_true(fabs(drive.states[i].max_power_w - psd[i].power_w) < 1e-9);
		assert_int_equal(drive.states[i].is_operational, psd[i].is_operational);
		assert_int_equal(drive.states[i].entry_us, psd[i].entry_us);
		assert_int_equal(drive.states[i].exit_us, psd[i].exit_us);
	}
	for (size_t i = 0; i < 3; i++)
		put32(apst + 8 * i, 100u << 8 | 3u << 3);
	put32(apst + 24, 2000u << 8 | 4u << 3);
	put32(apst + 32, 7u << 3); /* time 0: no transition, whatever the state says */
	pl_power_decode_apst(apst, 1, &drive);
	assert_int_equal(drive.apst_enabled, 1);
	assert_int_equal(drive.states[0].apst_after_ms, 100);
	assert_int_equal(drive.states[0].apst_to, 3);
	assert_int_equal(drive.states[3].apst_after_ms, 2000);
	assert_int_equal(drive.states[3].apst_to, 4);
	assert_int_equal(drive.states[4].apst_after_ms, 0);
	assert_int_equal(drive.states[4].apst_to, 0);
	pl_power_decode_current(0x43, &drive);
	assert_int_equal(drive.current_state, 3);
}

static void hostile_power_tables_stay_in_bounds(void **state)
{
	uint8_t identify[4096], apst[256];
	struct pl_drive drive = {.state_count = 0};

	(void)state;
	memset(identify, 0xff, sizeof(identify));
	memset(apst, 0xff, sizeof(apst));
	pl_power_decode_states(identify, &drive);
	assert_int_equal(drive.state_count, PL_POWER_STATES_MAX);
	pl_power_decode_apst(apst, 0, &drive);
	assert_int_equal(drive.apst_enabled, 0);
	for (size_t i = 0; i < drive.state_count; i++)
		assert_true(drive.states[i].apst_to < PL_POWER_STATES_MAX);
	memset(identify, 0, sizeof(identify));
	pl_power_decode_states(identify, &drive);
	assert_int_equal(drive.state_count, 1);
	assert_true(isnan(drive.states[0].max_power_w));
	assert_true(drive.states[0].is_operational);
}

static void controllers_are_found_in_links(void **state)
{
	char name[16];

	(void)state;
	assert_true(pl_proof_find_controller(
		"../../devices/pci0000:00/0000:00:03.0/0000:01:00.0/nvme/nvme12/nvme12n1", name,
		sizeof(name)));
	assert_string_equal(name, "nvme12");
	assert_false(pl_proof_find_controller(
		"../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", name, sizeof(name)));
	assert_false(
		pl_proof_find_controller("../../devices/virtual/block/loop0", name, sizeof(name)));
	assert_false(
		pl_proof_find_controller("/nvme/nvme0000000000000000000000/x", name, sizeof(name)));
}

static void stat_files_are_summed(void **state)
{
	(void)state;
	assert_int_equal(pl_background_parse(" 100 1 2 3 20 5 6 7 8 9 10 4 12 13 14 3 17\n"), 127);
	assert_int_equal(pl_background_parse("100 1 2 3 20"), 120); /* kernels before 4.18 */
	assert_int_equal(pl_background_parse(""), 0);
}

static int64_t others_after(struct pl_background *background, const char *stat)
{
	assert_true(pwrite(background->fd, stat, strlen(stat), 0) > 0);
	return pl_background_others(background);
}

static void others_are_what_is_not_our_own(void **state)
{
	FILE *stat = tmpfile();
	struct pl_background background = {.fd = fileno(stat)};

	(void)state;
	assert_int_equal(others_after(&background, "100 0 0 0 50 0\n"), 150);
	pl_background_add(&background, 10, 10);
	assert_int_equal(others_after(&background, "110 0 0 0 50 0\n"), 0);
	pl_background_add(&background, 10, 10);
	assert_int_equal(others_after(&background, "121 0 0 0 52 0\n"), 3);
	pl_background_add(&background, 10, 10); /* queue/iostats is 0: nothing moves */
	assert_int_equal(others_after(&background, "121 0 0 0 52 0\n"), -1);
	pl_background_add(&background, -EIO,
			  10); /* how many of these the kernel counts is unknown */
	assert_int_equal(others_after(&background, "140 0 0 0 52 0\n"), -1);
	pl_background_add(&background, 5, 5);
	assert_int_equal(others_after(&background, "146 0 0 0 52 0\n"), 1);
	fclose(stat);
}

static void put(const char *dir, const char *name, const char *text)
{
	char command[256];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p $(dirname %s/%s)", dir, name);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/%s", dir, name);
	file = fopen(command, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void survey_reads_the_kernels_knobs(void **state)
{
	static const struct pl_namespace space = {"nvme3n1", 1 << 20, 512};
	struct pl_device device = {.bdf = {0, 1, 0, 0},
				   .kind = PL_DEVICE_NVME,
				   .namespaces = &space,
				   .namespace_count = 1};
	char dir[] = "/tmp/pl-survey-XXXXXX", command[64];
	struct pl_sysroot root;
	struct pl_run run;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put(dir, "sys/bus/pci/devices/0000:01:00.0/nvme/nvme3/model", "x\n");
	put(dir, "sys/class/nvme/nvme3/power/pm_qos_latency_tolerance_us", "100000\n");
	put(dir, "sys/module/nvme_core/parameters/default_ps_max_latency_us", "25000\n");
	put(dir, "sys/block/nvme3n1/queue/scheduler", "[none] mq-deadline\n");
	put(dir, "proc/self/mounts",
	    "/dev/nvme3n10 /wrong ext4 rw 0 0\n/dev/nvme3n1p2 /home ext4 rw 0 0\n");
	assert_int_equal(pl_sysroot_open(&root, dir, NULL), 0);
	pl_run_init(&run);
	pl_run_add_slot(&run)->device = &device;
	pl_run_add_slot(&run);
	pl_nvme_survey(&run, &root, NULL);
	assert_int_equal(run.drive_count, 1);
	assert_string_equal(run.drives[0].controller, "nvme3");
	assert_string_equal(run.drives[0].latency_tolerance, "100000");
	assert_string_equal(run.drives[0].max_latency, "25000");
	assert_string_equal(run.drives[0].scheduler, "[none] mq-deadline");
	assert_string_equal(run.drives[0].mounted_at, "/home");
	assert_null(run.drives[0].io_poll);
	assert_int_equal(run.drives[0].state_count, 0);
	assert_int_equal(run.drives[0].current_state, -1);
	assert_string_equal(run.drives[0].why, "not this machine: the controller cannot be asked");
	pl_run_fini(&run);
	pl_sysroot_close(&root);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_reading_commands_are_allowed),
		cmocka_unit_test(admin_commands_pass_the_list),
		cmocka_unit_test(admin_needs_a_controller),
		cmocka_unit_test(power_states_decode),
		cmocka_unit_test(hostile_power_tables_stay_in_bounds),
		cmocka_unit_test(controllers_are_found_in_links),
		cmocka_unit_test(stat_files_are_summed),
		cmocka_unit_test(others_are_what_is_not_our_own),
		cmocka_unit_test(survey_reads_the_kernels_knobs),
	};

	return cmocka_run_group_tests_name("nvme_command", tests, NULL, NULL);
}
