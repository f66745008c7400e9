/* The record of `pcielat monitor`: its own document, with the same head and units as a result. */

#include <errno.h>
#include <math.h>
#include <time.h>

#include "report/json.h"
#include "report/out.h"
#include "report/report.h"

#define WATCH_SCHEMA "pcielat.watch"
#define WATCH_SCHEMA_VERSION "1.0"

static json_t *count_or_null(int64_t count)
{
	return count < 0 ? json_null() : json_integer((json_int_t)count);
}

static json_t *points_of(const struct pl_watch *watch)
{
	json_t *array = json_array();

	for (size_t i = 0; i < watch->point_count; i++) {
		const struct pl_watch_point *p = &watch->points[i];

		json_array_append_new(
			array, json_pack("{s:o, s:I, s:o, s:o, s:o, s:i, s:o}", "t_s",
					 pl_json_real(p->t_s), "n", (json_int_t)p->n, "p50_ns",
					 pl_json_ns(p->p50_ns), "p99_ns", pl_json_ns(p->p99_ns),
					 "max_ns", pl_json_ns(p->max_ns), "spikes", (int)p->spikes,
					 "background_ios", count_or_null(p->others)));
	}
	return array;
}

static json_t *spikes_of(const struct pl_watch *watch)
{
	json_t *array = json_array();

	for (size_t i = 0; i < watch->spike_count; i++)
		json_array_append_new(
			array, json_pack("{s:o, s:o}", "t_s", pl_json_real(watch->spikes[i].t_s),
					 "latency_ns", pl_json_ns(watch->spikes[i].latency_ns)));
	return array;
}

static json_t *outages_of(const struct pl_watch *watch)
{
	json_t *array = json_array();

	for (size_t i = 0; i < watch->outage_count; i++) {
		const struct pl_outage *outage = &watch->outages[i];

		json_array_append_new(
			array,
			json_pack("{s:o, s:o}", "from_s", pl_json_real(outage->from_s), "to_s",
				  pl_json_real(outage->to_s > 0.0 ? outage->to_s : (double)NAN)));
	}
	return array;
}

static double mean_at(const double medians_ns[PL_WATCH_BLOCKS][PL_WATCH_GAPS], size_t blocks,
		      size_t gap)
{
	double sum = 0.0;

	for (size_t b = 0; b < blocks; b++)
		sum += medians_ns[b][gap];
	return sum / (double)blocks;
}

/* Mean over the blocks of the median after each gap: of the reads, and of the control. */
static json_t *gaps_of(const struct pl_watch *w)
{
	json_t *array = json_array();

	for (size_t k = 0; w->block_count && k < w->gap_count; k++)
		json_array_append_new(
			array,
			json_pack("{s:I, s:o, s:o}", "gap_ns", (json_int_t)w->gaps_ns[k], "p50_ns",
				  pl_json_ns(mean_at(w->gap_medians_ns, w->block_count, k)),
				  "control_p50_ns",
				  w->has_control ? pl_json_ns(mean_at(w->control_medians_ns,
								      w->block_count, k))
						 : json_null()));
	return array;
}

/* While a watch goes on nothing is looked for. */
#define GOES_ON "the watch had not ended: finds are made at its end"
static const struct pl_period no_period_yet = {.p_value = (double)NAN, .why = GOES_ON};
static const struct pl_gap_step no_step_yet = {.p_value = (double)NAN, .why = GOES_ON};

static json_t *period_of(const struct pl_period *p)
{
	return json_pack("{s:b, s:s?, s:o, s:o, s:o, s:o, s:I, s:o}", "found", p->is_found,
			 "why_not", p->why, "low_s", pl_json_real(p->low_s), "high_s",
			 pl_json_real(p->high_s), "median_s", pl_json_real(p->median_s),
			 "latency_ns", pl_json_ns(p->latency_ns), "n", (json_int_t)p->n, "p_value",
			 pl_json_real(p->p_value));
}

static json_t *step_of(const struct pl_gap_step *s)
{
	return json_pack("{s:b, s:s?, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "found",
			 s->is_found, "why_not", s->why, "below_ns", (json_int_t)s->below_ns,
			 "above_ns", (json_int_t)s->above_ns, "step_ns", pl_json_ns(s->step_ns),
			 "ci95_low_ns", pl_json_ns(s->low_ns), "ci95_high_ns",
			 pl_json_ns(s->high_ns), "base_ns", pl_json_ns(s->base_ns), "blocks",
			 (json_int_t)s->blocks, "p_value", pl_json_real(s->p_value));
}

