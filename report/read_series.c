#include "report/read.h"

#include <endian.h>
#include <math.h>
#include <unistd.h>

#include "model/summary.h"
#include "report/dist.h"
#include "report/samples.h"

/* The mirror of json_run.c: series with their samples, and claims. */

static unsigned small_at(const json_t *object, const char *key)
{
	uint64_t value = pl_read_u64(object, key, 0);

	return value > UINT32_MAX ? 0 : (unsigned)value;
}

/* No burst is that long: room is made by it. */
#define BURST_MAX 1024u

static void read_conditions(struct pl_run *run, const json_t *object, struct pl_conditions *c)
{
	c->state = pl_read_text(run, object, "state");
	c->gap_ns = pl_read_u64(object, "gap_ns", 0);
	c->idle = pl_read_text(run, object, "idle");
	c->prewake = pl_read_text(run, object, "prewake");
	c->burst = small_at(object, "burst");
	if (c->burst > BURST_MAX)
		c->burst = 0;
	c->apst = pl_read_text(run, object, "apst");
	c->size_bytes = small_at(object, "size_bytes");
	c->queue_depth = small_at(object, "queue_depth");
	c->path = pl_read_text(run, object, "path");
	c->path_reason = pl_read_text(run, object, "path_reason");
	c->clock = pl_read_text(run, object, "clock");
	c->pattern = pl_read_text(run, object, "pattern");
	c->config_offset = small_at(object, "config_offset");
	c->region_bytes = pl_read_u64(object, "region_bytes", 0);
	c->memory = pl_read_text(run, object, "memory");
}

static void read_summary(const json_t *object, struct pl_summary *s)
{
	s->n = (size_t)pl_read_u64(object, "n", 0);
	s->min_ns = pl_read_latency_ns(json_object_get(object, "min_ns"));
	s->p50_ns = pl_read_latency_ns(json_object_get(object, "p50_ns"));
	s->p90_ns = pl_read_latency_ns(json_object_get(object, "p90_ns"));
	s->p99_ns = pl_read_latency_ns(json_object_get(object, "p99_ns"));
	s->p999_ns = pl_read_latency_ns(json_object_get(object, "p999_ns"));
	s->max_ns = pl_read_latency_ns(json_object_get(object, "max_ns"));
	s->mean_ns = pl_read_latency_ns(json_object_get(object, "mean_ns"));
	s->p50_low_ns = pl_read_latency_ns(json_object_get(object, "ci95_low_ns"));
	s->p50_high_ns = pl_read_latency_ns(json_object_get(object, "ci95_high_ns"));
}

static double row_ns(const json_t *row, size_t column)
{
	return pl_read_latency_ns(json_array_get(row, column));
}

static void read_blocks(struct pl_run *run, const json_t *object, struct pl_measurement *m)
{
	const json_t *rows = json_object_get(object, "rows");
	size_t count = json_array_size(rows);
	struct pl_block_summary *items = pl_arena_array(&run->arena, count, sizeof(*items));

	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(rows, i);
		json_int_t n = json_integer_value(json_array_get(row, 0));

		items[i].n = n > 0 ? (size_t)n : 0;
		items[i].p50_ns = row_ns(row, 1);
		items[i].mean_ns = row_ns(row, 2);
		items[i].p99_ns = row_ns(row, 3);
		items[i].max_ns = row_ns(row, 4);
		items[i].centre_ns = row_ns(row, 5);
		items[i].others = json_is_integer(json_array_get(row, 6))
					  ? json_integer_value(json_array_get(row, 6))
					  : -1;
	}
	m->blocks = small_at(object, "planned");
	m->blocks_done = (unsigned)count;
	m->stored_blocks = items;
}

static const double *read_centres(struct pl_run *run, const json_t *array, size_t blocks)
{
	double *centres = pl_arena_array(&run->arena, blocks, sizeof(*centres));

	for (size_t b = 0; b < blocks; b++)
		centres[b] = row_ns(array, b);
	return centres;
}

/* As many as the burst has reads, or none: what is not whole is not believed. */
static void read_places(struct pl_run *run, const json_t *object, struct pl_measurement *m)
{
	const json_t *rows = json_object_get(object, "rows");
	const json_t *blocks = json_object_get(object, "block_centres_ns");
	size_t count = m->conditions.burst;
	struct pl_burst_place *places;

	if (!count || json_array_size(rows) != count || json_array_size(blocks) != count)
		return;
	places = pl_arena_array(&run->arena, count, sizeof(*places));
	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(rows, i);
		json_int_t n = json_integer_value(json_array_get(row, 0));

		places[i] = (struct pl_burst_place){
			.n = n > 0 ? (size_t)n : 0,
			.p50_ns = row_ns(row, 1),
			.p50_low_ns = row_ns(row, 2),
			.p50_high_ns = row_ns(row, 3),
			.p99_ns = row_ns(row, 4),
			.centres_ns = read_centres(run, json_array_get(blocks, i), m->blocks_done),
		};
	}
	m->stored_places = places;
}

