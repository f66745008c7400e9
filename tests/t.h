#ifndef PL_TESTS_T_H
#define PL_TESTS_T_H

/* cmocka wants these four first; every test includes this header and nothing of them itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define T_SKIP 77

/*
 * The seed of a property test: PL_SEED or the time, printed so that a failure can be repeated.
 */
static inline uint64_t t_seed(void)
{
	const char *text = getenv("PL_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);

	printf("seed %" PRIu64 " (repeat with PL_SEED=%" PRIu64 ")\n", seed, seed);
	return seed;
}

#endif
