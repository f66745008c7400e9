#include "tests/t.h"

#include <errno.h>
#include <unistd.h>

#include "gpu_probe/gpu_probe.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/probe.h"

/* The software Vulkan device of Mesa runs every kernel; ctest's environment points at its driver.
 */

struct fixture {
	struct pl_run run;
	struct pl_clock clock;
	struct pl_gpu_probe *probe;
};

static int setup(void **state)
{
	static struct fixture f;
	struct pl_gpu_options options = {.seed = 42};

	pl_run_init(&f.run);
	f.probe = pl_gpu_probe_new(&options);
	if (pl_clock_open(&f.clock, PL_CLOCK_RAW, NULL) || pl_gpu_list(f.probe, &f.run, NULL))
		return -1;
	*state = &f;
	return f.run.gpu_count ? 0 : T_SKIP;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pl_gpu_probe_free(f->probe);
	pl_run_fini(&f->run);
	return 0;
}

static struct pl_measurement *plan(struct fixture *f, const char *metric, const char *memory,
				   uint64_t region_bytes)
{
	struct pl_measurement *m = pl_run_add_measurement(&f->run);

	m->probe = PL_PROBE_GPU;
	m->subject = "gpu0";
	m->metric = metric;
	m->conditions.memory = memory;
	m->conditions.region_bytes = region_bytes;
	return m;
}

static struct pl_sampler open_sampler(struct fixture *f, struct pl_measurement *m)
{
	struct pl_sampler sampler = {NULL, NULL, NULL};
	struct pl_err err = {0, ""};

	if (pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err))
		fail_msg("%s of %s: %s", m->metric, m->conditions.memory, err.text);
	return sampler;
}

static bool is_mapped(const char *library)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, library) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

/* The run fails on any line of the validation layer (FAIL_REGULAR_EXPRESSION); it must be there. */
static void validation_layer_watches(void **state)
{
	(void)state;
	assert_true(is_mapped("libVkLayer_khronos_validation"));
	assert_true(is_mapped("libvulkan_lvp"));
}

static void list_says_what_it_is(void **state)
{
	struct fixture *f = *state;
	const struct pl_gpu *gpu = &f->run.gpus[0];

	assert_int_equal(f->run.gpu_count, 1);
	assert_int_equal(gpu->kind, PL_GPU_SOFTWARE);
	assert_non_null(strstr(gpu->name, "llvmpipe"));
	assert_non_null(strstr(gpu->driver, "llvmpipe"));
	assert_non_null(strstr(gpu->no_path_reason, "no PCIe path"));
	assert_false(gpu->has_bdf);
	assert_true(gpu->offer_count >= 3);
	assert_string_equal(gpu->offers[0].memory, "host cached");
}

/* pl_placed_chain_run compares the end with the replay; here the replay walks the memory itself. */
static void chase_ends_where_the_cpu_ends(void **state)
{
	struct fixture *f = *state;
	struct pl_gpu_device *d = &f->probe->instance.devices[0];

	for (uint64_t bytes = 4096; bytes <= 16u << 20; bytes *= 4) {
		struct pl_err err = {0, ""};
		struct pl_placed_chain placed;
		struct pl_gpu_timing timing;
		struct pl_push push = {.count = 16 * 1001};
		const struct pl_gpu_buffer *b = &d->chains[PL_GPU_HOST_CACHED];
		int rc = pl_placed_chain_open(&placed, d, PL_GPU_HOST_CACHED, bytes, bytes, &err);

		if (!rc)
			rc = pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1, &timing, &err);
		if (rc)
			fail_msg("%" PRIu64 " bytes: %s", bytes, err.text);
		assert_int_equal(d->result.words[PL_RESULT_END],
				 pl_chain_walk(b->words, push.start, push.count));
		assert_true(timing.device_ns > 0);
		assert_true(timing.host_ns >= timing.device_ns * 0.5);
		pl_placed_chain_close(&placed);
	}
}

/* llvmpipe silently ends a kernel after 65,535 loop turns: an error, never a number. */
static void a_cut_loop_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct pl_err err = {0, ""};
	struct pl_placed_chain placed;
	struct pl_gpu_timing timing;
	struct pl_push push = {.count = PL_CHASE_UNROLL * 70000};

	assert_int_equal(pl_placed_chain_open(&placed, &f->probe->instance.devices[0],
					      PL_GPU_HOST_CACHED, 4096, 1, &err),
			 0);
	assert_int_equal(pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1, &timing, &err),
			 -EIO);
	assert_non_null(strstr(err.text, "cut its loop short"));
	pl_placed_chain_close(&placed);
}

