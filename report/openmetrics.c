#include <math.h>
#include <stddef.h>

#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"

/*
 * OpenMetrics text (the collector of node_exporter reads it from a file): seconds, one gauge per
 * statistic, headline series only, so that the number of time series stays small.
 */

static void label(FILE *out, struct pl_arena *arena, const char *name, const char *value)
{
	const char *text = pl_out_short(arena, value, "");

	fprintf(out, "%s=\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Whole picoseconds with an exponent: independent of the locale, no digit lost. */
static void seconds(FILE *out, double ns)
{
	fprintf(out, " %llde-12\n", llround(ns * 1e3));
}

static void family(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP pcielat_%s_seconds %s\n# TYPE pcielat_%s_seconds gauge\n", name, help,
		name);
}

static void series_labels(FILE *out, struct pl_arena *arena, const struct pl_run *run,
			  const struct pl_row *row, const struct pl_measurement *m)
{
	label(out, arena, "board", run->machine.board_name);
	fputc(',', out);
	label(out, arena, "bios", run->machine.bios_version);
	fputc(',', out);
	label(out, arena, "slot", row->slot->label ? row->slot->label : row->slot->key);
	fputc(',', out);
	label(out, arena, "attachment", pl_attachment_name(row->slot->attachment));
	fputc(',', out);
	label(out, arena, "device", pl_row_device(arena, row->slot));
	fputc(',', out);
	label(out, arena, "probe", pl_probe_name(m->probe));
	fputc(',', out);
	label(out, arena, "metric", m->metric);
}

static void latency(FILE *out, struct pl_arena *arena, const struct pl_run *run, const char *name,
		    size_t offset)
{
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_row row;
		const struct pl_measurement *columns[4];

		pl_row_fill(run, &run->slots[i], &row);
		columns[0] = row.config;
		columns[1] = row.bar;
		columns[2] = row.nvme;
		columns[3] = row.gpu;
		for (size_t k = 0; k < 4; k++) {
			const char *summary =
				columns[k] ? (const char *)&columns[k]->summary : NULL;
			double ns = summary ? *(const double *)(const void *)(summary + offset)
					    : (double)NAN;

			if (!pl_series_has_numbers(columns[k]) || !isfinite(ns))
				continue;
			fprintf(out, "pcielat_%s_seconds{", name);
			series_labels(out, arena, run, &row, columns[k]);
			fputc('}', out);
			seconds(out, ns);
		}
	}
}

static void claims(FILE *out, struct pl_arena *arena, const struct pl_run *run, const char *name,
		   size_t offset)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];
		double ns = *(const double *)(const void *)((const char *)e + offset);

		if (e->status != PL_CLAIM_RESOLVED || !e->slot || !isfinite(ns) ||
		    e->kind == PL_EFFECT_CONFIG_STEP)
			continue;
		fprintf(out, "pcielat_%s_seconds{", name);
		label(out, arena, "board", run->machine.board_name);
		fputc(',', out);
		label(out, arena, "effect", pl_effect_kind_name(e->kind));
		fputc(',', out);
		label(out, arena, "slot", pl_row_label(arena, e->slot));
		fputc(',', out);
		label(out, arena, "reference",
		      e->reference_slot ? pl_row_label(arena, e->reference_slot) : "");
		fputc(',', out);
		label(out, arena, "probe", pl_probe_name(e->probe));
		fputc(',', out);
		label(out, arena, "metric", e->metric);
		fputc(',', out);
		label(out, arena, "state", e->state);
		fputc('}', out);
		seconds(out, ns);
	}
}

static void info(FILE *out, struct pl_arena *arena, const struct pl_run *run)
{
	char text[256];

	fputs("# HELP pcielat_run What the numbers were taken on; stamp is empty on a real "
	      "machine.\n"
	      "# TYPE pcielat_run info\npcielat_run_info{",
	      out);
	label(out, arena, "board", run->machine.board_name);
	fputc(',', out);
	label(out, arena, "bios", run->machine.bios_version);
	fputc(',', out);
	label(out, arena, "kernel", run->machine.kernel);
	fputc(',', out);
	label(out, arena, "started", run->started_utc);
	fputc(',', out);
	label(out, arena, "complete", run->is_complete ? "true" : "false");
	fputc(',', out);
	label(out, arena, "stamp", pl_run_stamp(run, text, sizeof(text)));
	fputs("} 1\n", out);
}

int pl_report_write_openmetrics(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} statistics[] =
		{
			{"latency_median", "Median of the headline series of a slot.",
			 offsetof(struct pl_summary, p50_ns)},
			{"latency_p99", "99th percentile, where the samples carry it.",
			 offsetof(struct pl_summary, p99_ns)},
			{"latency_p999", "99.9th percentile, where the samples carry it.",
			 offsetof(struct pl_summary, p999_ns)},
		},
	  bounds[] = {
		  {"claim", "Resolved claims: estimate.", offsetof(struct pl_effect, estimate_ns)},
		  {"claim_low", "Resolved claims: lower end of the 95 % interval.",
		   offsetof(struct pl_effect, low_ns)},
		  {"claim_high", "Resolved claims: upper end of the 95 % interval.",
		   offsetof(struct pl_effect, high_ns)},
	  };
	struct pl_arena arena = {NULL};

	info(out, &arena, run);
	for (size_t i = 0; i < 3; i++) {
		family(out, statistics[i].name, statistics[i].help);
		latency(out, &arena, run, statistics[i].name, statistics[i].offset);
	}
	for (size_t i = 0; i < 3; i++) {
		family(out, bounds[i].name, bounds[i].help);
		claims(out, &arena, run, bounds[i].name, bounds[i].offset);
	}
	fputs("# EOF\n", out);
	pl_arena_fini(&arena);
	return pl_out_finish(out, err);
}
