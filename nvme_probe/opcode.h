#ifndef PL_NVME_PROBE_OPCODE_H
#define PL_NVME_PROBE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum pl_nvme_queue { PL_NVME_QUEUE_IO, PL_NVME_QUEUE_ADMIN };

/*
 * The one list of NVMe commands that this program ever sends; everything else is refused. I/O:
 * Read. Admin: Get Log Page, Identify, Get Features. A rule by the direction bits would not do:
 * Write Zeroes, Write Uncorrectable, Format and Sanitize transfer no data.
 */
bool pl_nvme_is_allowed(enum pl_nvme_queue queue, uint8_t opcode);

#endif
