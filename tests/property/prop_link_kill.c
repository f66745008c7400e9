/*
 * SIGKILL before every state-changing system call of a run, each one in turn: the guard process
 * puts everything back; where the guard is killed too, before any of its own calls, the next start
 * does. A seccomp filter stops run and guard at these calls for ptrace, so the product needs no
 * seam.
 */
#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/link.h"
#include "tests/fake/fake_kernel.h"

#define STOP_IF(number)                                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

/* Everything that changes a file, a process or a lock; reads and memory do not count. */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	STOP_IF(SYS_write),
	STOP_IF(SYS_writev),
	STOP_IF(SYS_pwrite64),
	STOP_IF(SYS_rename),
	STOP_IF(SYS_renameat),
	STOP_IF(SYS_renameat2),
	STOP_IF(SYS_unlink),
	STOP_IF(SYS_unlinkat),
	STOP_IF(SYS_mkdir),
	STOP_IF(SYS_mkdirat),
	STOP_IF(SYS_fsync),
	STOP_IF(SYS_fdatasync),
	STOP_IF(SYS_ftruncate),
	STOP_IF(SYS_fork),
	STOP_IF(SYS_clone),
	STOP_IF(SYS_clone3),
	STOP_IF(SYS_socketpair),
	STOP_IF(SYS_sendto),
	STOP_IF(SYS_flock),
	/* openat only where it makes or empties a file */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static void stop_at_changes(void)
{
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(T_SKIP);
}

struct scenario {
	const char *name;
	enum fake_start start;
	void (*run)(struct fake_kernel *fake, struct pl_run *run);
};

static void must(int rc, const struct pl_err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "%s\n", err->text);
	_exit(3);
}

static void set(struct pl_link_control *control, const struct pl_slot *slot, const char *name)
{
	const struct pl_link_path *path = pl_link_find_path(control, slot);
	const struct pl_link_state *state = pl_link_find_state(path, name);
	struct pl_link_check check;
	struct pl_err err;

	if (!state)
		_exit(4);
	must(pl_link_set_state(control, path, state, &check, &err), &err);
	if (check.verdict != PL_VERDICT_CONFIRMED)
		_exit(5);
}

static void run_lowering(struct fake_kernel *fake, struct pl_run *run)
{
	struct pl_link_options options = {.mode = PL_LINK_AUTO, .io = &fake->io};
	const struct pl_slot *deep = &run->slots[FAKE_SLOT_TWO_SWITCHES];
	struct pl_link_control *control;
	struct pl_err err;

	must(pl_link_open(run, &fake->root, &options, &control, &err), &err);
	must(pl_link_hold_power(control, pl_link_find_path(control, deep), &err), &err);
	set(control, deep, "off");
	must(pl_link_set_apst(control, deep, PL_LINK_APST_OFF, &err), &err);
	set(control, deep, "uplink_only");
	set(control, &run->slots[FAKE_SLOT_DIRECT], "l1");
	must(pl_link_restore(control, &err), &err);
	set(control, &run->slots[FAKE_SLOT_DIRECT], "off");
	must(pl_link_close(control, &err), &err);
}

static void run_raising(struct fake_kernel *fake, struct pl_run *run)
{
	struct pl_link_options options = {.mode = PL_LINK_RAISE, .io = &fake->io};
	struct pl_link_control *control;
	struct pl_err err;

	fake->state->may_pin = true;
	must(pl_link_open(run, &fake->root, &options, &control, &err), &err);
	set(control, &run->slots[FAKE_SLOT_ONE_SWITCH], "raised_l1");
	set(control, &run->slots[FAKE_SLOT_ONE_SWITCH], "off");
	must(pl_link_close(control, &err), &err);
}

