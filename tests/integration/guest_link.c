/*
 * link/ against a real kernel, in the guest of the virtual board: guest_link states | off | plain.
 * Registers are read here through pci/, which link/ does not use.
 */
#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/rng.h"
#include "link/act.h"
#include "link/control.h"
#include "link/link.h"
#include "pci/config_space.h"
#include "topology/topology.h"

#define WORDS_MAX 256
#define KILLS 12

struct machine {
	struct pl_sysroot root;
	struct pl_run run;
	struct pl_pci *pci;
	struct pl_link_control *control;
	struct pl_err err;
};

static void discover(struct machine *m)
{
	struct pl_topology_options options = {.label_count = 0};

	memset(m, 0, sizeof(*m));
	pl_run_init(&m->run);
	if (pl_sysroot_open(&m->root, NULL, &m->err) ||
	    pl_topology_discover(&m->run, &m->root, &options, &m->err) ||
	    pl_pci_open(&m->pci, &m->root, &m->err))
		fail_msg("%s", m->err.text);
}

static void open_control(struct machine *m)
{
	struct pl_link_options options = {.mode = PL_LINK_AUTO};

	if (pl_link_open(&m->run, &m->root, &options, &m->control, &m->err))
		fail_msg("%s", m->err.text);
}

static void forget(struct machine *m)
{
	pl_pci_close(m->pci);
	pl_sysroot_close(&m->root);
	pl_run_fini(&m->run);
}

/* LnkCtl and L1SS control of a function; 0 where there is none. */
static uint32_t read_lnkctl(struct pl_pci *pci, struct pl_bdf bdf)
{
	int at = pl_pci_find_cap(pci, bdf, 0x10);
	uint16_t word = 0;

	if (at > 0)
		pl_pci_read16(pci, bdf, (unsigned)at + 0x10, &word);
	return word;
}

static uint32_t read_l1ss(struct pl_pci *pci, struct pl_bdf bdf)
{
	int at = pl_pci_find_ext_cap(pci, bdf, 0x1e);
	uint32_t word = 0;

	if (at > 0)
		pl_pci_read32(pci, bdf, (unsigned)at + 8, &word);
	return word;
}

/* Both words of every function of the machine. Returns the count. */
static size_t snapshot(struct machine *m, uint32_t words[WORDS_MAX])
{
	const struct pl_bdf *bdfs;
	size_t count = pl_pci_functions(m->pci, &bdfs), used = 0;

	for (size_t i = 0; i < count && used + 2 <= WORDS_MAX; i++) {
		words[used++] = read_lnkctl(m->pci, bdfs[i]);
		words[used++] = read_l1ss(m->pci, bdfs[i]);
	}
	return used;
}

static void assert_same(struct machine *m, const uint32_t *before, size_t count)
{
	uint32_t now[WORDS_MAX];

	assert_int_equal(snapshot(m, now), count);
	for (size_t i = 0; i < count; i++)
		if (now[i] != before[i])
			fail_msg("word %zu: %x, was %x", i, now[i], before[i]);
	assert_false(pl_sysroot_exists(&m->root, PL_JOURNAL_FILE));
}

static void assert_shown(struct machine *m, const struct pl_aspm_link *link, unsigned target)
{
	unsigned want = (target & PL_ASPM_L0S ? 1u : 0) | (target & PL_ASPM_L1 ? 2u : 0);
	unsigned substates = (target & PL_ASPM_L1_2 ? 4u : 0) | (target & PL_ASPM_L1_1 ? 8u : 0);

	assert_int_equal(read_lnkctl(m->pci, link->up.bdf) & 3, want);
	assert_int_equal(read_l1ss(m->pci, link->up.bdf) & 0xc, substates);
	assert_int_equal(read_l1ss(m->pci, link->down[0].bdf) & 0xc, substates);
	for (size_t i = 0; i < link->down_count; i++)
		assert_int_equal(read_lnkctl(m->pci, link->down[i].bdf) & 3, want);
}

