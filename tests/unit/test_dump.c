#include "tests/t.h"

#include <errno.h>

#include "topology/dump.h"

/* What is refused, and that the sentence names the line. */

#define ROW "00: 86 80 0d 46 07 05 10 00 02 00 04 06 10 00 01 00\n"
#define ROWS                                                                                       \
	ROW "10: 00 00 00 00 00 00 00 00 00 01 01 00 00 00 00 00\n"                                \
	    "20: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"                                \
	    "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00\n"
#define PORT "00:01.0 PCI bridge: Intel Corporation Device 460d\n"
#define ONES "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff\n"

static int parse(struct pl_run *run, const char *text, size_t size, size_t *count,
		 struct pl_err *err)
{
	struct pl_function *functions = NULL;
	struct pl_pci *pci = NULL;
	int rc;

	pl_run_init(run);
	*count = 0;
	rc = pl_dump_parse(run, "x.txt", text, size, &pci, &functions, count, err);
	pl_pci_close(pci);
	return rc;
}

static void bad_texts_are_refused_by_line(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"hello\nworld\n", "line 2: nothing here is a PCI function"},
		{"", "nothing here is a PCI function"},
		{PORT ROW, "line 2: 0000:00:01.0 has only 16 bytes"},
		{PORT "00: 86 80 0d\n", "line 2: a row of configuration space has 16 bytes"},
		{PORT "10: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n",
		 "line 2: rows of configuration space are missing"},
		{ROW, "line 1: bytes of configuration space before any function"},
		{PORT ROWS "\n" PORT ROWS, "line 8: the function was dumped before"},
		{"00:01.0 0604: 8086:460d\n00:01.0 0604: 1022:14db\n",
		 "line 2: this function had other"},
		{PORT ROWS "40: 10 00 42 01 00 00 00 00 00 00 00 00 00 00 00 00\n",
		 "line 6: the last function's configuration space ends early"},
		{"00:00.0 x\n00: " ONES "10: " ONES "20: " ONES "30: " ONES,
		 "line 1: every function has vendor ffff"},
		{"00:01.0 PCI bridge [0604]: A [8086:460d]\n01:00.0 VGA [0300]: B [10de:1b80]\n",
		 "line 1: this text does not say which buses"},
	};
	struct pl_err err;
	struct pl_run run;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err = (struct pl_err){0, ""};
		assert_int_equal(parse(&run, cases[i].text, strlen(cases[i].text), &count, &err),
				 -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\" instead of \"%s\"", err.text, cases[i].says);
		pl_run_fini(&run);
	}
}

static void long_lines_and_zero_bytes_are_refused(void **state)
{
	char text[6000];
	struct pl_err err = {0, ""};
	struct pl_run run;
	size_t count;

	(void)state;
	snprintf(text, sizeof(text), "%s%s\t%0300d\n", PORT, ROWS, 0);
	assert_int_equal(parse(&run, text, strlen(text), &count, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 6: the line is longer than 255"));
	pl_run_fini(&run);
	snprintf(text, sizeof(text), "%s%05000d\n", PORT, 0);
	assert_int_equal(parse(&run, text, strlen(text), &count, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 2: the line is longer than 4096"));
	pl_run_fini(&run);
	assert_int_equal(parse(&run, "00:00.0 x\0y\n", 12, &count, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 1: not a text"));
	pl_run_fini(&run);
}

static void hex_and_words_give_the_same_function(void **state)
{
	static const char words[] =
		"00:01.0 PCI bridge [0604]: Intel Corporation Device [8086:460d] (rev 02)\n"
		"\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n"
		"\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n"
		"\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n"
		"\t\tLnkCap:\tPort #2, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <16us\n"
		"\t\t\tClockPM- Surprise- LLActRep+ BwNot+ ASPMOptComp+\n"
		"\t\tLnkCtl:\tASPM L1 Enabled; RCB 64 bytes, Disabled- CommClk+\n"
		"\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)\n";
	struct pl_function *functions = NULL;
	struct pl_pci *pci = NULL;
	struct pl_err err = {0, ""};
	struct pl_run run;
	size_t count = 0;

	(void)state;
	pl_run_init(&run);
	assert_int_equal(
		pl_dump_parse(&run, "x", words, sizeof(words) - 1, &pci, &functions, &count, &err),
		0);
	assert_int_equal(count, 1);
	assert_int_equal(functions[0].device_id, 0x460d);
	assert_int_equal(functions[0].secondary, 1);
	assert_int_equal(pl_express_port_type(&functions[0].express), PL_PORT_ROOT);
	assert_int_equal(pl_express_has_connector(&functions[0].express), 1);
	/* LnkCap: speed code 4, width 16, ASPM L1, L1 exit class 4 (8 … 16 us). */
	assert_int_equal(functions[0].express.link_cap, 4 | 16u << 4 | 1u << 11 | 4u << 15);
	assert_int_equal(functions[0].express.link_ctl, 2);
	assert_int_equal(functions[0].express.link_sta, 3 | 8u << 4);
	pl_pci_close(pci);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_texts_are_refused_by_line),
		cmocka_unit_test(long_lines_and_zero_bytes_are_refused),
		cmocka_unit_test(hex_and_words_give_the_same_function),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
