#ifndef PL_CORE_RNG_H
#define PL_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

/*
 * Seeded generator for orders and permutations: xoshiro256** (Blackman and Vigna, 2018), state
 * filled by splitmix64. The same seed gives the same run on every machine.
 */
struct pl_rng {
	uint64_t state[4];
};

void pl_rng_init(struct pl_rng *rng, uint64_t seed);
uint64_t pl_rng_u64(struct pl_rng *rng);
/* Uniform in [0, bound), without modulo bias; bound 0 gives 0. */
uint64_t pl_rng_below(struct pl_rng *rng, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
double pl_rng_unit(struct pl_rng *rng);
/* Standard normal deviate (polar method). */
double pl_rng_normal(struct pl_rng *rng);
/* Fisher-Yates over an array of indices. */
void pl_rng_shuffle(struct pl_rng *rng, size_t *items, size_t count);

#endif