/* The drive is pulled while its links are set; its path is given up, another one is set. */
static void run_vanishing(struct fake_kernel *fake, struct pl_run *run)
{
	struct pl_link_options options = {.mode = PL_LINK_AUTO, .io = &fake->io};
	const struct pl_slot *deep = &run->slots[FAKE_SLOT_TWO_SWITCHES];
	struct pl_link_control *control;
	const struct pl_link_path *path;
	struct pl_link_check check;
	struct pl_err err;

	must(pl_link_open(run, &fake->root, &options, &control, &err), &err);
	path = pl_link_find_path(control, deep);
	must(pl_link_hold_power(control, path, &err), &err);
	must(pl_link_set_apst(control, deep, PL_LINK_APST_OFF, &err), &err);
	fake->state->remove_at = fake->state->log_count + 10;
	fake->state->removal = FAKE_UNPLUGGED;
	must(pl_link_set_state(control, path, pl_link_find_state(path, "off"), &check, &err), &err);
	if (!check.is_gone)
		_exit(6);
	set(control, &run->slots[FAKE_SLOT_ONE_SWITCH], "off");
	must(pl_link_set_apst(control, deep, PL_LINK_APST_AS_FOUND, &err), &err);
	must(pl_link_close(control, &err), &err);
}

static pid_t start(const struct scenario *scenario, struct fake_kernel *fake, struct pl_run *run)
{
	pid_t pid = fork();

	if (pid == 0) {
		stop_at_changes();
		scenario->run(fake, run);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL,
				PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL),
			 0);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	return pid;
}

/* The run and the guard it forked last, which is traced from its first instruction on. */
struct pair {
	pid_t tool, guard;
	int status; /* of the tool when it ended */
};

static bool has_ended(int status)
{
	return WIFEXITED(status) || WIFSIGNALED(status);
}

static bool is_change(int status)
{
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
}

/* The tool forked: who it was is known before the child has run at all. */
static void note_guard(struct pair *pair, int status)
{
	unsigned long child = 0;

	if (status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8))
		return;
	ptrace(PTRACE_GETEVENTMSG, pair->tool, NULL, &child);
	pair->guard = (pid_t)child;
}

/* Lets victim run until just before its call number k + 1; false when it ended before that. */
static bool run_until(struct pair *pair, bool victim_is_tool, unsigned k)
{
	unsigned seen = 0;

	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0)
			return false;
		if (pid == pair->tool)
			note_guard(pair, status);
		if (pid == pair->tool && has_ended(status)) {
			pair->status = status;
			if (victim_is_tool)
				return false;
		} else if (has_ended(status)) {
			pair->guard = pid == pair->guard ? 0 : pair->guard;
			if (!victim_is_tool)
				return false;
		} else {
			if (is_change(status) && (pid == pair->tool) == victim_is_tool &&
			    seen++ == k)
				return true;
			ptrace(PTRACE_CONT, pid, NULL, NULL);
		}
	}
}

/* Lets everybody run to the end; orphans come to us (PR_SET_CHILD_SUBREAPER). */
static void run_to_end(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0)
		if (!has_ended(status))
			ptrace(PTRACE_CONT, pid, NULL, NULL);
}

static void kill_one(pid_t pid)
{
	if (pid)
		kill(pid, SIGKILL);
}

static void assert_restored(const struct fake_kernel *fake, const uint8_t *snapshot, unsigned k)
{
	if (fake_compare(fake, snapshot))
		fail_msg("not restored after %u state-changing calls", k);
	if (fake_has_journal(fake))
		fail_msg("the journal is still there after %u state-changing calls", k);
	if (fake->state->violation[0])
		fail_msg("%s (after %u calls)", fake->state->violation, k);
}

enum victim { KILL_TOOL, KILL_BOTH, KILL_GUARD_LATER };

struct case_of {
	struct fake_kernel fake;
	struct pl_run run;
	uint8_t *snapshot;
	struct pair pair;
};

static void open_case(struct case_of *c, const struct scenario *scenario, unsigned k)
{
	struct pl_rng rng;

	memset(c, 0, sizeof(*c));
	pl_rng_init(&rng, 5);
	pl_run_init(&c->run);
	fake_open(&c->fake, &c->run, &rng, scenario->start);
	c->fake.state->is_old = k % 3 == 0;
	c->snapshot = fake_snapshot(&c->fake, NULL);
	c->pair.tool = start(scenario, &c->fake, &c->run);
}

static void close_case(struct case_of *c)
{
	free(c->snapshot);
	fake_close(&c->fake);
	pl_run_fini(&c->run);
}