static void read_bins(struct pl_run *run, const json_t *object, struct pl_measurement *m)
{
	const json_t *rows = json_object_get(object, "bins");
	size_t count = json_array_size(rows);
	struct pl_bin *bins = pl_arena_array(&run->arena, count, sizeof(*bins));

	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(rows, i);
		json_int_t low = json_integer_value(json_array_get(row, 0));
		json_int_t samples = json_integer_value(json_array_get(row, 1));

		low = low < 0 ? 0 : low;
		bins[i].low_ns = (double)low;
		bins[i].high_ns = (double)low + pl_dist_width((double)low);
		bins[i].count = samples < 0 ? 0 : (uint64_t)samples;
	}
	m->stored_bins = bins;
	m->stored_bin_count = count;
}

static void read_facts(struct pl_run *run, const json_t *object, struct pl_measurement *m)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value)
	{
		const char *copy = pl_arena_strdup(&run->arena, name);

		if (json_is_string(value))
			pl_measurement_set_text(run, m, copy, json_string_value(value));
		else
			pl_measurement_set_number(run, m, copy,
						  json_is_number(value) ? json_number_value(value)
									: (double)NAN);
	}
}

/* Widens count elements in place from the end: ticks has room for 64 bits each. */
static void widen(uint64_t *ticks, size_t count, unsigned element_bytes)
{
	const uint32_t *narrow = (const uint32_t *)(const void *)ticks;

	for (size_t i = count; i-- > 0;)
		if (element_bytes == 4) {
			uint32_t value;

			memcpy(&value, narrow + i, sizeof(value));
			value = le32toh(value);
			ticks[i] = value;
		} else {
			ticks[i] = le64toh(ticks[i]);
		}
}

static bool read_starts(struct pl_run *run, const json_t *array, struct pl_measurement *m)
{
	size_t count = json_array_size(array);
	size_t *starts = pl_arena_array(&run->arena, count, sizeof(*starts));

	for (size_t i = 0; i < count; i++) {
		json_int_t start = json_integer_value(json_array_get(array, i));

		if (start < 0 || (size_t)start > m->n || (i && (size_t)start < starts[i - 1]))
			return false;
		starts[i] = (size_t)start;
	}
	m->block_start = starts;
	return count == (size_t)m->blocks_done + 1 && starts[0] == 0 && starts[count - 1] == m->n;
}

/* A place is believed only as far as the file goes. */
static uint64_t *load_ticks(struct pl_run *run, int fd, uint64_t offset, uint64_t count,
			    uint64_t element_bytes)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t *ticks;

	if ((element_bytes != 4 && element_bytes != 8) || end < 0 || offset > (uint64_t)end ||
	    count > ((uint64_t)end - offset) / element_bytes)
		return NULL;
	ticks = pl_arena_array(&run->arena, count, sizeof(*ticks));
	for (size_t got = 0, size = count * element_bytes; got < size;) {
		ssize_t part = pread(fd, (char *)ticks + got, size - got, (off_t)(offset + got));

		if (part <= 0)
			return NULL;
		got += (size_t)part;
	}
	widen(ticks, count, (unsigned)element_bytes);
	return ticks;
}

bool pl_read_samples(struct pl_run *run, const struct pl_read_file *file, const json_t *object,
		     struct pl_measurement *m)
{
	const json_t *place = json_object_get(object, "samples");

	if (file->samples_fd < 0 || !json_is_object(place))
		return false;
	m->n = (size_t)pl_read_u64(place, "count", 0);
	m->ns_per_tick = pl_read_real(place, "ns_per_tick");
	if (m->n != m->summary.n || !(m->ns_per_tick > 0.0) ||
	    !read_starts(run, json_object_get(place, "block_start"), m))
		return false;
	m->ticks = load_ticks(run, file->samples_fd, pl_read_u64(place, "offset_bytes", 0), m->n,
			      pl_read_u64(place, "element_bytes", 0));
	return m->ticks != NULL;
}

static void read_who(struct pl_run *run, const struct pl_read_file *file, const json_t *object,
		     struct pl_measurement *m)
{
	const char *device = json_string_value(json_object_get(object, "device"));
	uint64_t boot = pl_read_u64(object, "boot", 0);

