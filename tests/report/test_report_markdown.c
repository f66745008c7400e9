#include "tests/t.h"

#include "report/drive.h"
#include "report/report.h"
#include "tests/report/fixture.h"

/*
 * A run as Markdown; of its drives the tables of the terminal, whole and in its order.
 */

static char *written_in(enum pl_lang lang, const struct pl_run *run)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(pl_report_write_markdown(run, lang, out, NULL), 0);
	fclose(out);
	return text;
}

static char *written(const struct pl_run *run)
{
	return written_in(PL_LANG_EN, run);
}

static void markdown_is_a_table_and_a_verdict(void **state)
{
	struct pl_run run;
	char *text;

	(void)state;
	fx_am5(&run);
	text = written(&run);
	assert_non_null(strstr(text, "| Board | Example X670E Example |\n"));
	assert_non_null(strstr(text, "| M2_3 | chipset x2 PROM21 | Gen4 x4 | 1983 ns | – | 53.9 "));
	assert_non_null(strstr(text, "\n* The chipset adds 570 ns ± 9 ns (95 % CI)"));
	free(text);
	pl_run_fini(&run);
	fx_nothing(&run);
	text = written(&run);
	assert_int_equal(strncmp(text, "**VIRTUAL MACHINE (QEMU)**\n", 27), 0);
	assert_non_null(strstr(text, "firmware left ASPM off"));
	free(text);
	pl_run_fini(&run);
}

