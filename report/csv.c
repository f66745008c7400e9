#include "report/csv.h"

#include <math.h>

#include "report/dist.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"

/* The CSV family. Columns are only ever added, at the end (docs/formats.md). */

#define KEY_COLUMNS                                                                                \
	"schema_version,session_id,stamp,board,bios_version,cpu,kernel,boot_id,boot,slot_key,"     \
	"slot_label,slot_label_source,attachment,chipset_hops,chipset,path,device_bdf,"            \
	"device_name,link_gts,link_width,measurement_id,probe,metric,state,gap_ns,idle,size_"      \
	"bytes,"                                                                                   \
	"region_bytes,queue_depth,pattern,config_offset,memory,software_path,clock"

static void run_columns(struct pl_csv *csv, const struct pl_run *run)
{
	const struct pl_machine *machine = &run->machine;
	char text[256];

	pl_csv_text(csv, PL_SCHEMA_VERSION);
	pl_csv_text(csv, run->session_id);
	pl_csv_text(csv, pl_run_stamp(run, text, sizeof(text)));
	pl_csv_text(csv, machine->board_name);
	pl_csv_text(csv, machine->bios_version);
	pl_csv_text(csv, machine->cpu);
	pl_csv_text(csv, machine->kernel);
	pl_csv_text(csv, machine->boot_id);
}

static const char *path_text(struct pl_arena *arena, const struct pl_slot *slot)
{
	const char *text = "";
	char bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < slot->path_count; i++)
		text = pl_arena_printf(arena, "%s%s%s", text, i ? "/" : "",
				       pl_bdf_format(slot->path[i], bdf));
	return text;
}

static void gts_column(struct pl_csv *csv, unsigned mts)
{
	if (!mts)
		pl_csv_text(csv, NULL);
	else
		pl_csv_text(csv, pl_arena_printf(csv->arena, mts % 1000 ? "%u.%u" : "%u",
						 mts / 1000, mts % 1000 / 100));
}

static void slot_columns(struct pl_csv *csv, const struct pl_slot *slot)
{
	static const struct pl_slot none = {.chipset_hops = -1};
	const struct pl_slot *s = slot ? slot : &none;

	pl_csv_text(csv, s->key);
	pl_csv_text(csv, slot ? (s->label ? s->label : s->key) : NULL);
	pl_csv_text(csv, slot ? pl_label_source_name(s->label_source) : NULL);
	pl_csv_text(csv, slot ? pl_attachment_name(s->attachment) : NULL);
	if (s->chipset_hops < 0)
		pl_csv_text(csv, NULL);
	else
		pl_csv_u64(csv, (uint64_t)s->chipset_hops);
	pl_csv_text(csv, s->chipset);
	pl_csv_text(csv, path_text(csv->arena, s));
}

static const char *device_name(const struct pl_measurement *m)
{
	const struct pl_device *d = m->slot ? m->slot->device : NULL;

	if (!d || (m->probe == PL_PROBE_CONFIG && !pl_series_is_endpoint(m)))
		return m->subject;
	return d->model ? d->model : d->name;
}

static void key_columns(struct pl_csv *csv, const struct pl_run *run,
			const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;
	char bdf[PL_BDF_TEXT];

	run_columns(csv, run);
	pl_csv_u64(csv, m->boot);
	slot_columns(csv, m->slot);
	pl_csv_text(csv, m->has_device ? pl_bdf_format(m->device, bdf) : NULL);
	pl_csv_text(csv, device_name(m));
	gts_column(csv, m->slot ? m->slot->link.speed_mts : 0);
	pl_csv_positive(csv, m->slot ? m->slot->link.width : 0);
	pl_csv_u64(csv, m->id);
	pl_csv_text(csv, pl_probe_name(m->probe));
	pl_csv_text(csv, m->metric);
	pl_csv_text(csv, c->state);
	pl_csv_u64(csv, c->gap_ns);
	pl_csv_text(csv, c->gap_ns && !c->idle ? "spun" : c->idle);
	pl_csv_positive(csv, c->size_bytes);
	pl_csv_positive(csv, c->region_bytes);
	pl_csv_positive(csv, c->queue_depth);
	pl_csv_text(csv, c->pattern);
	if (m->probe == PL_PROBE_CONFIG)
		pl_csv_u64(csv, c->config_offset);
	else
		pl_csv_text(csv, NULL);
	pl_csv_text(csv, c->memory);
	pl_csv_text(csv, c->path);
	pl_csv_text(csv, c->clock);
}

static const char *joined_warnings(struct pl_arena *arena, const struct pl_measurement *m)
{
	const char *text = m->warning_count ? m->warnings[0] : NULL;

	for (size_t i = 1; i < m->warning_count; i++)
		text = pl_arena_printf(arena, "%s; %s", text, m->warnings[i]);
	return text;
}

static void summary_columns(struct pl_csv *csv, const struct pl_measurement *m)
{
	const struct pl_summary *s = &m->summary;
	const double numbers[] = {s->min_ns, s->p50_ns,  s->p50_low_ns, s->p50_high_ns, s->p90_ns,
				  s->p99_ns, s->p999_ns, s->max_ns,     s->mean_ns};

	pl_csv_text(csv, pl_outcome_name(m->outcome));
	pl_csv_bool(csv, m->is_valid);
	pl_csv_bool(csv, m->is_off_path);
	pl_csv_u64(csv, m->blocks_done);
	pl_csv_u64(csv, s->n);
	pl_csv_u64(csv, m->failed);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		pl_csv_ns(csv, s->n ? numbers[i] : (double)NAN);
	pl_csv_text(csv, joined_warnings(csv->arena, m));
	pl_csv_text(csv, m->why);
	pl_csv_end(csv);
}

