#include "tests/integration/gpu_fixture.h"

#include <errno.h>
#include <math.h>

#include "tests/integration/fake_gpu.h"

/* What drivers do wrong: a sentence each, no number, and the other device goes on. */

static struct fixture open_with(const struct fake_gpu *changes)
{
	struct pl_gpu_options options = {.seed = 7, .loader = fake_gpu_loader};
	struct fixture f;

	fake_gpu_reset(changes);
	fixture_open(&f, &options);
	return f;
}

static void works(struct fixture *f, const char *subject, const char *metric, const char *memory,
		  uint64_t bytes)
{
	struct pl_measurement *m = plan(f, metric, memory, bytes);
	struct pl_sampler sampler;
	uint64_t ticks[4];

	m->subject = subject;
	sampler = open_sampler(f, m);
	take(&sampler, ticks, 4);
	pl_sampler_close(&sampler);
}

static void nothing_changed_works(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.is_twice = false});

	(void)state;
	works(&f, "gpu0", "chase", NULL, 65536);
	fixture_close(&f);
}

static void lost_device_leaves_the_other_alone(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){
		.is_twice = true, .wait = VK_ERROR_DEVICE_LOST, .submits_before_fault = 30});
	struct pl_measurement *m = plan(&f, "chase", NULL, 65536);
	struct pl_sampler sampler = open_sampler(&f, m);
	struct pl_err err = {0, ""};
	uint64_t ticks[100];
	ssize_t got = 1;

	(void)state;
	assert_int_equal(f.run.gpu_count, 2);
	for (int i = 0; i < 100 && got > 0; i++)
		got = sampler.sample(sampler.self, ticks, 1, &err);
	assert_int_equal(got, -EIO);
	assert_non_null(strstr(err.text, "gpu0"));
	assert_non_null(strstr(err.text, "VK_ERROR_DEVICE_LOST"));
	pl_sampler_close(&sampler);
	open_fails(&f, plan(&f, "load", NULL, 65536), -EIO, "VK_ERROR_DEVICE_LOST");
	works(&f, "gpu1", "chase", NULL, 65536);
	fixture_close(&f);
}

static void lost_at_submission(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.submit = VK_ERROR_DEVICE_LOST});

	(void)state;
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EIO, "hung or was removed");
	assert_int_equal(fake_gpu_submits(), 1);
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EIO, "hung or was removed");
	assert_int_equal(fake_gpu_submits(), 1); /* a lost device is not asked again */
	fixture_close(&f);
}

static void a_kernel_that_never_ends_is_the_last_one(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.wait = VK_TIMEOUT});

	(void)state;
	open_fails(&f, plan(&f, "chase", NULL, 65536), -ETIMEDOUT, "VK_TIMEOUT");
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EIO, "not used again");
	fixture_close(&f);
}

static void out_of_memory(void **state)
{
	struct fixture f = open_with(
		&(struct fake_gpu){.is_twice = true, .allocate = VK_ERROR_OUT_OF_DEVICE_MEMORY});

	(void)state;
	open_fails(&f, plan(&f, "chase", NULL, 1 << 20), -ENOMEM, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
	works(&f, "gpu1", "chase", NULL, 1 << 20);
	works(&f, "gpu0", "chase", NULL, 65536); /* the small region still fits */
	fixture_close(&f);
}

static void device_does_not_start(void **state)
{
	struct fixture f =
		open_with(&(struct fake_gpu){.create_device = VK_ERROR_INITIALIZATION_FAILED});

	(void)state;
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EIO, "opening the device");
	fixture_close(&f);
}

static void no_compute_queue(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.no_compute = true});

	(void)state;
	assert_int_equal(f.run.gpu_count, 1);
	assert_int_equal(f.run.gpus[0].offer_count, 0);
	assert_non_null(strstr(f.run.skipped[0].why, "no compute queue"));
	open_fails(&f, plan(&f, "chase", NULL, 65536), -ENOTSUP, "no compute queue");
	fixture_close(&f);
}

