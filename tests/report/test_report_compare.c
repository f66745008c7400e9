#include "tests/t.h"

#include <math.h>
#include <unistd.h>

#include "model/summary.h"
#include "report/report.h"
#include "tests/report/fixture.h"

static char *compare(const struct pl_run *base, const struct pl_run *other,
		     struct pl_compare_result *result)
{
	struct pl_compare_options options = {1.0, PL_LANG_EN};
	struct pl_text_style style = {false, true, 200};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_compare(base, &other, 1, &options, &style, out, result, NULL),
			 0);
	fclose(out);
	return text;
}

static void expect_equal(const struct pl_run *base, const struct pl_run *other)
{
	struct pl_compare_result result;
	char *text = compare(base, other, &result);

	assert_int_equal(result.differing, 0);
	assert_int_equal(result.exceeded, 0);
	assert_int_equal(result.undecided, 0);
	assert_null(strstr(text, "not in the"));
	assert_null(strstr(text, "several are alike"));
	assert_null(strstr(text, "not measured the same way"));
	free(text);
}

/* ---- a run with several functions, patterns and sizes in each slot ---- */

static struct pl_effect *claim(struct pl_run *run, enum pl_effect_kind kind, unsigned slot,
			       enum pl_probe probe, double ns)
{
	struct pl_effect *e = pl_run_add_effect(run);

	*e = run->effects[0];
	e->kind = kind;
	e->slot = e->reference_slot = &run->slots[slot];
	e->probe = probe;
	e->metric = probe == PL_PROBE_CONFIG ? "config_read" : "read_4k";
	e->state = "as_found";
	e->estimate_ns = ns;
	e->low_ns = ns - 10.0;
	e->high_ns = ns + 10.0;
	e->status = PL_CLAIM_RESOLVED;
	return e;
}

static struct pl_conditions *with_conditions(struct pl_run *run, struct pl_effect *e)
{
	struct pl_conditions *c = pl_arena_alloc(&run->arena, sizeof(*c));

	*c = (struct pl_conditions){.state = "as_found", .size_bytes = 4096, .queue_depth = 1};
	e->conditions = c;
	return c;
}

/* 1 µs apart, each told from the one before by one thing alone. */
static void add_claims(struct pl_run *run)
{
	static const struct {
		const char *pattern;
		uint32_t size_bytes;
		unsigned queue_depth;
		uint64_t gap_ns;
	} rows[] = {{"random", 4096, 1, 0},
		    {"same_lba", 4096, 1, 0},
		    {"same_lba", 512, 1, 0},
		    {"same_lba", 512, 4, 0},
		    {"same_lba", 512, 4, 1000}};

	for (unsigned i = 0; i < 5; i++) {
		struct pl_conditions *c =
			with_conditions(run, claim(run, PL_EFFECT_EXIT_IN_COMMAND, 3, PL_PROBE_NVME,
						   5000 + 1000 * i));

		c->pattern = rows[i].pattern;
		c->size_bytes = rows[i].size_bytes;
		c->queue_depth = rows[i].queue_depth;
		c->gap_ns = rows[i].gap_ns;
	}
	for (unsigned i = 0; i < run->slots[3].path_count; i++)
		claim(run, PL_EFFECT_EXIT, 3, PL_PROBE_CONFIG, 30000 + 1000 * i)->function =
			run->slots[3].path[i];
	claim(run, PL_EFFECT_HOP, 3, PL_PROBE_NVME, 900)->reference_slot = &run->slots[1];
	claim(run, PL_EFFECT_HOP, 3, PL_PROBE_NVME, 1900)->reference_slot = &run->slots[4];
	/* Nothing tells these two apart: a file of an earlier version. */
	claim(run, PL_EFFECT_EXIT_IN_COMMAND, 1, PL_PROBE_NVME, 2000);
	claim(run, PL_EFFECT_EXIT_IN_COMMAND, 1, PL_PROBE_NVME, 3000);
}

static void fx_many(struct pl_run *run)
{
	fx_am5(run);
	add_claims(run);
	fx_series(run, NULL, PL_PROBE_NVME, "read_4k", 30000, 12, 100)->subject = "a.bin";
	fx_series(run, NULL, PL_PROBE_NVME, "read_4k", 40000, 12, 100)->subject = "b.bin";
}

static void hostile_3(struct pl_run *run)
{
	fx_hostile_first = 3;
	fx_hostile(run);
	fx_hostile_first = 0;
}

static void read_back(struct pl_run *run, const char *dir)
{
	pl_run_init(run);
	assert_int_equal(pl_report_read(run, &dir, 1, NULL), 0);
}

