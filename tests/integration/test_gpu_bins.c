#include "tests/integration/gpu_fixture.h"

#include "gpu_probe/buffer.h"
#include "gpu_probe/instance.h"
#include "gpu_probe/load_bins.h"
#include "gpu_probe/placed_chain.h"
#include "gpu_probe/shader_clock.h"

/* The histogram that the kernel of timed loads keeps on chip. */

/* Where all values are handed over too, the host's bins of them are the kernel's. */
static void the_kernel_bins_as_the_host_does(void **state)
{
	struct pl_push push = {.count = PL_RECORD_LOADS};
	uint32_t want[PL_BINS] = {0}, got[PL_BINS];
	const volatile uint32_t *words;
	struct pl_gpu_instance instance;
	struct pl_placed_chain placed;
	struct pl_gpu_timing timing;
	struct pl_gpu_clocks clocks;
	struct pl_err err = {0, ""};
	struct pl_gpu_device *d;

	(void)state;
	assert_int_equal(pl_gpu_instance_open(&instance, NULL, &err), 0);
	d = &instance.devices[0];
	assert_int_equal(pl_placed_chain_open(&placed, d, pl_gpu_host_class(d), 65536, 7, &err), 0);
	assert_int_equal(pl_gpu_clocks_need(d, &clocks, &err), 0);
	push.load_mask = clocks.load->mask;
	assert_int_equal(pl_placed_chain_run(&placed, clocks.load_kernel, &push, 1 + push.count,
					     &timing, &err),
			 0);
	words = d->result.words;
	for (size_t i = 0; i < PL_RECORD_LOADS; i++)
		want[pl_load_bin(words[PL_RESULT_RECORD + i])]++;
	for (size_t i = 0; i < PL_BINS; i++)
		got[i] = words[PL_RESULT_BINS + i];
	assert_memory_equal(got, want, sizeof(want));
	pl_placed_chain_close(&placed);
	pl_gpu_instance_close(&instance);
}

static void every_timed_load_is_in_it(void **state)
{
	struct pl_gpu_options options = {.seed = 7};
	struct pl_measurement *m;
	struct pl_sampler sampler;
	uint64_t ticks[500];
	struct fixture f;

	(void)state;
	fixture_open(&f, &options);
	m = plan(&f, "load", NULL, 65536);
	sampler = open_sampler(&f, m);
	take(&sampler, ticks, 500);
	take(&sampler, ticks, 100);
	assert_true(fact(m, "histogram_loads") == 4 * 600);
	/* The first load of each dispatch is not timed; 1 + 16 built the kernel. */
	assert_true(fact(m, "loads_issued") == 4 * 600 + 2 + 17);
	assert_true(fact(m, "histogram_p50_ns") > 0);
	assert_true(fact(m, "histogram_p50_ns") <= fact(m, "histogram_p99_ns"));
	assert_true(fact(m, "histogram_p99_ns") <= fact(m, "histogram_p999_ns"));
	pl_sampler_close(&sampler);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_bins_as_the_host_does),
		cmocka_unit_test(every_timed_load_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
