/* Why a state cannot be set: one sentence per cause, and nothing written where it is known before.
 */
#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/control.h"
#include "tests/fake/world.h"

static void write_file(struct world *w, const char *path, const char *text)
{
	int fd = openat(w->fake.root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void assert_why(struct world *w, size_t slot, const char *part)
{
	const struct pl_link_path *path = world_path(w, slot);

	assert_non_null(path->why_fixed);
	if (!strstr(path->why_fixed, part))
		fail_msg("\"%s\" does not say \"%s\"", path->why_fixed, part);
	assert_int_equal(w->fake.state->log_count, 0);
}

static void test_another_run(void **state)
{
	struct world w, other;
	int ready[2];
	pid_t pid;
	char byte, text[64];

	(void)state;
	world_make(&w, FAKE_FULL);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		other = w;
		world_open(&other);
		assert_int_equal(write(ready[1], "x", 1), 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	world_open(&w);
	snprintf(text, sizeof(text), "another pcielat (process %d)", (int)pid);
	assert_why(&w, FAKE_SLOT_DIRECT, text);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "as_found"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	world_end_clean(&w);
}

/* Without pcie_aspm files: hidden by the kernel. */
static void hide_files(struct world *w)
{
	for (size_t i = 0; i < w->fake.link_count; i++)
		for (size_t f = 0; f < w->fake.link[i].down_count; f++)
			for (int a = 0; a < PL_ATTR_COUNT; a++) {
				char path[PL_LINK_PATH_BYTES], name[32];
				struct pl_bdf bdf = w->fake.function[w->fake.link[i].down[f]].bdf;

				snprintf(name, sizeof(name), "link/%s", pl_aspm_attr_name(a));
				pl_link_device_path(path, bdf, name);
				unlinkat(w->fake.root.fd, path, 0);
			}
}

static void test_pcie_aspm_off(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	hide_files(&w);
	w.fake.state->is_aspm_disabled = true;
	write_file(&w, "proc/cmdline", "ro pcie_aspm=off quiet\n");
	world_open(&w);
	assert_non_null(strstr(world_path(&w, FAKE_SLOT_DIRECT)->why_fixed, "pcie_aspm=off"));
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "as_found"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	world_free(&w);
}

static void test_firmware_owns_it(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	hide_files(&w);
	w.fake.state->is_aspm_disabled = true;
	world_open(&w);
	assert_int_equal(w.run.aspm_links[0].owner, PL_OWNER_FIRMWARE);
	assert_non_null(strstr(world_path(&w, FAKE_SLOT_DIRECT)->why_fixed, "firmware keeps"));
	/* The question was a write of the policy that was set anyway. */
	assert_int_equal(w.fake.state->log_count, 1);
	assert_string_equal(w.fake.state->log[0].text, "default");
	world_free(&w);
}

static void test_kernel_without_aspm(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	hide_files(&w);
	unlinkat(w.fake.root.fd, "sys/module/pcie_aspm/parameters/policy", 0);
	unlinkat(w.fake.root.fd, "sys/module/pcie_aspm/parameters", AT_REMOVEDIR);
	unlinkat(w.fake.root.fd, "sys/module/pcie_aspm", AT_REMOVEDIR);
	world_open(&w);
	assert_int_equal(w.run.aspm_links[0].owner, PL_OWNER_KERNEL_WITHOUT);
	assert_why(&w, FAKE_SLOT_DIRECT, "CONFIG_PCIEASPM");
	world_free(&w);
}

static void test_registers_out_of_sight(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	for (size_t i = 0; i < w.fake.function_count; i++)
		w.fake.function[i].config[6] = 0; /* no capability list, as for an ordinary user */
	world_open(&w);
	assert_why(&w, FAKE_SLOT_DIRECT, "registers cannot be read");
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "as_found"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_UNREADABLE);
	world_free(&w);
}

static void test_removable_and_tunnel(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	write_file(&w, "sys/bus/pci/devices/0000:01:00.0/removable", "removable\n");
	w.run.slots[FAKE_SLOT_ONE_SWITCH].attachment = PL_ATTACH_TUNNEL;
	world_open(&w);
	assert_why(&w, FAKE_SLOT_DIRECT, "removable");
	assert_why(&w, FAKE_SLOT_ONE_SWITCH, "tunnel");
	assert_null(world_path(&w, FAKE_SLOT_TWO_SWITCHES)->why_fixed);
	world_end_clean(&w);
}

static void try_odd(void (*make_odd)(struct world *w), const char *part)
{
	struct world w;
	uint8_t *snapshot;

	world_make(&w, FAKE_FULL);
	make_odd(&w);
	snapshot = fake_snapshot(&w.fake, NULL);
	world_open(&w);
	assert_why(&w, FAKE_SLOT_DIRECT, part);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(fake_compare(&w.fake, snapshot), 0);
	free(snapshot);
	world_free(&w);
}

static void clear(struct world *w, size_t function, unsigned offset, uint8_t bits)
{
	w->fake.function[function].config[offset] &= (uint8_t)~bits;
}

static void one_sided_l0s(struct world *w)
{
	clear(w, 0, FAKE_LNKCTL, 1);
}

static void one_function_without_l1(struct world *w)
{
	clear(w, 2, FAKE_LNKCTL, 2);
}

static void one_sided_substate(struct world *w)
{
	clear(w, 1, FAKE_L1SS_CTL1, 4);
}

static void substate_without_l1(struct world *w)
{
	for (size_t f = 0; f < 3; f++)
		clear(w, f, FAKE_LNKCTL, 2);
}

static void file_that_says_off(struct world *w)
{
	w->fake.link[0].attr[PL_ATTR_L1][0] = '0';
}

static void test_states_the_kernel_could_not_put_back(void **state)
{
	(void)state;
	try_odd(one_sided_l0s, "ends or functions do not have the same states");
	try_odd(one_function_without_l1, "ends or functions do not have the same states");
	try_odd(one_sided_substate, "the same L1 substates");
	try_odd(substate_without_l1, "while L1 is off");
	try_odd(file_that_says_off, "files and the registers disagree");
}

static void try_write_error(int error, const char *part)
{
	struct world w;

	world_make(&w, FAKE_FULL);
	w.fake.state->fail_error = error;
	w.fake.state->fail_from = 1;
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	if (!strstr(w.check.why, part))
		fail_msg("\"%s\" does not say \"%s\"", w.check.why, part);
	/* The cause is remembered: no second try, the same sentence. */
	w.fake.state->log_count = 0;
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(w.fake.state->log_count, 0);
	world_end_clean(&w);
}

static void test_writes_that_fail(void **state)
{
	(void)state;
	try_write_error(EPERM, "lockdown");
	try_write_error(EACCES, "run as root");
	try_write_error(EROFS, "read-only");
}

/* It fails half way and works again: all is back, the sentence is the verdict's. */
static void test_a_write_in_the_middle_fails(void **state)
{
	struct world w;

	(void)state;
	for (size_t from = 2; from < 12; from++) {
		world_make(&w, FAKE_FULL);
		w.fake.state->fail_error = EPERM;
		w.fake.state->fail_from = w.fake.state->fail_to = from;
		world_open(&w);
		assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
		if (w.check.verdict == PL_VERDICT_NOT_SET)
			assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
		world_end_clean(&w);
	}
}

/* Nothing can be put back: an error, and the journal stays for `pcielat restore`. */
static void test_restore_that_fails(void **state)
{
	struct pl_link_repair repair;
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	w.fake.state->fail_error = EPERM;
	w.fake.state->fail_from = 1;
	assert_int_equal(world_shut(&w), -EIO);
	assert_non_null(strstr(w.err.text, "pcielat restore"));
	assert_true(fake_has_journal(&w.fake));
	assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), -EIO);
	assert_true(fake_has_journal(&w.fake));
	w.fake.state->fail_error = 0;
	assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), 0);
	assert_true(repair.found);
	world_end_clean(&w);
}