static void markdown_of_hostile_text_has_no_markup(void **state)
{
	struct pl_run run;
	char *text;

	(void)state;
	fx_hostile(&run);
	text = written(&run);
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "<img"));
	for (const char *c = text; (c = strstr(c, "](")) != NULL; c++)
		assert_int_equal(c[-1], '\\');
	assert_null(strstr(text, "\033"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		for (const char *c = line; *line == '|' && (c = strchr(c, '|')); c++)
			assert_true(c == line || c[-1] == ' ' || c[-1] == '\\');
	free(text);
	pl_run_fini(&run);
}

/* What a reader of the rendered text sees: without backslashes, with the three characters. */
static char *rendered(char *text)
{
	static const struct {
		const char *entity;
		char c;
	} entities[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&#58;", ':'}, {"&#46;", '.'}};
	char *to = text;

	for (const char *from = text; *from;) {
		size_t i = 0;

		while (i < 5 && strncmp(from, entities[i].entity, strlen(entities[i].entity)) != 0)
			i++;
		if (i < 5) {
			*to++ = entities[i].c;
			from += strlen(entities[i].entity);
			continue;
		}
		from += *from == '\\';
		*to++ = *from++;
	}
	*to = '\0';
	return text;
}

/* The text behind words, which must come next or later. */
static const char *after(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	if (!at)
		fail_msg("missing: %s\nin:\n%s", words, text);
	return at + strlen(words);
}

static const char *line_of(struct pl_arena *arena, const struct pl_drive_table *table, size_t row)
{
	const char *line = "";

	for (size_t i = 0; i < table->column_count; i++) {
		const char *cell = table->rows[row][i];

		line = pl_arena_printf(arena, "%s| %s ", line, cell ? cell : "–");
	}
	return pl_arena_printf(arena, "%s|\n", line);
}

/* From the line of heads on; every line follows the one before at once. */
static const char *check_table(struct pl_arena *arena, const struct pl_drive_table *table,
			       const char *at)
{
	for (size_t i = 0; i < table->column_count; i++)
		at = after(at, pl_str(PL_LANG_EN, table->heads[i]));
	at = after(at, " |\n| --- |");
	at = strchr(at, '\n') + 1;
	for (size_t i = 0; i < table->row_count; i++) {
		const char *line = line_of(arena, table, i);

		if (strncmp(at, line, strlen(line)) != 0)
			fail_msg("not %sbut:\n%s", line, at);
		at += strlen(line);
	}
	assert_int_equal(*at, '\n');
	return table->note ? after(at, table->note) : at;
}

/* Every burst once more after another gap: each adds a sentence to the note of its table. */
static void add_bursts(struct pl_run *run, uint64_t gap_ns)
{
	size_t count = run->measurement_count;

	for (size_t i = 0; i < count; i++) {
		struct pl_measurement *m;
		unsigned id;

		if (!run->measurements[i]->conditions.burst)
			continue;
		m = pl_run_add_measurement(run);
		id = m->id;
		*m = *run->measurements[i];
		m->id = id;
		m->conditions.gap_ns = gap_ns;
	}
}

/* A note of many sentences is a paragraph, not a cell: nothing of it is cut. */
static void a_long_note_is_whole(void **state)
{
	struct pl_run run;
	char *text;

	(void)state;
	fx_am5(&run);
	add_bursts(&run, 4000000);
	add_bursts(&run, 8000000);
	text = written(&run);
	after(text, "\nAfter the idle time, spun, ");
	after(text, "as_found, 2.00 ms, 192 bursts");
	after(text, "as_found, 4.00 ms, 192 bursts");
	after(text, "as_found, 8.00 ms, 192 bursts");
	after(text, "the first begins after 100 ms.\n");
	free(text);
	pl_run_fini(&run);
}

static void every_cell_of_every_table_is_there(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_run run;
	const struct pl_drive_table *tables;
	size_t count;
	char *text;
	const char *at;

	(void)state;
	fx_am5(&run);
	text = rendered(written(&run));
	tables = pl_drive_tables(&arena, &run, &run.drives[0], PL_LANG_EN, &count);
	assert_int_equal(count, 6);
	at = after(text, "\n### M2_1: Example SSD 1TB, firmware 4B2QEXM7\n");
	for (size_t i = 0; i < count; i++) {
		at = after(at, "\n#### ");
		at = after(at, pl_str(PL_LANG_EN, tables[i].title));
		at = check_table(&arena, &tables[i], at);
	}
	assert_null(strstr(at, "\n#### "));
	free(text);
	pl_arena_fini(&arena);
	pl_run_fini(&run);
}

/* Read from above to below, as in the terminal; a number of the fixture from each table. */
static void the_order_is_that_of_the_terminal(void **state)
{
	static const char *const lines[] = {
		"\n| M2_3 | chipset x2 PROM21 | Gen4 x4 | 1983 ns |",
		"\n### M2_1: Example SSD 1TB, firmware 4B2QEXM7",
		"\n| State | Power | Kind | Entry | Exit | Goes on to | Measured exit |\n"
		"| --- | ---: | --- | ---: | ---: | --- | --- |",
		"\n| PS3 | 0.045 W | sleeps | 2.00 ms | 1.20 ms | PS4 after 2.00 s | +1.1",
		"\n| PS4 | 0.005 W | sleeps | 15.0 ms | 9.50 ms | – | not measured |",
		"\n| L1.2 | yes | no | – |",
		"\n| Clock PM (CLKREQ\\#) | no | no | – |",
		"\n| link | BAR read | 644 ns | – | 2400 | – |",
		"\n| controller | 4 KiB, no media | ",
		"\n| 4K random | as_found | 32 | 86.2 µs |",
		"\n| 128K seq. | as_found | 32 | 703 µs |",
		"\n| as_found | 2.00 ms | 1st | 40.07",
		"\n| – | – | steady | 9.070 ± ",
		"± and &lt; are 95 %",
		"\n| io_uring-iopoll | 46.3 µs | 47.2 µs | 12000 | 64 reads, 0 interrupts of nvme0 "
		"|",
		"\n| passthru-iopoll | – | – | 0 | /dev/ng0n1 may be opened by root only |",
		"\n### Verdict\n\n* The chipset adds",
		"\n### For scale: ",
		"\n### Not measured or not claimed\n\n* M2_1 exit: ",
	};
	struct pl_run run;
	char *text;
	const char *at;

	(void)state;
	fx_am5(&run);
	at = text = written(&run);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		at = after(at, lines[i]);
	free(text);
	pl_run_fini(&run);
}

/* A drive that was only read from has no tables, here as in the terminal. */
static void a_drive_that_was_not_looked_into_has_none(void **state)
{
	struct pl_run run;
	char *text;

	(void)state;
	fx_am5(&run);
	for (size_t i = 0; i < run.measurement_count; i++)
		if (!strcmp(run.measurements[i]->metric, "read_4k_fast_lba"))
			run.measurements[i]->metric = "something_else";
	text = written(&run);
	assert_null(strstr(text, "firmware 4B2QEXM7"));
	assert_null(strstr(text, "####"));
	free(text);
	pl_run_fini(&run);
}

/* Bars that are no border of a cell have a backslash. */
static size_t borders(const char *line)
{
	size_t count = 0;

	for (const char *c = line; *c && *c != '\n'; c++)
		if (*c == '\\' && c[1])
			c++;
		else
			count += *c == '|';
	return count;
}

static void check_borders(char *text, size_t drives)
{
	size_t want = 0, titles = 0;

	for (char *line; (line = strsep(&text, "\n")) != NULL;) {
		titles += !strncmp(line, "### ", 4) && strstr(line, ", firmware ");
		if (*line != '|') {
			want = 0;
			continue;
		}
		want = want ? want : borders(line);
		if (borders(line) != want)
			fail_msg("%zu cells, not %zu: %s", borders(line), want, line);
	}
	assert_int_equal(titles, drives);
}

/* Whatever a drive calls itself, its tables stay tables. */
static void hostile_text_stays_in_its_cell(void **state)
{
	(void)state;
	for (unsigned first = 0; first < fx_hostile_count; first++) {
		struct pl_run run;
		char *text;

		fx_hostile_first = first;
		fx_hostile(&run);
		fx_series(&run, &run.slots[1], PL_PROBE_NVME, "read_4k_fast_lba", 9000, 12, 100);
		run.measurements[run.measurement_count - 1]->conditions.pattern = "fast_lba";
		text = written(&run);
		assert_null(strstr(text, "<script"));
		assert_null(strstr(text, "<img"));
		for (const char *c = text; (c = strstr(c, "](")) != NULL; c++)
			assert_int_equal(c[-1], '\\');
		assert_null(strstr(text, "://"));
		check_borders(text, 1);
		free(text);
		pl_run_fini(&run);
	}
	fx_hostile_first = 0;
}

/* Heads, titles, claims and the reasons that there are words for. */
static void markdown_is_in_the_language_that_was_asked_for(void **state)
{
	static const char *const lines[] = {
		"| 测试平台 | |\n",
		"\n| 主板 | Example X670E Example |\n",
		"\n| 插槽 | 路径 | 链路 | ",
		"\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
		"\n| M2_3 | 2 × PROM21 | Gen4 x4 | 1983 ns |",
		"\n| PS0（当前） | 8.5 W | 工作 | ",
		"\n自主电源状态转换已开启。",
		"\n#### 从链路到介质\n\n| 层级 | 访问 | 中位数 | 增量 | n | 备注 |\n",
		"\n### 结论\n\n* ",
		"。\n",
		"\n### 供参照",
		"\n| 本机 | ",
		"\n### 未测量或未作结论\n\n* M2_1 exit: 固件关闭了 ASPM\n",
	};
	struct pl_run run;
	char *text;
	const char *at;

	(void)state;
	fx_am5(&run);
	run.effects[2].reason = "firmware left ASPM off";
	at = text = written_in(PL_LANG_ZH_CN, &run);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		at = after(at, lines[i]);
	assert_null(strstr(text, "### Verdict"));
	free(text);
	pl_run_fini(&run);
}

/* Both are said where the table of the terminal and the page say them, and only when they hold. */
static void a_partial_run_and_its_warnings_are_said(void **state)
{
	struct pl_run run;
	char *text;
	const char *at;

	(void)state;
	fx_am5(&run);
	run.warning_count = 0;
	text = written(&run);
	assert_null(strstr(text, "Partial"));
	assert_null(strstr(text, "### Warnings"));
	free(text);
	run.is_complete = false;
	pl_run_warn(&run, "W-LINK", "warning", "M2_1", "trained at 8 GT/s");
	pl_run_warn(&run, "W-SAVE", "warning", NULL, "not saved: %s", "no space");
	pl_run_warn(&run, "W-LINK", "warning", "M2_3", "trained at 8 GT/s");
	text = written(&run);
	at = after(text, "**Partial: the run was interrupted before its end.**\n\n| Test system |");
	assert_int_equal(strncmp(text, "**Partial", 9), 0);
	at = after(at, "\n### Not measured or not claimed\n");
	at = after(at, "\n### Warnings\n\n* W-LINK M2_1, M2_3: trained at 8 GT/s\n"
		       "* W-SAVE: not saved: no space\n");
	assert_int_equal(*at, '\0');
	free(text);
	run.warnings[1].message = "firmware left ASPM off";
	text = written_in(PL_LANG_ZH_CN, &run);
	assert_int_equal(strncmp(text, "**不完整：测量在结束前被中断。**\n\n", 48), 0);
	after(text, "\n### 警告\n\n* W-LINK M2_1, M2_3: trained at 8 GT/s\n"
		    "* W-SAVE: 固件关闭了 ASPM\n");
	free(text);
	pl_run_fini(&run);
}

/* What GFM makes links of by itself, and what begins a list inside the entry of a list. */
static void no_text_becomes_a_link_or_a_list(void **state)
{
	static const char *const begins[] = {"1. Slot", "23) Slot", "+ Slot", "- Slot",
					     "   4. Slot"};
	static const char *const escaped[] = {"1\\. Slot", "23\\) Slot", "\\+ Slot", "\\- Slot",
					      "4\\. Slot"};
	struct pl_run run;
	char *text;
	const char *at;

	(void)state;
	fx_am5(&run);
	run.warning_count = 0;
	run.machine.board_name = "www.a.invalid WWW.b.invalid http://example.invalid v1.2: /x";
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		pl_run_skip(&run, begins[i], pl_arena_printf(&run.arena, "why %zu", i), NULL);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		pl_run_warn(&run, begins[i], "warning", NULL, "message");
	at = text = written(&run);
	at = after(at,
		   " www&#46;a.invalid WWW&#46;b.invalid http&#58;//example.invalid v1.2: /x |");
	for (size_t i = 0; i < 2 * sizeof(escaped) / sizeof(escaped[0]); i++) {
		at = after(at, "\n* ");
		while (strncmp(at, escaped[i % 5], strlen(escaped[i % 5])) != 0)
			at = after(at, "\n* ");
	}
	after(rendered(text), "www.a.invalid WWW.b.invalid http://example.invalid v1.2: /x |");
	free(text);
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markdown_is_a_table_and_a_verdict),
		cmocka_unit_test(markdown_of_hostile_text_has_no_markup),
		cmocka_unit_test(every_cell_of_every_table_is_there),
		cmocka_unit_test(a_long_note_is_whole),
		cmocka_unit_test(the_order_is_that_of_the_terminal),
		cmocka_unit_test(a_drive_that_was_not_looked_into_has_none),
		cmocka_unit_test(markdown_is_in_the_language_that_was_asked_for),
		cmocka_unit_test(hostile_text_stays_in_its_cell),
		cmocka_unit_test(no_text_becomes_a_link_or_a_list),
		cmocka_unit_test(a_partial_run_and_its_warnings_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
