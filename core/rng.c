#include "core/rng.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, unsigned k)
{
	return (x << k) | (x >> (64 - k));
}

void pl_rng_init(struct pl_rng *rng, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		rng->state[i] = splitmix64(&seed);
}

uint64_t pl_rng_u64(struct pl_rng *rng)
{
	uint64_t *s = rng->state;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t pl_rng_below(struct pl_rng *rng, uint64_t bound)
{
	uint64_t limit, x;

	if (!bound)
		return 0;
	limit = UINT64_MAX - UINT64_MAX % bound;
	do
		x = pl_rng_u64(rng);
	while (x >= limit);
	return x % bound;
}

double pl_rng_unit(struct pl_rng *rng)
{
	return (double)(pl_rng_u64(rng) >> 11) * 0x1.0p-53;
}

double pl_rng_normal(struct pl_rng *rng)
{
	double u, v, s;

	do {
		u = 2.0 * pl_rng_unit(rng) - 1.0;
		v = 2.0 * pl_rng_unit(rng) - 1.0;
		s = u * u + v * v;
	} while (s >= 1.0 || s == 0.0);
	return u * sqrt(-2.0 * log(s) / s);
}

void pl_rng_shuffle(struct pl_rng *rng, size_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)pl_rng_below(rng, i);
		size_t swap = items[i - 1];

		items[i - 1] = items[j];
		items[j] = swap;
	}
}
