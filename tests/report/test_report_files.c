#include "tests/t.h"

#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/csv.h"
#include "report/dist.h"
#include "report/report.h"
#include "tests/report/fixture.h"

/* Reads a whole file; the test frees it. NULL when there is none. */
static char *slurp(const char *dir, const char *name)
{
	char path[512], *text = NULL;
	size_t size = 0, got;
	FILE *in, *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	out = open_memstream(&text, &size);
	for (char chunk[4096]; (got = fread(chunk, 1, sizeof(chunk), in)) > 0;)
		fwrite(chunk, 1, got, out);
	fclose(in);
	fclose(out);
	return text;
}

static void remove_dir(const char *dir)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

static json_t *results_of(const char *dir)
{
	char *text = slurp(dir, "results.json");
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return json;
}

static void all_files_are_written(void **state)
{
	static const char *const names[] = {"results.json",  "summary.csv", "runs.csv",
					    "histogram.csv", "effects.csv", "samples.bin",
					    "report.html"};
	char dir[] = "/tmp/pl-report-XXXXXX", sub[64];
	struct pl_run run;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/new", dir);
	fx_am5(&run);
	assert_int_equal(pl_report_write_dir(&run, sub, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", sub, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size > 0);
	}
	pl_run_fini(&run);
	remove_dir(dir);
}

/* A file size limit stands for a full disk: it stops the big file and lets the small ones pass. */
static void a_full_disk_stops_one_file(void **state)
{
	char dir[] = "/tmp/pl-report-XXXXXX";
	struct rlimit before, small = {200000, 0};
	struct pl_err err = {0};
	struct pl_run run;
	json_t *json;
	int code;

	(void)state;
	assert_non_null(mkdtemp(dir));
	fx_am5(&run);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	code = pl_report_write_dir(&run, dir, NULL, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(code, -EFBIG);
	assert_non_null(strstr(err.text, "samples.bin could not be written: File too large"));
	assert_null(slurp(dir, "samples.bin"));
	assert_null(slurp(dir, ".samples.bin.tmp"));
	json = results_of(dir);
	assert_non_null(json);
	assert_true(json_is_null(json_object_get(json, "samples")));
	json_decref(json);
	pl_run_fini(&run);
	remove_dir(dir);
}

static void a_failed_write_keeps_the_old_file(void **state)
{
	char dir[] = "/tmp/pl-report-XXXXXX", *before, *after;
	struct rlimit limit, small = {1000, 0};
	struct pl_run run;
	int code;

	(void)state;
	assert_non_null(mkdtemp(dir));
	fx_am5(&run);
	assert_int_equal(pl_report_write_dir(&run, dir, NULL, NULL), 0);
	before = slurp(dir, "results.json");
	run.session_id = "another";
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	code = pl_report_write_dir(&run, dir, NULL, NULL);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(code, -EFBIG);
	after = slurp(dir, "results.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
	pl_run_fini(&run);
	remove_dir(dir);
}

static char *document(int (*write)(const struct pl_run *, FILE *, struct pl_err *),
		      void (*make)(struct pl_run *))
{
	struct pl_run run;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	make(&run);
	assert_int_equal(write(&run, out, NULL), 0);
	fclose(out);
	pl_run_fini(&run);
	return text;
}

static void list_json_has_the_slots_and_no_series(void **state)
{
	char *text = document(pl_report_write_list_json, fx_am5);
	json_t *json = json_loads(text, 0, NULL);

	(void)state;
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "schema")), "pcielat.result");
	assert_int_equal(json_array_size(json_object_get(json, "slots")), 6);
	assert_null(json_object_get(json, "measurements"));
	assert_true(json_is_null(json_object_get(json, "stamp")));
	json_decref(json);
	free(text);
}

