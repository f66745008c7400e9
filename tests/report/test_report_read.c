#include "tests/t.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "model/summary.h"
#include "report/json.h"
#include "report/pack.h"
#include "report/report.h"
#include "report/text.h"
#include "tests/report/fixture.h"

static char folder[] = "/tmp/pl-read-XXXXXX";

static const char *file(const char *sub, const char *name)
{
	static char paths[4][256];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s/%s", folder, sub, name);
	return path;
}

static void write_fixture(void (*make)(struct pl_run *), const char *sub, const char *boot_id)
{
	struct pl_run run;
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/%s", folder, sub);
	make(&run);
	if (boot_id)
		run.machine.boot_id = boot_id;
	assert_int_equal(pl_report_write_dir(&run, dir, NULL, NULL), 0);
	pl_run_fini(&run);
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	fputs(text, out);
	fclose(out);
}

static char *json_of(const struct pl_run *run, const char *samples)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_write_json(run, samples, out, NULL), 0);
	fclose(out);
	return text;
}

/* Written, read, written again: not a byte may differ, with samples and without. */
static void round_trip(void (*make)(struct pl_run *), const char *sub)
{
	const char *json_path = file(sub, "results.json"), *html = file(sub, "report.html");
	struct pl_run before, after, page;
	char *a, *b, *c;

	write_fixture(make, sub, NULL);
	make(&before);
	pl_run_init(&after);
	assert_int_equal(pl_report_read(&after, &json_path, 1, NULL), 0);
	a = json_of(&before, "samples.bin");
	b = json_of(&after, "samples.bin");
	assert_string_equal(a, b);
	free(a);
	free(b);
	pl_run_init(&page);
	assert_int_equal(pl_report_read(&page, &html, 1, NULL), 0);
	a = json_of(&before, NULL);
	c = json_of(&page, NULL);
	assert_string_equal(a, c);
	free(a);
	free(c);
	pl_run_fini(&before);
	pl_run_fini(&after);
	pl_run_fini(&page);
}

static char *table_of(const struct pl_run *run)
{
	const struct pl_text_style style = {false, true, 80};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_write_table(run, &style, out, NULL), 0);
	fclose(out);
	return text;
}

/* The drives too: what is derived from series is derived again. */
static void what_is_read_looks_the_same(void **state)
{
	const char *json_path = file("looks", "results.json");
	struct pl_run before, after;
	char *a, *b;

	(void)state;
	write_fixture(fx_am5, "looks", NULL);
	fx_am5(&before);
	pl_run_init(&after);
	assert_int_equal(pl_report_read(&after, &json_path, 1, NULL), 0);
	assert_int_equal(after.drive_count, 1);
	assert_int_equal(after.drives[0].states[3].apst_to, 4);
	a = table_of(&before);
	b = table_of(&after);
	assert_non_null(strstr(a, "Power states of the drive"));
	assert_string_equal(a, b);
	free(a);
	free(b);
	pl_run_fini(&before);
	pl_run_fini(&after);
}

static void what_is_read_is_what_was_written(void **state)
{
	(void)state;
	round_trip(fx_am5, "am5");
	round_trip(fx_intel, "intel");
	round_trip(fx_nothing, "nothing");
	round_trip(fx_empty, "empty");
}

static void hostile_text_survives_reading(void **state)
{
	const char *path = file("hostile", "report.html");
	struct pl_run run;
	char *once, *twice;

	(void)state;
	write_fixture(fx_hostile, "hostile", NULL);
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	once = json_of(&run, NULL);
	pl_run_fini(&run);
	path = file("hostile", "results.json");
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	twice = json_of(&run, NULL);
	assert_string_equal(once, twice);
	free(once);
	free(twice);
	pl_run_fini(&run);
}

static void refused(const char *text, int code, const char *words)
{
	const char *path = file("am5", "x.json");
	struct pl_run run;
	struct pl_err err = {0};

	write_text(path, text);
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, &err), code);
	assert_non_null(strstr(err.text, words));
	pl_run_fini(&run);
}

