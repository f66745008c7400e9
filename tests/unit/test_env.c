#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "core/env.h"

static void cpu_lists_parse(void **state)
{
	static const char *const bad[] = {"a", "1-", "3-1", "1;2", "99999", "-1", "1,,2"};
	cpu_set_t set;

	(void)state;
	assert_int_equal(pl_env_parse_cpus("0-2,8,10-11\n", &set), 0);
	assert_int_equal(CPU_COUNT(&set), 6);
	assert_true(CPU_ISSET(8, &set) && CPU_ISSET(11, &set) && !CPU_ISSET(9, &set));
	assert_int_equal(pl_env_parse_cpus("", &set), 0);
	assert_int_equal(CPU_COUNT(&set), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pl_env_parse_cpus(bad[i], &set), -EINVAL);
}

static void cpu_choice_is_local_and_not_cpu_0(void **state)
{
	static const struct {
		const char *allowed, *local, *avoid;
		int cpu;
	} cases[] = {
		{"0-7", "0-7", "0,4", 1}, {"0-7", "0", "0", 0}, {"0-7", "4-7", "0,4", 5},
		{"0-1", "4-7", "0", 0},   {"", "0-7", "0", -1}, {"2-3", "0-7", "0-7", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpu_set_t allowed, local, avoid;

		pl_env_parse_cpus(cases[i].allowed, &allowed);
		pl_env_parse_cpus(cases[i].local, &local);
		pl_env_parse_cpus(cases[i].avoid, &avoid);
		assert_int_equal(pl_env_choose_cpu(&allowed, &local, &avoid), cases[i].cpu);
	}
}

static void interrupts_of_io_queues_are_summed(void **state)
{
	static const char text[] = "           CPU0       CPU1\n"
				   " 24:        100          7  PCI-MSI 1-edge      nvme0q0\n"
				   " 25:         10          5  PCI-MSI 2-edge      nvme0q1\n"
				   " 26:          0          3  PCI-MSI 3-edge      nvme0q2\n"
				   " 27:       1000       1000  PCI-MSI 3-edge      nvme10q1\n"
				   "NMI:          4          4  Non-maskable interrupts\n"
				   " 28:          0          9  PCI-MSI 3-edge      nvme0q10";

	(void)state;
	assert_int_equal(pl_env_count_interrupts(text, "nvme0q"), 27);
	assert_int_equal(pl_env_count_interrupts(text, "nvme10q"), 2000);
	assert_int_equal(pl_env_count_interrupts(text, "nvme1q"), 0);
	assert_int_equal(pl_env_count_interrupts("", "nvme0q"), 0);
}

static void hold_pins_and_release_restores(void **state)
{
	cpu_set_t before, during, after;
	struct pl_env env;
	struct pl_err err = {0, ""};

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	assert_int_equal(pl_env_hold(&env, -1, NULL, &err), 0);
	assert_true(env.cpu >= 0);
	sched_getaffinity(0, sizeof(during), &during);
	assert_int_equal(CPU_COUNT(&during), 1);
	assert_true(CPU_ISSET(env.cpu, &during));
	assert_true(strstr(env.cstates, "held: ") != NULL);
	assert_true(strstr(env.memory_lock, "locked") != NULL);
	/* Whoever reads "held" must be able to rely on the descriptor. */
	if (!strncmp(env.cstates, "held", 4))
		assert_true(fcntl(env.latency_fd, F_GETFD) >= 0);
	pl_env_release(&env);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	pl_env_release(&env);
	assert_int_equal(pl_env_hold(&env, CPU_SETSIZE - 1, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "CPU 1023 may not be used by this process");
}

static void counters_grow(void **state)
{
	struct pl_env_counters a, b;

	(void)state;
	pl_env_counters_read(&a);
	sched_yield();
	usleep(1000);
	pl_env_counters_read(&b);
	assert_true(b.voluntary_switches > a.voluntary_switches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists_parse),
		cmocka_unit_test(cpu_choice_is_local_and_not_cpu_0),
		cmocka_unit_test(interrupts_of_io_queues_are_summed),
		cmocka_unit_test(hold_pins_and_release_restores),
		cmocka_unit_test(counters_grow),
	};

	return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
