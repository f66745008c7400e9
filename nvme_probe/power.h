#ifndef PL_NVME_PROBE_POWER_H
#define PL_NVME_PROBE_POWER_H

#include <stdint.h>

#include "model/drive.h"

/*
 * Pure decoders of what a controller answers (NVM Express Base Specification: Identify Controller
 * data structure, Power State Descriptor, Autonomous Power State Transition feature). Data come
 * from hardware: any bytes give a well-formed result.
 */

/*
 * Fills states, state_count and is_apst_supported from 4096 bytes of Identify Controller, and
 * apst_enabled when there is no APST: 0.
 */
void pl_power_decode_states(const uint8_t *identify, struct pl_drive *drive);
/* Fills apst_after_ms and apst_to of the states, and apst_enabled from completion dword 0. */
void pl_power_decode_apst(const uint8_t *table, uint32_t result, struct pl_drive *drive);
/* Fills current_state from completion dword 0 of Get Features (Power Management). */
void pl_power_decode_current(uint32_t result, struct pl_drive *drive);

#endif