static void every_document_of_a_guest_is_stamped(void **state)
{
	char *json = document(pl_report_write_list_json, fx_nothing);
	char *csv = document(pl_report_write_csv, fx_nothing);
	char *effects = document(pl_report_write_effects_csv, fx_nothing);

	(void)state;
	assert_non_null(strstr(json, "\"stamp\":\"VIRTUAL MACHINE (QEMU)\""));
	assert_non_null(strstr(csv, ",VIRTUAL MACHINE (QEMU),"));
	assert_non_null(strstr(effects, ",VIRTUAL MACHINE (QEMU),"));
	free(json);
	free(csv);
	free(effects);
}

static void csv_fields(void **state)
{
	struct pl_arena arena = {NULL};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct pl_csv csv = {out, &arena, 0};

	(void)state;
	pl_csv_text(&csv, "=1+1");
	pl_csv_text(&csv, "a,\"b\"");
	pl_csv_text(&csv, NULL);
	pl_csv_ns(&csv, 1221.0004);
	pl_csv_ns(&csv, -0.0625);
	pl_csv_ns(&csv, (double)NAN);
	pl_csv_ns(&csv, 86400e9);
	pl_csv_bool(&csv, -1);
	pl_csv_bool(&csv, 1);
	pl_csv_positive(&csv, 0);
	pl_csv_end(&csv);
	fclose(out);
	assert_string_equal(text,
			    "'=1+1,\"a,\"\"b\"\"\",,1221.000,-0.063,,86400000000000.000,,true,\n");
	free(text);
	pl_arena_fini(&arena);
}

/* A process that set a locale with a decimal comma writes the same numbers. */
static void numbers_do_not_follow_the_locale(void **state)
{
	char *plain = document(pl_report_write_csv, fx_am5), *german;
	char *plain_json = document(pl_report_write_list_json, fx_am5), *german_json;

	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		print_message("no de_DE locale here: the comparison is with the C locale\n");
	german = document(pl_report_write_csv, fx_am5);
	german_json = document(pl_report_write_list_json, fx_am5);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(plain, german);
	assert_string_equal(plain_json, german_json);
	free(plain);
	free(german);
	free(plain_json);
	free(german_json);
}

static void bins_keep_every_sample_and_their_width(void **state)
{
	struct pl_arena arena = {NULL};
	uint64_t ticks[] = {0, 1, 63, 64, 65, 127, 128, 1u << 20, UINT64_C(1) << 40};
	struct pl_measurement m = {.ticks = ticks, .n = 9, .ns_per_tick = 1.0};
	size_t count, total = 0;
	const struct pl_bin *bins = pl_dist_bins(&arena, &m, &count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		total += bins[i].count;
		assert_true(bins[i].high_ns - bins[i].low_ns <= fmax(1.0, bins[i].low_ns / 32.0));
		if (i)
			assert_true(bins[i].low_ns >= bins[i - 1].high_ns);
	}
	assert_int_equal(total, 9);
	assert_int_equal((int)bins[0].low_ns, 0);
	assert_int_equal(bins[3].count, 2); /* 64 and 65 share a bin of 2 ns */
	pl_arena_fini(&arena);
}

static void languages(void **state)
{
	enum pl_lang lang;
	struct pl_err err = {0};

	(void)state;
	assert_int_equal(pl_report_lang("zh-CN", &lang, NULL), 0);
	assert_int_equal(lang, PL_LANG_ZH_CN);
	assert_int_equal(pl_report_lang("tlh", &lang, &err), -EINVAL);
	assert_non_null(strstr(err.text, "en, zh-CN"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_files_are_written),
		cmocka_unit_test(a_full_disk_stops_one_file),
		cmocka_unit_test(a_failed_write_keeps_the_old_file),
		cmocka_unit_test(list_json_has_the_slots_and_no_series),
		cmocka_unit_test(every_document_of_a_guest_is_stamped),
		cmocka_unit_test(csv_fields),
		cmocka_unit_test(numbers_do_not_follow_the_locale),
		cmocka_unit_test(bins_keep_every_sample_and_their_width),
		cmocka_unit_test(languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