/* Runs the row writer over every series with scratch memory of its own. */
static int each_series(const struct pl_run *run, const char *columns, FILE *out,
		       void (*rows)(struct pl_csv *, const struct pl_run *,
				    const struct pl_measurement *),
		       struct pl_err *err)
{
	fprintf(out, "%s,%s\n", KEY_COLUMNS, columns);
	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_arena arena = {NULL};
		struct pl_csv csv = {out, &arena, 0};

		rows(&csv, run, run->measurements[i]);
		pl_arena_fini(&arena);
	}
	return pl_out_finish(out, err);
}

static void summary_rows(struct pl_csv *csv, const struct pl_run *run,
			 const struct pl_measurement *m)
{
	key_columns(csv, run, m);
	summary_columns(csv, m);
}

int pl_report_write_csv(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	return each_series(run,
			   "outcome,valid,off_path,blocks,samples,failed,min_ns,p50_ns,"
			   "ci95_low_ns,ci95_high_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,"
			   "warnings,reason",
			   out, summary_rows, err);
}

static void block_rows(struct pl_csv *csv, const struct pl_run *run, const struct pl_measurement *m)
{
	size_t count;
	const struct pl_block_summary *blocks = pl_dist_blocks(csv->arena, m, &count);

	for (size_t i = 0; blocks && i < count; i++) {
		key_columns(csv, run, m);
		pl_csv_u64(csv, i);
		pl_csv_u64(csv, blocks[i].n);
		pl_csv_ns(csv, blocks[i].p50_ns);
		pl_csv_ns(csv, blocks[i].mean_ns);
		pl_csv_ns(csv, blocks[i].p99_ns);
		pl_csv_ns(csv, blocks[i].max_ns);
		if (blocks[i].others < 0)
			pl_csv_text(csv, NULL);
		else
			pl_csv_u64(csv, (uint64_t)blocks[i].others);
		pl_csv_end(csv);
	}
}

int pl_report_write_runs_csv(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	return each_series(run, "block,samples,p50_ns,mean_ns,p99_ns,max_ns,background_ios", out,
			   block_rows, err);
}

static void bin_rows(struct pl_csv *csv, const struct pl_run *run, const struct pl_measurement *m)
{
	size_t count;
	const struct pl_bin *bins = pl_dist_bins(csv->arena, m, &count);

	for (size_t i = 0; i < count; i++) {
		key_columns(csv, run, m);
		pl_csv_ns(csv, bins[i].low_ns);
		pl_csv_ns(csv, bins[i].high_ns);
		pl_csv_u64(csv, bins[i].count);
		pl_csv_end(csv);
	}
}

int pl_report_write_histogram_csv(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	return each_series(run, "bin_low_ns,bin_high_ns,count", out, bin_rows, err);
}

static void effect_row(struct pl_csv *csv, const struct pl_run *run, const struct pl_effect *e)
{
	bool is_step = e->kind == PL_EFFECT_CONFIG_STEP;
	char bdf[PL_BDF_TEXT], reference[PL_BDF_TEXT];

	run_columns(csv, run);
	pl_csv_text(csv, pl_effect_kind_name(e->kind));
	pl_csv_text(csv, e->slot ? e->slot->key : NULL);
	pl_csv_text(csv, e->slot ? e->slot->label : NULL);
	pl_csv_text(csv, e->reference_slot ? e->reference_slot->key : NULL);
	pl_csv_text(csv, e->reference_slot ? e->reference_slot->label : NULL);
	pl_csv_text(csv, is_step ? pl_bdf_format(e->function, bdf) : NULL);
	pl_csv_text(csv, is_step ? pl_bdf_format(e->reference_function, reference) : NULL);
	pl_csv_text(csv, pl_probe_name(e->probe));
	pl_csv_text(csv, e->metric);
	pl_csv_text(csv, e->state);
	pl_csv_ns(csv, e->estimate_ns);
	pl_csv_ns(csv, e->low_ns);
	pl_csv_ns(csv, e->high_ns);
	pl_csv_ns(csv, e->detection_limit_ns);
	pl_csv_u64(csv, e->n);
	pl_csv_text(csv, e->unit_of_n ? e->unit_of_n : "blocks");
	pl_csv_text(csv, pl_reference_class_name(e->reference_class));
	pl_csv_text(csv, pl_claim_status_name(e->status));
	pl_csv_text(csv, e->reason);
	pl_csv_text(csv, e->sentence);
	pl_csv_end(csv);
}

int pl_report_write_effects_csv(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	fputs("schema_version,session_id,stamp,board,bios_version,cpu,kernel,boot_id,effect,"
	      "slot_key,slot_label,reference_slot_key,reference_slot_label,function_bdf,"
	      "reference_function_bdf,probe,metric,state,estimate_ns,ci95_low_ns,ci95_high_ns,"
	      "detection_limit_ns,n,unit_of_n,reference_class,status,reason,sentence\n",
	      out);
	for (size_t i = 0; i < run->effect_count; i++) {
		struct pl_arena arena = {NULL};
		struct pl_csv csv = {out, &arena, 0};

		effect_row(&csv, run, &run->effects[i]);
		pl_arena_fini(&arena);
	}
	return pl_out_finish(out, err);
}
