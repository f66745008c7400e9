#include "tests/t.h"

#include <jansson.h>
#include <math.h>

#include "report/assets.h"
#include "report/report.h"
#include "tests/report/fixture.h"

/* What the charts are drawn from: the values that the page carries. */

static json_t *charts_of(const struct pl_run *run)
{
	static const char start[] = "id=\"pcielat-charts\">";
	char *text = NULL, *from;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *charts;

	assert_int_equal(pl_report_write_html(run, NULL, out, NULL), 0);
	fclose(out);
	from = strstr(text, start);
	assert_non_null(from);
	from += strlen(start);
	*strstr(from, "</script>") = '\0';
	charts = json_loads(from, 0, NULL);
	assert_non_null(charts);
	free(text);
	return charts;
}

/* Values of a chart, borrowed; NULL: there is no such chart. */
static const json_t *values_of(const json_t *charts, const char *id)
{
	const json_t *spec = json_object_get(json_object_get(charts, "specs"), id);

	return json_object_get(json_object_get(spec, "data"), "values");
}

static double ns_of(const json_t *values, size_t index)
{
	return json_number_value(json_object_get(json_array_get(values, index), "ns"));
}

static void is_close(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%g is not %g within %g", got, want, tolerance);
}

static const char *text_of(const json_t *values, size_t index, const char *key)
{
	return json_string_value(json_object_get(json_array_get(values, index), key));
}

/* No charts in a build without npm. */
static bool has_charts(void)
{
	return pl_asset_script_count() > 0;
}

static struct pl_effect *effect(struct pl_run *run, enum pl_effect_kind kind, unsigned slot,
				double ns)
{
	struct pl_effect *e = pl_run_add_effect(run);

	*e = run->effects[1];
	e->kind = kind;
	e->status = PL_CLAIM_RESOLVED;
	e->reason = NULL;
	e->slot = &run->slots[slot];
	e->reference_slot = &run->slots[1];
	e->probe = PL_PROBE_NVME;
	e->metric = "read_4k";
	e->estimate_ns = ns;
	e->low_ns = ns - 10;
	e->high_ns = ns + 10;
	return e;
}

static void a_bar_is_the_median_in_parts(void **state)
{
	struct pl_run run;
	json_t *charts;
	const json_t *values;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	charts = charts_of(&run);
	values = values_of(charts, "parts-gpu");
	assert_int_equal(json_array_size(values), 2);
	assert_string_equal(text_of(values, 0, "slot"), "PCIEX16_2");
	is_close(ns_of(values, 1), 569.7, 0.01);
	assert_string_equal(text_of(values, 1, "part"), "chip 1");
	assert_string_equal(text_of(values, 1, "label"), "659 ns + 570 ns");
	json_decref(charts);
	pl_run_fini(&run);
}

/* A slot behind one chip and one behind both, same reference: the second chip is the rest. */
static void two_chips_are_split_when_both_were_measured(void **state)
{
	struct pl_run run;
	json_t *charts;
	const json_t *values;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	effect(&run, PL_EFFECT_HOP, 3, 921);
	charts = charts_of(&run);
	values = values_of(charts, "parts-nvme");
	assert_int_equal(json_array_size(values), 2);
	assert_string_equal(text_of(values, 1, "part"), "chipset, all chips");
	json_decref(charts);
	effect(&run, PL_EFFECT_HOP, 2, 570);
	charts = charts_of(&run);
	values = values_of(charts, "parts-nvme");
	assert_int_equal(json_array_size(values), 3);
	is_close(ns_of(values, 1), 570, 0.01);
	is_close(ns_of(values, 2), 351, 0.01);
	assert_string_equal(text_of(values, 2, "part"), "chip 2");
	json_decref(charts);
	pl_run_fini(&run);
}

/* The ladder cut at the chips: 420 at the root port, 310 more at each function. */
static void the_ladder_is_cut_at_the_chips(void **state)
{
	struct pl_run run;
	json_t *charts;
	const json_t *values;
	double sum = 0.0;
	size_t at = 0;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	charts = charts_of(&run);
	values = values_of(charts, "parts-config");
	while (at < json_array_size(values) && strcmp(text_of(values, at, "slot"), "M2_3") != 0)
		at++;
	assert_string_equal(text_of(values, at, "part"), "root port answers");
	assert_string_equal(text_of(values, at + 1, "part"), "chip 1");
	assert_string_equal(text_of(values, at + 2, "part"), "chip 2");
	assert_string_equal(text_of(values, at + 3, "part"), "device beyond that");
	is_close(ns_of(values, at + 1), 620, 15);
	is_close(ns_of(values, at + 2), 620, 15);
	for (size_t i = 0; i < 4; i++)
		sum += ns_of(values, at + i);
	is_close(sum, 420 + 5 * 310, 20);
	json_decref(charts);
	pl_run_fini(&run);
}

/* Three claims about one slot and state are one bar: bars of one place would lie on each other. */
static void one_exit_per_slot_and_state(void **state)
{
	struct pl_run run;
	json_t *charts;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	effect(&run, PL_EFFECT_EXIT, 3, 30000)->probe = PL_PROBE_BAR;
	effect(&run, PL_EFFECT_EXIT, 3, 29000)->probe = PL_PROBE_CONFIG;
	for (size_t i = 0; i < run.effect_count; i++)
		if (run.effects[i].kind == PL_EFFECT_EXIT)
			run.effects[i].state = "l1";
	charts = charts_of(&run);
	assert_int_equal(json_array_size(values_of(charts, "exits")), 1);
	is_close(ns_of(values_of(charts, "exits"), 0), 31200, 1);
	json_decref(charts);
	pl_run_fini(&run);
}