static unsigned try_path(struct machine *m, const struct pl_link_path *path)
{
	struct pl_link_check check;
	unsigned set = 0;

	for (size_t s = 0; s < path->state_count; s++) {
		const struct pl_link_state *state = &path->states[s];

		if (!state->is_settable)
			continue;
		if (pl_link_set_state(m->control, path, state, &check, &m->err))
			fail_msg("%s", m->err.text);
		if (check.verdict != PL_VERDICT_CONFIRMED)
			fail_msg("%s %s: %s", path->slot->key, state->name, check.why);
		for (size_t i = 0; i < path->link_count; i++)
			assert_shown(m, path->links[i], state->targets[i]);
		print_message("%s: %s confirmed\n", path->slot->key, state->name);
		set++;
	}
	return set;
}

static void test_every_state_of_every_slot(void **state)
{
	uint32_t before[WORDS_MAX];
	struct machine m;
	unsigned set = 0, chains = 0;
	size_t count;

	(void)state;
	discover(&m);
	count = snapshot(&m, before);
	open_control(&m);
	for (size_t i = 0; i < m.run.slot_count; i++) {
		const struct pl_link_path *path = pl_link_find_path(m.control, &m.run.slots[i]);

		if (!path->link_count)
			continue;
		if (path->why_fixed)
			print_message("%s: %s\n", m.run.slots[i].key, path->why_fixed);
		set += try_path(&m, path);
		chains += path->link_count > 1 && path->state_count > 3;
	}
	assert_int_equal(pl_link_close(m.control, &m.err), 0);
	assert_same(&m, before, count);
	print_message("%u states set and confirmed, %u chains\n", set, chains);
	assert_true(set > 5 && chains > 0);
	forget(&m);
}

/* Sets states at random until it is killed. *guard is shared with the parent. */
static void set_for_ever(uint64_t seed, volatile pid_t *guard)
{
	struct machine m;
	struct pl_link_check check;
	struct pl_rng rng;

	discover(&m);
	open_control(&m);
	pl_rng_init(&rng, seed);
	for (;;) {
		const struct pl_link_path *path = pl_link_find_path(
			m.control, &m.run.slots[pl_rng_below(&rng, m.run.slot_count)]);

		if (!path->state_count)
			continue;
		pl_link_set_state(m.control, path,
				  &path->states[pl_rng_below(&rng, path->state_count)], &check,
				  &m.err);
		if (pl_rng_below(&rng, 3) == 0)
			pl_link_hold_power(m.control, path, &m.err);
		*guard = m.control->guard.pid;
	}
}