/* In memory, and through a file. */
static void every_run_equals_itself(void **state)
{
	static void (*const fixtures[])(struct pl_run *) = {fx_am5,     fx_intel,  fx_nothing,
							    fx_hostile, hostile_3, fx_many};
	char dir[] = "/tmp/pl-compare-XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct pl_run a, b, c;

		fixtures[i](&a);
		fixtures[i](&b);
		expect_equal(&a, &b);
		assert_int_equal(pl_report_write_dir(&a, dir, NULL, NULL), 0);
		read_back(&c, dir);
		expect_equal(&c, &c);
		pl_run_fini(&a);
		pl_run_fini(&b);
		pl_run_fini(&c);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void swap(struct pl_effect *a, struct pl_effect *b)
{
	struct pl_effect kept = *a;

	*a = *b;
	*b = kept;
}

/* Claims are found by what they are of, wherever they stand. */
static void the_order_of_claims_does_not_matter(void **state)
{
	struct pl_run a, b;

	(void)state;
	fx_many(&a);
	fx_many(&b);
	/* The last two are told by their order alone. */
	for (size_t i = 0, end = b.effect_count - 3; i < end; i++, end--)
		swap(&b.effects[i], &b.effects[end]);
	expect_equal(&a, &b);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

/* One of them changed: that row alone differs. One is gone: it is said in both directions. */
static void one_claim_differs(void **state)
{
	struct pl_compare_result result;
	struct pl_run a, b;
	size_t last;
	char *text;

	(void)state;
	fx_many(&a);
	fx_many(&b);
	last = b.effect_count - 1;
	b.effects[last].estimate_ns += 500;
	b.effects[last].low_ns += 500;
	b.effects[last].high_ns += 500;
	text = compare(&a, &b, &result);
	assert_int_equal(result.differing, 1);
	assert_int_equal(result.exceeded, 1);
	free(text);
	b.effects[last - 2].status = PL_CLAIM_NOT_RESOLVED;
	b.effects[last] = b.effects[0];
	text = compare(&a, &b, &result);
	assert_int_equal(result.differing, 0);
	assert_non_null(strstr(text, "not in the new one"));
	assert_non_null(strstr(text, "several are alike"));
	free(text);
	text = compare(&b, &a, &result);
	assert_non_null(strstr(text, "not in the base"));
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

/* ---- series without a slot ---- */

static struct pl_measurement *file_run(struct pl_run *run, const char *subject, double ns)
{
	struct pl_measurement *m;

	pl_run_init(run);
	m = fx_series(run, NULL, PL_PROBE_NVME, "read_4k", ns, 12, 100);
	m->subject = subject;
	m->conditions.pattern = "random";
	return m;
}

static void files_are_compared_by_name(void **state)
{
	struct pl_compare_result result;
	struct pl_run a, b;
	struct pl_measurement *m;
	char *text;

	(void)state;
	file_run(&a, "f.bin", 30000);
	m = file_run(&b, "f.bin", 33000);
	expect_equal(&a, &a);
	text = compare(&a, &b, &result);
	assert_int_equal(result.exceeded, 1);
	assert_int_equal(result.undecided, 0);
	assert_non_null(strstr(text, "f.bin"));
	free(text);
	m->subject = "g.bin";
	text = compare(&a, &b, &result);
	assert_int_equal(result.undecided, 1);
	assert_string_equal(result.reason, "no slot, file or claim with numbers is in both");
	free(text);
	m->subject = "f.bin";
	m->conditions.pattern = "same_lba";
	text = compare(&a, &b, &result);
	assert_int_equal(result.undecided, 1);
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

/* Each condition by itself makes a series another one. */
static void another_condition_is_another_series(void **state)
{
	struct pl_run a, b;
	struct pl_conditions kept, *c;

	(void)state;
	file_run(&a, "f.bin", 30000);
	c = &file_run(&b, "f.bin", 30000)->conditions;
	kept = *c;
	for (unsigned i = 0; i < 10; i++) {
		struct pl_compare_result result;

		*c = kept;
		switch (i) {
		case 0:
			c->state = "off";
			break;
		case 1:
			c->gap_ns = 1000;
			break;
		case 2:
			c->size_bytes = 512;
			break;
		case 3:
			c->queue_depth = 8;
			break;
		case 4:
			c->pattern = "same_lba";
			break;
		case 5:
			c->apst = "off";
			break;
		case 6:
			c->prewake = "config";
			break;
		case 7:
			c->config_offset = 4;
			break;
		case 8:
			c->region_bytes = 4096;
			break;
		default:
			c->memory = "vram";
			break;
		}
		free(compare(&a, &b, &result));
		assert_int_equal(result.undecided, 1);
	}
	pl_run_fini(&a);
	pl_run_fini(&b);
}

/* ---- a row agrees with itself ---- */

/* One block far out: the median of all samples stays, the mean of the blocks does not. */
static void new_minus_base_is_the_difference(void **state)
{
	struct pl_compare_result result;
	struct pl_run a, b;
	struct pl_measurement *m;
	double base, other, difference;
	char *text;
	const char *row;

	(void)state;
	file_run(&a, "f.bin", 4300);
	m = file_run(&b, "f.bin", 4400);
	for (size_t i = 0; i < m->samples_per_block; i++)
		m->ticks[i] += (uint64_t)(3000 / m->ns_per_tick);
	pl_measurement_summarise(m);
	text = compare(&a, &b, &result);
	row = strstr(text, "read_4k");
	assert_non_null(row);
	assert_int_equal(sscanf(row, "read_4k %lf ns %lf ns %lf", &base, &other, &difference), 3);
	assert_true(difference > 200.0);
	assert_true(fabs(other - base - difference) <= 1.5);
	assert_non_null(strstr(text, "means of its block medians"));
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_equals_itself),
		cmocka_unit_test(the_order_of_claims_does_not_matter),
		cmocka_unit_test(one_claim_differs),
		cmocka_unit_test(files_are_compared_by_name),
		cmocka_unit_test(another_condition_is_another_series),
		cmocka_unit_test(new_minus_base_is_the_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
