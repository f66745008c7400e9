#include "tests/t.h"

#include <math.h>

#include "model/summary.h"
#include "report/phrases.h"
#include "report/report.h"
#include "report/sentence.h"
#include "report/strings.h"
#include "tests/report/fixture.h"

static char *document(const struct pl_run *run,
		      int (*write)(const struct pl_run *, FILE *, struct pl_err *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write(run, out, NULL), 0);
	fclose(out);
	return text;
}

static void every_string_has_every_language(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PL_STR_COUNT; i++) {
		assert_true(*pl_str(PL_LANG_EN, i));
		assert_true(*pl_str(PL_LANG_ZH_CN, i));
		assert_null(strchr(pl_str(PL_LANG_EN, i), '$'));
	}
}

/* The effect of a kind with made-up numbers on the AM5 board. */
static struct pl_effect effect(const struct pl_run *run, enum pl_effect_kind kind)
{
	return (struct pl_effect){.kind = kind,
				  .slot = &run->slots[2],
				  .reference_slot = &run->slots[0],
				  .function = run->slots[2].path[1],
				  .reference_function = run->slots[2].path[0],
				  .probe = PL_PROBE_GPU,
				  .state = "l1",
				  .estimate_ns = 569.7,
				  .low_ns = 560.6,
				  .high_ns = 578.8,
				  .detection_limit_ns = 12.0,
				  .n = 12,
				  .unit_of_n = "blocks",
				  .reference_class = PL_REF_SAME_UNIT,
				  .status = PL_CLAIM_RESOLVED};
}

static void sentences_are_complete_in_both_languages(void **state)
{
	static const enum pl_claim_status statuses[] = {PL_CLAIM_RESOLVED, PL_CLAIM_NOT_RESOLVED,
							PL_CLAIM_NOT_MADE};
	struct pl_arena arena = {NULL};
	struct pl_run run;

	(void)state;
	fx_am5(&run);
	for (unsigned kind = 0; kind <= PL_EFFECT_LAST; kind++)
		for (unsigned s = 0; s < 3; s++)
			for (unsigned lang = 0; lang < 2; lang++) {
				struct pl_effect e = effect(&run, kind);
				const char *text;

				e.status = statuses[s];
				e.reason = "firmware left ASPM off";
				text = pl_sentence(&arena, &run, &e, lang);
				assert_true(strlen(text) > 20);
				assert_null(strpbrk(text, "{}"));
				assert_null(strstr(text, "n/a"));
				assert_null(strstr(text, "nan"));
				assert_true((strstr(text, "。") != NULL) == (lang == 1));
			}
	pl_run_fini(&run);
	pl_arena_fini(&arena);
}

static void the_sentence_of_the_chipset(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_run run;
	struct pl_effect e;

	(void)state;
	fx_am5(&run);
	e = effect(&run, PL_EFFECT_HOP);
	assert_string_equal(
		pl_sentence(&arena, &run, &e, PL_LANG_EN),
		"The path of PCIEX16_2 (chipset PROM21, 1228 ns) adds 570 ± 9 ns (95 % CI) to "
		"a GPU read of host memory against PCIEX16_1 (CPU, 659 ns; same device).");
	e.sentence = "The attribution's own words.";
	assert_string_equal(pl_sentence(&arena, &run, &e, PL_LANG_EN),
			    "The attribution's own words.");
	assert_non_null(strstr(pl_sentence(&arena, &run, &e, PL_LANG_ZH_CN), "570 ± 9 ns"));
	e.status = PL_CLAIM_NOT_MADE;
	e.reason = "different drives: not attributable";
	assert_non_null(strstr(pl_sentence(&arena, &run, &e, PL_LANG_ZH_CN), "无法归因"));
	e.reason = "not resolved: would have seen 40 ns or more";
	assert_non_null(
		strstr(pl_sentence(&arena, &run, &e, PL_LANG_ZH_CN), "40 ns 以上本可被检出"));
	e.reason = "not measured: Permission denied";
	assert_non_null(
		strstr(pl_sentence(&arena, &run, &e, PL_LANG_ZH_CN), "未测量：Permission denied"));
	pl_run_fini(&run);
	pl_arena_fini(&arena);
}

