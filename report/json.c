#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "report/for_scale.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/samples.h"

/*
 * The documents are written member by member, one element of an array per line: files stay small,
 * can be compared line by line, and no document is ever whole in memory.
 */
struct document {
	FILE *out;
	const char *separator;
	bool is_broken; /* a value could not be made: out of memory, or a bug */
};

static void value(struct document *doc, json_t *json)
{
	if (!json || json_dumpf(json, doc->out, PL_JSON_FLAGS | JSON_ENCODE_ANY))
		doc->is_broken = true;
	json_decref(json);
}

static void member(struct document *doc, const char *key, json_t *json)
{
	fprintf(doc->out, "%s\n\"%s\":", doc->separator, key);
	doc->separator = ",";
	value(doc, json);
}

static void open_array(struct document *doc, const char *key)
{
	fprintf(doc->out, "%s\n\"%s\":[", doc->separator, key);
	doc->separator = "";
}

static void element(struct document *doc, json_t *json)
{
	fprintf(doc->out, "%s\n", doc->separator);
	doc->separator = ",";
	value(doc, json);
}

static void close_array(struct document *doc)
{
	fputs("]", doc->out);
	doc->separator = ",";
}

static void head(struct document *doc, const struct pl_run *run)
{
	char text[256];

	fputc('{', doc->out);
	member(doc, "schema", json_string(PL_SCHEMA));
	member(doc, "schema_version", json_string(PL_SCHEMA_VERSION));
	member(doc, "stamp", pl_json_text(pl_run_stamp(run, text, sizeof(text))));
	member(doc, "generator",
	       json_pack("{s:s, s:s, s:s}", "name", "pcielat", "version", PL_VERSION, "compiler",
			 __VERSION__));
}

static void slots(struct document *doc, const struct pl_run *run)
{
	open_array(doc, "slots");
	for (size_t i = 0; i < run->slot_count; i++)
		element(doc, pl_json_slot(&run->slots[i]));
	close_array(doc);
}

static void warnings(struct document *doc, const struct pl_run *run)
{
	open_array(doc, "warnings");
	for (size_t i = 0; i < run->warning_count; i++) {
		const struct pl_warning *w = &run->warnings[i];

		element(doc,
			json_pack("{s:o, s:o, s:o, s:o}", "code", pl_json_text(w->code), "severity",
				  pl_json_text(w->severity), "message", pl_json_text(w->message),
				  "subject", pl_json_text(w->subject)));
	}
	close_array(doc);
}

/* Numbers that a series of few samples does not carry, and why. */
static const struct {
	const char *what, *why;
	size_t offset;
} carried[] = {
	{"p90_ns", "fewer than 100 samples: 10 must be expected beyond it",
	 offsetof(struct pl_summary, p90_ns)},
	{"p99_ns", "fewer than 1000 samples: 10 must be expected beyond it",
	 offsetof(struct pl_summary, p99_ns)},
	{"p999_ns", "fewer than 10000 samples: 10 must be expected beyond it",
	 offsetof(struct pl_summary, p999_ns)},
	{"ci95_low_ns, ci95_high_ns", "fewer than 3 blocks: no interval",
	 offsetof(struct pl_summary, p50_low_ns)},
};

static void not_carried(struct document *doc, const struct pl_run *run, size_t which)
{
	json_t *ids = json_array();

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		const char *summary = (const char *)&m->summary;

		if (pl_series_has_numbers(m) &&
		    isnan(*(const double *)(const void *)(summary + carried[which].offset)))
			json_array_append_new(ids, json_integer(m->id));
	}
	if (json_array_size(ids))
		element(doc, json_pack("{s:s, s:s, s:n, s:O}", "what", carried[which].what, "why",
				       carried[which].why, "remedy", "measurements", ids));
	json_decref(ids);
}

static void skipped(struct document *doc, const struct pl_run *run)
{
	open_array(doc, "skipped");
	for (size_t i = 0; i < run->skip_count; i++) {
		const struct pl_skip *s = &run->skipped[i];

		element(doc, json_pack("{s:o, s:o, s:o}", "what", pl_json_text(s->what), "why",
				       pl_json_text(s->why), "remedy", pl_json_text(s->remedy)));
	}
	for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
		not_carried(doc, run, i);
	close_array(doc);
}

static int finish(struct document *doc, struct pl_err *err)
{
	fputs("\n}\n", doc->out);
	if (doc->is_broken && !ferror(doc->out))
		return pl_fail(err, -ENOMEM, "the JSON document could not be built");
	return pl_out_finish(doc->out, err);
}

static void links(struct document *doc, const struct pl_run *run)
{
	open_array(doc, "links");
	for (size_t i = 0; i < run->aspm_link_count; i++)
		element(doc, pl_json_link(&run->aspm_links[i]));
	close_array(doc);
}

