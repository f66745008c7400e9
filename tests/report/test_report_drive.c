#include "tests/t.h"

#include <math.h>

#include "report/drive.h"
#include "report/report.h"
#include "tests/report/fixture.h"

/* What a drive's ladder says when a rung of it is missing; its tables in another language. */

enum rung { CONFIG, BAR, CONTROLLER, CACHE, NAND, FEATURES, IDENTIFY };

#define WAY "a second round trip, 4 KiB over the link, the controller, the software"
#define BLOCK "finding the block in the drive"
#define MEDIA "the media and its lookup"

/* Takes the numbers from the series of a rung, or the series itself. */
static void lose(const struct pl_drive_rung *rung, struct pl_run *run, bool is_planned)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		if (m != rung->m)
			continue;
		m->metric = is_planned ? m->metric : "something_else";
		m->outcome = PL_OUTCOME_SKIPPED;
		m->why = "the controller refused the read";
	}
}

/* The board of the fixture without some rungs of its drive; the caller ends the run. */
static void ladder_without(struct pl_run *run, const enum rung *lost, size_t count, bool is_planned,
			   struct pl_drive_rung rungs[PL_DRIVE_RUNGS])
{
	fx_am5(run);
	pl_drive_ladder(run, &run->drives[0], rungs);
	for (size_t i = 0; i < count; i++)
		lose(&rungs[lost[i]], run, is_planned);
	pl_drive_ladder(run, &run->drives[0], rungs);
}

static double median(const struct pl_drive_rung *rung)
{
	return rung->m->summary.p50_ns;
}

static void assert_step(const struct pl_drive_rung *rung, const struct pl_drive_rung *before,
			const char *is)
{
	double ns = median(rung) - median(before);

	assert_string_equal(rung->step_is, is);
	if (!(fabs(rung->step.estimate - ns) < 0.02 * median(rung)))
		fail_msg("%s: a step of %g ns, not %g", rung->access, rung->step.estimate, ns);
}

static void every_step_is_over_the_rung_before(void **state)
{
	struct pl_drive_rung r[PL_DRIVE_RUNGS];
	struct pl_run run;

	(void)state;
	ladder_without(&run, NULL, 0, true, r);
	assert_null(r[CONFIG].step_is);
	assert_null(r[BAR].step_is);
	assert_true(isnan(r[BAR].step.estimate));
	assert_step(&r[CONTROLLER], &r[BAR], WAY);
	assert_step(&r[CACHE], &r[CONTROLLER], BLOCK);
	assert_step(&r[NAND], &r[CACHE], MEDIA);
	assert_null(r[FEATURES].step_is);
	assert_step(&r[IDENTIFY], &r[FEATURES], "4 KiB that the firmware makes");
	pl_run_fini(&run);
}