/* A node that somebody else overwrote sends the chase elsewhere: its time means nothing. */
static void a_wrong_end_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct pl_gpu_device *d = &f->probe->instance.devices[0];
	struct pl_err err = {0, ""};
	struct pl_placed_chain placed;
	struct pl_gpu_timing timing;
	struct pl_push push = {.count = 16 * 4};

	assert_int_equal(pl_placed_chain_open(&placed, d, PL_GPU_HOST_CACHED, 65536, 1, &err), 0);
	assert_int_equal(pl_placed_chain_lay(&placed, &err), 0);
	d->chains[PL_GPU_HOST_CACHED].words[placed.chain.order[10]] = placed.chain.order[0];
	assert_int_equal(pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1, &timing, &err),
			 -EIO);
	assert_non_null(strstr(err.text, "its time means nothing"));
	pl_placed_chain_close(&placed);
}

static void chase_gives_samples(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "chase", NULL, 65536);
	struct pl_sampler sampler = open_sampler(f, m);
	uint64_t ticks[3] = {0, 0, 0};
	struct pl_err err = {0, ""};

	assert_int_equal(sampler.sample(sampler.self, ticks, 3, &err), 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(ticks[i] > 0);
	assert_true(m->ns_per_tick > 0);
	assert_true(m->is_off_path);
	assert_string_equal(m->conditions.memory, "host cached");
	assert_string_equal(m->conditions.path, "vulkan");
	assert_string_equal(m->conditions.clock, "gpu timestamps");
	assert_true(pl_measurement_find_fact(m, "loads_issued")->value > 1000);
	assert_true(pl_measurement_find_fact(m, "host_clock_ns_per_load")->value > 0);
	pl_sampler_close(&sampler);
}

/* Samplers of one class share a buffer: each finds its own chain again. */
static void samplers_take_turns(void **state)
{
	struct fixture *f = *state;
	static const uint64_t regions[] = {4096, 65536, 1u << 20};
	struct pl_sampler samplers[3];
	struct pl_err err = {0, ""};
	uint64_t ticks;

	for (size_t i = 0; i < 3; i++)
		samplers[i] = open_sampler(f, plan(f, "chase", NULL, regions[i]));
	for (size_t i = 0; i < 6; i++)
		if (samplers[i % 3].sample(samplers[i % 3].self, &ticks, 1, &err) != 1)
			fail_msg("turn %zu: %s", i, err.text);
	for (size_t i = 0; i < 3; i++)
		pl_sampler_close(&samplers[i]);
}

static void impossible_wishes_have_a_sentence(void **state)
{
	struct fixture *f = *state;
	struct pl_sampler sampler = {NULL, NULL, NULL};
	struct pl_err err = {0, ""};
	struct pl_measurement *m = plan(f, "chase", NULL, 65536);

	m->subject = "gpu7";
	assert_int_equal(pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err), -ENODEV);
	assert_non_null(strstr(err.text, "gpu7"));
	m = plan(f, "chase", "vram", 65536);
	assert_int_equal(pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "\"vram\""));
	m = plan(f, "juggle", NULL, 65536);
	assert_int_equal(pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err), -EINVAL);
	m = plan(f, "chase", "porcelain", 65536);
	assert_int_equal(pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err), -EINVAL);
	m = plan(f, "chase", NULL, 100);
	assert_int_equal(pl_gpu_open(f->probe, &f->run, m, &f->clock, &sampler, &err), -EINVAL);
	assert_null(sampler.sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_says_what_it_is),
		cmocka_unit_test(validation_layer_watches),
		cmocka_unit_test(chase_ends_where_the_cpu_ends),
		cmocka_unit_test(a_cut_loop_is_an_error),
		cmocka_unit_test(a_wrong_end_is_an_error),
		cmocka_unit_test(chase_gives_samples),
		cmocka_unit_test(samplers_take_turns),
		cmocka_unit_test(impossible_wishes_have_a_sentence),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
