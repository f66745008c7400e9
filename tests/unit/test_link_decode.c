/* Register fields to facts: the tables of PCIe Base chapter 7 and what Linux calculates with. */
#include "tests/t.h"

#include "link/decode.h"

static const struct {
	int64_t l0s_low, l0s_high, l0s_kernel, l1_low, l1_high, l1_kernel;
} exits[8] = {
	{0, 64, 64, 0, 1000, 1000},
	{64, 128, 128, 1000, 2000, 2000},
	{128, 256, 256, 2000, 4000, 4000},
	{256, 512, 512, 4000, 8000, 8000},
	{512, 1000, 1024, 8000, 16000, 16000},
	{1000, 2000, 2048, 16000, 32000, 32000},
	{2000, 4000, 4096, 32000, 64000, 64000},
	{4000, INT64_MAX, 5000, 64000, INT64_MAX, 65000},
};

static void test_exit_classes(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 8; code++) {
		struct pl_exit_class l0s = pl_link_decode_l0s_exit(code << 12 | ~(7u << 12));
		struct pl_exit_class l1 = pl_link_decode_l1_exit(code << 15 | ~(7u << 15));

		assert_int_equal(l0s.low_ns, exits[code].l0s_low);
		assert_int_equal(l0s.high_ns, exits[code].l0s_high);
		assert_int_equal(l0s.kernel_ns, exits[code].l0s_kernel);
		assert_int_equal(l1.low_ns, exits[code].l1_low);
		assert_int_equal(l1.high_ns, exits[code].l1_high);
		assert_int_equal(l1.kernel_ns, exits[code].l1_kernel);
	}
}

static void test_acceptable(void **state)
{
	static const int64_t l0s[8] = {64, 128, 256, 512, 1024, 2048, 4096, INT64_MAX};
	static const int64_t l1[8] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, INT64_MAX};

	(void)state;
	for (uint32_t code = 0; code < 8; code++) {
		assert_int_equal(pl_link_decode_l0s_acceptable_ns(code << 6), l0s[code]);
		assert_int_equal(pl_link_decode_l0s_acceptable_ns(code << 6 | ~(7u << 6)),
				 l0s[code]);
		assert_int_equal(pl_link_decode_l1_acceptable_ns(code << 9), l1[code]);
		assert_int_equal(pl_link_decode_l1_acceptable_ns(code << 9 | ~(7u << 9)), l1[code]);
	}
}

static void test_supported(void **state)
{
	(void)state;
	assert_int_equal(pl_link_decode_supported(0, 0), 0);
	assert_int_equal(pl_link_decode_supported(1u << 10, 0), PL_ASPM_L0S);
	assert_int_equal(pl_link_decode_supported(2u << 10, 0), PL_ASPM_L1);
	assert_int_equal(pl_link_decode_supported(3u << 10, 0), PL_ASPM_L0S | PL_ASPM_L1);
	assert_int_equal(pl_link_decode_supported(1u << 18, 0), PL_ASPM_CLKPM);
	/* Without bit 4 the rest of the L1SS capability says nothing. */
	assert_int_equal(pl_link_decode_supported(0, 0x0f), 0);
	assert_int_equal(pl_link_decode_supported(0, 0x11), PL_ASPM_L1_2_PCIPM);
	assert_int_equal(pl_link_decode_supported(0, 0x12), PL_ASPM_L1_1_PCIPM);
	assert_int_equal(pl_link_decode_supported(0, 0x14), PL_ASPM_L1_2);
	assert_int_equal(pl_link_decode_supported(0, 0x18), PL_ASPM_L1_1);
}

static void test_enabled(void **state)
{
	(void)state;
	assert_int_equal(pl_link_decode_enabled(0xfefc, 0xfffffff0), 0);
	assert_int_equal(pl_link_decode_enabled(1, 0), PL_ASPM_L0S);
	assert_int_equal(pl_link_decode_enabled(2, 0), PL_ASPM_L1);
	assert_int_equal(pl_link_decode_enabled(0x100, 0), PL_ASPM_CLKPM);
	assert_int_equal(pl_link_decode_enabled(0, 1), PL_ASPM_L1_2_PCIPM);
	assert_int_equal(pl_link_decode_enabled(0, 2), PL_ASPM_L1_1_PCIPM);
	assert_int_equal(pl_link_decode_enabled(0, 4), PL_ASPM_L1_2);
	assert_int_equal(pl_link_decode_enabled(0, 8), PL_ASPM_L1_1);
}

