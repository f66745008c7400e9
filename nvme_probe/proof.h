#ifndef PL_NVME_PROBE_PROOF_H
#define PL_NVME_PROBE_PROOF_H

#include "core/err.h"
#include "nvme_probe/read.h"

/*
 * Whether polled reads are really polled: some kernels accept IOPOLL on a queue that completes by
 * interrupt and spin until the interrupt has come. Takes reads and compares the interrupt counts of
 * the controller's I/O queues in /proc/interrupts before and after. sentence gets the result
 * ("64 reads, 0 interrupts of nvme0") or why there is none (not an NVMe controller). Errors:
 * -EOPNOTSUPP when the reads raised interrupts.
 */
int pl_proof_of_polling(struct pl_reader *reader, char *sentence, size_t size, struct pl_err *err);

/*
 * The controller of a sysfs block device link ("../../devices/…/0000:01:00.0/nvme/nvme0/nvme0n1"
 * gives "nvme0"); false when there is none in it, as below a multipath head. Pure.
 */
bool pl_proof_find_controller(const char *link, char *out, size_t size);

#endif