static void what_is_not_ours_is_refused(void **state)
{
	(void)state;
	refused("", -EINVAL, "is not a results file");
	refused("{\"schema\": \"pcielat.result\"", -EINVAL, "line 1");
	refused("{\"schema\": \"other\", \"schema_version\": \"1.0\"}", -EINVAL, "not a results");
	refused("{\"schema\": \"pcielat.result\", \"schema_version\": \"2.0\"}", -ENOTSUP,
		"newer pcielat (schema version 2.0; this one reads up to 1.0)");
	refused("[1, 2]", -EINVAL, "not a results");
}

/* A page as the first versions wrote it: the record plain, with < as \\u003c. */
static void a_page_with_a_plain_record_is_read(void **state)
{
	const char *path = file("am5", "plain.html");
	struct pl_run made, run;
	char *json, *again;
	FILE *out = fopen(path, "w");

	(void)state;
	fx_am5(&made);
	json = json_of(&made, NULL);
	fputs("<!doctype html><script type=\"application/json\" id=\"pcielat-result\">", out);
	pl_json_escape_html(json, out);
	fputs("</script></html>", out);
	fclose(out);
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	again = json_of(&run, NULL);
	assert_string_equal(json, again);
	free(json);
	free(again);
	pl_run_fini(&made);
	pl_run_fini(&run);
}

/* Packed and cut anywhere, or with a character that is none of base64's: refused, never half read.
 */
static void a_torn_page_is_refused(void **state)
{
	static const char start[] = "id=\"pcielat-result-gz\">";
	const char *path = file("am5", "report.html"), *torn = file("am5", "torn.html");
	struct pl_err err = {0};
	char *text = NULL, *record;
	size_t size = 0, length;
	FILE *in;

	(void)state;
	write_fixture(fx_am5, "am5", NULL);
	in = fopen(path, "r");
	assert_true(getdelim(&text, &size, '\0', in) > 0);
	fclose(in);
	record = strstr(text, start) + strlen(start);
	length = strcspn(record, "<");
	for (unsigned k = 0; k < 40; k++) {
		struct pl_run run;
		char kept = record[length * k / 40];

		record[length * k / 40] = k % 2 ? '<' : '*';
		write_text(torn, text);
		record[length * k / 40] = kept;
		pl_run_init(&run);
		assert_int_equal(pl_report_read(&run, &torn, 1, &err), -EINVAL);
		assert_non_null(strstr(err.text, "torn.html"));
		pl_run_fini(&run);
	}
	free(text);
}

/* A megabyte of blanks in a few hundred bytes: no more comes out than was allowed. */
static void what_is_unpacked_is_bounded(void **state)
{
	const size_t size = 1 << 20;
	char *blanks = malloc(size), *packed = NULL, *text;
	size_t packed_size = 0;
	FILE *out = open_memstream(&packed, &packed_size);

	(void)state;
	memset(blanks, ' ', size);
	assert_int_equal(pl_pack(blanks, size, out), 0);
	fclose(out);
	assert_true(packed_size < 4096);
	assert_null(pl_unpack(packed, packed_size, size - 1));
	text = pl_unpack(packed, packed_size, size);
	assert_non_null(text);
	assert_int_equal(strlen(text), size);
	assert_null(pl_unpack("", 0, size));
	free(text);
	free(packed);
	free(blanks);
}

static void a_later_minor_version_is_read(void **state)
{
	const char *path = file("am5", "y.json");
	struct pl_run run;

	(void)state;
	write_text(path, "{\"schema\": \"pcielat.result\", \"schema_version\": \"1.7\", \"new\": 1,"
			 "\"slots\": [{\"key\": \"k\", \"attachment\": \"teleport\"}],"
			 "\"measurements\": [{\"slot\": \"k\", \"probe\": \"nvme\", \"n\": \"x\","
			 "\"outcome\": \"measured\", \"histogram\": 7, \"blocks\": []}]}");
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	assert_int_equal(run.slots[0].attachment, PL_ATTACH_UNKNOWN);
	assert_ptr_equal(run.measurements[0]->slot, &run.slots[0]);
	assert_int_equal(run.measurements[0]->probe, PL_PROBE_NVME);
	pl_run_fini(&run);
}

