#include "report/chart.h"
#include "report/html.h"
#include "report/notes.h"
#include "report/out.h"

/* What may be wrong with the numbers, what is missing, and what they were taken on. */

static void notes_table(struct pl_html *html, enum pl_str title, const struct pl_notes *notes)
{
	static const enum pl_str columns[] = {PL_STR_WHAT, PL_STR_REASON, PL_STR_REMEDY};

	pl_html(html, "<h3>$</h3>\n", pl_html_str(html, title));
	if (!notes->count) {
		pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_NONE));
		return;
	}
	pl_html_table(html, title, columns, 3);
	for (size_t i = 0; i < notes->count; i++)
		pl_html(html, "<tr><td>$</td><td>$</td><td>$</td></tr>\n", notes->items[i].what,
			notes->items[i].why, notes->items[i].remedy);
	pl_html_table_end(html);
}

static void warning_row(struct pl_html *html, const char *code, const char *subject,
			const char *message)
{
	pl_html(html, "<tr><td>$</td><td>$</td><td>$</td></tr>\n", code,
		pl_out_short(&html->arena, subject, NULL), message);
}

static bool has_warnings(const struct pl_run *run)
{
	size_t count = run->warning_count;

	for (size_t i = 0; i < run->slot_count; i++)
		count += run->slots[i].warning_count;
	for (size_t i = 0; i < run->measurement_count; i++)
		count += run->measurements[i]->warning_count;
	return count > 0;
}

static void warnings(struct pl_html *html)
{
	static const enum pl_str columns[] = {PL_STR_CODE, PL_STR_SUBJECT, PL_STR_MESSAGE};
	const struct pl_run *run = html->run;

	pl_html(html, "<h3>$</h3>\n", pl_html_str(html, PL_STR_WARNINGS));
	if (!has_warnings(run)) {
		pl_html(html, "<p>$</p>\n", pl_html_str(html, PL_STR_NONE));
		return;
	}
	pl_html_table(html, PL_STR_WARNINGS, columns, 3);
	for (size_t i = 0; i < run->warning_count; i++)
		warning_row(html, run->warnings[i].code, run->warnings[i].subject,
			    run->warnings[i].message);
	pl_html_table_end(html);
	pl_html_fold(html, PL_STR_WARNINGS_OF_SERIES);
	pl_html_table(html, PL_STR_WARNINGS_OF_SERIES, columns, 3);
	for (size_t i = 0; i < run->slot_count; i++)
		for (size_t k = 0; k < run->slots[i].warning_count; k++)
			warning_row(html, NULL, run->slots[i].label, run->slots[i].warnings[k]);
	for (size_t i = 0; i < run->measurement_count; i++)
		for (size_t k = 0; k < run->measurements[i]->warning_count; k++)
			warning_row(html, NULL, pl_series_title(&html->arena, run->measurements[i]),
				    run->measurements[i]->warnings[k]);
	pl_html_table_end(html);
	pl_html_fold_end(html);
}

void pl_html_quality(struct pl_html *html)
{
	struct pl_notes missing = {NULL, 0, 0}, unclaimed = {NULL, 0, 0};

	pl_html_section(html, "quality", PL_STR_QUALITY);
	pl_charts_blocks(html);
	pl_notes_not_measured(&html->arena, html->run, &missing);
	pl_notes_not_claimed(&html->arena, html->run, &unclaimed);
	notes_table(html, PL_STR_NOT_MEASURED, &missing);
	notes_table(html, PL_STR_NOT_CLAIMED, &unclaimed);
	warnings(html);
}

static const char *joined(struct pl_html *html, const char *a, const char *b, const char *c)
{
	return pl_arena_printf(&html->arena, "%s%s%s%s%s", a ? a : "", a && b ? " " : "",
			       b ? b : "", c ? " " : "", c ? c : "");
}

static const char *command_line(struct pl_html *html)
{
	const char *text = NULL;

	for (size_t i = 0; i < html->run->argc; i++)
		text = joined(html, text, html->run->argv[i], NULL);
	return text;
}

void pl_html_environment(struct pl_html *html)
{
	const struct pl_run *run = html->run;
	const struct pl_machine *m = &run->machine;
	const struct {
		enum pl_str name;
		const char *value;
	} facts[] = {
		{PL_STR_BOARD, joined(html, m->board_vendor, m->board_name, m->board_version)},
		{PL_STR_BIOS, joined(html, m->bios_vendor, m->bios_version, m->bios_date)},
		{PL_STR_CPU, joined(html, m->cpu, m->microcode, NULL)},
		{PL_STR_OS, m->os},
		{PL_STR_KERNEL, joined(html, m->kernel, m->architecture, NULL)},
		{PL_STR_KERNEL_CMDLINE, m->kernel_cmdline},
		{PL_STR_ASPM_POLICY, m->aspm_policy},
		{PL_STR_IOMMU, m->iommu},
		{PL_STR_GOVERNOR, m->governor},
		{PL_STR_LOCKDOWN, m->lockdown},
		{PL_STR_CLOCK, joined(html, run->clock.name, run->clock.reason, NULL)},
		{PL_STR_CSTATES, run->cstates},
		{PL_STR_DATE, joined(html, run->started_utc, run->finished_utc, NULL)},
		{PL_STR_COMMAND, command_line(html)},
		{PL_STR_TOOL, "pcielat " PL_VERSION},
	};

	pl_html_section(html, "environment", PL_STR_ENVIRONMENT);
	pl_html(html, "<dl>\n");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		pl_html(html, "<dt>$</dt><dd>$</dd>\n", pl_html_str(html, facts[i].name),
			facts[i].value && *facts[i].value ? facts[i].value
							  : pl_html_str(html, PL_STR_UNKNOWN));
	pl_html(html, "</dl>\n");
}
