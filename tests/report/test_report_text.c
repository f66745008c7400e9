#include "tests/t.h"

#include <errno.h>
#include <math.h>

#include "core/fmt.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"
#include "tests/report/fixture.h"

typedef int (*writer)(const struct pl_run *, const struct pl_text_style *, FILE *, struct pl_err *);

static char *written_run(const struct pl_run *run, writer write, bool color)
{
	struct pl_text_style style = {color, true, 80};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write(run, &style, out, NULL), 0);
	fclose(out);
	return text;
}

/* The output of a writer as a string of the test. */
static char *written(void (*make)(struct pl_run *run), writer write, bool color)
{
	struct pl_run run;
	char *text;

	make(&run);
	text = written_run(&run, write, color);
	pl_run_fini(&run);
	return text;
}

static void cells_are_what_a_terminal_draws(void **state)
{
	struct pl_arena arena = {NULL};

	(void)state;
	assert_int_equal(pl_text_cells("PCIEX16_1"), 9);
	assert_int_equal(pl_text_cells("30 µs"), 5);
	assert_int_equal(pl_text_cells("中文插槽"), 8);
	assert_int_equal(pl_text_cells("e\xcc\x81"), 1);
	assert_string_equal(pl_text_cut(&arena, "中文插槽", 8), "中文插槽");
	assert_string_equal(pl_text_cut(&arena, "中文插槽", 7), "中文插…");
	assert_string_equal(pl_text_cut(&arena, "中文插槽", 6), "中文…");
	pl_arena_fini(&arena);
}

static void no_line_is_wider_than_the_screen(void **state)
{
	void (*const fixtures[])(struct pl_run *) = {fx_am5, fx_intel, fx_nothing, fx_hostile,
						     fx_empty};

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		char *text = written(fixtures[i], pl_report_write_table, false);

		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			if (pl_text_cells(line) > 80)
				print_message("%s\n", line);
			assert_true(pl_text_cells(line) <= 80);
			assert_true(line[strlen(line) - 1] != ' ');
		}
		free(text);
	}
}

static void table_says_what_was_measured_and_what_not(void **state)
{
	char *text = written(fx_am5, pl_report_write_table, false);

	(void)state;
	assert_non_null(strstr(text, "chipset x2 PROM21"));
	assert_non_null(strstr(text, "The chipset adds 570 ns ± 9 ns"));
	assert_non_null(strstr(text, "Not measured"));
	assert_non_null(strstr(text, "M2_3 bar: the kernel refuses to map"));
	assert_non_null(strstr(text, "to fix: sudo pcielat --all-slots"));
	assert_non_null(strstr(text, "W-LINK PCIEX16_1"));
	assert_null(strstr(text, "VIRTUAL MACHINE"));
	assert_null(strstr(text, "\033"));
	free(text);
}

static void one_line_per_cause(void **state)
{
	char *text = written(fx_nothing, pl_report_write_table, false);

	(void)state;
	assert_non_null(strstr(text, "M2A exit, M2B exit: firmware left ASPM off"));
	assert_non_null(strstr(text, "VIRTUAL MACHINE (QEMU)\n"));
	assert_null(strstr(text, "Verdict"));
	free(text);
}

static void colour_only_when_asked(void **state)
{
	char *text = written(fx_nothing, pl_report_write_table, true);

	(void)state;
	assert_non_null(strstr(text, "\033[33mVIRTUAL MACHINE (QEMU)\033[0m\n"));
	free(text);
}

static void hostile_text_cannot_drive_the_terminal(void **state)
{
	char *text = written(fx_hostile, pl_report_write_table, false);

	(void)state;
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\a'));
	assert_null(strchr(text, '\r'));
	assert_null(strstr(text, "\u202e"));
	free(text);
}

static void ladder_has_every_rung_with_its_step(void **state)
{
	char *text = written(fx_am5, pl_report_write_ladder, false);
	const char *at = strstr(text, "M2_3: Example SSD 1TB, offset 0x100 (ECAM)");

	(void)state;
	assert_non_null(at);
	at = strstr(at, "0000:00:02.2");
	assert_non_null(at);
	at = strstr(at, "0000:08:00.0");
	assert_non_null(at);
	assert_non_null(strstr(at, "31"));
	assert_non_null(strstr(at, "± "));
	assert_null(strstr(text, "offset 0x0 "));
	free(text);
}

/* A rung that could not be read leaves a gap; the step goes over it to the rung before. */
static void a_gap_in_the_ladder_is_said(void **state)
{
	struct pl_text_style style = {false, true, 80};
	struct pl_run run;
	char *text = NULL, *rung;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fx_intel(&run);
	run.measurements[2]->outcome = PL_OUTCOME_SKIPPED;
	run.measurements[2]->why = "no such register";
	pl_report_write_ladder(&run, &style, out, NULL);
	fclose(out);
	rung = strstr(text, "\n0000:00:1b.4");
	assert_non_null(rung);
	assert_int_equal(strncmp(strchr(rung + 1, '\n') - 3, "gap", 3), 0);
	assert_non_null(strstr(text, "no such register"));
	free(text);
	pl_run_fini(&run);
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		print_error("missing: %s\nin:\n%s\n", words, text);
	assert_non_null(strstr(text, words));
}