static void zero_memory_types(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.no_memory_types = true});

	(void)state;
	assert_int_equal(f.run.gpus[0].offer_count, 0);
	assert_non_null(strstr(f.run.skipped[0].why, "no memory types at all"));
	open_fails(&f, plan(&f, "chase", NULL, 65536), -ENOTSUP, "no memory types at all");
	fixture_close(&f);
}

static void no_device_at_all(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.no_devices = true});

	(void)state;
	assert_int_equal(f.run.gpu_count, 0);
	assert_non_null(strstr(f.run.skipped[0].why, "shows no device"));
	fixture_close(&f);
}

/* The host's clock takes over, and the result says why. */
static void useless_timestamps_fall_back(void **state)
{
	static const struct {
		struct fake_gpu changes;
		const char *reason;
	} cases[] = {
		{{.has_period = true, .period_ns = 0.0f}, "period of 0"},
		{{.has_period = true, .period_ns = INFINITY}, "infinite"},
		{{.has_period = true, .period_ns = NAN}, "infinite"},
		{{.no_timestamps = true}, "writes no timestamps"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = open_with(&cases[i].changes);
		struct pl_measurement *m = plan(&f, "chase", NULL, 65536);
		struct pl_sampler sampler = open_sampler(&f, m);
		uint64_t ticks[2];

		take(&sampler, ticks, 2);
		assert_true(ticks[0] > 0 && ticks[0] < UINT64_C(1) << 40);
		assert_string_equal(m->conditions.clock, "host clock");
		assert_non_null(strstr(m->conditions.path_reason, cases[i].reason));
		assert_null(pl_measurement_find_fact(m, "gpu_clock_ns_per_load"));
		pl_sampler_close(&sampler);
		works(&f, "gpu0", "load", NULL, 65536); /* calibrated by the host's clock then */
		works(&f, "gpu0", "read", NULL, 65536);
		fixture_close(&f);
	}
}

static void import_refused(void **state)
{
	struct fixture f =
		open_with(&(struct fake_gpu){.import = VK_ERROR_INVALID_EXTERNAL_HANDLE});

	(void)state;
	open_fails(&f, plan(&f, "chase", "host huge pages", 1 << 20), -EINVAL,
		   "refuses to import this memory");
	works(&f, "gpu0", "chase", NULL, 65536);
	fixture_close(&f);
	f = open_with(&(struct fake_gpu){.no_import = true});
	open_fails(&f, plan(&f, "chase", "host huge pages", 1 << 20), -ENOTSUP,
		   "cannot import host memory");
	fixture_close(&f);
}

static void shader_clock_missing(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.no_clock = true});
	bool found = false;

	(void)state;
	open_fails(&f, plan(&f, "load", NULL, 65536), -ENOTSUP, "no shader clock");
	open_fails(&f, plan(&f, "load_after_gap", NULL, 65536), -ENOTSUP, "no shader clock");
	works(&f, "gpu0", "chase", NULL, 65536);
	for (size_t i = 0; i < f.run.gpus[0].offer_count; i++)
		assert_string_not_equal(f.run.gpus[0].offers[i].metric, "load");
	for (size_t i = 0; i < f.run.skip_count; i++)
		found |= strstr(f.run.skipped[i].why, "no shader clock") != NULL;
	assert_true(found);
	fixture_close(&f);
}

