#include "gpu_probe/chain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/rng.h"

#define WORD_BYTES 4
#define CELL_WORDS (PL_CHAIN_CELL_BYTES / WORD_BYTES)
#define LINE_WORDS 16
#define MAX_BYTES (UINT64_C(16) << 30)

int pl_chain_init(struct pl_chain *chain, uint64_t region_bytes, uint64_t seed, struct pl_err *err)
{
	struct pl_rng rng;
	size_t count = region_bytes / PL_CHAIN_CELL_BYTES;

	*chain = (struct pl_chain){NULL, 0, 0};
	if (count < 3 || region_bytes > MAX_BYTES)
		return pl_fail(err, -EINVAL,
			       "a chain needs 3 cells of %d bytes to 16 GiB, not %" PRIu64 " bytes",
			       PL_CHAIN_CELL_BYTES, region_bytes);
	count -= 1 - count % 2;
	chain->order = malloc(count * sizeof(chain->order[0]));
	if (!chain->order)
		return pl_fail(err, -ENOMEM, "no memory for the order of %zu nodes", count);
	chain->count = count;
	chain->region_bytes = region_bytes;
	pl_rng_init(&rng, seed);
	for (size_t i = 0; i < count; i++) /* a node on a random line of each cell */
		chain->order[i] =
			(uint32_t)(i * CELL_WORDS +
				   LINE_WORDS * pl_rng_below(&rng, CELL_WORDS / LINE_WORDS));
	for (size_t i = count - 1; i > 0; i--) {
		size_t j = pl_rng_below(&rng, i + 1);
		uint32_t kept = chain->order[i];

		chain->order[i] = chain->order[j];
		chain->order[j] = kept;
	}
	return 0;
}

void pl_chain_fini(struct pl_chain *chain)
{
	free(chain->order);
	*chain = (struct pl_chain){NULL, 0, 0};
}

void pl_chain_lay(const struct pl_chain *chain, volatile uint32_t *words)
{
	for (size_t i = 0; i < chain->count; i++)
		words[chain->order[i]] = chain->order[(i + 1) % chain->count];
}

uint32_t pl_chain_fill(volatile uint32_t *words, size_t count, uint64_t seed)
{
	struct pl_rng rng;
	uint32_t sum = 0;

	pl_rng_init(&rng, seed);
	for (size_t i = 0; i < count; i++) {
		uint32_t word = (uint32_t)pl_rng_u64(&rng);

		words[i] = word;
		sum += word;
	}
	return sum;
}

uint32_t pl_chain_end(const struct pl_chain *chain, size_t from, uint64_t hops)
{
	return chain->order[(from + hops) % chain->count];
}

uint32_t pl_chain_walk(const volatile uint32_t *words, uint32_t start, uint64_t hops)
{
	uint32_t at = start;

	for (uint64_t i = 0; i < hops; i++)
		at = words[at];
	return at;
}
