/* The table of advertised and measured exits on the page. */
#include "tests/t.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tests/report/fixture.h"

static char *page_of(const struct pl_run *run)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_write_html(run, NULL, out, NULL), 0);
	fclose(out);
	return text;
}

/* The resolved exit of the fixture, with another claim of its slot before all others. */
static void add_before(struct pl_run *run, const struct pl_effect *e)
{
	struct pl_effect *all =
		pl_arena_array(&run->arena, run->effect_count + 1, sizeof(*run->effects));

	all[0] = *e;
	memcpy(all + 1, run->effects, run->effect_count * sizeof(*all));
	run->effects = all;
	run->effect_count++;
	run->effect_capacity = run->effect_count;
}

static struct pl_effect *exit_of(struct pl_run *run)
{
	for (size_t i = 0; i < run->effect_count; i++)
		if (run->effects[i].kind == PL_EFFECT_EXIT &&
		    run->effects[i].status == PL_CLAIM_RESOLVED)
			return &run->effects[i];
	fail();
	return NULL;
}

static void the_table_tells_what_the_verdict_tells(void **state)
{
	struct pl_run run;
	struct pl_effect rung;
	char *page, *row;

	(void)state;
	fx_am5(&run);
	exit_of(&run)->verdict = "within";
	exit_of(&run)->advertised_low_ns = 32000;
	exit_of(&run)->advertised_high_ns = 65000;
	rung = *exit_of(&run);
	rung.probe = PL_PROBE_CONFIG; /* of a function on the way, not of the device */
	rung.function = (struct pl_bdf){0, 2, 0, 0};
	rung.estimate_ns = 35900.0;
	rung.verdict = "faster";
	add_before(&run, &rung);
	page = page_of(&run);
	row = strstr(page, "L0s ");
	assert_non_null(row);
	assert_non_null(strstr(row, "31.2 ± 1.1 µs</td><td>within (32.0 µs–65.0 µs)"));
	assert_null(strstr(row, "35.9 ± 1.1 µs</td><td>"));
	free(page);
	pl_run_fini(&run);
}

/* Of a file that somebody wrote. */
static void a_series_without_a_metric_ends_no_page(void **state)
{
	struct pl_run run;

	(void)state;
	fx_am5(&run);
	for (size_t i = 0; i < run.measurement_count; i++)
		if (run.measurements[i]->probe == PL_PROBE_NVME)
			run.measurements[i]->metric = NULL;
	free(page_of(&run));
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_tells_what_the_verdict_tells),
		cmocka_unit_test(a_series_without_a_metric_ends_no_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
