#include "tests/t.h"

#include "report/for_scale.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"
#include "tests/report/fixture.h"

/* Published figures stand beside a GPU's own numbers, in every document, and only there. */

enum document { TABLE, MARKDOWN, HTML, JSON, DOCUMENTS };

static char *written(const struct pl_run *run, enum document which)
{
	struct pl_text_style style = {false, true, 80};
	struct pl_html_options html = {.no_charts = true};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (which == TABLE)
		rc = pl_report_write_table(run, &style, out, NULL);
	else if (which == MARKDOWN)
		rc = pl_report_write_markdown(run, PL_LANG_EN, out, NULL);
	else if (which == HTML)
		rc = pl_report_write_html(run, &html, out, NULL);
	else
		rc = pl_report_write_json(run, NULL, out, NULL);
	assert_int_equal(rc, 0);
	fclose(out);
	return text;
}

static void every_document_has_them_beside_the_own(void **state)
{
	static const char *const own[DOCUMENTS] = {"this machine", "this machine", "this board",
						   "651"};
	static const char *const other[DOCUMENTS] = {"X670E Aorus Master", "X670E Aorus Master",
						     "X670E Aorus Master", "\"adds_ns\":921.3"};
	struct pl_run run;

	(void)state;
	fx_am5(&run);
	for (enum document i = TABLE; i < DOCUMENTS; i++) {
		char *text = written(&run, i);

		assert_non_null(strstr(text, own[i]));
		assert_non_null(strstr(text, other[i]));
		assert_non_null(strstr(text, "Microbenchmarking Chipsets"));
		assert_non_null(strstr(text, "T1000"));
		free(text);
	}
	pl_run_fini(&run);
}

static void without_a_gpu_there_are_none(void **state)
{
	struct pl_run run;

	(void)state;
	fx_am5(&run);
	for (size_t i = 0; i < run.measurement_count; i++)
		if (run.measurements[i]->probe == PL_PROBE_GPU)
			run.measurements[i]->is_off_path = true;
	for (enum document i = TABLE; i < DOCUMENTS; i++) {
		char *text = written(&run, i);

		assert_null(strstr(text, "For scale: published"));
		assert_null(strstr(text, "\"published\":["));
		free(text);
	}
	pl_run_fini(&run);
}

static void own_rows_come_first(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_scale scale;
	struct pl_run run;
	size_t own = 0;

	(void)state;
	fx_am5(&run);
	scale = pl_for_scale(&arena, &run);
	while (own < scale.count && !scale.rows[own].published)
		own++;
	assert_int_equal(own, 2);
	for (size_t i = 0; i < 2; i++) {
		struct pl_row row;

		pl_row_fill(&run, &run.slots[2 * i], &row);
		assert_string_equal(scale.rows[i].read, pl_row_ns(&arena, row.gpu->summary.p50_ns));
	}
	assert_null(scale.rows[0].adds);
	assert_non_null(strstr(scale.rows[1].adds, "±"));
	for (size_t i = own; i < scale.count; i++)
		assert_non_null(scale.rows[i].published);
	pl_run_fini(&run);
	pl_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_has_them_beside_the_own),
		cmocka_unit_test(without_a_gpu_there_are_none),
		cmocka_unit_test(own_rows_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
