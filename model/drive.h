#ifndef PL_MODEL_DRIVE_H
#define PL_MODEL_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/bdf.h"

#define PL_POWER_STATES_MAX 32

/*
 * One line of a controller's power state table (NVM Express Base Specification, "Power State
 * Descriptor"). Latencies are the drive's own upper bounds; 0: not reported.
 */
struct pl_power_state {
	double max_power_w; /* NAN: not reported */
	bool is_operational;
	uint32_t entry_us, exit_us;
	/* Autonomous transition out of this state (Get Features 0x0C): after apst_after_ms of idle,
	 * to apst_to; apst_after_ms 0: none. */
	uint32_t apst_after_ms;
	uint8_t apst_to;
};

/* What a drive and the kernel say about its power management. Texts NULL: not known. */
struct pl_drive {
	struct pl_bdf bdf;
	const char *controller; /* "nvme0" */
	const char *namespace_name;
	const char *firmware;
	struct pl_power_state states[PL_POWER_STATES_MAX];
	size_t state_count; /* 0: not known, why says so */
	bool is_apst_supported;
	int apst_enabled;  /* 1, 0, -1: not known */
	int current_state; /* -1: not known */
	/* What a deallocated block reads as (Identify Namespace, DLFEAT bits 2:0): 0 not reported,
	 * 1 zeros, 2 ones; -1: not known. */
	int deallocated_reads_as;
	const char *why;               /* why the controller was not asked; NULL: it was */
	const char *latency_tolerance; /* pm_qos_latency_tolerance_us: "100000", "any", … */
	const char *max_latency;       /* nvme_core.default_ps_max_latency_us */
	const char *scheduler, *io_poll, *poll_queues, *iostats, *nomerges, *wbt_lat_us;
	const char *mounted_at; /* a mount point of it or of a partition of it */
};

/* Text of deallocated_reads_as: "not reported", "zeros", "ones"; NULL for any other value. */
const char *pl_drive_deallocated_name(int value);
/*
 * The power state after idle_ms without a command, by the drive's own table, when it begins in an
 * operational state: 0 when it stays awake, APST is off, or nothing is known.
 */
size_t pl_drive_state_after(const struct pl_drive *drive, uint64_t idle_ms);
/* Idle time after which it is in this state, in ms; 0: never by itself. */
uint64_t pl_drive_reaches_ms(const struct pl_drive *drive, size_t state);

#endif
