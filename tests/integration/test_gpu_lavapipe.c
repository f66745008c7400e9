#include "tests/integration/gpu_fixture.h"

#include <errno.h>

#include "core/stats.h"
#include "gpu_probe/placed_chain.h"

/* The software Vulkan device of Mesa runs every kernel; ctest's environment points at its driver.
 */

static int setup(void **state)
{
	static struct fixture f;
	struct pl_gpu_options options = {.seed = 42};

	fixture_open(&f, &options);
	*state = &f;
	return f.run.gpu_count ? 0 : -1;
}

static int teardown(void **state)
{
	fixture_close(*state);
	return 0;
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
			rc = pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1 + push.count,
						 &timing, &err);
		if (rc)
			fail_msg("%" PRIu64 " bytes: %s", bytes, err.text);
		assert_int_equal(d->result.words[PL_RESULT_END],
				 pl_chain_walk(b->words, push.start, 1 + push.count));
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
	assert_int_equal(
		pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1 + push.count, &timing, &err),
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
	assert_int_equal(
		pl_placed_chain_run(&placed, PL_KERNEL_CHASE, &push, 1 + push.count, &timing, &err),
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
	/* A slope of two times: on a busy machine it may come out below 0. */
	assert_non_null(pl_measurement_find_fact(m, "host_clock_ns_per_load"));
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
	struct pl_measurement *m = plan(f, "chase", NULL, 65536);

	m->subject = "gpu7";
	open_fails(f, m, -ENODEV, "gpu7");
	open_fails(f, plan(f, "chase", "vram", 65536), -ENOTSUP, "\"vram\"");
	open_fails(f, plan(f, "juggle", NULL, 65536), -EINVAL, "juggle");
	open_fails(f, plan(f, "chase", "porcelain", 65536), -EINVAL, "porcelain");
	open_fails(f, plan(f, "chase", NULL, 100), -EINVAL, "3 cells");
	open_fails(f, plan(f, "read", NULL, 12345), -EINVAL, "power of two");
	open_fails(f, plan(f, "copy_to_vram", NULL, 65536), -ENOTSUP, "\"vram\"");
	open_fails(f, plan(f, "cpu_vram_read", NULL, 4096), -ENOTSUP, "\"vram mapped\"");
	m = plan(f, "load_after_gap", NULL, 65536);
	m->conditions.gap_ns = UINT64_C(5000000000);
	open_fails(f, m, -EINVAL, "longer than a kernel may run");
}

static void on_chip_chase_is_checked_too(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "chase", "on chip", 0);
	struct pl_sampler sampler = open_sampler(f, m);
	uint64_t ticks[2];

	take(&sampler, ticks, 2);
	assert_int_equal(m->conditions.region_bytes, 8192);
	assert_string_equal(m->conditions.memory, "on chip");
	pl_sampler_close(&sampler);
}

static void single_loads_are_timed(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "load", NULL, 1 << 20);
	struct pl_sampler sampler = open_sampler(f, m);
	uint64_t ticks[3000];
	double before = 0;

	for (int turn = 0; turn < 2; turn++) {
		take(&sampler, ticks, 3000);
		/* Two dispatches of at most 2048 loads: one load before the samples each. */
		if (turn)
			assert_true(fact(m, "loads_issued") == before + 4 * 3000 + 2);
		before = fact(m, "loads_issued");
		for (size_t i = 0; i < 3000; i++)
			assert_true(ticks[i] > 0 && ticks[i] < 1000000000u);
	}
	assert_string_equal(m->conditions.clock, "device clock");
	assert_true(m->ns_per_tick == 1.0); /* lavapipe's clock is in ns, like its timestamps */
	assert_true(fact(m, "clock_tick_measured_ns") > 0);
	assert_true(fact(m, "clock_pair_ns") > 0);
	pl_sampler_close(&sampler);
}

/* The gap is real, and a device without a link has no exit: the first load costs what the second
 * does. The least of them: what a shared machine adds has one sign, an exit (tens of us) is in all.
 */
static void gaps_are_real_and_show_no_exit(void **state)
{
	struct fixture *f = *state;
	static const uint64_t gaps_ns[] = {0, 1000, 20000, 300000, 10000000};

	for (size_t g = 0; g < sizeof(gaps_ns) / sizeof(gaps_ns[0]); g++) {
		struct pl_measurement *m = plan(f, "load_after_gap", NULL, 65536);
		struct pl_sampler sampler;
		uint64_t ticks[60];
		size_t n = gaps_ns[g] > 1000000 ? 5 : 60;

		m->conditions.gap_ns = gaps_ns[g];
		sampler = open_sampler(f, m);
		take(&sampler, ticks, n);
		assert_true(fact(m, "real_gap_min_ns") >= (double)gaps_ns[g]);
		pl_stats_sort(ticks, n);
		assert_true((double)ticks[0] * m->ns_per_tick - fact(m, "second_load_p50_ns") <
			    3000);
		pl_sampler_close(&sampler);
	}
}

static void the_second_load_is_a_series_too(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "load_after_load", NULL, 65536);
	struct pl_sampler sampler;
	uint64_t ticks[40];

	m->conditions.gap_ns = 5000;
	sampler = open_sampler(f, m);
	take(&sampler, ticks, 40);
	assert_true(fact(m, "first_load_p50_ns") > 0);
	/* Two loads in front of each dispatch, then two per gap. */
	assert_int_equal((int)fact(m, "loads_issued") % 2, 0);
	pl_sampler_close(&sampler);
}

static void reading_the_region_is_proven_by_its_sum(void **state)
{
	struct fixture *f = *state;

	for (uint64_t bytes = 4096; bytes <= 4u << 20; bytes *= 8) {
		struct pl_measurement *m = plan(f, "read", NULL, bytes);
		struct pl_sampler sampler = open_sampler(f, m);
		struct pl_gpu_buffer *b = &f->probe->instance.devices[0].chains[PL_GPU_HOST_CACHED];
		struct pl_err err = {0, ""};
		uint64_t ticks[2];

		take(&sampler, ticks, 2);
		assert_true(ticks[0] > 0);
		b->words[17] ^= 1;
		assert_int_equal(sampler.sample(sampler.self, ticks, 1, &err), -EIO);
		assert_non_null(strstr(err.text, "sum over the region"));
		pl_sampler_close(&sampler);
	}
}

static void ping_pong_is_answered(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "ping_pong", NULL, 0);
	struct pl_sampler sampler = open_sampler(f, m);
	uint64_t ticks[20];

	take(&sampler, ticks, 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(ticks[i] > 0);
	assert_true(fact(m, "rounds_given_up") >= 0);
	pl_sampler_close(&sampler);
}

static void huge_pages_can_be_imported(void **state)
{
	struct fixture *f = *state;
	struct pl_measurement *m = plan(f, "chase", "host huge pages", 4 << 20);
	struct pl_sampler sampler = open_sampler(f, m);
	uint64_t ticks[2];

	take(&sampler, ticks, 2);
	assert_true(fact(m, "huge_page_bytes") >= 0);
	pl_sampler_close(&sampler);
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
		cmocka_unit_test(on_chip_chase_is_checked_too),
		cmocka_unit_test(single_loads_are_timed),
		cmocka_unit_test(gaps_are_real_and_show_no_exit),
		cmocka_unit_test(the_second_load_is_a_series_too),
		cmocka_unit_test(reading_the_region_is_proven_by_its_sum),
		cmocka_unit_test(ping_pong_is_answered),
		cmocka_unit_test(huge_pages_can_be_imported),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