	m->slot =
		pl_read_find_slot(file, json_string_value(json_object_get(object, "slot")), device);
	m->subject = pl_read_text(run, object, "subject");
	m->has_device = pl_read_bdf(json_object_get(object, "device"), &m->device);
	m->boot = boot < file->boot_count ? file->boots[boot] : file->boots[0];
}

static void keep_stored(struct pl_measurement *m)
{
	m->n = 0;
	m->ticks = NULL;
	m->block_start = NULL;
}

void pl_read_measurement(struct pl_run *run, const struct pl_read_file *file, const json_t *object)
{
	struct pl_measurement *m = pl_run_add_measurement(run);
	const json_t *warnings = json_object_get(object, "warnings");

	read_who(run, file, object, m);
	PL_READ_ENUM(m->probe, object, "probe", pl_probe_name, PL_PROBE_HOST + 1);
	m->metric = pl_read_text(run, object, "metric");
	read_conditions(run, json_object_get(object, "conditions"), &m->conditions);
	PL_READ_ENUM(m->outcome, object, "outcome", pl_outcome_name, PL_OUTCOME_SKIPPED + 1);
	m->why = pl_read_text(run, object, "reason");
	m->failed = (size_t)pl_read_u64(object, "failed", 0);
	m->is_valid = pl_read_bool(object, "valid");
	m->is_off_path = pl_read_bool(object, "off_path");
	read_summary(object, &m->summary);
	read_blocks(run, json_object_get(object, "blocks"), m);
	read_places(run, json_object_get(object, "places"), m);
	read_bins(run, json_object_get(object, "histogram"), m);
	read_facts(run, json_object_get(object, "facts"), m);
	for (size_t i = 0; i < json_array_size(warnings); i++)
		if (json_is_string(json_array_get(warnings, i)))
			pl_measurement_warn(run, m, "%s",
					    json_string_value(json_array_get(warnings, i)));
	if (!pl_read_samples(run, file, object, m))
		keep_stored(m);
}

/* Results of earlier versions do not have them. */
static const struct pl_conditions *read_claimed(struct pl_run *run, const json_t *object)
{
	struct pl_conditions *c;

	if (!json_is_object(object))
		return NULL;
	c = pl_arena_alloc(&run->arena, sizeof(*c));
	*c = (struct pl_conditions){0};
	read_conditions(run, object, c);
	return c;
}

void pl_read_effect(struct pl_run *run, const struct pl_read_file *file, const json_t *object)
{
	struct pl_effect *e = pl_run_add_effect(run);
	const char *unit = pl_read_text(run, object, "unit_of_n");

	PL_READ_ENUM(e->kind, object, "effect", pl_effect_kind_name, PL_EFFECT_LAST + 1);
	e->slot = pl_read_find_slot(file, json_string_value(json_object_get(object, "slot")), NULL);
	e->reference_slot = pl_read_find_slot(
		file, json_string_value(json_object_get(object, "reference_slot")), NULL);
	pl_read_bdf(json_object_get(object, "function"), &e->function);
	pl_read_bdf(json_object_get(object, "reference_function"), &e->reference_function);
	PL_READ_ENUM(e->probe, object, "probe", pl_probe_name, PL_PROBE_NET + 1);
	e->metric = pl_read_text(run, object, "metric");
	e->state = pl_read_text(run, object, "state");
	e->conditions = read_claimed(run, json_object_get(object, "conditions"));
	e->estimate_ns = pl_read_real(object, "estimate_ns");
	e->low_ns = pl_read_real(object, "ci95_low_ns");
	e->high_ns = pl_read_real(object, "ci95_high_ns");
	e->detection_limit_ns = pl_read_real(object, "detection_limit_ns");
	e->p_value = pl_read_real(object, "p_value");
	e->verdict = pl_read_text(run, object, "advertised_verdict");
	e->advertised_low_ns = pl_read_i64(object, "advertised_low_ns", -1);
	e->advertised_high_ns = pl_read_i64(object, "advertised_high_ns", -1);
	e->n = (size_t)pl_read_u64(object, "n", 0);
	e->unit_of_n = unit ? unit : "blocks";
	PL_READ_ENUM(e->reference_class, object, "reference_class", pl_reference_class_name,
		     PL_REF_SAME_UNIT + 1);
	PL_READ_ENUM(e->status, object, "status", pl_claim_status_name, PL_CLAIM_RESOLVED + 1);
	e->reason = pl_read_text(run, object, "reason");
	e->sentence = pl_read_text(run, object, "sentence");
}