/* The next start: nothing left to do after a guard, everything without one. */
static void start_again(struct case_of *c, enum victim victim, unsigned k)
{
	struct pl_link_repair repair;
	struct pl_err err = {0, ""};

	if (pl_link_repair(&c->fake.root, &c->fake.io, &repair, &err))
		fail_msg("%s", err.text);
	if (victim == KILL_TOOL) /* a guard that was not asked to die has done it all */
		assert_false(repair.found);
	assert_restored(&c->fake, c->snapshot, k);
}

/* False when the run ended before call k + 1. */
static bool kill_after(const struct scenario *scenario, enum victim victim, unsigned k)
{
	struct case_of c;
	bool was_killed;

	open_case(&c, scenario, k);
	was_killed = run_until(&c.pair, true, k);
	if (was_killed) {
		if (victim == KILL_BOTH)
			kill_one(c.pair.guard);
		kill_one(c.pair.tool);
	} else {
		assert_true(WIFEXITED(c.pair.status));
		assert_int_equal(WEXITSTATUS(c.pair.status), 0);
	}
	run_to_end();
	if (victim == KILL_TOOL)
		assert_restored(&c.fake, c.snapshot, k);
	start_again(&c, victim, k);
	close_case(&c);
	return was_killed;
}

/* The tool dies before its call k + 1, its guard before its own call j + 1. */
static bool kill_guard_after(const struct scenario *scenario, unsigned k, unsigned j)
{
	struct case_of c;
	bool was_killed;

	open_case(&c, scenario, k);
	assert_true(run_until(&c.pair, true, k));
	assert_true(c.pair.guard > 0);
	kill_one(c.pair.tool);
	was_killed = run_until(&c.pair, false, j);
	if (was_killed)
		kill_one(c.pair.guard);
	run_to_end();
	start_again(&c, KILL_GUARD_LATER, j);
	close_case(&c);
	return was_killed;
}

static const struct scenario lowering = {"lowering", FAKE_FULL, run_lowering};
static const struct scenario vanishing = {"vanishing", FAKE_FULL, run_vanishing};
static const struct scenario raising = {"raising", FAKE_OFF, run_raising};

static void kill_everywhere(const struct scenario *scenario, enum victim victim)
{
	unsigned k = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (kill_after(scenario, victim, k))
		k++;
	print_message("%s: killed before each of %u state-changing system calls\n", scenario->name,
		      k);
	assert_true(k > 30);
}

static void test_guard_restores(void **state)
{
	(void)state;
	kill_everywhere(&lowering, KILL_TOOL);
}

static void test_next_start_restores(void **state)
{
	(void)state;
	kill_everywhere(&lowering, KILL_BOTH);
}

static void test_guard_restores_raised(void **state)
{
	(void)state;
	kill_everywhere(&raising, KILL_TOOL);
}

static void test_next_start_restores_raised(void **state)
{
	(void)state;
	kill_everywhere(&raising, KILL_BOTH);
}

static void test_guard_restores_what_is_left(void **state)
{
	(void)state;
	kill_everywhere(&vanishing, KILL_TOOL);
}

static void test_next_start_restores_what_is_left(void **state)
{
	(void)state;
	kill_everywhere(&vanishing, KILL_BOTH);
}

static void test_guard_dies_at_work(void **state)
{
	static const unsigned moments[] = {40, 60, 80, 100}; /* power, links, APST are changed */
	unsigned total = 0;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
		unsigned j = 0;

		while (kill_guard_after(&lowering, moments[i], j))
			j++;
		print_message("tool killed before call %u, guard before each of its %u calls\n",
			      moments[i], j);
		total += j;
	}
	assert_true(total > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guard_restores),
		cmocka_unit_test(test_next_start_restores),
		cmocka_unit_test(test_guard_restores_raised),
		cmocka_unit_test(test_next_start_restores_raised),
		cmocka_unit_test(test_guard_restores_what_is_left),
		cmocka_unit_test(test_next_start_restores_what_is_left),
		cmocka_unit_test(test_guard_dies_at_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
