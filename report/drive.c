#include "report/drive.h"

#include <math.h>
#include <string.h>

#include "report/attribute.h"
#include "report/out.h"
#include "report/rows.h"

const struct pl_slot *pl_drive_slot(const struct pl_run *run, const struct pl_drive *drive)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].device && pl_bdf_is_equal(run->slots[i].device->bdf, drive->bdf))
			return &run->slots[i];
	return NULL;
}

const char *pl_drive_title(struct pl_arena *arena, const struct pl_run *run,
			   const struct pl_drive *drive)
{
	const struct pl_slot *slot = pl_drive_slot(run, drive);
	char bdf[PL_BDF_TEXT];

	if (!slot)
		return pl_arena_strdup(arena, pl_bdf_format(drive->bdf, bdf));
	return pl_arena_printf(arena, "%s: %s%s%s", pl_row_label(arena, slot),
			       pl_row_device(arena, slot), drive->firmware ? ", firmware " : "",
			       pl_out_short(arena, drive->firmware, ""));
}

/* ---- the ladder ---- */

#define FAST "read_4k_fast_lba"

#define WAY "a second round trip, 4 KiB over the link, the controller, the software"
#define BLOCK "finding the block in the drive"
#define MEDIA "the media and its lookup"

/*
 * step_is[k] is what the step holds when the k rungs before it have no numbers: it holds what
 * theirs would have held. NULL: other means of access, no step. Admin rungs stand beside the
 * ladder.
 */
static const struct {
	const char *layer;
	enum pl_probe probe;
	const char *metric, *pattern, *access, *step_is[3];
} rungs_of[PL_DRIVE_RUNGS] = {
	{"link", PL_PROBE_CONFIG, "config_read", NULL, "config read", {NULL}},
	{"link", PL_PROBE_BAR, "bar_read", NULL, "BAR read", {NULL}},
	{"controller", PL_PROBE_NVME, FAST, "fast_lba", "4 KiB, no media", {WAY}},
	{"cache", PL_PROBE_NVME, "read_4k", "same_lba", "same 4 KiB", {BLOCK, WAY ", " BLOCK}},
	{"NAND",
	 PL_PROBE_NVME,
	 "read_4k",
	 "random",
	 "random 4 KiB",
	 {MEDIA, BLOCK ", " MEDIA, WAY ", " BLOCK ", " MEDIA}},
	{"admin", PL_PROBE_NVME, "get_features", NULL, "Get Features", {NULL}},
	{"admin", PL_PROBE_NVME, "identify", NULL, "Identify", {"4 KiB that the firmware makes"}},
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_plain(const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;

	return !c->gap_ns && !c->apst && is_same_text(c->state ? c->state : "as_found", "as_found");
}

/* The first with numbers, else the first that was planned; NULL. */
static const struct pl_measurement *find(const struct pl_run *run, const struct pl_drive *drive,
					 enum pl_probe probe, const char *metric,
					 const char *pattern)
{
	const struct pl_measurement *found = NULL;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];

		if (m->probe == probe && m->has_device && pl_bdf_is_equal(m->device, drive->bdf) &&
		    is_same_text(m->metric, metric) && is_plain(m) &&
		    (!pattern || is_same_text(m->conditions.pattern, pattern)) &&
		    (!found || (!pl_series_has_numbers(found) && pl_series_has_numbers(m))))
			found = m;
	}
	return found;
}

static const struct pl_interval no_step = {(double)NAN, (double)NAN, (double)NAN, 0};

static struct pl_interval step_of(const struct pl_measurement *before,
				  const struct pl_measurement *m)
{
	struct pl_arena scratch = {NULL};
	struct pl_interval step = no_step;

	if (before && pl_series_has_numbers(before) && pl_series_has_numbers(m))
		step = pl_series_step(&scratch, before, m);
	pl_arena_fini(&scratch);
	return step;
}

static const char *reason_of(const struct pl_measurement *m)
{
	if (!m)
		return "not planned";
	return pl_series_has_numbers(m) ? NULL : m->why ? m->why : "no reason recorded";
}

/* A place that is not all zero was written once: then the cache is part of that rung. */
static const char *layer_of(size_t i, const struct pl_measurement *m)
{
	const struct pl_fact *data = m ? pl_measurement_find_fact(m, "fast_lba_data") : NULL;

	if (data && data->text && !strncmp(data->text, "not zero", 8))
		return "controller or cache";
	return rungs_of[i].layer;
}

void pl_drive_ladder(const struct pl_run *run, const struct pl_drive *drive,
		     struct pl_drive_rung rungs[PL_DRIVE_RUNGS])
{
	const struct pl_measurement *before = NULL;
	size_t missing = 0; /* rungs between that one and this */

	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++) {
		bool has_step = rungs_of[i].step_is[0] != NULL;
		const struct pl_measurement *m = find(run, drive, rungs_of[i].probe,
						      rungs_of[i].metric, rungs_of[i].pattern);

		rungs[i] = (struct pl_drive_rung){
			.layer = layer_of(i, m),
			.access = rungs_of[i].access,
			.m = m,
			.step = has_step ? step_of(before, m) : no_step,
			.step_is = has_step ? rungs_of[i].step_is[missing] : NULL,
			.reason = reason_of(m),
		};
		missing++;
		if (pl_series_has_numbers(m) || !has_step) {
			before = m;
			missing = 0;
		}
	}
}

bool pl_drive_is_detailed(const struct pl_run *run, const struct pl_drive *drive)
{
	return find(run, drive, PL_PROBE_NVME, FAST, NULL) != NULL;
}

void pl_drive_size(const struct pl_run *run, const struct pl_drive *drive,
		   struct pl_drive_size *size)
{
	const struct pl_slot *slot = pl_drive_slot(run, drive);
	const struct pl_device *device = slot ? slot->device : NULL;
	const struct pl_measurement *small = find(run, drive, PL_PROBE_NVME, "read_512", NULL);
	const struct pl_measurement *large = find(run, drive, PL_PROBE_NVME, "read_4k", "random");

	*size = (struct pl_drive_size){.step = step_of(small, large)};
	if (slot)
		size->serialisation_ns =
			pl_link_serialisation_ns(slot, 4096) - pl_link_serialisation_ns(slot, 512);
	if (!isnan(size->step.estimate))
		return;
	if (device && device->namespace_count && device->namespaces[0].block_bytes > 512)
		size->reason = "the namespace is formatted with larger blocks: 512 bytes cannot be "
			       "read alone";
	else
		size->reason = reason_of(small) ? reason_of(small) : reason_of(large);
}