int pl_report_write_list_json(const struct pl_run *run, FILE *out, struct pl_err *err)
{
	struct document doc = {out, "", false};

	head(&doc, run);
	member(&doc, "environment", pl_json_environment(&run->machine));
	slots(&doc, run);
	if (run->aspm_link_count)
		links(&doc, run);
	warnings(&doc, run);
	skipped(&doc, run);
	return finish(&doc, err);
}

static json_t *argv_of(const struct pl_run *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->argc; i++)
		json_array_append_new(array, pl_json_text(run->argv[i]));
	return array;
}

static json_t *boots_of(const struct pl_run *run)
{
	json_t *array = json_array();

	if (run->boot_count == 1 && !run->boot_ids[0])
		return array;
	for (size_t i = 0; i < run->boot_count; i++)
		json_array_append_new(array, pl_json_text(run->boot_ids[i]));
	if (run->machine.boot_id && !run->boot_count)
		json_array_append_new(array, pl_json_text(run->machine.boot_id));
	return array;
}

static json_t *clock_of(const struct pl_clock_facts *clock)
{
	if (!clock->name)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", pl_json_text(clock->name), "reason",
			 pl_json_text(clock->reason), "ns_per_tick",
			 pl_json_real(clock->ns_per_tick), "cost_ns", pl_json_ns(clock->cost_ns),
			 "cost_p999_ns", pl_json_ns(clock->cost_p999_ns));
}

static json_t *session_of(const struct pl_run *run)
{
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "id", pl_json_text(run->session_id), "argv", argv_of(run), "started_utc",
			 pl_json_text(run->started_utc), "finished_utc",
			 pl_json_text(run->finished_utc), "complete", run->is_complete, "boots",
			 boots_of(run), "seed", seed, "allow_virtual", run->allow_virtual, "cpu",
			 run->cpu < 0 ? json_null() : json_integer(run->cpu), "cstates",
			 pl_json_text(run->cstates), "memory_lock", pl_json_text(run->memory_lock),
			 "clock", clock_of(&run->clock), "planned_s", pl_json_real(run->planned_s),
			 "actual_s", pl_json_real(run->actual_s));
}

static void measurements(struct document *doc, const struct pl_run *run, const char *samples_file)
{
	uint64_t offset = PL_SAMPLES_HEADER_BYTES;

	open_array(doc, "measurements");
	for (size_t i = 0; i < run->measurement_count; i++)
		element(doc,
			pl_json_measurement(run->measurements[i], samples_file ? &offset : NULL));
	close_array(doc);
}

static json_t *samples_of(const char *samples_file)
{
	if (!samples_file)
		return json_null();
	return json_pack("{s:o, s:s, s:i, s:s, s:i, s:s}", "file", pl_json_text(samples_file),
			 "format", "pcielat.samples", "version", (int)PL_SAMPLES_VERSION,
			 "byte_order", "little", "header_bytes", (int)PL_SAMPLES_HEADER_BYTES,
			 "element", "unsigned integer ticks; ns = ticks * ns_per_tick");
}

static void drives(struct document *doc, const struct pl_run *run)
{
	open_array(doc, "drives");
	for (size_t i = 0; i < run->drive_count; i++)
		element(doc, pl_json_drive(run, &run->drives[i]));
	close_array(doc);
}

/* Others' figures, for readers of the record who want them beside its own; see for_scale.h. */
static void published(struct document *doc, const struct pl_run *run)
{
	struct pl_arena arena = {NULL};
	struct pl_scale scale = pl_for_scale(&arena, run);

	if (scale.count)
		open_array(doc, "published");
	for (size_t i = 0; i < scale.count; i++) {
		const struct pl_published *p = scale.rows[i].published;

		if (p)
			element(doc,
				json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "board", p->board,
					  "place", p->place, "read_ns", pl_json_ns(p->read_ns),
					  "adds_ns", pl_json_ns(p->adds_ns), "cached_read_gbs",
					  pl_json_real(p->cached_gbs), "conditions", p->conditions,
					  "source", p->source));
	}
	if (scale.count)
		close_array(doc);
	pl_arena_fini(&arena);
}

int pl_report_write_json(const struct pl_run *run, const char *samples_file, FILE *out,
			 struct pl_err *err)
{
	struct document doc = {out, "", false};

	head(&doc, run);
	member(&doc, "session", session_of(run));
	member(&doc, "environment", pl_json_environment(&run->machine));
	slots(&doc, run);
	links(&doc, run);
	open_array(&doc, "gpus");
	for (size_t i = 0; i < run->gpu_count; i++)
		element(&doc, pl_json_gpu(&run->gpus[i]));
	close_array(&doc);
	if (run->drive_count)
		drives(&doc, run);
	member(&doc, "samples", samples_of(samples_file));
	measurements(&doc, run, samples_file);
	open_array(&doc, "effects");
	for (size_t i = 0; i < run->effect_count; i++)
		element(&doc, pl_json_effect(&run->effects[i]));
	close_array(&doc);
	published(&doc, run);
	warnings(&doc, run);
	skipped(&doc, run);
	return finish(&doc, err);
}
