/* The time for which a thread waited for a processor, as the kernel counts it. */
#include "tests/t.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/waits.h"

static atomic_bool is_over;

static void *spin(void *unused)
{
	while (!atomic_load(&is_over))
		;
	return unused;
}

/* Two threads on one processor: one of them waits, sooner or later. */
static void who_shares_a_processor_waits(void **state)
{
	int fd = pl_waits_open();
	int64_t before_ns = pl_waits_ns(fd);
	cpu_set_t all, one;
	pthread_t other;

	(void)state;
	if (before_ns < 0) {
		printf("this kernel does not count waits (CONFIG_SCHED_INFO)\n");
		skip();
	}
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(pthread_create(&other, NULL, spin, NULL), 0);
	while (pl_waits_ns(fd) == before_ns)
		;
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
	assert_true(pl_waits_ns(fd) > before_ns);
	sched_setaffinity(0, sizeof(all), &all);
	close(fd);
}

static void nothing_is_not_zero(void **state)
{
	int pipes[2];

	(void)state;
	assert_int_equal(pl_waits_ns(-1), -1);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "0 0 0\n", 6), 6);
	assert_int_equal(pl_waits_ns(pipes[0]), -1); /* cannot be read at a place */
	close(pipes[0]);
	close(pipes[1]);
}

static void a_kernel_that_does_not_count_is_not_believed(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {{"0 0 0\n", -1}, {"12 34 5\n", 34}, {"12 0 5\n", 0}, {"12 34", -1}, {"x", -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *file = tmpfile();

		assert_non_null(file);
		fputs(cases[i].text, file);
		fflush(file);
		assert_int_equal(pl_waits_ns(fileno(file)), cases[i].ns);
		fclose(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_shares_a_processor_waits),
		cmocka_unit_test(nothing_is_not_zero),
		cmocka_unit_test(a_kernel_that_does_not_count_is_not_believed),
	};

	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
