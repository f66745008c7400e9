#include "tests/t.h"

#include <math.h>

#include "report/drive.h"
#include "tests/report/fixture.h"

/* What a drive's ladder says when a rung of it is missing. */

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
	const struct pl_drive_table *tables = pl_drive_tables(arena, run, &run->drives[0], &count);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_is_over_the_rung_before),
		cmocka_unit_test(a_step_holds_what_the_missing_rungs_would_have_held),
		cmocka_unit_test(no_step_is_over_a_register_that_was_not_read),
		cmocka_unit_test(the_note_of_the_table_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
