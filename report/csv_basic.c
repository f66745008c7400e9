#include "report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/out.h"

static void separate(struct pl_csv *csv)
{
	if (csv->column++)
		fputc(',', csv->out);
}

void pl_csv_text(struct pl_csv *csv, const char *text)
{
	const char *clean = text ? pl_out_clean(csv->arena, text) : "";
	bool is_formula = *clean && strchr("=+-@\t\r", *clean);
	bool is_quoted = strpbrk(clean, "\",\n\r") != NULL;

	separate(csv);
	if (is_quoted)
		fputc('"', csv->out);
	if (is_formula)
		fputc('\'', csv->out);
	for (; *clean; clean++) {
		if (*clean == '"')
			fputc('"', csv->out);
		fputc(*clean, csv->out);
	}
	if (is_quoted)
		fputc('"', csv->out);
}

/*
 * Not printf("%f"): its decimal point follows the locale of the process. Thousandths of ns as an
 * integer are exact up to 2^53 / 1000 ns (104 days).
 */
void pl_csv_ns(struct pl_csv *csv, double ns)
{
	long long thousandths;

	separate(csv);
	if (!isfinite(ns) || fabs(ns) > 9e15)
		return;
	thousandths = llround(ns * 1e3);
	fprintf(csv->out, "%s%lld.%03lld", thousandths < 0 ? "-" : "", llabs(thousandths) / 1000,
		llabs(thousandths) % 1000);
}

void pl_csv_u64(struct pl_csv *csv, uint64_t value)
{
	separate(csv);
	fprintf(csv->out, "%" PRIu64, value);
}

void pl_csv_positive(struct pl_csv *csv, uint64_t value)
{
	if (value)
		pl_csv_u64(csv, value);
	else
		separate(csv);
}

void pl_csv_bool(struct pl_csv *csv, int value)
{
	separate(csv);
	if (value >= 0)
		fputs(value ? "true" : "false", csv->out);
}

void pl_csv_end(struct pl_csv *csv)
{
	fputc('\n', csv->out);
	csv->column = 0;
}
