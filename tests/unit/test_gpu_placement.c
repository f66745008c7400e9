#include "tests/t.h"

#include <math.h>

#include "gpu_probe/placement.h"
#include "model/published.h"

static struct pl_measurement *chase(struct pl_run *run, const char *gpu, const char *memory,
				    uint64_t region_bytes, double p50_ns)
{
	struct pl_measurement *m = pl_run_add_measurement(run);

	m->probe = PL_PROBE_GPU;
	m->subject = gpu;
	m->metric = "chase";
	m->conditions.memory = memory;
	m->conditions.region_bytes = region_bytes;
	m->n = 10;
	m->is_valid = true;
	m->summary.p50_ns = p50_ns;
	return m;
}

static void host_as_fast_as_vram_is_suspect(void **state)
{
	struct pl_measurement *good, *bad, *alone, *other;
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	chase(&run, "gpu0", "vram", 65536, 400);
	chase(&run, "gpu1", "vram", 65536, 4000);
	good = chase(&run, "gpu0", "host cached", 65536, 900);
	bad = chase(&run, "gpu0", "host write-combined", 65536, 420);
	alone = chase(&run, "gpu0", "host cached", 4096, 300); /* no control of this size */
	other = chase(&run, "gpu0", "vram", 16384, 500);
	assert_int_equal(pl_gpu_check_placement(&run), 1);
	assert_true(good->is_valid && alone->is_valid && other->is_valid);
	assert_false(bad->is_valid);
	assert_int_equal(bad->warning_count, 1);
	assert_int_equal(strncmp(bad->warnings[0], "W-PLACEMENT: 420 ns", 19), 0);
	pl_run_fini(&run);
}

static void what_was_not_measured_is_no_suspect(void **state)
{
	struct pl_measurement *host;
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	chase(&run, "gpu0", "vram", 65536, 400);
	host = chase(&run, "gpu0", "host cached", 65536, (double)NAN);
	assert_int_equal(pl_gpu_check_placement(&run), 0);
	host->summary.p50_ns = 300;
	host->is_off_path = true; /* a software device: there is no other place */
	assert_int_equal(pl_gpu_check_placement(&run), 0);
	pl_run_fini(&run);
}

static void published_figures_have_a_source(void **state)
{
	size_t count;
	const struct pl_published *table = pl_published_gpu(&count);

	(void)state;
	assert_true(count >= 9);
	for (size_t i = 0; i < count; i++) {
		const struct pl_published *p = &table[i];

		assert_true(p->source && *p->source && p->conditions && *p->conditions);
		assert_true(p->read_ns > 0 || p->adds_ns > 0);
	}
	/* The two columns of one board agree: 1221 ns is 569.7 ns over 651 ns. */
	assert_true(fabs(table[1].read_ns - table[1].adds_ns - table[0].read_ns) < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_as_fast_as_vram_is_suspect),
		cmocka_unit_test(what_was_not_measured_is_no_suspect),
		cmocka_unit_test(published_figures_have_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
