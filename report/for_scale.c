#include "report/for_scale.h"

#include <math.h>
#include <string.h>

#include "report/out.h"
#include "report/rows.h"
#include "report/sentence.h"

static const char *adds_of(struct pl_arena *arena, const struct pl_run *run,
			   const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->effect_count; i++) {
		const struct pl_effect *e = &run->effects[i];

		if (e->slot == slot && e->kind == PL_EFFECT_HOP && e->probe == PL_PROBE_GPU &&
		    e->status == PL_CLAIM_RESOLVED && !isnan(e->estimate_ns))
			return pl_sentence_value(arena, e);
	}
	return NULL;
}

/* The fastest read of host memory by the whole GPU: as far as its cache helps. bytes/ns = GB/s. */
static const char *rate_of(struct pl_arena *arena, const struct pl_run *run,
			   const struct pl_slot *slot)
{
	double best = 0.0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		double rate = (double)m->conditions.region_bytes / m->summary.p50_ns;

		if (m->slot == slot && m->probe == PL_PROBE_GPU && m->metric &&
		    !strcmp(m->metric, "read") && pl_series_has_numbers(m) &&
		    m->conditions.memory && !strncmp(m->conditions.memory, "host", 4) &&
		    isfinite(rate) && rate > best)
			best = rate;
	}
	return best > 0.0 ? pl_arena_printf(arena, "%.1f GB/s", best) : NULL;
}

static bool measured(struct pl_arena *arena, const struct pl_run *run, const struct pl_slot *slot,
		     struct pl_scale_row *to)
{
	struct pl_row row;

	pl_row_fill(run, slot, &row);
	if (!row.gpu || !pl_series_has_numbers(row.gpu) || row.gpu->is_off_path)
		return false;
	*to = (struct pl_scale_row){.board = "this machine",
				    .place = pl_arena_printf(arena, "%s, %s",
							     pl_row_label(arena, slot),
							     pl_row_path(arena, slot)),
				    .read = pl_row_ns(arena, row.gpu->summary.p50_ns),
				    .adds = adds_of(arena, run, slot),
				    .rate = rate_of(arena, run, slot)};
	return true;
}

static const char *ns_or_none(struct pl_arena *arena, double ns)
{
	return isnan(ns) ? NULL : pl_row_ns(arena, ns);
}

static struct pl_scale_row published(struct pl_arena *arena, const struct pl_published *p)
{
	return (struct pl_scale_row){
		.board = p->board,
		.place = p->place,
		.read = ns_or_none(arena, p->read_ns),
		.adds = ns_or_none(arena, p->adds_ns),
		.rate = isnan(p->cached_gbs) ? NULL
					     : pl_arena_printf(arena, "%.0f GB/s", p->cached_gbs),
		.published = p};
}

struct pl_scale pl_for_scale(struct pl_arena *arena, const struct pl_run *run)
{
	size_t published_count;
	const struct pl_published *table = pl_published_gpu(&published_count);
	struct pl_scale scale = {
		pl_arena_array(arena, run->slot_count + published_count, sizeof(*scale.rows)), 0};

	for (size_t i = 0; i < run->slot_count; i++)
		scale.count += measured(arena, run, &run->slots[i], &scale.rows[scale.count]);
	if (!scale.count)
		return scale;
	for (size_t i = 0; i < published_count; i++)
		scale.rows[scale.count++] = published(arena, &table[i]);
	return scale;
}

const char *pl_scale_source(struct pl_arena *arena)
{
	size_t count;
	const struct pl_published *table = pl_published_gpu(&count);

	return pl_arena_printf(arena, "Published: %s; %s. Rate: of reads that a cache serves.",
			       table[0].source, table[0].conditions);
}