/* Negative, beyond thirty years, or no number: none of these is a latency. */
static void what_is_no_latency_is_not_believed(void **state)
{
	const char *path = file("am5", "z.json");
	const struct pl_measurement *m;
	struct pl_run run;

	(void)state;
	write_text(path,
		   "{\"schema\": \"pcielat.result\", \"schema_version\": \"1.0\","
		   "\"slots\": [{\"key\": \"k\"}], \"measurements\": [{\"slot\": \"k\","
		   "\"probe\": \"nvme\", \"outcome\": \"measured\", \"n\": 1,"
		   "\"blocks\": {\"planned\": 1, \"rows\": [[1, -5, 1e300, \"x\", 7, 8]]}}]}");
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	m = run.measurements[0];
	assert_int_equal(m->blocks_done, 1);
	assert_true(isnan(m->stored_blocks[0].p50_ns));
	assert_true(isnan(m->stored_blocks[0].mean_ns));
	assert_true(isnan(m->stored_blocks[0].p99_ns));
	assert_true(m->stored_blocks[0].max_ns == 7.0);
	assert_int_equal(m->stored_blocks[0].others, -1); /* written before they were counted */
	pl_run_fini(&run);
}

/* data/ keeps one file of every version that was ever written. */
static void every_version_ever_written_is_read(void **state)
{
	static const char *const versions[] = {"1.0"};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		char name[512];
		const char *path = name;
		struct pl_run run;

		snprintf(name, sizeof(name), "%s/report/data/result-%s.json", PL_TEST_DATA,
			 versions[i]);
		pl_run_init(&run);
		assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
		assert_string_equal(run.machine.board_name, "B650 Example");
		assert_string_equal(run.machine.hypervisor, "QEMU");
		assert_int_equal(run.slot_count, 2);
		assert_string_equal(run.slots[1].label, "M2B");
		assert_int_equal(run.slots[1].chipset_hops, 1);
		assert_int_equal(run.measurement_count, 2);
		assert_int_equal(run.measurements[0]->summary.n, 12000);
		assert_int_equal(run.measurements[0]->blocks_done, 12);
		assert_true(run.measurements[0]->stored_bin_count > 0);
		assert_int_equal(run.effect_count, 3);
		assert_string_equal(run.effects[0].reason, "firmware left ASPM off");
		pl_run_fini(&run);
	}
}

static void a_missing_file_is_a_sentence(void **state)
{
	const char *path = "/nonexistent/results.json";
	struct pl_run run;
	struct pl_err err = {0};

	(void)state;
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
	pl_run_fini(&run);
}

/* Samples that are gone or cut short leave the stored numbers. */
static void truncated_samples_are_not_believed(void **state)
{
	const char *path = file("am5", "results.json");
	struct pl_run run;

	(void)state;
	assert_int_equal(truncate(file("am5", "samples.bin"), 30000), 0);
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, &path, 1, NULL), 0);
	assert_non_null(run.measurements[0]->ticks);
	assert_null(run.measurements[26]->ticks);
	assert_int_equal(run.measurements[26]->summary.n, 12000);
	assert_non_null(run.measurements[26]->stored_blocks);
	pl_run_fini(&run);
}

