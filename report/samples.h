#ifndef PL_REPORT_SAMPLES_H
#define PL_REPORT_SAMPLES_H

#include "model/run.h"

/*
 * samples.bin: 16 bytes of header ("PCIELATS", then the version and a zero as 32-bit numbers),
 * then the ticks of every series in the order of measurements[], each beginning at a multiple of 8.
 * Little-endian. Which bytes are whose is said in results.json.
 */
#define PL_SAMPLES_MAGIC "PCIELATS"
#define PL_SAMPLES_VERSION 1u
#define PL_SAMPLES_HEADER_BYTES 16u

struct pl_samples_place {
	uint64_t offset_bytes;
	unsigned element_bytes; /* 4 or 8: the smaller one that holds every tick; 0: no samples */
};

/* The place of a series that begins at offset_bytes; *end is where the next one begins. */
struct pl_samples_place pl_samples_place(const struct pl_measurement *m, uint64_t offset_bytes,
					 uint64_t *end);

#endif
