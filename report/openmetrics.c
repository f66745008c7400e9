#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* One family; no label set may be in it twice: where the facts do not tell two apart, nth does. */
struct family {
	FILE *out;
	struct pl_arena *arena;
	const struct pl_run *run;
	const char *name;
	const char **seen;
	size_t count, capacity;
};

static struct family family(FILE *out, struct pl_arena *arena, const struct pl_run *run,
			    const char *name, const char *help)
{
	fprintf(out, "# HELP pcielat_%s_seconds %s\n# TYPE pcielat_%s_seconds gauge\n", name, help,
		name);
	return (struct family){.out = out, .arena = arena, .run = run, .name = name};
}

/* Takes the text of the labels. */
static void sample(struct family *f, char *labels, double ns)
{
	size_t nth = 1;
	void *items = f->seen;

	for (size_t i = 0; i < f->count; i++)
		nth += !strcmp(f->seen[i], labels);
	*(const char **)pl_arena_push(f->arena, &items, &f->count, &f->capacity, sizeof(*f->seen)) =
		pl_arena_strdup(f->arena, labels);
	f->seen = items;
	fprintf(f->out, "pcielat_%s_seconds{%s,nth=\"%zu\"}", f->name, labels, nth);
	seconds(f->out, ns);
	free(labels);
}

/* One more label, "" where the value does not apply. */
static void more(FILE *out, struct pl_arena *arena, const char *name, const char *value)
{
	fputc(',', out);
	label(out, arena, name, value);
}

static void number(FILE *out, const char *name, uint64_t value, bool is_known)
{
	if (is_known)
		fprintf(out, ",%s=\"%" PRIu64 "\"", name, value);
	else
		fprintf(out, ",%s=\"\"", name);
}

/* Of which access, where that is recorded. */
static void access_labels(FILE *out, struct pl_arena *arena, const struct pl_conditions *given)
{
	static const struct pl_conditions none = {0};
	const struct pl_conditions *c = given ? given : &none;

	more(out, arena, "pattern", c->pattern);
	number(out, "size_bytes", c->size_bytes, c->size_bytes);
	number(out, "queue_depth", c->queue_depth, c->queue_depth);
	number(out, "config_offset", c->config_offset, given != NULL);
	number(out, "region_bytes", c->region_bytes, c->region_bytes);
	more(out, arena, "memory", c->memory);
	more(out, arena, "idle", c->idle);
}

static char *series_labels(const struct family *f, const struct pl_row *row,
			   const struct pl_measurement *m)
{
	struct pl_arena *arena = f->arena;
	char *text = NULL, bdf[PL_BDF_TEXT];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	label(out, arena, "board", f->run->machine.board_name);
	more(out, arena, "bios", f->run->machine.bios_version);
	more(out, arena, "key", row->slot->key);
	more(out, arena, "function", m->has_device ? pl_bdf_format(m->device, bdf) : NULL);
	more(out, arena, "slot", row->slot->label ? row->slot->label : row->slot->key);
	more(out, arena, "attachment", pl_attachment_name(row->slot->attachment));
	more(out, arena, "device", pl_row_device(arena, row->slot));
	more(out, arena, "probe", pl_probe_name(m->probe));
	more(out, arena, "metric", m->metric);
	fclose(out);
	return text;
}

static void latency(struct family *f, size_t offset)
{
	for (size_t i = 0; i < f->run->slot_count; i++) {
		struct pl_row row;
		const struct pl_measurement *columns[4];

		pl_row_fill(f->run, &f->run->slots[i], &row);
		columns[0] = row.config;
		columns[1] = row.bar;
		columns[2] = row.nvme;
		columns[3] = row.gpu;
		for (size_t k = 0; k < 4; k++) {
			const char *summary =
				columns[k] ? (const char *)&columns[k]->summary : NULL;
			double ns = summary ? *(const double *)(const void *)(summary + offset)
					    : (double)NAN;
			char *labels;

			if (!pl_series_has_numbers(columns[k]) || !isfinite(ns))
				continue;
			labels = series_labels(f, &row, columns[k]);
			if (labels)
				sample(f, labels, ns);
		}
	}
}

static char *claim_labels(const struct family *f, const struct pl_effect *e)
{
	struct pl_arena *arena = f->arena;
	char *text = NULL, bdf[PL_BDF_TEXT];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	label(out, arena, "board", f->run->machine.board_name);
	more(out, arena, "key", e->slot->key);
	more(out, arena, "effect", pl_effect_kind_name(e->kind));
	more(out, arena, "slot", pl_row_label(arena, e->slot));
	more(out, arena, "reference",
	     e->reference_slot ? pl_row_label(arena, e->reference_slot) : "");
	more(out, arena, "probe", pl_probe_name(e->probe));
	more(out, arena, "metric", e->metric);
	more(out, arena, "state", e->state);
	more(out, arena, "function",
	     e->probe == PL_PROBE_CONFIG ? pl_bdf_format(e->function, bdf) : NULL);
	access_labels(out, arena, e->conditions);
	fclose(out);
	return text;
}

static void claims(struct family *f, size_t offset)
{
	for (size_t i = 0; i < f->run->effect_count; i++) {
		const struct pl_effect *e = &f->run->effects[i];
		double ns = *(const double *)(const void *)((const char *)e + offset);
		char *labels;

		if (e->status != PL_CLAIM_RESOLVED || !e->slot || !isfinite(ns) ||
		    e->kind == PL_EFFECT_CONFIG_STEP)
			continue;
		labels = claim_labels(f, e);
		if (labels)
			sample(f, labels, ns);
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
		struct family f = family(out, &arena, run, statistics[i].name, statistics[i].help);

		latency(&f, statistics[i].offset);
	}
	for (size_t i = 0; i < 3; i++) {
		struct family f = family(out, &arena, run, bounds[i].name, bounds[i].help);

		claims(&f, bounds[i].offset);
	}
	fputs("# EOF\n", out);
	pl_arena_fini(&arena);
	return pl_out_finish(out, err);
}
