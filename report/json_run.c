#include "report/json.h"

#include <math.h>

#include "model/burst.h"
#include "report/dist.h"
#include "report/samples.h"

/* Environment, series and claims of results.json. */

json_t *pl_json_environment(const struct pl_machine *m)
{
	return json_pack(
		"{s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:{s:o, s:o, s:o}, s:o, "
		"s:{s:o, s:b}, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:o, s:o}",
		"board", "vendor", pl_json_text(m->board_vendor), "name",
		pl_json_text(m->board_name), "version", pl_json_text(m->board_version), "bios",
		"vendor", pl_json_text(m->bios_vendor), "version", pl_json_text(m->bios_version),
		"date", pl_json_text(m->bios_date), "cpu", "name", pl_json_text(m->cpu),
		"microcode", pl_json_text(m->microcode), "os", pl_json_text(m->os), "kernel",
		"release", pl_json_text(m->kernel), "cmdline", pl_json_text(m->kernel_cmdline),
		"lockdown", pl_json_text(m->lockdown), "architecture",
		pl_json_text(m->architecture), "aspm", "policy", pl_json_text(m->aspm_policy),
		"disabled", m->aspm_is_disabled, "iommu", pl_json_text(m->iommu), "governor",
		pl_json_text(m->governor), "hypervisor", pl_json_text(m->hypervisor), "is_live",
		m->is_live, "source", pl_json_text(m->source), "is_root", m->is_root, "numa_nodes",
		pl_json_positive(m->numa_nodes), "boot_time_s", pl_json_positive(m->boot_time_s),
		"boot_id", pl_json_text(m->boot_id));
}

json_t *pl_json_gpu(const struct pl_gpu *gpu)
{
	return json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "index", (int)gpu->index, "kind",
			 pl_gpu_kind_name(gpu->kind), "name", pl_json_text(gpu->name), "driver",
			 pl_json_text(gpu->driver), "api_version", pl_json_text(gpu->api_version),
			 "bdf", gpu->has_bdf ? pl_json_bdf(gpu->bdf) : json_null(),
			 "no_path_reason", pl_json_text(gpu->no_path_reason));
}

static json_t *conditions(enum pl_probe probe, const struct pl_conditions *c)
{
	return json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"state", pl_json_text(c->state), "gap_ns", (json_int_t)c->gap_ns, "idle",
		pl_json_text(c->gap_ns && !c->idle ? "spun" : c->idle), "prewake",
		pl_json_text(c->prewake), "burst", pl_json_positive(c->burst), "apst",
		pl_json_text(c->apst), "size_bytes", pl_json_positive(c->size_bytes), "queue_depth",
		pl_json_positive(c->queue_depth), "path", pl_json_text(c->path), "path_reason",
		pl_json_text(c->path_reason), "clock", pl_json_text(c->clock), "pattern",
		pl_json_text(c->pattern), "config_offset",
		probe == PL_PROBE_CONFIG ? json_integer(c->config_offset) : json_null(),
		"region_bytes", pl_json_positive(c->region_bytes), "memory",
		pl_json_text(c->memory));
}

static json_t *histogram(const struct pl_measurement *m)
{
	struct pl_arena arena = {NULL};
	size_t count;
	const struct pl_bin *bins = pl_dist_bins(&arena, m, &count);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("[I, I]", (json_int_t)bins[i].low_ns,
						       (json_int_t)bins[i].count));
	pl_arena_fini(&arena);
	if (!count) {
		json_decref(array);
		return json_null();
	}
	return json_pack("{s:s, s:i, s:[s, s], s:o}", "scheme", "log-linear", "sub_bits",
			 PL_DIST_SUB_BITS, "columns", "low_ns", "count", "bins", array);
}

/* Block numbers but the centre: enough for a picture, and half of the file is blocks. */
static json_t *tenths(double ns)
{
	return isfinite(ns) ? json_real(round(ns * 10.0) / 10.0) : json_null();
}

