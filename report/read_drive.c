#include <math.h>

#include "report/read.h"

/* The mirror of json_drive.c. What is derived there (media_ladder) is derived again. */

static uint32_t us_at(const json_t *object, const char *key)
{
	uint64_t value = pl_read_u64(object, key, 0);

	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void read_states(const json_t *array, struct pl_drive *drive)
{
	size_t count = json_array_size(array);

	if (count > PL_POWER_STATES_MAX)
		count = PL_POWER_STATES_MAX;
	for (size_t i = 0; i < count; i++) {
		const json_t *state = json_array_get(array, i);

		drive->states[i] = (struct pl_power_state){
			.max_power_w = pl_read_real(state, "max_power_w"),
			.is_operational = pl_read_bool(state, "operational"),
			.entry_us = us_at(state, "entry_us"),
			.exit_us = us_at(state, "exit_us"),
			.apst_after_ms = us_at(state, "apst_after_ms"),
			.apst_to = (uint8_t)(pl_read_u64(state, "apst_to", 0) & 0x1f),
		};
	}
	drive->state_count = count;
}

static int deallocated_at(const json_t *object)
{
	const char *text = json_string_value(json_object_get(object, "deallocated_reads_as"));

	for (int i = 0; text && pl_drive_deallocated_name(i); i++)
		if (!strcmp(text, pl_drive_deallocated_name(i)))
			return i;
	return -1;
}

void pl_read_drive(struct pl_run *run, const json_t *object, struct pl_drive *drive)
{
	const struct {
		const char **text;
		const char *key;
	} texts[] = {
		{&drive->controller, "controller"},
		{&drive->namespace_name, "namespace"},
		{&drive->firmware, "firmware"},
		{&drive->latency_tolerance, "latency_tolerance_us"},
		{&drive->max_latency, "default_ps_max_latency_us"},
		{&drive->scheduler, "scheduler"},
		{&drive->io_poll, "io_poll"},
		{&drive->poll_queues, "poll_queues"},
		{&drive->iostats, "iostats"},
		{&drive->nomerges, "nomerges"},
		{&drive->wbt_lat_us, "wbt_lat_us"},
		{&drive->mounted_at, "mounted_at"},
		{&drive->why, "why"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i].text = pl_read_text(run, object, texts[i].key);
	pl_read_bdf(json_object_get(object, "bdf"), &drive->bdf);
	read_states(json_object_get(object, "power_states"), drive);
	drive->current_state = (int)pl_read_i64(object, "current_state", -1);
	drive->is_apst_supported = pl_read_bool(object, "apst_supported");
	drive->apst_enabled = pl_read_maybe(object, "apst_enabled");
	drive->deallocated_reads_as = deallocated_at(object);
}