static void test_l1ss_timings(void **state)
{
	(void)state;
	/* I226: restore 55 us, power on 70 us; the threshold that Linux makes of it: 131072 ns. */
	assert_int_equal(pl_link_decode_common_mode_us(0x40803700), 55);
	assert_int_equal(pl_link_decode_threshold_ns(0x40803700), 131072);
	assert_int_equal(pl_link_decode_ctl2_power_on_us(0x39), 70);
	assert_int_equal(pl_link_decode_threshold_ns(0x40a00000), 163840);
	/* Scales 2, 10, 100 us and the reserved one. */
	assert_int_equal(pl_link_decode_ctl2_power_on_us(31u << 3 | 0), 62);
	assert_int_equal(pl_link_decode_ctl2_power_on_us(31u << 3 | 1), 310);
	assert_int_equal(pl_link_decode_ctl2_power_on_us(31u << 3 | 2), 3100);
	assert_int_equal(pl_link_decode_ctl2_power_on_us(31u << 3 | 3), -1);
	assert_int_equal(pl_link_decode_cap_power_on_us(7u << 19 | 1u << 16), 70);
	assert_int_equal(pl_link_decode_cap_power_on_us(~(31u << 19 | 3u << 16)), 0);
}

static void test_ltr(void **state)
{
	static const int64_t scale_ns[6] = {1, 32, 1024, 32768, 1048576, 33554432};

	(void)state;
	assert_int_equal(pl_link_decode_ltr_ns(0x1003), 3145728);
	assert_int_equal(pl_link_decode_ltr_ns(0x1001), 1048576);
	for (unsigned scale = 0; scale < 8; scale++) {
		int64_t want = scale < 6 ? 1023 * scale_ns[scale] : -1;
		uint16_t requirement = 0x8000; /* not part of the value */

		assert_int_equal(
			pl_link_decode_ltr_ns((uint16_t)(requirement | scale << 10 | 1023)), want);
		assert_int_equal(pl_link_decode_threshold_ns(scale << 29 | 1023u << 16 | 0xffff),
				 want);
	}
}

static void test_link_status(void **state)
{
	(void)state;
	assert_int_equal(pl_link_decode_speed_mts(0x1044), 16000);
	assert_int_equal(pl_link_decode_width(0x1044), 4);
	assert_int_equal(pl_link_decode_speed_mts(0x0007), 0);
	assert_int_equal(pl_link_decode_width(0x0300), 48);
}

struct ends {
	struct pl_aspm_function down[2];
	struct pl_aspm_link link;
};

/* An endpoint of two functions below a root port, all with L0s, L1 and clock PM. */
static void make(struct ends *e)
{
	memset(e, 0, sizeof(*e));
	e->link.down = e->down;
	e->link.down_count = 2;
	e->link.up.port_type = PL_LINK_PORT_ROOT;
	for (struct pl_aspm_function *f = e->down; f <= e->down + 1; f++) {
		f->is_readable = true;
		f->lnkcap = 3u << 10 | 1u << 18;
		f->lnkctl = 0x103;
		f->devcap = 7u << 6 | 6u << 9;
	}
	e->link.up.is_readable = true;
	e->link.up.lnkcap = 3u << 10;
	e->link.up.lnkctl = 3;
}

static void decode(struct ends *e)
{
	pl_link_decode_function(&e->link.up);
	pl_link_decode_function(&e->down[0]);
	pl_link_decode_function(&e->down[1]);
	pl_link_decode_link(&e->link);
}