static json_t *blocks(const struct pl_measurement *m)
{
	struct pl_arena arena = {NULL};
	size_t count;
	const struct pl_block_summary *b = pl_dist_blocks(&arena, m, &count);
	json_t *rows = json_array();

	for (size_t i = 0; b && i < count; i++)
		json_array_append_new(
			rows,
			json_pack("[I, o, o, o, o, o, o]", (json_int_t)b[i].n, tenths(b[i].p50_ns),
				  tenths(b[i].mean_ns), tenths(b[i].p99_ns), tenths(b[i].max_ns),
				  pl_json_ns(b[i].centre_ns),
				  b[i].others < 0 ? json_null()
						  : json_integer((json_int_t)b[i].others)));
	pl_arena_fini(&arena);
	return json_pack("{s:i, s:i, s:[s, s, s, s, s, s, s], s:o}", "planned", (int)m->blocks,
			 "done", (int)m->blocks_done, "columns", "n", "p50_ns", "mean_ns", "p99_ns",
			 "max_ns", "centre_ns", "background_ios", "rows", rows);
}

static json_t *samples(const struct pl_measurement *m, uint64_t *offset_bytes)
{
	struct pl_samples_place place;
	json_t *starts;

	if (!offset_bytes)
		return json_null();
	place = pl_samples_place(m, *offset_bytes, offset_bytes);
	if (!place.element_bytes)
		return json_null();
	starts = json_array();
	for (size_t b = 0; m->block_start && b <= m->blocks_done; b++)
		json_array_append_new(starts, json_integer((json_int_t)m->block_start[b]));
	return json_pack("{s:I, s:I, s:i, s:o, s:o}", "offset_bytes",
			 (json_int_t)place.offset_bytes, "count", (json_int_t)m->n, "element_bytes",
			 (int)place.element_bytes, "ns_per_tick", pl_json_real(m->ns_per_tick),
			 "block_start", starts);
}

static json_t *centres(const struct pl_burst_place *place, size_t blocks)
{
	json_t *array = json_array();

	for (size_t b = 0; b < blocks; b++)
		json_array_append_new(array, pl_json_ns(place->centres_ns[b]));
	return array;
}

/* The reads of a burst one by one; null for all other series. */
static json_t *places(const struct pl_measurement *m)
{
	struct pl_arena arena = {NULL};
	const struct pl_burst_place *p = pl_measurement_places(&arena, m);
	json_t *rows = json_array(), *blocks = json_array();

	for (size_t i = 0; p && i < m->conditions.burst; i++) {
		json_array_append_new(
			rows, json_pack("[I, o, o, o, o]", (json_int_t)p[i].n,
					pl_json_ns(p[i].p50_ns), pl_json_ns(p[i].p50_low_ns),
					pl_json_ns(p[i].p50_high_ns), pl_json_ns(p[i].p99_ns)));
		json_array_append_new(blocks, centres(&p[i], m->blocks_done));
	}
	pl_arena_fini(&arena);
	if (!json_array_size(rows)) {
		json_decref(rows);
		json_decref(blocks);
		return json_null();
	}
	return json_pack("{s:[s, s, s, s, s], s:o, s:o}", "columns", "n", "p50_ns", "ci95_low_ns",
			 "ci95_high_ns", "p99_ns", "rows", rows, "block_centres_ns", blocks);
}

static json_t *facts(const struct pl_measurement *m)
{
	json_t *object = json_object();

	for (size_t i = 0; i < m->fact_count; i++) {
		const struct pl_fact *fact = &m->facts[i];

		json_object_set_new(object, fact->name,
				    fact->text ? pl_json_text(fact->text)
					       : pl_json_real(fact->value));
	}
	return object;
}

static json_t *series_warnings(const struct pl_measurement *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->warning_count; i++)
		json_array_append_new(array, pl_json_text(m->warnings[i]));
	return array;
}