static void test_sleeping_device(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	write_file(&w, "sys/bus/pci/devices/0000:01:00.0/power_state", "D3hot\n");
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_non_null(strstr(w.check.why, "D0"));
	write_file(&w, "sys/bus/pci/devices/0000:01:00.0/power_state", "D0\n");
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	world_end_clean(&w);
}

/* A guard that was killed is replaced before the next write. */
static void test_guard_is_replaced(void **state)
{
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_true(w.control->guard.pid > 0);
	kill(w.control->guard.pid, SIGKILL);
	waitid(P_PID, (id_t)w.control->guard.pid, NULL, WEXITED | WNOWAIT);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	world_end_clean(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_run),
		cmocka_unit_test(test_pcie_aspm_off),
		cmocka_unit_test(test_firmware_owns_it),
		cmocka_unit_test(test_kernel_without_aspm),
		cmocka_unit_test(test_registers_out_of_sight),
		cmocka_unit_test(test_removable_and_tunnel),
		cmocka_unit_test(test_states_the_kernel_could_not_put_back),
		cmocka_unit_test(test_writes_that_fail),
		cmocka_unit_test(test_a_write_in_the_middle_fails),
		cmocka_unit_test(test_restore_that_fails),
		cmocka_unit_test(test_sleeping_device),
		cmocka_unit_test(test_guard_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