static void files_of_several_boots_are_merged(void **state)
{
	const char *paths[3];
	struct pl_run run;
	size_t slots, series;

	(void)state;
	write_fixture(fx_am5, "b0", "boot-a");
	write_fixture(fx_am5, "b1", "boot-b");
	write_fixture(fx_am5, "b2", "boot-a");
	paths[0] = file("b0", "results.json");
	paths[1] = file("b1", "report.html");
	paths[2] = file("b2", "results.json");
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, paths, 1, NULL), 0);
	slots = run.slot_count;
	series = run.measurement_count;
	pl_run_fini(&run);
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, paths, 3, NULL), 0);
	assert_int_equal(run.slot_count, slots);
	assert_int_equal(run.measurement_count, 3 * series);
	assert_int_equal(run.boot_count, 2);
	assert_int_equal(run.measurements[0]->boot, 0);
	assert_int_equal(run.measurements[series]->boot, 1);
	assert_int_equal(run.measurements[2 * series]->boot, 0);
	assert_ptr_equal(run.measurements[0]->slot, run.measurements[series]->slot);
	assert_int_equal(run.effect_count, 0);
	pl_run_fini(&run);
}

/* Claims are made of block centres: a record without samples must give the same ones. */
static void centres_do_not_need_samples(void **state)
{
	const char *html = file("b1", "report.html");
	double with[64], without[64];
	struct pl_run before, after;

	(void)state;
	fx_am5(&before);
	pl_run_init(&after);
	assert_int_equal(pl_report_read(&after, &html, 1, NULL), 0);
	for (size_t i = 0; i < before.measurement_count; i++) {
		const struct pl_measurement *m = before.measurements[i];
		size_t found = pl_measurement_block_centres(m, with);

		assert_int_equal(pl_measurement_block_centres(after.measurements[i], without),
				 found);
		for (size_t b = 0; b < m->blocks_done; b++)
			assert_true(fabs(with[b] - without[b]) < 0.001);
	}
	pl_run_fini(&before);
	pl_run_fini(&after);
}

static void boards_are_not_merged(void **state)
{
	const char *paths[2] = {file("am5", "results.json"), file("intel", "results.json")};
	struct pl_run run;
	struct pl_err err = {0};

	(void)state;
	pl_run_init(&run);
	assert_int_equal(pl_report_read(&run, paths, 2, &err), -EXDEV);
	assert_non_null(strstr(err.text, "use compare for boards"));
	pl_run_fini(&run);
}

/* Any byte of a document may be wrong: reading never crashes and never believes nonsense. */
static void damaged_documents_do_no_harm(void **state)
{
	const char *path = file("nothing", "z.json"), *whole = file("nothing", "results.json");
	uint64_t x = t_seed() | 1;
	struct pl_run before;
	char *text;
	size_t size;

	(void)state;
	pl_run_init(&before);
	assert_int_equal(pl_report_read(&before, &whole, 1, NULL), 0);
	text = json_of(&before, "samples.bin");
	size = strlen(text);
	pl_run_fini(&before);
	for (unsigned i = 0; i < 300; i++) {
		struct pl_run run;
		size_t at;
		char kept;

		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		at = (size_t)(x >> 33) % size;
		kept = text[at];
		text[at] = "0\"{}[]-9a,n"[(x >> 20) % 11];
		write_text(path, text);
		pl_run_init(&run);
		(void)pl_report_read(&run, &path, 1, NULL);
		pl_run_fini(&run);
		text[at] = kept;
	}
	free(text);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_what_was_written),
		cmocka_unit_test(what_is_read_looks_the_same),
		cmocka_unit_test(hostile_text_survives_reading),
		cmocka_unit_test(what_is_not_ours_is_refused),
		cmocka_unit_test(a_page_with_a_plain_record_is_read),
		cmocka_unit_test(a_torn_page_is_refused),
		cmocka_unit_test(what_is_unpacked_is_bounded),
		cmocka_unit_test(a_later_minor_version_is_read),
		cmocka_unit_test(what_is_no_latency_is_not_believed),
		cmocka_unit_test(every_version_ever_written_is_read),
		cmocka_unit_test(a_missing_file_is_a_sentence),
		cmocka_unit_test(truncated_samples_are_not_believed),
		cmocka_unit_test(files_of_several_boots_are_merged),
		cmocka_unit_test(centres_do_not_need_samples),
		cmocka_unit_test(boards_are_not_merged),
		cmocka_unit_test(damaged_documents_do_no_harm),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