/* The numbers of a series that has none are null, whatever the summary holds. */
static void add_summary(json_t *object, const struct pl_measurement *m)
{
	const struct pl_summary *s = &m->summary;
	const struct {
		const char *key;
		double ns;
	} numbers[] = {{"min_ns", s->min_ns},           {"p50_ns", s->p50_ns},
		       {"p90_ns", s->p90_ns},           {"p99_ns", s->p99_ns},
		       {"p999_ns", s->p999_ns},         {"max_ns", s->max_ns},
		       {"mean_ns", s->mean_ns},         {"ci95_low_ns", s->p50_low_ns},
		       {"ci95_high_ns", s->p50_high_ns}};

	json_object_set_new(object, "n", json_integer((json_int_t)s->n));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(object, numbers[i].key,
				    pl_json_ns(s->n ? numbers[i].ns : (double)NAN));
}

json_t *pl_json_measurement(const struct pl_measurement *m, uint64_t *offset_bytes)
{
	json_t *object =
		json_pack("{s:i, s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:s, s:o, s:I, s:b, s:b}", "id",
			  (int)m->id, "slot", m->slot ? pl_json_text(m->slot->key) : json_null(),
			  "subject", pl_json_text(m->subject), "device",
			  m->has_device ? pl_json_bdf(m->device) : json_null(), "probe",
			  pl_probe_name(m->probe), "metric", pl_json_text(m->metric), "unit", "ns",
			  "conditions", conditions(m->probe, &m->conditions), "outcome",
			  pl_outcome_name(m->outcome), "reason", pl_json_text(m->why), "failed",
			  (json_int_t)m->failed, "valid", m->is_valid, "off_path", m->is_off_path);

	add_summary(object, m);
	json_object_set_new(object, "blocks", blocks(m));
	json_object_set_new(object, "histogram", histogram(m));
	json_object_set_new(object, "samples", samples(m, offset_bytes));
	json_object_set_new(object, "places", places(m));
	json_object_set_new(object, "boot", json_integer(m->boot));
	json_object_set_new(object, "facts", facts(m));
	json_object_set_new(object, "warnings", series_warnings(m));
	return object;
}

json_t *pl_json_effect(const struct pl_effect *e)
{
	bool is_step = e->kind == PL_EFFECT_CONFIG_STEP;
	bool is_rung = e->probe == PL_PROBE_CONFIG;
	bool has_verdict = e->verdict != NULL;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:I, s:s, s:s, s:s, s:o, s:o, s:o}",
		"effect", pl_effect_kind_name(e->kind), "slot",
		e->slot ? pl_json_text(e->slot->key) : json_null(), "reference_slot",
		e->reference_slot ? pl_json_text(e->reference_slot->key) : json_null(), "function",
		is_rung ? pl_json_bdf(e->function) : json_null(), "reference_function",
		is_step ? pl_json_bdf(e->reference_function) : json_null(), "probe",
		pl_probe_name(e->probe), "metric", pl_json_text(e->metric), "state",
		pl_json_text(e->state), "estimate_ns", pl_json_ns(e->estimate_ns), "ci95_low_ns",
		pl_json_ns(e->low_ns), "ci95_high_ns", pl_json_ns(e->high_ns), "detection_limit_ns",
		pl_json_ns(e->detection_limit_ns), "p_value", pl_json_real(e->p_value),
		"advertised_verdict", pl_json_text(e->verdict), "advertised_low_ns",
		pl_json_known_ns(has_verdict ? e->advertised_low_ns : -1), "advertised_high_ns",
		pl_json_known_ns(has_verdict ? e->advertised_high_ns : -1), "n", (json_int_t)e->n,
		"unit_of_n", e->unit_of_n ? e->unit_of_n : "blocks", "reference_class",
		pl_reference_class_name(e->reference_class), "status",
		pl_claim_status_name(e->status), "reason", pl_json_text(e->reason), "sentence",
		pl_json_text(e->sentence), "conditions",
		e->conditions ? conditions(e->probe, e->conditions) : json_null());
}
