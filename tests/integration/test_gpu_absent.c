#include "tests/t.h"

#include <errno.h>

#include "gpu_probe/gpu_probe.h"

/* Machines without a GPU are the rule: each way of having none has its sentence and no error. */

static void (*no_functions(void *instance, const char *name))(void)
{
	(void)instance;
	(void)name;
	return NULL;
}

static void list_is_empty_with_reason(const struct pl_gpu_options *options, const char *sentence)
{
	struct pl_gpu_probe *probe = pl_gpu_probe_new(options);
	struct pl_measurement *m;
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	struct pl_err err = {0, ""};
	struct pl_run run;

	pl_run_init(&run);
	assert_int_equal(pl_gpu_list(probe, &run, &err), 0);
	assert_int_equal(run.gpu_count, 0);
	assert_int_equal(run.skip_count, 1);
	assert_non_null(strstr(run.skipped[0].why, sentence));
	assert_non_null(run.skipped[0].remedy);
	m = pl_run_add_measurement(&run);
	m->subject = "gpu0";
	m->metric = "chase";
	assert_true(pl_gpu_open(probe, &run, m, NULL, &sampler, &err) < 0);
	assert_non_null(strstr(err.text, sentence));
	pl_gpu_probe_free(probe);
	pl_run_fini(&run);
}

static void no_driver(void **state)
{
	struct pl_gpu_options options = {.seed = 1};

	(void)state;
	list_is_empty_with_reason(&options, "found no driver");
}

static void loader_without_functions(void **state)
{
	struct pl_gpu_options options = {.seed = 1, .loader = no_functions};

	(void)state;
	list_is_empty_with_reason(&options, "found no driver");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_driver),
		cmocka_unit_test(loader_without_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
