#ifndef PL_GPU_PROBE_CHAIN_H
#define PL_GPU_PROBE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/*
 * One random cycle through a region: a shuffled list of nodes, each pointing at the next, the last
 * at the first. All single cycles are equally likely, as with Sattolo's shuffle (1986). The region
 * is cut into cells of PL_CHAIN_CELL_BYTES, wider than what any GPU fetches from host memory at
 * once, and the node lies on a random 64-byte line of its cell. The number of nodes is odd, so that
 * a kernel that stops short by a multiple of its unroll factor ends on a wrong node.
 */
#define PL_CHAIN_CELL_BYTES 512

struct pl_chain {
	uint32_t *order; /* word index of each node in the order of the visit */
	size_t count;
	uint64_t region_bytes;
};

/* Errors: -EINVAL (fewer than 3 cells, or more than 16 GiB), -ENOMEM. */
int pl_chain_init(struct pl_chain *chain, uint64_t region_bytes, uint64_t seed, struct pl_err *err);
void pl_chain_fini(struct pl_chain *chain);

/* Stores the word index of the next node at every node of words[]; nothing else is written. */
void pl_chain_lay(const struct pl_chain *chain, volatile uint32_t *words);
/*
 * Fills words[] with random bits: compression and zero detection find nothing. Returns the sum of
 * the words, modulo 2^32.
 */
uint32_t pl_chain_fill(volatile uint32_t *words, size_t count, uint64_t seed);
/* Where a walk of `hops` loads ends that began at the node visited `from`-th. */
uint32_t pl_chain_end(const struct pl_chain *chain, size_t from, uint64_t hops);
/* The same by walking words[] hop by hop, as the GPU does. */
uint32_t pl_chain_walk(const volatile uint32_t *words, uint32_t start, uint64_t hops);

#endif