static json_t *histogram_of(const struct pl_hist *hist)
{
	json_t *array = json_array();

	for (size_t i = 0; i < PL_HIST_BINS; i++)
		if (hist->counts[i])
			json_array_append_new(array,
					      json_pack("[I, I]", (json_int_t)pl_hist_low_ns(i),
							(json_int_t)hist->counts[i]));
	return array;
}

/* Whole ns; NAN is null. */
static json_t *whole(double ns)
{
	return isnan(ns) ? json_null() : json_integer((json_int_t)ns);
}

/* What no read has said, or too few, is null. */
static json_t *summary_of(const struct pl_hist *hist)
{
	const double none = (double)NAN;

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)hist->n, "min_ns",
			 whole(hist->n ? (double)hist->min_ns : none), "p50_ns",
			 whole(pl_hist_carried_ns(hist, 0.5)), "p99_ns",
			 whole(pl_hist_carried_ns(hist, 0.99)), "p999_ns",
			 whole(pl_hist_carried_ns(hist, 0.999)), "max_ns",
			 whole(hist->n ? (double)hist->max_ns : none), "mean_ns",
			 pl_json_ns(hist->n ? pl_hist_mean_ns(hist) : none));
}

static json_t *warnings_of(const struct pl_measurement *m)
{
	json_t *array = json_array();

	for (size_t i = 0; m && i < m->warning_count; i++)
		json_array_append_new(array, pl_json_text(m->warnings[i]));
	return array;
}

static json_t *slot_of(const struct pl_measurement *m)
{
	return m && m->slot ? pl_json_slot(m->slot) : json_null();
}

int pl_report_write_watch_json(const struct pl_run *run, const struct pl_watch_document *document,
			       FILE *out, struct pl_err *err)
{
	const struct pl_watch *w = document->watch;
	time_t when = (time_t)document->begun_s;
	char stamp[256], begun[32];
	struct tm utc;
	json_t *root = json_pack(
		"{s:s, s:s, s:o, s:{s:s, s:s}, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}",
		"schema", WATCH_SCHEMA, "schema_version", WATCH_SCHEMA_VERSION, "stamp",
		pl_json_text(pl_run_stamp(run, stamp, sizeof(stamp))), "generator", "name",
		"pcielat", "version", PL_VERSION, "subject", pl_json_text(document->subject),
		"phase", pl_json_text(document->phase), "path", pl_json_text(document->path),
		"interval_ns", json_integer((json_int_t)w->interval_ns), "elapsed_s",
		pl_json_real(w->elapsed_s), "window_s", pl_json_real(w->window_s), "failed",
		(json_int_t)w->failed, "late", (json_int_t)w->late, "failure",
		w->failure[0] ? pl_json_text(w->failure) : json_null(), "summary",
		summary_of(&w->hist));

	if (!root)
		return pl_fail(err, -ENOMEM, "the JSON document could not be built");
	json_object_set_new(root, "environment", pl_json_environment(&run->machine));
	json_object_set_new(root, "slot", slot_of(document->series));
	json_object_set_new(root, "stopped", json_integer((json_int_t)w->stopped));
	json_object_set_new(root, "host_waits", count_or_null(w->host_waits));
	json_object_set_new(root, "warnings", warnings_of(document->series));
	strftime(begun, sizeof(begun), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &utc));
	json_object_set_new(root, "begun", json_string(begun));
	json_object_set_new(root, "ended", json_boolean(document->is_ended));
	json_object_set_new(root, "background_ios", count_or_null(w->others));
	json_object_set_new(root, "period",
			    period_of(document->is_ended ? &w->period : &no_period_yet));
	json_object_set_new(root, "gap_step",
			    step_of(document->is_ended ? &w->gap_step : &no_step_yet));
	json_object_set_new(root, "gaps", gaps_of(w));
	json_object_set_new(root, "outages", outages_of(w));
	json_object_set_new(root, "spike_threshold_ns", pl_json_ns(w->spike_threshold_ns));
	json_object_set_new(root, "spikes_dropped", json_integer((json_int_t)w->spikes_dropped));
	json_object_set_new(root, "spikes", spikes_of(w));
	json_object_set_new(root, "points", points_of(w));
	json_object_set_new(root, "histogram", histogram_of(&w->hist));
	json_dumpf(root, out, PL_JSON_FLAGS);
	fputc('\n', out);
	json_decref(root);
	return pl_out_finish(out, err);
}