/* Every pair of clocks runs: a card has both, Intel only the subgroup clock. */
static void one_clock_is_enough(void **state)
{
	static const struct {
		struct fake_gpu changes;
		const char *clock, *reason;
	} cases[] = {
		{{.is_discrete = true}, "subgroup clock", NULL},
		{{.is_discrete = true, .no_device_clock = true}, "subgroup clock", "core cycles"},
		{{.is_discrete = true, .no_subgroup_clock = true}, "device clock", "steps"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = open_with(&cases[i].changes);
		struct pl_measurement *m = plan(&f, "load_after_gap", NULL, 65536);
		struct pl_sampler sampler;
		uint64_t ticks[3];

		m->conditions.gap_ns = 20000;
		sampler = open_sampler(&f, m);
		take(&sampler, ticks, 3);
		assert_true(fact(m, "real_gap_min_ns") >= 20000);
		assert_string_equal(m->conditions.clock, cases[i].clock);
		if (cases[i].reason)
			assert_non_null(strstr(m->conditions.path_reason, cases[i].reason));
		else
			assert_null(m->conditions.path_reason);
		pl_sampler_close(&sampler);
		works(&f, "gpu0", "load", NULL, 65536);
		fixture_close(&f);
	}
}

static void too_large_for_one_buffer(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.binds_at_most = 128 * 1024});

	(void)state;
	open_fails(&f, plan(&f, "chase", NULL, 1 << 20), -ENOTSUP, "binds at most 131072 bytes");
	for (size_t i = 0; i < f.run.gpus[0].offer_count; i++)
		assert_true(f.run.gpus[0].offers[i].region_bytes <= 128 * 1024);
	fixture_close(&f);
}

/* A card with its own memory: every class and both directions, on lavapipe's memory in truth. */
static void a_card_has_every_class(void **state)
{
	static const char *const classes[] = {"host cached", "host write-combined", "vram",
					      "on chip"};
	struct fixture f = open_with(&(struct fake_gpu){.is_discrete = true});

	(void)state;
	assert_int_equal(f.run.gpus[0].kind, PL_GPU_DISCRETE);
	assert_null(f.run.gpus[0].no_path_reason);
	assert_true(f.run.gpus[0].has_bdf);
	assert_int_equal(f.run.gpus[0].bdf.bus, 3);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		works(&f, "gpu0", "chase", classes[i], 65536);
	works(&f, "gpu0", "read", "vram", 65536);
	works(&f, "gpu0", "copy_to_vram", NULL, 65536);
	works(&f, "gpu0", "copy_from_vram", NULL, 65536);
	works(&f, "gpu0", "cpu_vram_read", NULL, 4096);
	fixture_close(&f);
}

static void every_offer_can_be_opened(void **state)
{
	struct fixture f = open_with(&(struct fake_gpu){.is_discrete = true});
	const struct pl_gpu *gpu = &f.run.gpus[0];

	(void)state;
	assert_true(gpu->offer_count > 20);
	for (size_t i = 0; i < gpu->offer_count; i++) {
		const struct pl_offer *offer = &gpu->offers[i];
		struct pl_measurement *m =
			plan(&f, offer->metric, offer->memory, offer->region_bytes);
		struct pl_sampler sampler;
		uint64_t tick;

		assert_true(offer->samples_per_block > 0 && offer->block_s > 0);
		if (offer->region_bytes > 4u << 20 || offer->gap_ns > 100000)
			continue; /* the same kernels, slower */
		m->conditions.gap_ns = offer->gap_ns;
		sampler = open_sampler(&f, m);
		take(&sampler, &tick, 1);
		assert_string_equal(m->conditions.memory, offer->memory);
		pl_sampler_close(&sampler);
	}
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_changed_works),
		cmocka_unit_test(lost_device_leaves_the_other_alone),
		cmocka_unit_test(lost_at_submission),
		cmocka_unit_test(a_kernel_that_never_ends_is_the_last_one),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(device_does_not_start),
		cmocka_unit_test(no_compute_queue),
		cmocka_unit_test(zero_memory_types),
		cmocka_unit_test(no_device_at_all),
		cmocka_unit_test(useless_timestamps_fall_back),
		cmocka_unit_test(import_refused),
		cmocka_unit_test(shader_clock_missing),
		cmocka_unit_test(one_clock_is_enough),
		cmocka_unit_test(too_large_for_one_buffer),
		cmocka_unit_test(a_card_has_every_class),
		cmocka_unit_test(every_offer_can_be_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
