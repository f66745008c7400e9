#include "tests/t.h"

#include <jansson.h>
#include <math.h>

#include "report/report.h"

static json_t *parse(char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, 0, &error);

	if (!root)
		print_error("%s at %d\n", error.text, error.position);
	assert_non_null(root);
	return root;
}

static void watch_document_is_json_with_its_finds(void **state)
{
	static const char *warnings[] = {"W-CACHED: this is the page cache"};
	const struct pl_measurement series = {.warnings = warnings, .warning_count = 1};
	static struct pl_watch watch;
	struct pl_watch_document document = {
		.watch = &watch,
		.subject = "nvme0n1\x1b",
		.path = "io_uring-iopoll",
		.phase = "off",
		.begun_s = 1780000000,
		.is_ended = true,
		.series = &series,
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct pl_run run;
	json_t *root;

	(void)state;
	pl_run_init(&run);
	run.machine.is_live = true;
	watch.interval_ns = 10000000;
	for (uint64_t i = 1; i <= 1000; i++)
		pl_hist_add(&watch.hist, 80000 + i);
	watch.points[watch.point_count++] = (struct pl_watch_point){0.0, 1000, 1, 2, 3, 1, -1};
	watch.others = 7;
	watch.spikes[watch.spike_count++] = (struct pl_spike){1.5, 2e7};
	watch.outages[watch.outage_count++] = (struct pl_outage){2.0, 0.0};
	watch.period = (struct pl_period){true, 4.9, 5.1, 5.0, 2e7, 7, 0.001, NULL};
	watch.gap_step.p_value = (double)NAN;
	watch.gap_step.why = "too few";
	assert_int_equal(pl_report_write_watch_json(&run, &document, out, NULL), 0);
	fclose(out);
	root = parse(text);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "pcielat.watch");
	assert_string_equal(json_string_value(json_object_get(root, "phase")), "off");
	assert_true(json_is_true(json_object_get(root, "ended")));
	assert_string_equal(json_string_value(json_object_get(root, "begun")),
			    "2026-05-28T20:26:40Z");
	assert_int_equal(json_integer_value(json_object_get(root, "background_ios")), 7);
	assert_null(strchr(text, '\x1b'));
	assert_string_equal(json_string_value(json_array_get(json_object_get(root, "warnings"), 0)),
			    warnings[0]);
	assert_true(json_is_true(json_object_get(json_object_get(root, "period"), "found")));
	assert_true(json_is_null(json_object_get(json_object_get(root, "gap_step"), "p_value")));
	assert_true(json_is_null(json_object_get(json_object_get(root, "period"), "why_not")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "gap_step"), "why_not")),
		"too few");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(root, "outages"), 0), "to_s")));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "summary"), "n")),
			 1000);
	assert_true(json_array_size(json_object_get(root, "histogram")) >= 2);
	json_decref(root);
	free(text);
	pl_run_fini(&run);
}

/* Nothing was read yet: no latency is 0. */
static void an_empty_watch_has_no_numbers(void **state)
{
	static const char *const numbers[] = {"min_ns",  "p50_ns", "p99_ns",
					      "p999_ns", "max_ns", "mean_ns"};
	static struct pl_watch watch;
	struct pl_watch_document document = {
		.watch = &watch, .subject = "nvme0n1", .path = "pread", .phase = "as_found"};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct pl_run run;
	json_t *root, *summary;

	(void)state;
	pl_run_init(&run);
	watch.stopped = 3;
	watch.host_waits = -1;
	assert_int_equal(pl_report_write_watch_json(&run, &document, out, NULL), 0);
	fclose(out);
	root = parse(text);
	summary = json_object_get(root, "summary");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_true(json_is_null(json_object_get(summary, numbers[i])));
	assert_int_equal(json_integer_value(json_object_get(root, "stopped")), 3);
	assert_true(json_is_null(json_object_get(root, "host_waits")));
	/* It had not ended: nothing was looked for, which is no finding. */
	assert_non_null(strstr(
		json_string_value(json_object_get(json_object_get(root, "period"), "why_not")),
		"had not ended"));
	assert_true(json_is_null(json_object_get(json_object_get(root, "gap_step"), "p_value")));
	json_decref(root);
	free(text);
	pl_run_fini(&run);
}

static void drives_are_in_the_results(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *root, *drive, *ps;
	struct pl_drive *added;
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	added = pl_arena_push(&run.arena, (void **)&run.drives, &run.drive_count,
			      &run.drive_capacity, sizeof(*added));
	added->controller = "nvme0";
	added->apst_enabled = 1;
	added->deallocated_reads_as = 1;
	added->state_count = 1;
	added->states[0] = (struct pl_power_state){8.49, true, 0, 200, 100, 3};
	assert_int_equal(pl_report_write_json(&run, NULL, out, NULL), 0);
	fclose(out);
	root = parse(text);
	drive = json_array_get(json_object_get(root, "drives"), 0);
	assert_string_equal(json_string_value(json_object_get(drive, "controller")), "nvme0");
	assert_string_equal(json_string_value(json_object_get(drive, "deallocated_reads_as")),
			    "zeros");
	ps = json_array_get(json_object_get(drive, "power_states"), 0);
	assert_int_equal(json_integer_value(json_object_get(ps, "exit_us")), 200);
	assert_int_equal(json_integer_value(json_object_get(ps, "apst_to")), 3);
	json_decref(root);
	free(text);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watch_document_is_json_with_its_finds),
		cmocka_unit_test(an_empty_watch_has_no_numbers),
		cmocka_unit_test(drives_are_in_the_results),
	};

	return cmocka_run_group_tests_name("report_watch", tests, NULL, NULL);
}
