#include "tests/t.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/clock.h"
#include "core/err.h"
#include "core/fmt.h"
#include "core/rng.h"
#include "core/sysroot.h"

static void err_writes_code_and_sentence(void **state)
{
	struct pl_err err = {0, ""};

	(void)state;
	assert_int_equal(pl_fail(&err, -EIO, "read at 0x%x failed", 0x100u), -EIO);
	assert_int_equal(err.code, -EIO);
	assert_string_equal(err.text, "read at 0x100 failed");
	assert_int_equal(pl_fail(NULL, -EPERM, "nobody listens"), -EPERM);
}

static void arena_memory_is_zeroed_and_aligned(void **state)
{
	struct pl_arena arena = {NULL};

	(void)state;
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		unsigned char *memory = pl_arena_alloc(&arena, size);

		assert_int_equal((uintptr_t)memory % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, size);
	}
	pl_arena_fini(&arena);
}

static void arena_push_keeps_elements(void **state)
{
	struct pl_arena arena = {NULL};
	size_t count = 0, capacity = 0;
	void *items = NULL;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		*(unsigned *)pl_arena_push(&arena, &items, &count, &capacity, sizeof(unsigned)) = i;
	assert_int_equal(count, 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(((unsigned *)items)[i], i);
	pl_arena_fini(&arena);
}

static void fmt_ns_uses_three_digits(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {{0, "0.00 ns"},     {1.5, "1.50 ns"},   {22, "22 ns"},
		     {651.4, "651 ns"},  {999.4, "999 ns"},  {999.6, "1.00 µs"},
		     {30400, "30.4 µs"}, {182000, "182 µs"}, {2.05e6, "2.05 ms"},
		     {1.2e9, "1.20 s"},  {-570, "-570 ns"},  {(double)NAN, "n/a"}};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(pl_fmt_ns(text, sizeof(text), cases[i].ns), cases[i].text);
}

static void fmt_interval_shares_decimals(void **state)
{
	char text[48];

	(void)state;
	assert_string_equal(pl_fmt_ns_pm(text, sizeof(text), 569.7, 9.2), "570 ± 9 ns");
	assert_string_equal(pl_fmt_ns_pm(text, sizeof(text), 30412, 610), "30.4 ± 0.6 µs");
	assert_string_equal(pl_fmt_ns_pm(text, sizeof(text), 921, 12.3), "921 ± 12 ns");
	assert_string_equal(pl_fmt_ns_pm(text, sizeof(text), -3, 11), "-3 ± 11 ns");
	assert_string_equal(pl_fmt_ns_pm(text, sizeof(text), (double)NAN, 1), "n/a");
}

static void fmt_printable_defuses_text(void **state)
{
	char text[64], small[5];

	(void)state;
	assert_string_equal(pl_fmt_printable(text, sizeof(text), "a\x1b[31mb\n"), "a?[31mb?");
	assert_string_equal(pl_fmt_printable(text, sizeof(text), "x\xe2\x80\xaey"), "x?y");
	assert_string_equal(pl_fmt_printable(text, sizeof(text), "\xff\xc0\xaf\xed\xa0\x80"),
			    "??????");
	assert_string_equal(pl_fmt_printable(text, sizeof(text), "µs 中"), "µs 中");
	assert_string_equal(pl_fmt_printable(small, sizeof(small), "abµµ"), "abµ");
}

static void fmt_parses_times_and_sizes(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_int_equal(pl_fmt_parse_ns("40us", &value), 0);
	assert_int_equal(value, 40000);
	assert_int_equal(pl_fmt_parse_ns("10 ms", &value), 0);
	assert_int_equal(value, 10000000);
	assert_int_equal(pl_fmt_parse_ns("1.5us", &value), 0);
	assert_int_equal(value, 1500);
	assert_int_equal(pl_fmt_parse_ns("5min", &value), 0);
	assert_int_equal(value, UINT64_C(300000000000));
	assert_int_equal(pl_fmt_parse_ns("2h", &value), 0);
	assert_int_equal(value, UINT64_C(7200000000000));
	assert_int_equal(pl_fmt_parse_ns("", &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_ns("-1us", &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_ns("40 parsec", &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_ns("99999999999999s", &value), -ERANGE);
	assert_int_equal(pl_fmt_parse_u64("0x10", 16, &value), 0);
	assert_int_equal(value, 16);
	assert_int_equal(pl_fmt_parse_u64("17", 16, &value), -ERANGE);
	assert_int_equal(pl_fmt_parse_u64("-1", 16, &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_u64("1x", 16, &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_u64("", 16, &value), -EINVAL);
	assert_int_equal(pl_fmt_parse_bytes("4K", &value), 0);
	assert_int_equal(value, 4096);
	assert_int_equal(pl_fmt_parse_bytes("1GiB", &value), 0);
	assert_int_equal(value, 1u << 30);
}

static void clock_counts_forward(void **state)
{
	struct pl_clock clock;
	struct pl_err err;
	uint64_t a, b;

	(void)state;
	assert_int_equal(pl_clock_open(&clock, PL_CLOCK_RAW, &err), 0);
	assert_string_equal(clock.name, "clock_monotonic_raw");
	assert_true(clock.ns_per_tick == 1.0);
	assert_int_equal(pl_clock_open(&clock, PL_CLOCK_AUTO, &err), 0);
	assert_true(clock.ns_per_tick > 0.0 && clock.cost_ns >= 0.0);
	a = pl_clock_now(&clock);
	b = a + pl_clock_ticks(&clock, 100000.0);
	pl_clock_idle_until(&clock, b);
	assert_true(pl_clock_now(&clock) >= b);
}

static void rng_is_repeatable_and_bounded(void **state)
{
	struct pl_rng a, b;
	size_t order[100], seen[100] = {0};

	(void)state;
	pl_rng_init(&a, 7);
	pl_rng_init(&b, 7);
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(pl_rng_u64(&a) == pl_rng_u64(&b));
		assert_true(pl_rng_below(&a, 17) < 17);
		(void)pl_rng_below(&b, 17);
	}
	for (size_t i = 0; i < 100; i++)
		order[i] = i;
	pl_rng_shuffle(&a, order, 100);
	for (size_t i = 0; i < 100; i++)
		seen[order[i]]++;
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(pl_rng_below(&a, 0), 0);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void sysroot_reads_below_its_root(void **state)
{
	char dir[] = "/tmp/pl-sysroot-XXXXXX", path[128];
	struct pl_arena arena = {NULL};
	struct pl_sysroot root;
	struct pl_err err;
	uint64_t value = 0;
	char **names = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/vendor", dir);
	put(path, "0x1022\n");
	snprintf(path, sizeof(path), "%s/text", dir);
	put(path, "a line  \nanother\n");
	snprintf(path, sizeof(path), "%s/driver", dir);
	assert_int_equal(symlink("../../bus/pci/drivers/nvme", path), 0);

	assert_int_equal(pl_sysroot_open(&root, dir, &err), 0);
	assert_false(root.live);
	assert_int_equal(pl_sysroot_u64(&root, "vendor", &value), 0);
	assert_int_equal(value, 0x1022);
	assert_int_equal(pl_sysroot_u64(&root, "text", &value), -EINVAL);
	assert_int_equal(pl_sysroot_u64(&root, "nothing", &value), -ENOENT);
	assert_string_equal(pl_sysroot_line(&root, "text", &arena), "a line");
	assert_string_equal(pl_sysroot_link_name(&root, "driver", &arena), "nvme");
	assert_null(pl_sysroot_link_name(&root, "vendor", &arena));
	assert_int_equal(pl_sysroot_list(&root, ".", &arena, &names), 3);
	assert_string_equal(names[0], "driver");
	assert_string_equal(names[2], "vendor");
	pl_sysroot_close(&root);
	assert_int_equal(pl_sysroot_open(&root, "/no/such/root", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/root"));
	pl_arena_fini(&arena);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_writes_code_and_sentence),
		cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
		cmocka_unit_test(arena_push_keeps_elements),
		cmocka_unit_test(fmt_ns_uses_three_digits),
		cmocka_unit_test(fmt_interval_shares_decimals),
		cmocka_unit_test(fmt_printable_defuses_text),
		cmocka_unit_test(fmt_parses_times_and_sizes),
		cmocka_unit_test(clock_counts_forward),
		cmocka_unit_test(rng_is_repeatable_and_bounded),
		cmocka_unit_test(sysroot_reads_below_its_root),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
