/* `list --aspm`: one link of each kind of doubt, read from files and written for people. */
#include "tests/t.h"

#include "report/report.h"
#include "tests/fake/world.h"

static char *survey(struct world *w)
{
	const struct pl_text_style style = {.columns = 100, .utf8 = true};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (pl_link_survey(&w->run, &w->fake.root, &w->err))
		fail_msg("%s", w->err.text);
	w->run.machine.aspm_policy = "default";
	assert_int_equal(pl_report_write_aspm(&w->run, &style, out, &w->err), 0);
	fclose(out);
	return text;
}

/* Only the paragraph of the first link, whose registers the tests know. */
static char *survey_first(struct world *w)
{
	char *text = survey(w), *second = strstr(text, "\n0000:00:02.1");

	assert_non_null(second);
	*second = '\0';
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

/* Exits, acceptable latencies and timings that are known. */
static void set_known(struct world *w)
{
	uint8_t *up = w->fake.function[0].config, *down = w->fake.function[1].config;

	for (uint8_t *c = up;; c = down) {
		uint32_t lnkcap = fake_get32(c, FAKE_LNKCAP) & ~(7u << 12 | 7u << 15);

		fake_put32(c, FAKE_LNKCAP, lnkcap | 3u << 12 | 4u << 15);
		fake_put32(c, FAKE_L1SS + 4, 0x1f | 55u << 8 | 7u << 19 | 1u << 16);
		fake_put32(c, FAKE_L1SS_CTL1, 0x40803700 | 0xf);
		fake_put32(c, FAKE_L1SS_CTL1 + 4, 0x39);
		fake_put32(c, 0x164, 0x10011003);
		if (c == down)
			break;
	}
	for (size_t f = 1; f < 3; f++)
		fake_put32(w->fake.function[f].config, FAKE_EXP + 4, 3u << 6 | 5u << 9);
}

static void test_facts(void **state)
{
	struct world w;
	char *text;

	(void)state;
	world_make(&w, FAKE_FULL);
	set_known(&w);
	text = survey(&w);
	expect(text, "ASPM policy default, 5 links");
	expect(text, "0000:00:01.1 -> 0000:01:00.0 (2 functions)  direct");
	expect(text, "0000:00:02.1 -> 0000:02:00.0  switch");
	expect(text, "wakes in   L0s up to 512 ns, L1 up to 16.0 µs (advertised");
	expect(text, "accepts    L0s 512 ns, L1 32.0 µs (the device)");
	expect(text, "common mode restore 55 µs, power on 70 µs, entered above an LTR of 131 µs");
	expect(text, "LTR        on, at most 3.15 ms (no snoop: 1.05 ms)");
	expect(text, "owner      kernel: clkpm=");
	free(text);
	world_free(&w);
}

static void test_open_class(void **state)
{
	struct world w;
	char *text;

	(void)state;
	world_make(&w, FAKE_FULL);
	set_known(&w);
	for (size_t f = 0; f < 2; f++)
		fake_put32(w.fake.function[f].config, FAKE_LNKCAP,
			   fake_get32(w.fake.function[f].config, FAKE_LNKCAP) | 7u << 12 |
				   7u << 15);
	text = survey(&w);
	expect(text, "L0s more than 4.00 µs, L1 more than 64.0 µs");
	expect(text, "! W-ASPM-LATENCY: L1 is enabled although");
	free(text);
	world_free(&w);
}

/* Each doubt by one change, and not without it. */
static void doubt(void (*change)(struct world *w), const char *flag)
{
	struct world w;
	char *text;

	world_make(&w, FAKE_FULL);
	set_known(&w);
	text = survey_first(&w);
	if (strstr(text, flag))
		fail_msg("%s without a cause\n%s", flag, text);
	free(text);
	change(&w);
	text = survey_first(&w);
	expect(text, flag);
	free(text);
	world_free(&w);
}

static void port_without_l1(struct world *w)
{
	w->fake.function[0].config[FAKE_LNKCTL] &= (uint8_t)~2u;
}

static void function_without_l0s(struct world *w)
{
	w->fake.function[2].config[FAKE_LNKCTL] &= (uint8_t)~1u;
}

static void no_support(struct world *w)
{
	w->fake.function[0].config[FAKE_LNKCAP + 1] &= (uint8_t)~8u;
}

static void file_says_off(struct world *w)
{
	w->fake.link[0].attr[PL_ATTR_L1][0] = '0';
}

static void no_ltr(struct world *w)
{
	w->fake.function[1].config[FAKE_DEVCTL2 + 1] &= (uint8_t)~4u;
}

static void other_threshold(struct world *w)
{
	w->fake.function[1].config[FAKE_L1SS_CTL1 + 2] ^= 1;
}

static void no_power_on_time(struct world *w)
{
	w->fake.function[0].config[FAKE_L1SS_CTL1 + 4] = 0;
}

static void l1_off_everywhere(struct world *w)
{
	for (size_t f = 0; f < 3; f++)
		w->fake.function[f].config[FAKE_LNKCTL] &= (uint8_t)~2u;
}

static void test_doubts(void **state)
{
	(void)state;
	doubt(port_without_l1, "W-ASPM-ENDS");
	doubt(function_without_l0s, "W-ASPM-FUNCTIONS");
	doubt(no_support, "W-ASPM-SUPPORT");
	doubt(file_says_off, "W-ASPM-KERNEL");
	doubt(no_ltr, "W-ASPM-LTR");
	doubt(other_threshold, "W-ASPM-THRESHOLD");
	doubt(no_power_on_time, "W-ASPM-POWERON");
	doubt(l1_off_everywhere, "W-ASPM-SUBSTATE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_open_class),
		cmocka_unit_test(test_doubts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
