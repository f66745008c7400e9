#include "tests/t.h"

#include <dlfcn.h>

#include "gpu_probe/gpu_probe.h"

/* The program's own dlopen comes before the C library's: there is no libvulkan for volk here. */
void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

static void missing_loader_is_a_sentence(void **state)
{
	struct pl_gpu_probe *probe = pl_gpu_probe_new(NULL);
	struct pl_err err = {0, ""};
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	assert_int_equal(pl_gpu_list(probe, &run, &err), 0);
	assert_int_equal(run.gpu_count, 0);
	assert_int_equal(run.skip_count, 1);
	assert_string_equal(run.skipped[0].what, "GPU latency");
	assert_non_null(strstr(run.skipped[0].why, "no Vulkan loader"));
	assert_string_equal(run.skipped[0].remedy, "install libvulkan1");
	pl_gpu_probe_free(probe);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(missing_loader_is_a_sentence)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