/* Every number of the fixture where a reader looks for it. */
static void a_drive_is_shown_from_link_to_media(void **state)
{
	char *text = written(fx_am5, pl_report_write_table, false);
	const char *drive = strstr(text, "firmware 4B2QEXM7");

	(void)state;
	assert_non_null(drive);
	assert_has(drive, "PS0 now    8.5 W  works                     PS3 after 100 ms\n");
	assert_has(drive, "PS2               works            1.00 ms  PS3 after 100 ms\n");
	assert_has(drive, "PS3      0.045 W  sleeps  2.00 ms  1.20 ms  PS4 after 2.00 s  +1.1");
	assert_has(drive, "PS4      0.005 W  sleeps  15.0 ms  9.50 ms                    not mea");
	assert_has(drive, "Autonomous transitions are on.");
	assert_has(
		drive,
		"200 ms of idle against the same with APST off, links as found, the link woken\n");
	assert_has(drive, "\nL1.2                yes        no");
	assert_has(drive, "L1.2 is supported and not enabled");
	assert_has(drive, "\nlink        BAR read          644 ns");
	assert_has(drive, "\ncontroller  4 KiB, no media  ");
	assert_has(drive, "\ncache       same 4 KiB");
	assert_has(drive, " µs  12000\nadmin       Get Features");
	assert_has(drive, "carrying the difference takes 498 ns on Gen4 x4.");
	assert_has(drive, "512 bytes: +1.3");
	assert_has(drive, "takes 498 ns on Gen4 x4.\n");
	assert_has(drive, "\n4K random  as_found  32  86.2 µs");
	assert_has(drive, "\n128K seq.  as_found  32   703 µs");
	assert_has(drive, "512000  2097 MB/s\n");
	assert_has(drive, "\nas_found  2.00 ms  1st     40.07");
	assert_has(drive, "+31.00");
	assert_has(drive, "\n                   steady   9.07");
	assert_has(drive, "192"); /* lines may break between these */
	assert_has(drive, "454");
	assert_has(drive, "after 1");
	assert_has(drive, "64 reads, 0 interrupts of nvme0\n");
	assert_has(drive, "/dev/ng0n1 may be opened by root only\n");
	free(text);
}

static void a_full_device_is_a_sentence(void **state)
{
	struct pl_text_style style = {false, true, 80};
	struct pl_run run;
	struct pl_err err = {0};
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	fx_am5(&run);
	assert_int_equal(pl_report_write_table(&run, &style, full, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	fclose(full);
	pl_run_fini(&run);
}

static void link_and_path_texts(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_run run;

	(void)state;
	fx_am5(&run);
	assert_string_equal(pl_row_link(&arena, &run.slots[0]), "Gen3 x16 (of Gen4)");
	assert_string_equal(pl_row_link(&arena, &run.slots[4]), "up to Gen3 x1");
	assert_string_equal(pl_row_link(&arena, &run.slots[5]), "no link");
	assert_string_equal(pl_row_path(&arena, &run.slots[2]), "chipset PROM21");
	assert_string_equal(pl_row_path(&arena, &run.slots[3]), "chipset x2 PROM21");
	assert_string_equal(pl_row_ns(&arena, 1221.4), "1221 ns");
	assert_string_equal(pl_row_ns(&arena, 52345.0), "52.3 µs");
	pl_run_fini(&run);
	pl_arena_fini(&arena);
}

/* Host bridges and what a virtual machine has on its root bus are counted, not listed. */
static void the_root_bus_does_not_clutter_the_list(void **state)
{
	struct pl_device *device;
	struct pl_slot *slot;
	struct pl_run run;
	char *text;

	(void)state;
	fx_am5(&run);
	slot = pl_run_add_slot(&run);
	device = pl_arena_alloc(&run.arena, sizeof(*device));
	*device = (struct pl_device){.class_code = 0x060000, .name = "Bridge"};
	slot->key = slot->label = "path 0000:00:00.0";
	slot->device = device;
	slot->path = &device->bdf;
	slot->path_count = 1;
	text = written_run(&run, pl_report_write_list, false);
	assert_null(strstr(text, "Bridge"));
	assert_non_null(strstr(text, "more function"));
	free(text);
	/* Storage is something to measure, wherever it is. */
	device->class_code = 0x010601;
	text = written_run(&run, pl_report_write_list, false);
	assert_non_null(strstr(text, "Bridge"));
	free(text);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_what_a_terminal_draws),
		cmocka_unit_test(no_line_is_wider_than_the_screen),
		cmocka_unit_test(table_says_what_was_measured_and_what_not),
		cmocka_unit_test(one_line_per_cause),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(hostile_text_cannot_drive_the_terminal),
		cmocka_unit_test(ladder_has_every_rung_with_its_step),
		cmocka_unit_test(a_gap_in_the_ladder_is_said),
		cmocka_unit_test(a_drive_is_shown_from_link_to_media),
		cmocka_unit_test(a_full_device_is_a_sentence),
		cmocka_unit_test(the_root_bus_does_not_clutter_the_list),
		cmocka_unit_test(link_and_path_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
