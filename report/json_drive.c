#include <math.h>

#include "report/burst.h"
#include "report/drive.h"
#include "report/drive_link.h"
#include "report/json.h"
#include "report/rows.h"

/* One NVMe drive: power states as the drive advertises them, APST, queue settings. */

static json_t *state_of(const struct pl_power_state *state)
{
	return json_pack("{s:o, s:b, s:I, s:I, s:o, s:o}", "max_power_w",
			 pl_json_real(state->max_power_w), "operational", state->is_operational,
			 "entry_us", (json_int_t)state->entry_us, "exit_us",
			 (json_int_t)state->exit_us, "apst_after_ms",
			 pl_json_positive(state->apst_after_ms), "apst_to",
			 state->apst_after_ms ? json_integer(state->apst_to) : json_null());
}

static json_t *states_of(const struct pl_drive *drive)
{
	json_t *array = json_array();

	for (size_t i = 0; i < drive->state_count; i++)
		json_array_append_new(array, state_of(&drive->states[i]));
	return array;
}

static json_t *deallocated_of(const struct pl_drive *drive)
{
	return pl_json_text(pl_drive_deallocated_name(drive->deallocated_reads_as));
}

static json_t *interval_of(const struct pl_interval *i)
{
	return json_pack("{s:o, s:o, s:o}", "estimate_ns", pl_json_ns(i->estimate), "ci95_low_ns",
			 pl_json_ns(i->low), "ci95_high_ns", pl_json_ns(i->high));
}

/* From the link outward; the steps are derived from the series that are named. */
static json_t *ladder_of(const struct pl_run *run, const struct pl_drive *drive)
{
	struct pl_drive_rung rungs[PL_DRIVE_RUNGS];
	json_t *array = json_array();

	pl_drive_ladder(run, drive, rungs);
	for (size_t i = 0; i < PL_DRIVE_RUNGS; i++) {
		const struct pl_drive_rung *r = &rungs[i];

		if (!r->m)
			continue;
		json_array_append_new(
			array,
			json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "layer",
				  pl_json_text(r->layer), "access", pl_json_text(r->access),
				  "measurement", (int)r->m->id, "p50_ns",
				  r->reason ? json_null() : pl_json_ns(r->m->summary.p50_ns),
				  "step", interval_of(&r->step), "step_holds",
				  pl_json_text(r->step_is), "reason", pl_json_text(r->reason)));
	}
	return array;
}

/* 4 KiB against 512 bytes. */
static json_t *size_of(const struct pl_run *run, const struct pl_drive *drive)
{
	struct pl_drive_size size;

	pl_drive_size(run, drive, &size);
	return json_pack("{s:o, s:o, s:o}", "step", interval_of(&size.step), "serialisation_ns",
			 size.serialisation_ns > 0.0 ? pl_json_ns(size.serialisation_ns)
						     : json_null(),
			 "reason", pl_json_text(size.reason));
}

static json_t *burst_rows(const struct pl_burst *burst)
{
	json_t *rows = json_array();

	for (size_t i = 0; burst->places && i < burst->m->conditions.burst; i++)
		json_array_append_new(rows, json_pack("[I, o, o, o, o, o]", (json_int_t)i + 1,
						      pl_json_ns(burst->places[i].p50_ns),
						      pl_json_ns(burst->places[i].p99_ns),
						      pl_json_ns(burst->over[i].estimate),
						      pl_json_ns(burst->over[i].low),
						      pl_json_ns(burst->over[i].high)));
	return rows;
}

static json_t *burst_of(const struct pl_burst *b)
{
	const struct pl_conditions *c = &b->m->conditions;
	bool is_resolved = b->status == PL_CLAIM_RESOLVED;
	bool is_back = is_resolved && b->back_high < c->burst;

	return json_pack("{s:i, s:o, s:o, s:I, s:i, s:o, s:s, s:o, s:o, s:o, s:[s, s, s, s, s, s], "
			 "s:o}",
			 "measurement", (int)b->m->id, "steady_measurement",
			 b->steady ? json_integer(b->steady->id) : json_null(), "state",
			 pl_json_text(c->state), "gap_ns", (json_int_t)c->gap_ns, "reads",
			 (int)c->burst, "tolerance_ns", pl_json_ns(b->tolerance_ns), "status",
			 pl_claim_status_name(b->status), "back_after_low",
			 is_resolved ? json_integer(b->back_low) : json_null(), "back_after_high",
			 is_back ? json_integer(b->back_high) : json_null(), "sentence",
			 pl_json_text(b->sentence), "columns", "read", "p50_ns", "p99_ns",
			 "over_steady_ns", "ci95_low_ns", "ci95_high_ns", "rows", burst_rows(b));
}

