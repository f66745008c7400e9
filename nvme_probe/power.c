#include "nvme_probe/power.h"

#include <math.h>
#include <string.h>

/* Identify Controller. */
#define NPSS 263
#define APSTA 265
#define PSD 2048
#define PSD_BYTES 32

static uint32_t le16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t le32(const uint8_t *at)
{
	return le16(at) | le16(at + 2) << 16;
}

static struct pl_power_state decode_state(const uint8_t *psd)
{
	/* Byte 3: bit 0 MXPS (unit 0.0001 W instead of 0.01 W), bit 1 NOPS (non-operational). */
	uint32_t power = le16(psd);
	double unit_w = psd[3] & 1 ? 0.0001 : 0.01;

	return (struct pl_power_state){
		.max_power_w = power ? (double)power * unit_w : (double)NAN,
		.is_operational = !(psd[3] & 2),
		.entry_us = le32(psd + 4),
		.exit_us = le32(psd + 8),
	};
}

void pl_power_decode_states(const uint8_t *identify, struct pl_drive *drive)
{
	size_t count = (size_t)identify[NPSS] + 1;

	if (count > PL_POWER_STATES_MAX)
		count = PL_POWER_STATES_MAX;
	for (size_t i = 0; i < count; i++)
		drive->states[i] = decode_state(identify + PSD + i * PSD_BYTES);
	drive->state_count = count;
	drive->is_apst_supported = identify[APSTA] & 1;
	if (!drive->is_apst_supported)
		drive->apst_enabled = 0; /* nothing to ask for */
}

void pl_power_decode_apst(const uint8_t *table, uint32_t result, struct pl_drive *drive)
{
	drive->apst_enabled = result & 1;
	for (size_t i = 0; i < drive->state_count; i++) {
		/* Bits 7:3 ITPS, the state; bits 31:8 ITPT, the idle time in ms; 0: disabled. */
		uint32_t entry = le32(table + 8 * i);

		drive->states[i].apst_after_ms = entry >> 8;
		drive->states[i].apst_to = entry >> 8 ? (entry >> 3) & 0x1f : 0;
	}
}

void pl_power_decode_current(uint32_t result, struct pl_drive *drive)
{
	drive->current_state = (int)(result & 0x1f);
}