static void test_link_needs_both_ends(void **state)
{
	struct ends e;

	(void)state;
	make(&e);
	decode(&e);
	assert_int_equal(e.link.supported, PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_CLKPM);
	assert_int_equal(e.link.enabled, PL_ASPM_L0S | PL_ASPM_L1 | PL_ASPM_CLKPM);
	assert_int_equal(e.link.clkpm_enabled, 1);
	e.link.up.lnkctl = 1;
	decode(&e);
	assert_int_equal(e.link.enabled, PL_ASPM_L0S | PL_ASPM_CLKPM);
	make(&e);
	e.down[1].lnkctl = 2; /* one function that says no is enough */
	decode(&e);
	assert_int_equal(e.link.enabled, PL_ASPM_L1);
	make(&e);
	e.down[1].is_readable = false;
	decode(&e);
	assert_true(e.link.enabled == PL_ASPM_UNKNOWN && e.link.clkpm_enabled == -1);
}

static void test_link_substates_are_function_zero(void **state)
{
	struct ends e;

	(void)state;
	make(&e);
	e.link.up.has_l1ss = e.down[0].has_l1ss = true;
	e.link.up.l1ss_cap = 0x1f | 55u << 8;
	e.down[0].l1ss_cap = 0x1f | 10u << 8 | 7u << 19 | 1u << 16;
	e.link.up.l1ss_ctl1 = 0x40803700 | 0xc;
	e.down[0].l1ss_ctl1 = 0x40800000 | 0xf;
	e.link.up.l1ss_ctl2 = 2u << 3 | 1;
	e.down[0].l1ss_ctl2 = 2u << 3;
	e.down[0].has_ltr = true;
	e.down[0].ltr_max = 0x10011003;
	decode(&e);
	assert_int_equal(e.link.enabled & (PL_ASPM_L1_1 | PL_ASPM_L1_2),
			 PL_ASPM_L1_1 | PL_ASPM_L1_2);
	assert_int_equal(e.link.enabled & PL_ASPM_L1_2_PCIPM, 0);
	assert_int_equal(e.link.common_mode_restore_us, 55);
	assert_int_equal(e.link.power_on_us, 70);
	assert_int_equal(e.link.l1_2_threshold_ns, 131072);
	assert_int_equal(e.link.common_mode_set_us, 55);
	assert_int_equal(e.link.power_on_set_us, 20);
	assert_int_equal(e.link.ltr_max_snoop_ns, 3145728);
	assert_int_equal(e.link.ltr_max_no_snoop_ns, 1048576);
}

static void test_link_latencies(void **state)
{
	struct ends e;

	(void)state;
	make(&e);
	e.link.up.lnkcap |= 3u << 12 | 5u << 15;
	e.down[0].lnkcap |= 4u << 12 | 2u << 15;
	e.down[1].devcap = 2u << 6 | 7u << 9;
	decode(&e);
	assert_int_equal(e.link.l0s_exit_ns, 1024);
	assert_int_equal(e.link.l1_exit_ns, 32000);
	assert_int_equal(e.link.l0s_acceptable_ns, 256);
	assert_int_equal(e.link.l1_acceptable_ns, 64000);
	e.link.up.lnkcap &= ~(1u << 10); /* fields of what is not supported say nothing */
	decode(&e);
	assert_int_equal(e.link.l0s_exit_ns, -1);
	e.down[0].port_type = e.down[1].port_type = PL_LINK_PORT_UPSTREAM;
	decode(&e);
	assert_int_equal(e.link.l1_acceptable_ns, -1);
}

static void test_ltr_needs_both_ends(void **state)
{
	struct ends e;

	(void)state;
	make(&e);
	e.link.up.devctl2 = e.down[0].devctl2 = 0x400;
	decode(&e);
	assert_int_equal(e.link.ltr_enabled, 1);
	e.link.up.devctl2 = 0xfbff;
	decode(&e);
	assert_int_equal(e.link.ltr_enabled, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_classes),
		cmocka_unit_test(test_acceptable),
		cmocka_unit_test(test_supported),
		cmocka_unit_test(test_enabled),
		cmocka_unit_test(test_l1ss_timings),
		cmocka_unit_test(test_ltr),
		cmocka_unit_test(test_link_status),
		cmocka_unit_test(test_link_needs_both_ends),
		cmocka_unit_test(test_link_substates_are_function_zero),
		cmocka_unit_test(test_link_latencies),
		cmocka_unit_test(test_ltr_needs_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