/* The step goes over the gap, and holds what the missing rungs would have held. */
static void a_step_holds_what_the_missing_rungs_would_have_held(void **state)
{
	static const struct {
		enum rung lost[3];
		size_t count;
		enum rung at, before;
		const char *is;
	} cases[] = {
		{{CONTROLLER}, 1, CACHE, BAR, WAY ", " BLOCK},
		{{CONTROLLER}, 1, NAND, CACHE, MEDIA},
		{{CACHE}, 1, CONTROLLER, BAR, WAY},
		{{CACHE}, 1, NAND, CONTROLLER, BLOCK ", " MEDIA},
		{{CONTROLLER, CACHE}, 2, NAND, BAR, WAY ", " BLOCK ", " MEDIA},
		{{CONTROLLER, CACHE, NAND}, 3, IDENTIFY, FEATURES, "4 KiB that the firmware makes"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_planned = i % 2;
		struct pl_drive_rung r[PL_DRIVE_RUNGS];
		struct pl_run run;
		const struct pl_drive_rung *lost = &r[cases[i / 2].lost[0]];

		ladder_without(&run, cases[i / 2].lost, cases[i / 2].count, is_planned, r);
		assert_string_equal(lost->reason,
				    is_planned ? "the controller refused the read" : "not planned");
		assert_true(isnan(lost->step.estimate));
		assert_step(&r[cases[i / 2].at], &r[cases[i / 2].before], cases[i / 2].is);
		pl_run_fini(&run);
	}
}

/* Without the registers there is nothing that the first read could be compared with. */
static void no_step_is_over_a_register_that_was_not_read(void **state)
{
	static const enum rung lost[] = {BAR};
	struct pl_drive_rung r[PL_DRIVE_RUNGS];
	struct pl_run run;

	(void)state;
	ladder_without(&run, lost, 1, true, r);
	assert_true(isnan(r[CONTROLLER].step.estimate));
	assert_step(&r[CACHE], &r[CONTROLLER], BLOCK);
	pl_run_fini(&run);
}

static const char *ladder_note(struct pl_arena *arena, const struct pl_run *run)
{
	size_t count;
	const struct pl_drive_table *tables =
		pl_drive_tables(arena, run, &run->drives[0], PL_LANG_EN, &count);

	for (size_t i = 0; i < count; i++)
		if (tables[i].title == PL_STR_MEDIA_LADDER)
			return tables[i].note;
	return NULL;
}

static void the_note_of_the_table_says_so(void **state)
{
	static const enum rung lost[] = {CONTROLLER};
	struct pl_arena arena = {NULL};
	struct pl_drive_rung r[PL_DRIVE_RUNGS];
	struct pl_run run;
	const char *note;

	(void)state;
	ladder_without(&run, lost, 0, true, r);
	note = ladder_note(&arena, &run);
	assert_non_null(strstr(note, "A step holds, controller: " WAY "; cache: " BLOCK "; NAND"));
	pl_run_fini(&run);
	ladder_without(&run, lost, 1, true, r);
	note = ladder_note(&arena, &run);
	assert_non_null(strstr(note, "A step holds, cache: " WAY ", " BLOCK "; NAND: " MEDIA ";"));
	pl_run_fini(&run);
	pl_arena_fini(&arena);
}

/* Two English words in a row: a phrase that nobody translated. */
static bool is_english(const char *text)
{
	size_t words = 0;

	while (text && *text && words < 2) {
		size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");

		words = letters > 1 ? words + 1 : 0;
		text += letters;
		if (*text && *text != ' ' && words < 2)
			words = 0;
		text += *text != '\0';
	}
	return words >= 2;
}

static void assert_chinese(const struct pl_run *run)
{
	struct pl_arena arena = {NULL};
	size_t count;
	const struct pl_drive_table *tables =
		pl_drive_tables(&arena, run, &run->drives[0], PL_LANG_ZH_CN, &count);

	assert_true(count >= 5);
	for (size_t t = 0; t < count; t++) {
		if (is_english(tables[t].note))
			fail_msg("%s", tables[t].note);
		for (size_t i = 0; i < tables[t].row_count * tables[t].column_count; i++) {
			const char *cell = tables[t].rows[i / tables[t].column_count]
							 [i % tables[t].column_count];

			if (is_english(cell))
				fail_msg("%s", cell);
		}
	}
	pl_arena_fini(&arena);
}

/* The reason of a skipped series is the system's own text: here it is none that has words. */
static void board_in_chinese(struct pl_run *run, struct pl_drive **drive, struct pl_link **link)
{
	fx_am5(run);
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->why)
			run->measurements[i]->why = "ENOENT";
	*drive = &run->drives[0];
	*link = &((struct pl_slot *)pl_drive_slot(run, *drive))->link;
}

static void the_page_has_them_in_its_language(void **state)
{
	struct pl_html_options options = {.no_charts = true, .lang = PL_LANG_ZH_CN};
	struct pl_run run;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fx_am5(&run);
	assert_int_equal(pl_report_write_html(&run, &options, out, NULL), 0);
	fclose(out);
	assert_non_null(strstr(text, "PS0（当前）"));
	assert_non_null(strstr(text, "链路保持原状，先唤醒链路。"));
	free(text);
	pl_run_fini(&run);
}

static void tables_of_a_drive_are_chinese_too(void **state)
{
	static const unsigned enabled[] = {PL_ASPM_L1, PL_ASPM_L1 | PL_ASPM_L1_2 | PL_ASPM_CLKPM, 0,
					   PL_ASPM_UNKNOWN};
	struct pl_drive *drive;
	struct pl_link *link;
	struct pl_run run;

	(void)state;
	assert_true(is_english("the links"));
	assert_true(is_english("PS3 的 links off"));
	assert_false(is_english("4K 随机 io_uring-iopoll 64 µs"));
	for (size_t i = 0; i < 3 * sizeof(enabled) / sizeof(enabled[0]); i++) {
		board_in_chinese(&run, &drive, &link);
		link->aspm_enabled = enabled[i / 3];
		link->aspm_supported = i % 3 == 1 ? PL_ASPM_L1 : link->aspm_supported;
		drive->apst_enabled = (int)(i % 3) - 1;
		drive->is_apst_supported = i % 3 != 0;
		drive->latency_tolerance = i % 2 ? NULL : drive->latency_tolerance;
		link->ltr_enabled = (int)(i % 2);
		assert_chinese(&run);
		pl_run_fini(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_is_over_the_rung_before),
		cmocka_unit_test(a_step_holds_what_the_missing_rungs_would_have_held),
		cmocka_unit_test(no_step_is_over_a_register_that_was_not_read),
		cmocka_unit_test(the_page_has_them_in_its_language),
		cmocka_unit_test(tables_of_a_drive_are_chinese_too),
		cmocka_unit_test(the_note_of_the_table_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
