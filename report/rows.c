#include "report/rows.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "core/stats.h"
#include "model/summary.h"
#include "report/out.h"

bool pl_series_has_numbers(const struct pl_measurement *m)
{
	return m && (m->outcome == PL_OUTCOME_MEASURED || m->outcome == PL_OUTCOME_PARTIAL) &&
	       m->summary.n > 0;
}

bool pl_series_is_endpoint(const struct pl_measurement *m)
{
	const struct pl_slot *slot = m->slot;

	if (!slot || !m->has_device)
		return false;
	if (slot->device)
		return pl_bdf_is_equal(m->device, slot->device->bdf);
	return slot->path_count && pl_bdf_is_equal(m->device, slot->path[slot->path_count - 1]);
}

/* Bandwidth, copies and reads of the card's own memory are GPU series too, but no path of a slot.
 */
bool pl_series_is_host_read(const struct pl_measurement *m)
{
	const char *memory = m->conditions.memory;

	return m->probe == PL_PROBE_GPU && m->metric &&
	       (!strcmp(m->metric, "chase") || !strcmp(m->metric, "load")) &&
	       (!memory || !strncmp(memory, "host", 4));
}

/* How well a series stands for its column: more is better, 0 is "not this column". */
static int headline_score(const struct pl_measurement *m)
{
	int score = 1;

	if (m->probe == PL_PROBE_CONFIG && !pl_series_is_endpoint(m))
		return 0;
	if (m->conditions.burst)
		return 0;
	if (m->probe == PL_PROBE_GPU && !pl_series_is_host_read(m))
		return 0;
	score += pl_series_has_numbers(m) ? 64 : 0;
	score += m->conditions.gap_ns == 0 ? 32 : 0;
	score += !m->conditions.state || !strcmp(m->conditions.state, "as_found") ? 16 : 0;
	score += m->conditions.queue_depth <= 1 ? 8 : 0;
	score += m->conditions.size_bytes == 4096 || m->conditions.config_offset == 0x100 ? 4 : 0;
	score += m->conditions.pattern && !strcmp(m->conditions.pattern, "random") ? 2 : 0;
	return score;
}

/* Among equals the larger region of a GPU chase: caches and the TLB hide the path of small ones. */
static bool is_better(const struct pl_measurement *a, const struct pl_measurement *b)
{
	int score_a = headline_score(a);
	int score_b = b ? headline_score(b) : 0;

	if (score_a != score_b)
		return score_a > score_b;
	return b && a->conditions.region_bytes > b->conditions.region_bytes;
}

void pl_row_fill(const struct pl_run *run, const struct pl_slot *slot, struct pl_row *row)
{
	const struct pl_measurement **const places[] = {
		[PL_PROBE_CONFIG] = &row->config,
		[PL_PROBE_BAR] = &row->bar,
		[PL_PROBE_NVME] = &row->nvme,
		[PL_PROBE_GPU] = &row->gpu,
	};

	*row = (struct pl_row){.slot = slot};
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->slot != slot || m->probe > PL_PROBE_GPU)
			continue;
		if (is_better(m, *places[m->probe]))
			*places[m->probe] = m;
	}
}

bool pl_row_has_series(const struct pl_row *row)
{
	return row->config || row->bar || row->nvme || row->gpu;
}

bool pl_row_is_shown(const struct pl_row *row)
{
	return pl_row_has_series(row) ||
	       (!row->slot->built_in && row->slot->attachment != PL_ATTACH_INTEGRATED);
}

bool pl_row_is_headline(const struct pl_row *row)
{
	return row->slot->link.is_present || row->bar || row->nvme || row->gpu;
}

static bool is_told(const struct pl_effect *e)
{
	return e->status == PL_CLAIM_RESOLVED && e->kind != PL_EFFECT_CONFIG_STEP;
}

static bool is_same_claim(const struct pl_effect *a, const struct pl_effect *b)
{
	return a->kind == b->kind && a->slot == b->slot && a->reference_slot == b->reference_slot &&
	       !strcmp(a->state ? a->state : "", b->state ? b->state : "");
}

/* A rung says what a better access says too, or what the endpoint's own rung says. */
static bool is_only_a_rung(const struct pl_run *run, const struct pl_effect *e)
{
	if (e->probe != PL_PROBE_CONFIG || !e->slot)
		return false;
	if (!e->slot->device || !pl_bdf_is_equal(e->function, e->slot->device->bdf))
		return true;
	for (size_t i = 0; i < run->effect_count; i++)
		if (run->effects[i].probe != PL_PROBE_CONFIG && is_told(&run->effects[i]) &&
		    is_same_claim(&run->effects[i], e))
			return true;
	return false;
}

bool pl_effect_is_headline(const struct pl_run *run, size_t index)
{
	const struct pl_effect *e = &run->effects[index];

	if (!is_told(e) || is_only_a_rung(run, e))
		return false;
	/* The steps of a chain are two claims of one access; other repeats are the same news. */
	for (size_t i = 0; i < index && e->kind != PL_EFFECT_ENTRY_TIMER; i++)
		if (run->effects[i].probe == e->probe && is_told(&run->effects[i]) &&
		    is_same_claim(&run->effects[i], e))
			return false;
	return true;
}

unsigned pl_row_generation(unsigned speed_mts)
{
	static const unsigned speeds[] = {2500, 5000, 8000, 16000, 32000, 64000};

	for (unsigned i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i] == speed_mts)
			return i + 1;
	return 0;
}

const char *pl_row_ns(struct pl_arena *arena, double ns)
{
	char text[32];

	if (isfinite(ns) && fabs(ns) >= 99.5 && fabs(ns) < 9999.5)
		return pl_arena_printf(arena, "%.0f ns", ns);
	return pl_arena_strdup(arena, pl_fmt_ns(text, sizeof(text), ns));
}