/* What stands behind the claim is not lost in translation. */
static void notes_are_translated_one_by_one(void **state)
{
	struct pl_arena arena = {NULL};
	const char *text = "The chipset adds 570 ns. DMI has no readable registers: its state is "
			   "not known. Up to 12 ns of it is the narrower or slower link carrying "
			   "the data. Something new.";

	(void)state;
	assert_string_equal(pl_phrase_notes(&arena, text, PL_LANG_ZH_CN),
			    "DMI 没有可读的寄存器：其状态未知。其中至多 12 ns "
			    "来自更窄或更慢的链路传输数据。Something new.");
	assert_string_equal(pl_phrase_notes(&arena, "One sentence.", PL_LANG_ZH_CN), "");
	assert_string_equal(pl_phrase_notes(&arena, NULL, PL_LANG_ZH_CN), "");
	assert_string_equal(
		pl_phrase(&arena, "ASPM × APST: not measured: 56.3 ± 0.7 µs.", PL_LANG_ZH_CN),
		"ASPM × APST：未测量：56.3 ± 0.7 µs。");
	assert_string_equal(pl_phrase_sentences(&arena, text, PL_LANG_EN), text);
	assert_string_equal(pl_phrase_sentences(&arena,
						"Something new. PS3 is odd. The link has "
						"no L1.2.",
						PL_LANG_ZH_CN),
			    "Something new. PS3 is odd. 链路没有 L1.2。");
	assert_string_equal(pl_phrase(&arena, "up to Gen4 x4", PL_LANG_ZH_CN), "最高 Gen4 x4");
	assert_string_equal(pl_phrase(&arena, "up to ", PL_LANG_ZH_CN), "up to ");
	assert_string_equal(pl_phrase(&arena, "within", PL_LANG_EN), "within");
	assert_null(pl_phrase(&arena, NULL, PL_LANG_ZH_CN));
	pl_arena_fini(&arena);
}

/* A text of somebody else that fits a phrase again and again: it is not ours, and ends no stack. */
static void an_endless_text_is_left_alone(void **state)
{
	static char text[1 << 20];
	struct pl_arena arena = {NULL};

	(void)state;
	for (size_t i = 0; i + 10 < sizeof(text); i += 10)
		snprintf(text + i, sizeof(text) - i, "cache: a; ");
	assert_ptr_equal(pl_phrase(&arena, text, PL_LANG_ZH_CN), text);
	text[29] = '\0';
	assert_string_equal(pl_phrase(&arena, text, PL_LANG_ZH_CN), "缓存：a；缓存：a；缓存：a;");
	pl_arena_fini(&arena);
}

/* However many sentences there are, none is lost. */
static void a_long_text_is_whole(void **state)
{
	struct pl_arena arena = {NULL};
	const char *text = "", *said;
	size_t length;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		text = pl_arena_printf(&arena, "%sIt comes in two steps. ", text);
	said = pl_phrase_sentences(&arena, pl_arena_printf(&arena, "%sThe end.", text),
				   PL_LANG_ZH_CN);
	length = strlen(said);
	assert_int_equal(strncmp(said, "分两级出现。", strlen("分两级出现。")), 0);
	assert_string_equal(said + length - strlen(" The end."), " The end.");
	pl_arena_fini(&arena);
}

/* name{a="b",…} number: the form that collectors parse; returns NULL or the line that is not. */
static const char *bad_metric(char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *c = line;
		bool quoted = false;

		if (*line == '#')
			continue;
		for (; *c && (quoted || *c != '}'); c++) {
			if (quoted && *c == '\\')
				c++;
			else if (*c == '"')
				quoted = !quoted;
		}
		if (strncmp(line, "pcielat_", 8) || *c != '}' || c[1] != ' ' ||
		    strspn(c + 2, "0123456789-e") != strlen(c + 2))
			return line;
	}
	return NULL;
}

static void openmetrics_parse(void **state)
{
	void (*const fixtures[])(struct pl_run *) = {fx_am5, fx_nothing, fx_hostile, fx_empty};
	struct pl_run run;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		fixtures[i](&run);
		text = document(&run, pl_report_write_openmetrics);
		assert_string_equal(text + strlen(text) - 6, "# EOF\n");
		assert_null(bad_metric(text));
		free(text);
		pl_run_fini(&run);
	}
}

static const char *repeated_metric(char *text)
{
	char *lines[512];
	size_t count = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *end = strrchr(line, '}');

		if (*line == '#' || !end)
			continue;
		end[1] = '\0';
		for (size_t i = 0; i < count; i++)
			if (!strcmp(lines[i], line))
				return line;
		assert_true(count < 512);
		lines[count++] = line;
	}
	return NULL;
}

