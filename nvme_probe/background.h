#ifndef PL_NVME_PROBE_BACKGROUND_H
#define PL_NVME_PROBE_BACKGROUND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What others did on the same block device while it was read: the kernel's count of finished reads,
 * writes, discards and flushes (/sys/dev/block/…/stat) minus our own. A zeroed struct counts
 * nothing.
 */
struct pl_background {
	int fd; /* of the stat file; 0: none */
	uint64_t before, seen, own;
};

void pl_background_open(struct pl_background *background, dev_t device);
void pl_background_close(struct pl_background *background);

/* Around a batch of reads, outside all stamps. */
void pl_background_begin(struct pl_background *background);
void pl_background_end(struct pl_background *background, size_t own);

/*
 * Operations of others, or -1 when the kernel does not count: queue/iostats is 0, no device, or
 * passthrough commands, which it leaves out.
 */
int64_t pl_background_others(const struct pl_background *background);

/* Finished operations in the text of a stat file (Documentation/block/stat.rst). Pure. */
uint64_t pl_background_parse(const char *text);

#endif