const char *pl_row_speed(struct pl_arena *arena, unsigned speed_mts, unsigned width)
{
	unsigned generation = pl_row_generation(speed_mts);

	if (!generation || !width)
		return NULL;
	return pl_arena_printf(arena, "Gen%u x%u", generation, width);
}

const char *pl_row_link(struct pl_arena *arena, const struct pl_slot *slot)
{
	const struct pl_link *link = &slot->link;
	const char *now = pl_row_speed(arena, link->speed_mts, link->width);
	const char *most = pl_row_speed(arena, link->max_speed_mts, link->max_width);

	if (!link->is_present)
		return "no link";
	if (!slot->device)
		return most ? pl_arena_printf(arena, "up to %s", most) : "unknown";
	if (!now)
		return most ? pl_arena_printf(arena, "? (of %s)", most) : "unknown";
	if (!most || !strcmp(now, most))
		return now;
	if (link->width == link->max_width)
		return pl_arena_printf(arena, "%s (of Gen%u)", now,
				       pl_row_generation(link->max_speed_mts));
	if (link->speed_mts == link->max_speed_mts)
		return pl_arena_printf(arena, "%s (of x%u)", now, link->max_width);
	return pl_arena_printf(arena, "%s (of %s)", now, most);
}

const char *pl_row_chip_name(const struct pl_slot *slot)
{
	for (size_t i = slot->via_count; slot->chipset && i-- > 0;)
		if (slot->via[i].kind == PL_VIA_CHIPSET && slot->via[i].name)
			return slot->via[i].name;
	return slot->chipset;
}

const char *pl_row_path(struct pl_arena *arena, const struct pl_slot *slot)
{
	static const char *const origins[] = {"unknown", "CPU", "chipset", "integrated"};
	const char *origin = origins[slot->origin];
	const char *hops =
		slot->chipset_hops > 1 ? pl_arena_printf(arena, " x%d", slot->chipset_hops) : "";
	const char *chip = pl_out_short(arena, pl_row_chip_name(slot), "");
	const char *extra = slot->attachment == PL_ATTACH_SWITCH   ? ", switch"
			    : slot->attachment == PL_ATTACH_TUNNEL ? ", tunnel"
			    : slot->built_in                       ? " (built in)"
								   : "";

	if (slot->origin == PL_ORIGIN_UNKNOWN && slot->attachment == PL_ATTACH_INTEGRATED)
		origin = "integrated";
	return pl_arena_printf(arena, "%s%s%s%s%s", origin, hops, *chip ? " " : "", chip, extra);
}

const char *pl_row_chips(struct pl_arena *arena, const struct pl_slot *slot)
{
	if (slot->chipset_hops <= 0 || slot->attachment == PL_ATTACH_INTEGRATED)
		return pl_row_path(arena, slot);
	return pl_arena_printf(arena, "%d × %s", slot->chipset_hops,
			       pl_out_short(arena, pl_row_chip_name(slot), "?"));
}

const char *pl_row_device(struct pl_arena *arena, const struct pl_slot *slot)
{
	const struct pl_device *device = slot->device;

	if (!device)
		return "(empty)";
	return pl_out_short(arena, device->model ? device->model : device->name, "unknown");
}

const char *pl_row_label(struct pl_arena *arena, const struct pl_slot *slot)
{
	return pl_out_short(arena, slot->label ? slot->label : slot->key, "?");
}

static const char *condition_text(struct pl_arena *arena, const struct pl_conditions *c)
{
	char gap[32], region[32];
	const char *state = c->state ? c->state : "";

	return pl_arena_printf(
		arena, "%s%s%s%s%s%s%s", c->pattern ? " " : "", c->pattern ? c->pattern : "",
		*state ? " " : "", state, c->gap_ns ? " after " : "",
		c->gap_ns ? pl_fmt_ns(gap, sizeof(gap), (double)c->gap_ns) : "",
		c->region_bytes
			? pl_arena_printf(arena, " over %s",
					  pl_fmt_bytes(region, sizeof(region), c->region_bytes))
			: "");
}

const char *pl_series_title(struct pl_arena *arena, const struct pl_measurement *m)
{
	char bdf[PL_BDF_TEXT];
	const char *who =
		m->slot ? pl_row_label(arena, m->slot) : pl_out_short(arena, m->subject, "unknown");

	return pl_arena_printf(arena, "%s%s%s: %s %s%s", who, m->has_device ? " " : "",
			       m->has_device ? pl_bdf_format(m->device, bdf) : "",
			       pl_probe_name(m->probe), m->metric ? m->metric : "",
			       condition_text(arena, &m->conditions));
}

/* To the digits of results.json, so that a report made again says the same. */
static double as_stored(double ns)
{
	return round(ns * 1e3) / 1e3;
}

struct pl_interval pl_series_step(struct pl_arena *arena, const struct pl_measurement *a,
				  const struct pl_measurement *b)
{
	size_t blocks = a->blocks_done < b->blocks_done ? a->blocks_done : b->blocks_done;
	double *of_a = pl_arena_array(arena, a->blocks_done, sizeof(*of_a));
	double *of_b = pl_arena_array(arena, b->blocks_done, sizeof(*of_b));
	double *paired = pl_arena_array(arena, blocks, sizeof(*paired));
	size_t n = 0;

	pl_measurement_block_centres(a, of_a);
	pl_measurement_block_centres(b, of_b);
	for (size_t i = 0; i < blocks; i++)
		if (!isnan(of_a[i]) && !isnan(of_b[i]))
			paired[n++] = as_stored(of_b[i]) - as_stored(of_a[i]);
	return pl_stats_block_interval(paired, n);
}
