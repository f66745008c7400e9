#ifndef PL_NVME_PROBE_BACKGROUND_H
#define PL_NVME_PROBE_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What others did on the same block device while it was read: the kernel's count of finished reads,
 * writes, discards and flushes (/sys/dev/block/…/stat) minus our own. A zeroed struct counts
 * nothing.
 */
struct pl_background {
	int fd;               /* of the stat file; 0: none */
	uint64_t before, own; /* since others were asked for last */
	bool is_lost;         /* of a read that failed nobody knows whether it counts */
};

void pl_background_open(struct pl_background *background, dev_t device);
void pl_background_close(struct pl_background *background);

/* After a call that read: got is what it returned, wanted how many reads it was to do. */
void pl_background_add(struct pl_background *background, ssize_t got, size_t wanted);

/*
 * Operations of others since the last call, or -1 when the kernel does not count (queue/iostats is
 * 0, no device, passthrough commands, which it leaves out) or a read failed meanwhile.
 */
int64_t pl_background_others(struct pl_background *background);

/* Finished operations in the text of a stat file (Documentation/block/stat.rst). Pure. */
uint64_t pl_background_parse(const char *text);

#endif
