/* --aspm raise: one path gets more than firmware enabled, every other link keeps its registers. */
#include "tests/t.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fake/world.h"

#define SLOT FAKE_SLOT_ONE_SWITCH /* links 1 and 2 of the fake machine */

static void make(struct world *w)
{
	world_make(w, FAKE_OFF);
	w->options.mode = PL_LINK_RAISE;
	w->fake.state->may_pin = true;
}

static unsigned lnkctl_of(const struct world *w, size_t function)
{
	return fake_get16(w->fake.function[function].config, FAKE_LNKCTL) & 3;
}

static void test_only_the_path_rises(void **state)
{
	struct world w;

	(void)state;
	make(&w);
	world_open(&w);
	assert_int_equal(world_set(&w, SLOT, "raised_l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	for (size_t i = 0; i < w.fake.function_count; i++) {
		struct pl_bdf bdf = w.fake.function[i].bdf;
		bool is_on_path = (bdf.bus == 0 && bdf.dev == 2) || bdf.bus == 2 || bdf.bus == 4 ||
				  (bdf.bus == 3 && bdf.dev == 0);

		assert_int_equal(lnkctl_of(&w, i), is_on_path ? 2 : 0);
	}
	assert_true(world_has_warning(&w, "W-ASPM-PINS"));
	assert_non_null(strstr(w.fake.policy_text, "[powersupersave]"));
	/* Another raised state of the path, then another path: the policy goes back first. */
	assert_int_equal(world_set(&w, SLOT, "raised_l1_2"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(world_set(&w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	assert_non_null(strstr(w.fake.policy_text, "[default]"));
	assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
	assert_int_equal(world_set(&w, SLOT, "raised_l0s"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_CONFIRMED);
	world_end_clean(&w);
}

static void test_drivers_keep_their_marks(void **state)
{
	struct world w;
	const char *l1 = "sys/bus/pci/devices/0000:04:00.0/link/l1_aspm";
	unsigned before;

	(void)state;
	make(&w);
	w.fake.io.write_text(&w.fake, &w.fake.root, l1, "0");
	w.fake.state->violation[0] = '\0';
	before = w.fake.state->link[2].disabled;
	world_open(&w);
	assert_int_equal(world_set(&w, SLOT, "raised_l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(w.check.link[0], PL_VERDICT_CONFIRMED);
	assert_int_equal(w.check.link[1], PL_VERDICT_NOT_SET);
	assert_int_equal(world_shut(&w), 0);
	assert_int_equal(before & ~w.fake.state->link[2].disabled, 0);
	assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
	world_free(&w);
}

static void assert_not_raised(struct world *w, const char *part)
{
	const struct pl_link_path *path;
	bool is_said = false;

	world_open(w);
	path = world_path(w, SLOT);
	assert_null(pl_link_find_state(path, "raised_l1"));
	for (size_t i = 0; i < w->run.warning_count; i++)
		is_said |= !strcmp(w->run.warnings[i].code, "W-ASPM-RAISE") &&
			   strstr(w->run.warnings[i].message, part);
	if (!is_said)
		fail_msg("nothing says \"%s\"", part);
	assert_int_equal(w->fake.state->log_count, 0);
	world_free(w);
}

static void test_deny_list(void **state)
{
	struct world w;

	(void)state;
	make(&w);
	fake_put16(w.fake.function[7].config, 0, 0x15b7);
	fake_put16(w.fake.function[7].config, 2, 0x5015);
	assert_not_raised(&w, "SN740");
}

static void test_odd_link_elsewhere(void **state)
{
	struct world w;

	(void)state;
	make(&w);
	fake_put16(w.fake.function[0].config, FAKE_LNKCTL, 1);
	assert_not_raised(&w, "could not leave alone");
}

static void write_file(struct world *w, const char *path, const char *text)
{
	int fd = openat(w->fake.root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void mount_root(struct world *w, const char *target)
{
	mkdirat(w->fake.root.fd, "proc/self", 0755);
	write_file(w, "proc/self/mountinfo",
		   "20 1 0:19 / /proc rw - proc proc rw\n"
		   "36 1 259:2 / / rw,relatime - ext4 /dev/nvme0n1p2 rw\n");
	mkdirat(w->fake.root.fd, "sys/dev", 0755);
	mkdirat(w->fake.root.fd, "sys/dev/block", 0755);
	assert_int_equal(symlinkat(target, w->fake.root.fd, "sys/dev/block/259:2"), 0);
}

static void test_root_drive(void **state)
{
	struct world w;

	(void)state;
	make(&w);
	mount_root(&w, "../../devices/pci0000:00/0000:04:00.0/nvme/nvme0/nvme0n1/nvme0n1p2");
	assert_not_raised(&w, "holds the root file system");
	make(&w);
	mount_root(&w, "../../devices/virtual/block/dm-0");
	assert_not_raised(&w, "mapped device");
	/* On another drive it may. */
	make(&w);
	mount_root(&w, "../../devices/pci0000:00/0000:07:00.0/nvme/nvme1/nvme1n1/nvme1n1p2");
	world_open(&w);
	assert_non_null(pl_link_find_state(world_path(&w, SLOT), "raised_l1"));
	world_end_clean(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_path_rises),
		cmocka_unit_test(test_drivers_keep_their_marks),
		cmocka_unit_test(test_deny_list),
		cmocka_unit_test(test_odd_link_elsewhere),
		cmocka_unit_test(test_root_drive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
