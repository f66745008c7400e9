#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/summary.h"
#include "report/attribute.h"

#define BOOTS_MIN 3u

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

const char *pl_series_refusal(struct pl_attribution *a, const struct pl_measurement *m)
{
	if (m->outcome != PL_OUTCOME_MEASURED && m->outcome != PL_OUTCOME_PARTIAL)
		return m->why ? pl_arena_printf(&a->run->arena, "not measured: %s", m->why)
			      : "not measured";
	if (m->is_off_path)
		return "no PCIe path: this device sits in no slot";
	if (!m->is_valid)
		return m->why ? pl_arena_printf(&a->run->arena, "the series is not valid: %s",
						m->why)
			      : "the series is not valid";
	return NULL;
}

static bool is_state(const struct pl_measurement *m, const char *state)
{
	return is_same_text(m->conditions.state ? m->conditions.state : "as_found",
			    state ? state : "as_found");
}

const struct pl_measurement *pl_series_find(const struct pl_run *run,
					    const struct pl_measurement *like,
					    const struct pl_slot *slot, const char *state,
					    uint64_t gap_ns)
{
	const struct pl_measurement *other_boot = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->slot != slot || m->conditions.gap_ns != gap_ns || !is_state(m, state) ||
		    !pl_measurement_is_same_access(m, like))
			continue;
		/* A ladder has many functions per slot. */
		if (slot == like->slot && !pl_bdf_is_equal(m->device, like->device))
			continue;
		if (m->boot == like->boot)
			return m;
		if (!other_boot)
			other_boot = m;
	}
	return other_boot;
}

/* A median of many samples tells a part of the clock's step apart, not less. */
#define STEP_PART 0.25

double pl_series_floor_ns(const struct pl_measurement *a, const struct pl_measurement *b)
{
	return STEP_PART * fmax(pl_measurement_step_ns(a), pl_measurement_step_ns(b));
}

static struct pl_estimate paired(const struct pl_measurement *arm,
				 const struct pl_measurement *reference)
{
	struct pl_arena scratch = {NULL};
	unsigned blocks = arm->blocks_done < reference->blocks_done ? arm->blocks_done
								    : reference->blocks_done;
	double *x = pl_arena_array(&scratch, arm->blocks_done, sizeof(*x));
	double *y = pl_arena_array(&scratch, reference->blocks_done, sizeof(*y));
	struct pl_estimate e;

	pl_measurement_block_centres(arm, x);
	pl_measurement_block_centres(reference, y);
	e = pl_stats_estimate_paired(x, y, blocks, pl_series_floor_ns(arm, reference));
	pl_arena_fini(&scratch);
	return e;
}

struct group {
	double *boots;  /* one value per boot */
	double *blocks; /* all blocks of all boots */
	size_t boot_count, block_count;
};

/* Every boot of the same access, slot, state and gap. */
static void gather(struct group *g, const struct pl_run *run, const struct pl_measurement *like,
		   struct pl_arena *scratch)
{
	size_t blocks = 0;

	for (size_t i = 0; i < run->measurement_count; i++)
		blocks += run->measurements[i]->blocks_done;
	g->boots = pl_arena_array(scratch, run->measurement_count, sizeof(double));
	g->blocks = pl_arena_array(scratch, blocks, sizeof(double));
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		double *to = g->blocks + g->block_count;

		if (m->slot != like->slot || m->conditions.gap_ns != like->conditions.gap_ns ||
		    !m->is_valid || !is_state(m, like->conditions.state) ||
		    !pl_measurement_is_same_access(m, like) || !pl_measurement_block_centres(m, to))
			continue;
		g->boots[g->boot_count++] = pl_stats_estimate(to, m->blocks_done, 0.0).mean;
		g->block_count += m->blocks_done;
	}
}

/* A moved card: boots are the unit when there are enough, else blocks, and that is said. */
static struct pl_estimate across_boots(const struct pl_run *run, const struct pl_measurement *arm,
				       const struct pl_measurement *reference, const char **unit)
{
	struct pl_arena scratch = {NULL};
	struct group x = {NULL, NULL, 0, 0}, y = {NULL, NULL, 0, 0};
	struct pl_estimate e;

	gather(&x, run, arm, &scratch);
	gather(&y, run, reference, &scratch);
	if (x.boot_count >= BOOTS_MIN && y.boot_count >= BOOTS_MIN) {
		*unit = "boots";
		e = pl_stats_estimate_groups(x.boots, x.boot_count, y.boots, y.boot_count);
	} else {
		e = pl_stats_estimate_groups(x.blocks, x.block_count, y.blocks, y.block_count);
	}
	pl_arena_fini(&scratch);
	return e;
}

struct pl_estimate pl_series_difference(const struct pl_run *run, const struct pl_measurement *arm,
					const struct pl_measurement *reference, const char **unit)
{
	*unit = "blocks";
	return arm->boot == reference->boot ? paired(arm, reference)
					    : across_boots(run, arm, reference, unit);
}

/* Least software between the gap and the access first. */
static const enum pl_probe timer_probes[] = {PL_PROBE_BAR, PL_PROBE_CONFIG, PL_PROBE_GPU,
					     PL_PROBE_NVME, PL_PROBE_NET};

bool pl_series_is_timer_probe(const struct pl_run *run, const struct pl_measurement *m)
{
	for (size_t k = 0; k < sizeof(timer_probes) / sizeof(timer_probes[0]); k++) {
		if (timer_probes[k] == m->probe)
			return true;
		for (size_t i = 0; i < run->measurement_count; i++) {
			const struct pl_measurement *other = run->measurements[i];

			if (other->probe == timer_probes[k] && other->slot == m->slot &&
			    pl_bdf_is_equal(other->device, m->device) && other->is_valid &&
			    other->conditions.gap_ns && is_state(other, m->conditions.state))
				return false;
		}
	}
	return true;
}

/* What a reader calls an access: a GPU does not read "chase". */
static const struct {
	enum pl_probe probe;
	const char *metric;
	const char *text;
} accesses[] = {
	{PL_PROBE_CONFIG, NULL, "a configuration read"},
	{PL_PROBE_BAR, NULL, "a register read"},
	{PL_PROBE_GPU, "chase", "a GPU read of host memory"},
	{PL_PROBE_GPU, "load", "a GPU read of host memory"},
	{PL_PROBE_GPU, "load_after_gap", "a GPU read of host memory"},
};

const char *pl_series_access(struct pl_attribution *a, const struct pl_measurement *m)
{
	char size[32], bdf[PL_BDF_TEXT];

	/* Every rung of a ladder sees the links above it: say which function was read. */
	if (m->probe == PL_PROBE_CONFIG && m->has_device)
		return pl_arena_printf(&a->run->arena, "a configuration read of %s",
				       pl_bdf_format(m->device, bdf));
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if (accesses[i].probe == m->probe &&
		    (!accesses[i].metric || is_same_text(accesses[i].metric, m->metric)))
			return accesses[i].text;
	if (m->probe != PL_PROBE_NVME || !m->conditions.size_bytes)
		return pl_arena_printf(&a->run->arena, "%s",
				       m->metric ? m->metric : pl_probe_name(m->probe));
	pl_fmt_bytes(size, sizeof(size), m->conditions.size_bytes);
	return pl_arena_printf(&a->run->arena, "a %s read%s", size,
			       is_same_text(m->conditions.pattern, "same_lba") ? " of one block"
									       : "");
}