/* Slots with one label, claims that nothing tells apart: a collector refuses a repeated set. */
static void no_label_set_occurs_twice(void **state)
{
	void (*const fixtures[])(struct pl_run *) = {fx_am5, fx_intel, fx_nothing, fx_hostile,
						     fx_empty};
	struct pl_run run;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		fixtures[i](&run);
		if (run.effect_count) {
			*pl_run_add_effect(&run) = run.effects[0];
			run.slots[1].label = run.slots[0].label;
		}
		text = document(&run, pl_report_write_openmetrics);
		assert_null(repeated_metric(text));
		free(text);
		pl_run_fini(&run);
	}
}

static void openmetrics_are_seconds(void **state)
{
	struct pl_run run;
	char *text;

	(void)state;
	fx_am5(&run);
	text = document(&run, pl_report_write_openmetrics);
	assert_non_null(
		strstr(text, "slot=\"M2_3\",attachment=\"chipset\",device=\"Example SSD "
			     "1TB\",probe=\"nvme\",metric=\"read_4k\",nth=\"1\"} 53864750e-12\n"));
	assert_non_null(strstr(text, "effect=\"hop\",slot=\"PCIEX16_2\",reference=\"PCIEX16_1\""));
	assert_non_null(strstr(text, "} 569700e-12\n"));
	free(text);
	pl_run_fini(&run);
}

/* ---- compare ---- */

static char *compared(const struct pl_run *base, const struct pl_run *other, double limit_ns,
		      size_t *exceeded)
{
	struct pl_compare_options options = {limit_ns, PL_LANG_EN};
	struct pl_text_style style = {false, true, 100};
	struct pl_compare_result result;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_compare(base, &other, 1, &options, &style, out, &result, NULL),
			 0);
	fclose(out);
	*exceeded = result.exceeded;
	return text;
}

/* Every sample of the drive in M2_1 becomes 100 ns slower. */
static void slow_down(struct pl_run *run, double ns)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		if (m->probe != PL_PROBE_NVME || m->slot != &run->slots[1])
			continue;
		for (size_t k = 0; k < m->n; k++)
			m->ticks[k] += (uint64_t)(ns / m->ns_per_tick);
		pl_measurement_summarise(m);
	}
}

static void a_run_equals_itself(void **state)
{
	struct pl_run a, b;
	size_t exceeded;
	char *text;

	(void)state;
	fx_am5(&a);
	fx_am5(&b);
	text = compared(&a, &b, 0.0, &exceeded);
	assert_int_equal(exceeded, 0);
	assert_non_null(strstr(text, "no difference"));
	assert_null(strstr(text, "slower"));
	assert_non_null(strstr(text, "published"));
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

static void a_slower_drive_exceeds_the_limit(void **state)
{
	struct pl_run a, b;
	size_t exceeded;
	char *text;

	(void)state;
	fx_am5(&a);
	fx_am5(&b);
	slow_down(&b, 100.0);
	text = compared(&a, &b, 25.0, &exceeded);
	assert_int_equal(exceeded, 1);
	assert_non_null(strstr(text, "over the limit"));
	free(text);
	text = compared(&a, &b, 150.0, &exceeded);
	assert_int_equal(exceeded, 0);
	assert_non_null(strstr(text, "slower"));
	free(text);
	text = compared(&b, &a, 25.0, &exceeded);
	assert_int_equal(exceeded, 0);
	assert_non_null(strstr(text, "faster"));
	free(text);
	text = compared(&a, &b, (double)NAN, &exceeded);
	assert_int_equal(exceeded, 0);
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

static void different_ways_are_not_compared(void **state)
{
	struct pl_run a, b;
	size_t exceeded;
	char *text;

	(void)state;
	fx_am5(&a);
	fx_am5(&b);
	slow_down(&b, 100.0);
	b.measurements[25]->conditions.path = "pread";
	text = compared(&a, &b, 25.0, &exceeded);
	assert_int_equal(exceeded, 0);
	assert_non_null(strstr(text, "different software paths"));
	free(text);
	pl_run_fini(&a);
	pl_run_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_string_has_every_language),
		cmocka_unit_test(sentences_are_complete_in_both_languages),
		cmocka_unit_test(the_sentence_of_the_chipset),
		cmocka_unit_test(notes_are_translated_one_by_one),
		cmocka_unit_test(an_endless_text_is_left_alone),
		cmocka_unit_test(a_long_text_is_whole),
		cmocka_unit_test(openmetrics_parse),
		cmocka_unit_test(no_label_set_occurs_twice),
		cmocka_unit_test(openmetrics_are_seconds),
		cmocka_unit_test(a_run_equals_itself),
		cmocka_unit_test(a_slower_drive_exceeds_the_limit),
		cmocka_unit_test(different_ways_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