/* The first reads after idle time; derived from the series that are named. */
static json_t *bursts_of(const struct pl_run *run, const struct pl_drive *drive)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		struct pl_arena scratch = {NULL};
		struct pl_burst burst;

		if (!m->conditions.burst || !m->has_device ||
		    !pl_bdf_is_equal(m->device, drive->bdf))
			continue;
		pl_burst_judge(&scratch, run, m, &burst);
		json_array_append_new(array, burst_of(&burst));
		pl_arena_fini(&scratch);
	}
	return array;
}

static json_t *coupling_of(const struct pl_drive_link *d)
{
	const struct pl_estimate *e = &d->change;

	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "status",
			 pl_coupling_name(d->coupling), "change_ns", pl_json_ns(e->mean),
			 "ci95_low_ns", pl_json_ns(e->low), "ci95_high_ns", pl_json_ns(e->high),
			 "n", (json_int_t)e->n, "gap_ns",
			 d->gap_ns ? json_integer((json_int_t)d->gap_ns) : json_null(), "sentence",
			 pl_json_text(d->coupling_text));
}

/* What the link of the drive may do while it sleeps. */
static json_t *link_power_of(const struct pl_run *run, const struct pl_drive *drive)
{
	struct pl_arena scratch = {NULL};
	struct pl_drive_link_row rows[PL_DRIVE_LINK_ROWS];
	struct pl_drive_link d;
	json_t *object = json_object();

	pl_drive_link(&scratch, run, drive, &d);
	pl_drive_link_rows(&scratch, &d, rows);
	for (size_t i = 0; i < PL_DRIVE_LINK_ROWS; i++)
		json_object_set_new(object, rows[i].key,
				    json_pack("{s:o, s:o, s:o}", "supported",
					      pl_json_maybe(rows[i].supported), "enabled",
					      pl_json_maybe(rows[i].enabled), "note",
					      pl_json_text(rows[i].note)));
	json_object_set_new(object, "reason", pl_json_text(d.why));
	json_object_set_new(object, "follows", pl_json_text(d.follows));
	json_object_set_new(object, "coupling", coupling_of(&d));
	pl_arena_fini(&scratch);
	return object;
}

static json_t *said_by(const struct pl_drive *drive)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o}",
		"bdf", pl_json_bdf(drive->bdf), "controller", pl_json_text(drive->controller),
		"namespace", pl_json_text(drive->namespace_name), "firmware",
		pl_json_text(drive->firmware), "power_states", states_of(drive), "current_state",
		drive->current_state < 0 ? json_null() : json_integer(drive->current_state),
		"apst_supported", drive->is_apst_supported, "apst_enabled",
		pl_json_maybe(drive->apst_enabled), "deallocated_reads_as", deallocated_of(drive),
		"latency_tolerance_us", pl_json_text(drive->latency_tolerance),
		"default_ps_max_latency_us", pl_json_text(drive->max_latency), "scheduler",
		pl_json_text(drive->scheduler), "io_poll", pl_json_text(drive->io_poll),
		"poll_queues", pl_json_text(drive->poll_queues), "iostats",
		pl_json_text(drive->iostats), "nomerges", pl_json_text(drive->nomerges),
		"wbt_lat_us", pl_json_text(drive->wbt_lat_us), "mounted_at",
		pl_json_text(drive->mounted_at), "why", pl_json_text(drive->why));
}

json_t *pl_json_drive(const struct pl_run *run, const struct pl_drive *drive)
{
	json_t *object = said_by(drive);

	json_object_set_new(object, "media_ladder", ladder_of(run, drive));
	json_object_set_new(object, "size_step", size_of(run, drive));
	json_object_set_new(object, "link_power", link_power_of(run, drive));
	json_object_set_new(object, "bursts", bursts_of(run, drive));
	return object;
}
