#include "report/json.h"

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
	static const char *const words[] = {"not reported", "zeros", "ones"};

	if (drive->deallocated_reads_as < 0 || drive->deallocated_reads_as > 2)
		return json_null();
	return json_string(words[drive->deallocated_reads_as]);
}

json_t *pl_json_drive(const struct pl_drive *drive)
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