static void kill_one(struct machine *m, struct pl_rng *rng, bool both, const uint32_t *before,
		     size_t count)
{
	volatile pid_t *guard = mmap(NULL, sizeof(*guard), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timespec wait = {(time_t)pl_rng_below(rng, 2), (long)pl_rng_below(rng, 1000000000)};
	struct pl_link_repair repair;
	pid_t pid = fork();

	if (pid == 0)
		set_for_ever(pl_rng_u64(rng), guard);
	while (!*guard)
		usleep(1000);
	nanosleep(&wait, NULL);
	if (both)
		kill(*guard, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0) /* the guard comes to us when its parent is dead */
		;
	munmap((void *)guard, sizeof(*guard));
	if (!both)
		assert_same(m, before, count);
	if (pl_link_repair(&m->root, NULL, &repair, &m->err))
		fail_msg("%s", m->err.text);
	print_message("%s\n", repair.text);
	assert_same(m, before, count);
}

static void test_killed_at_random(void **state)
{
	uint32_t before[WORDS_MAX];
	struct machine m;
	struct pl_rng rng;
	size_t count;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pl_rng_init(&rng, t_seed());
	discover(&m);
	count = snapshot(&m, before);
	for (int i = 0; i < KILLS; i++)
		kill_one(&m, &rng, i % 4 == 3, before, count);
	forget(&m);
}

/* As an ordinary user: nothing is changed, one sentence, and it names the remedy. */
static void test_ordinary_user(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		const struct pl_link_path *path = NULL;
		struct pl_link_check check;
		struct machine m;

		if (setgid(65534) || setuid(65534))
			_exit(9);
		discover(&m);
		open_control(&m);
		for (size_t i = 0; i < m.run.slot_count && (!path || !path->link_count); i++)
			path = pl_link_find_path(m.control, &m.run.slots[i]);
		if (!path || !path->why_fixed || !strstr(path->why_fixed, "run as root"))
			_exit(2);
		fprintf(stderr, "%s\n", path->why_fixed);
		if (pl_link_set_state(m.control, path, &path->states[0], &check, &m.err))
			_exit(3);
		_exit(check.verdict == PL_VERDICT_NOT_SET || check.verdict == PL_VERDICT_UNREADABLE
			      ? 0
			      : 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct pl_link_path *first_path(struct machine *m)
{
	for (size_t i = 0; i < m->run.slot_count; i++) {
		const struct pl_link_path *path = pl_link_find_path(m->control, &m->run.slots[i]);

		if (path->link_count && path->state_count)
			return path;
	}
	fail_msg("no path with a link");
	return NULL;
}

static void test_pcie_aspm_off(void **state)
{
	const struct pl_link_path *path;
	const struct pl_link_state *as_found;
	struct pl_link_check check;
	struct machine m;

	(void)state;
	discover(&m);
	open_control(&m);
	path = first_path(&m);
	assert_non_null(path->why_fixed);
	print_message("%s\n", path->why_fixed);
	assert_non_null(strstr(path->why_fixed, "pcie_aspm=off"));
	as_found = pl_link_find_state(path, "as_found");
	assert_non_null(as_found); /* firmware left something on */
	assert_int_equal(pl_link_set_state(m.control, path, as_found, &check, &m.err), 0);
	assert_int_equal(check.verdict, PL_VERDICT_CONFIRMED);
	assert_int_equal(
		pl_link_set_state(m.control, path, pl_link_find_state(path, "off"), &check, &m.err),
		0);
	assert_int_equal(check.verdict, PL_VERDICT_NOT_SET);
	assert_int_equal(pl_link_close(m.control, &m.err), 0);
	forget(&m);
}

/* Plain QEMU: LnkCtl cannot hold ASPM; with another policy the kernel claims it is on. */
static void test_kernel_says_yes(void **state)
{
	const struct pl_link_path *path;
	struct pl_link_check check;
	struct machine m;

	(void)state;
	discover(&m);
	assert_int_equal(pl_link_io_files.write_text(NULL, &m.root, PL_LINK_POLICY, "powersave"),
			 0);
	open_control(&m);
	path = first_path(&m);
	assert_int_equal(path->links[path->link_count - 1]->attr[PL_ATTR_L0S], 1);
	assert_int_equal(pl_link_set_state(m.control, path, &path->states[0], &check, &m.err), 0);
	print_message("%s\n", check.why);
	assert_int_equal(check.verdict, PL_VERDICT_KERNEL_ONLY);
	assert_int_equal(pl_link_close(m.control, &m.err), 0);
	assert_int_equal(pl_link_io_files.write_text(NULL, &m.root, PL_LINK_POLICY, "default"), 0);
	forget(&m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest states[] = {
		cmocka_unit_test(test_every_state_of_every_slot),
		cmocka_unit_test(test_killed_at_random),
		cmocka_unit_test(test_ordinary_user),
	};
	const struct CMUnitTest off[] = {cmocka_unit_test(test_pcie_aspm_off)};
	const struct CMUnitTest plain[] = {cmocka_unit_test(test_kernel_says_yes)};
	const char *mode = argc == 2 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(mode, "states"))
		return cmocka_run_group_tests(states, NULL, NULL);
	if (!strcmp(mode, "off"))
		return cmocka_run_group_tests(off, NULL, NULL);
	if (!strcmp(mode, "plain"))
		return cmocka_run_group_tests(plain, NULL, NULL);
	return 2;
}