/* Every series once more, as an arm that stands beside the grid. */
static void add_arms(struct pl_run *run, const char *idle, const char *prewake, const char *apst)
{
	size_t count = run->measurement_count;

	for (size_t i = 0; i < count; i++) {
		struct pl_measurement *m = pl_run_add_measurement(run);
		unsigned id = m->id;

		*m = *run->measurements[i];
		m->id = id;
		m->conditions.idle = idle;
		m->conditions.prewake = prewake;
		m->conditions.apst = apst;
	}
}

/* A second value of one slot and state would be written over the first. */
static void arms_beside_the_grid_are_in_no_curve(void **state)
{
	static const char *const arms[][3] = {
		{"slept", NULL, NULL}, {"spun", "config", NULL}, {"spun", NULL, "off"}};
	struct pl_run run;
	json_t *before, *after;

	(void)state;
	if (!has_charts())
		skip();
	for (size_t i = 0; i < sizeof(arms) / sizeof(arms[0]); i++) {
		fx_am5(&run);
		before = charts_of(&run);
		assert_true(json_array_size(values_of(before, "states")) > 1);
		add_arms(&run, arms[i][0], arms[i][1], arms[i][2]);
		after = charts_of(&run);
		assert_true(json_equal(values_of(before, "states"), values_of(after, "states")));
		json_decref(before);
		json_decref(after);
		pl_run_fini(&run);
	}
}

/* One more series of a drive, beside those of the fixture; whether a tail is to show it. */
static const struct other_access {
	const char *metric, *pattern, *tail;
	unsigned slot;
	uint64_t gap_ns;
	bool is_usual;
} other_accesses[] = {
	{"read_4k", "random", "tail-2", 1, 0, true},
	{"read_4k", NULL, "tail-2", 1, 0, true},
	{"read_4k", "same_lba", "tail-2", 1, 0, false},
	{"read_4k_fast_lba", "fast_lba", "tail-2", 1, 0, false},
	{"get_features", NULL, "tail-2", 1, 0, false},
	{"identify", NULL, "tail-2", 1, 0, false},
	{"read_4k", "same_lba", "tail-4", 3, 1000000, true},
	{"read_4k_fast_lba", "fast_lba", "tail-4", 3, 1000000, false},
	{"get_features", NULL, "tail-4", 3, 1000000, false},
};

static void add_access(struct pl_run *run, const struct other_access *access)
{
	struct pl_measurement *m = fx_series(run, &run->slots[access->slot], PL_PROBE_NVME,
					     access->metric, 20000, 12, 1000);

	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->conditions.pattern = access->pattern;
	m->conditions.gap_ns = access->gap_ns;
}

/* Reads of another kind, and commands, are not a part of the line of the random read. */
static void a_tail_is_of_one_access(void **state)
{
	struct pl_run run;
	json_t *before, *after;

	(void)state;
	if (!has_charts())
		skip();
	for (size_t i = 0; i < sizeof(other_accesses) / sizeof(other_accesses[0]); i++) {
		const struct other_access *access = &other_accesses[i];
		bool is_same;

		fx_am5(&run);
		before = charts_of(&run);
		add_access(&run, access);
		after = charts_of(&run);
		assert_true(json_array_size(values_of(before, access->tail)) > 10);
		is_same =
			json_equal(values_of(before, access->tail), values_of(after, access->tail));
		if (is_same == access->is_usual)
			fail_msg("%s of %s, gap %zu ns: %s", access->metric,
				 access->pattern ? access->pattern : "no pattern",
				 (size_t)access->gap_ns,
				 is_same ? "not in the tail" : "in the tail");
		json_decref(before);
		json_decref(after);
		pl_run_fini(&run);
	}
}

/* A drive that was looked into has many reads at gap 0; its tail is one line that only falls. */
static void the_tail_of_a_drive_is_one_line(void **state)
{
	struct pl_run run;
	json_t *charts;
	const json_t *values;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	charts = charts_of(&run);
	values = values_of(charts, "tail-2");
	assert_true(json_array_size(values) > 10);
	for (size_t i = 1; i < json_array_size(values); i++)
		assert_true(ns_of(values, i) > ns_of(values, i - 1));
	assert_true(ns_of(values, 0) > 50000);
	json_decref(charts);
	pl_run_fini(&run);
}

static void labels_have_room_behind_the_bars(void **state)
{
	struct pl_run run;
	json_t *charts, *scale;

	(void)state;
	if (!has_charts())
		skip();
	fx_am5(&run);
	charts = charts_of(&run);
	assert_int_equal(json_unpack(charts, "{s:{s:{s:[{s:{s:{s:o}}}]}}}", "specs", "latency-gpu",
				     "layer", "encoding", "x", "scale", &scale),
			 0);
	assert_true(json_number_value(json_object_get(scale, "domainMax")) > 1.05 * 1228);
	json_decref(charts);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bar_is_the_median_in_parts),
		cmocka_unit_test(two_chips_are_split_when_both_were_measured),
		cmocka_unit_test(the_ladder_is_cut_at_the_chips),
		cmocka_unit_test(one_exit_per_slot_and_state),
		cmocka_unit_test(arms_beside_the_grid_are_in_no_curve),
		cmocka_unit_test(a_tail_is_of_one_access),
		cmocka_unit_test(the_tail_of_a_drive_is_one_line),
		cmocka_unit_test(labels_have_room_behind_the_bars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
