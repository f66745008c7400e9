#include "tests/t.h"

#include <errno.h>

#include "core/rng.h"
#include "gpu_probe/chain.h"

#define LOOPS 200

static uint32_t *region(const struct pl_chain *chain, uint64_t seed)
{
	size_t words = chain->region_bytes / 4;
	uint32_t *memory = malloc(words * 4);

	assert_non_null(memory);
	pl_chain_fill(memory, words, seed);
	pl_chain_lay(chain, memory);
	return memory;
}

/* One cycle through every node: back at the start after count hops and not before. */
static void is_a_single_cycle_over_all_cells(void **state)
{
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, t_seed());
	for (int loop = 0; loop < LOOPS; loop++) {
		uint64_t bytes = 3 * PL_CHAIN_CELL_BYTES + pl_rng_below(&rng, 256 * 1024);
		struct pl_chain chain;
		uint32_t *memory, at;
		unsigned char *seen;

		assert_int_equal(pl_chain_init(&chain, bytes, pl_rng_u64(&rng), NULL), 0);
		assert_int_equal(chain.count % 2, 1);
		assert_true(chain.count + 1 >= bytes / PL_CHAIN_CELL_BYTES);
		memory = region(&chain, 7);
		seen = calloc(bytes / PL_CHAIN_CELL_BYTES, 1);
		at = chain.order[0];
		for (size_t i = 0; i < chain.count; i++) {
			size_t cell = (size_t)at * 4 / PL_CHAIN_CELL_BYTES;

			assert_true((uint64_t)at * 4 < bytes);
			assert_int_equal(at % 16, 0);
			assert_int_equal(seen[cell], 0);
			seen[cell] = 1;
			at = memory[at];
		}
		assert_int_equal(at, chain.order[0]);
		free(seen);
		free(memory);
		pl_chain_fini(&chain);
	}
}

/* The end that is computed from the order is the end of a walk, hop by hop. */
static void end_equals_the_walk(void **state)
{
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, t_seed());
	for (int loop = 0; loop < LOOPS; loop++) {
		struct pl_chain chain;
		uint32_t *memory;
		size_t from;
		uint64_t hops = pl_rng_below(&rng, 5000);

		assert_int_equal(pl_chain_init(&chain, 4096 + pl_rng_below(&rng, 65536),
					       pl_rng_u64(&rng), NULL),
				 0);
		memory = region(&chain, 7);
		from = pl_rng_below(&rng, chain.count);
		assert_int_equal(pl_chain_end(&chain, from, hops),
				 pl_chain_walk(memory, chain.order[from], hops));
		free(memory);
		pl_chain_fini(&chain);
	}
}

/* A kernel that stops after a multiple of 16 loads must not be able to end on the right node. */
static void a_short_walk_ends_elsewhere(void **state)
{
	struct pl_chain chain;

	(void)state;
	assert_int_equal(pl_chain_init(&chain, 4096, 1, NULL), 0);
	assert_int_equal(chain.count, 7);
	assert_int_not_equal(pl_chain_end(&chain, 0, 16 * 65535),
			     pl_chain_end(&chain, 0, 16 * 65536));
	pl_chain_fini(&chain);
}

static void seeds_give_different_orders(void **state)
{
	struct pl_chain a, b, c;

	(void)state;
	pl_chain_init(&a, 65536, 1, NULL);
	pl_chain_init(&b, 65536, 1, NULL);
	pl_chain_init(&c, 65536, 2, NULL);
	assert_memory_equal(a.order, b.order, a.count * sizeof(a.order[0]));
	assert_memory_not_equal(a.order, c.order, a.count * sizeof(a.order[0]));
	pl_chain_fini(&a);
	pl_chain_fini(&b);
	pl_chain_fini(&c);
}

static void impossible_regions_are_refused(void **state)
{
	struct pl_err err = {0, ""};
	struct pl_chain chain;

	(void)state;
	assert_int_equal(pl_chain_init(&chain, 1024, 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "3 cells"));
	assert_int_equal(pl_chain_init(&chain, UINT64_C(1) << 40, 1, &err), -EINVAL);
	pl_chain_fini(&chain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_a_single_cycle_over_all_cells),
		cmocka_unit_test(end_equals_the_walk),
		cmocka_unit_test(a_short_walk_ends_elsewhere),
		cmocka_unit_test(seeds_give_different_orders),
		cmocka_unit_test(impossible_regions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
