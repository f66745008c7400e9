#include "tests/t.h"

#include "core/rng.h"
#include "pci/config_space.h"
#include "topology/classify.h"
#include "topology/entries.h"
#include "topology/labels.h"
#include "topology/link_facts.h"
#include "topology/names.h"

/*
 * Random legal trees: switches in any depth, chipset chips in series, split ports, hidden functions
 * (holes), buses with gaps, unconfigured bridges, virtual functions, a VMD domain. Whatever the
 * tree is: no crash, every endpoint in exactly one slot, keys unique, hops never fewer further
 * down.
 */

#define MOST 4096

struct forest {
	struct pl_rng rng;
	struct pl_function functions[MOST];
	size_t count, limit;
	unsigned next_bus;
	uint32_t domain;
};

static bool chance(struct forest *f, unsigned percent)
{
	return pl_rng_below(&f->rng, 100) < percent;
}

static struct pl_function *add(struct forest *f, unsigned bus, unsigned dev, unsigned fn,
			       uint16_t vendor, uint16_t device)
{
	struct pl_function *made;

	if (f->count >= f->limit)
		return NULL;
	made = &f->functions[f->count++];
	*made = (struct pl_function){
		.bdf = {f->domain, (uint8_t)bus, (uint8_t)dev, (uint8_t)fn},
		.vendor_id = vendor,
		.device_id = device,
		.class_code = 0x020000,
	};
	return made;
}

static void be_port(struct forest *f, struct pl_function *port, enum pl_port_type type)
{
	port->header_type = 1;
	port->class_code = 0x060400;
	port->express.is_known = port->express.is_present = chance(f, 90);
	port->express.flags = (uint16_t)(type << 4 | 2 | (chance(f, 80) ? 1u << 8 : 0));
	port->express.has_link = port->express.is_present;
	port->express.link_cap = 4 | 4u << 4 | 1u << 11 | 4u << 15;
	port->express.link_sta = 3 | 4u << 4;
}

static void add_card(struct forest *f, unsigned bus)
{
	unsigned functions = 1 + (unsigned)pl_rng_below(&f->rng, 3);

	for (unsigned fn = 0; fn < functions; fn++)
		if (!fn || !chance(f, 20))
			add(f, bus, 0, fn, 0x8086, 0x1572);
	for (unsigned v = 0; chance(f, 10) && v < 20; v++) {
		struct pl_function *vf = add(f, bus, 2 + v / 8, v % 8, 0x8086, 0x154c);

		if (vf)
			vf->is_virtual = true;
	}
}

static void fill(struct forest *f, struct pl_function *port, unsigned depth);

/* A switch or chipset chip: upstream port, then downstream ports, some of them hidden. */
static void add_switch(struct forest *f, unsigned bus, unsigned depth, uint16_t vendor, uint16_t up,
		       uint16_t down)
{
	struct pl_function *upstream = add(f, bus, 0, 0, vendor, up), *port;
	size_t at = f->count - 1;
	unsigned below = f->next_bus++;

	if (!upstream)
		return;
	be_port(f, upstream, PL_PORT_UPSTREAM);
	f->functions[at].secondary = (uint8_t)below;
	for (unsigned dev = 0; dev < 12 && f->next_bus < 240; dev++) {
		if (chance(f, 50))
			continue;
		port = add(f, below, dev, 0, vendor, down);
		if (!port)
			break;
		be_port(f, port, PL_PORT_DOWNSTREAM);
		fill(f, port, depth + 1);
	}
	f->functions[at].subordinate = (uint8_t)(f->next_bus - 1);
}

static void fill(struct forest *f, struct pl_function *port, unsigned depth)
{
	static const struct {
		uint16_t vendor, up, down;
	} switches[] = {{0x1022, 0x43f4, 0x43f5}, {0x1b21, 0x2824, 0x2824},
			{0x10b5, 0x8747, 0x8747}, {0x1002, 0x1478, 0x1479},
			{0x8086, 0x1578, 0x1578}, {0xabcd, 0x0001, 0x0002},
			{0x1022, 0x9999, 0x9998}};
	size_t at = (size_t)(port - f->functions);
	unsigned bus, which = (unsigned)pl_rng_below(&f->rng, 7);

	if (f->next_bus >= 240 || chance(f, 5)) {
		port->secondary = port->subordinate = 0; /* unconfigured */
		return;
	}
	f->next_bus += chance(f, 10) ? 3 : 0;
	bus = f->next_bus++;
	port->secondary = (uint8_t)bus;
	if (depth < 6 && chance(f, 30))
		add_switch(f, bus, depth, switches[which].vendor, switches[which].up,
			   switches[which].down);
	else if (chance(f, 70))
		add_card(f, bus);
	f->functions[at].subordinate = (uint8_t)(f->next_bus - 1);
}

static void add_root_bus(struct forest *f, unsigned bus)
{
	static const uint16_t ports[][2] = {{0x1022, 0x14db}, {0x8086, 0x7ab8}, {0x8086, 0x460d},
					    {0x1d0f, 0x0200}, {0x1022, 0x14dd}, {0x1022, 0x14cd}};
	unsigned which = (unsigned)pl_rng_below(&f->rng, 6);

	for (unsigned dev = 0; dev < 32 && f->next_bus < 240; dev++) {
		struct pl_function *made;

		if (chance(f, 40))
			continue;
		made = add(f, bus, dev, 0, ports[which][0], ports[which][1]);
		if (!made)
			return;
		if (chance(f, 40)) {
			made->device_id = 0x1234;
			continue;
		}
		be_port(f, made, PL_PORT_ROOT);
		fill(f, made, 0);
	}
}

static void plant(struct forest *f, uint64_t seed, size_t limit)
{
	pl_rng_init(&f->rng, seed);
	f->count = 0;
	f->limit = limit;
	for (uint32_t d = 0; d < 100 && f->count < limit; d++) {
		f->domain = d == 7 ? 0x10000 : d;
		f->next_bus = 1 + (unsigned)pl_rng_below(&f->rng, 100);
		add_root_bus(f, 0);
		if (limit < MOST && chance(f, 40))
			break;
	}
}

/* Functions that do not show any more: their children are orphans or take another parent. */
static void cut_holes(struct forest *f)
{
	size_t kept = 0;
	unsigned percent = chance(f, 50) ? 0 : 5;

	for (size_t i = 0; i < f->count; i++)
		if (!chance(f, percent))
			f->functions[kept++] = f->functions[i];
	f->count = kept;
}

static size_t times_in_slots(const struct pl_run *run, struct pl_bdf bdf)
{
	size_t times = 0;

	for (size_t i = 0; i < run->slot_count; i++)
		for (size_t k = 0; run->slots[i].device && k < run->slots[i].device->function_count;
		     k++)
			times += pl_bdf_is_equal(run->slots[i].device->functions[k], bdf);
	return times;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void keys_are_unique(const struct pl_run *run)
{
	const char **keys = calloc(run->slot_count + 1, sizeof(*keys));

	for (size_t i = 0; i < run->slot_count; i++)
		keys[i] = run->slots[i].key;
	qsort(keys, run->slot_count, sizeof(*keys), compare_text);
	for (size_t i = 1; i < run->slot_count; i++)
		if (strcmp(keys[i - 1], keys[i]) == 0)
			fail_msg("key %s twice", keys[i]);
	free(keys);
}

static void hops_grow_downwards(const struct pl_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct pl_node *node = &tree->nodes[i];
		const struct pl_node *above;

		if (node->parent == PL_NO_NODE)
			continue;
		above = &tree->nodes[node->parent];
		assert_true(node->function.bdf.bus > above->function.bdf.bus);
		if (node->place.hops >= 0 && above->place.hops >= 0)
			assert_true(node->place.hops >= above->place.hops);
		if (above->place.is_closed)
			assert_int_equal(node->place.attachment, PL_ATTACH_UNKNOWN);
	}
}

static void check(const struct pl_run *run, const struct pl_tree *tree)
{
	keys_are_unique(run);
	hops_grow_downwards(tree);
	for (size_t i = 0; i < tree->count; i += 1 + tree->count / 200)
		assert_int_equal(times_in_slots(run, tree->nodes[i].function.bdf),
				 !pl_node_is_bridge(&tree->nodes[i]));
	for (size_t i = 0; i < run->slot_count; i++) {
		assert_non_null(run->slots[i].reason);
		assert_non_null(run->slots[i].label);
		assert_true(run->slots[i].path_count > 0);
		assert_true(run->slots[i].chipset_hops <= 64);
	}
}

static void try_forest(struct forest *f, uint64_t seed, size_t limit)
{
	struct pl_platform platform;
	struct pl_entries entries;
	struct pl_tree tree;
	struct pl_run run;

	plant(f, seed, limit);
	cut_holes(f);
	pl_run_init(&run);
	pl_tree_build(&tree, &run.arena, f->functions, f->count);
	pl_platform_find(&platform, &tree, NULL, NULL);
	pl_classify(&tree, &platform);
	pl_entries_build(&run, &tree, &entries);
	pl_names_neutral(&run, &tree, &entries);
	pl_link_facts(&run, &tree, &entries, NULL);
	check(&run, &tree);
	pl_run_fini(&run);
}

static void random_trees_keep_the_rules(void **state)
{
	struct forest *f = calloc(1, sizeof(*f));
	uint64_t seed = t_seed();
	size_t functions = 0, most = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		try_forest(f, seed + i, i % 50 ? 400 : MOST);
		functions += f->count;
		most = f->count > most ? f->count : most;
	}
	print_message("300 trees, %zu functions, the largest with %zu\n", functions, most);
	assert_true(functions > 1000);
	free(f);
}

/* Renumbering every bus changes no key and no answer. */
static void bus_numbers_do_not_matter(void **state)
{
	struct forest *f = calloc(1, sizeof(*f));
	uint64_t seed = t_seed();

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct pl_platform platform;
		struct pl_entries entries;
		struct pl_tree tree;
		struct pl_run run[2];

		plant(f, seed + i, 300);
		for (unsigned pass = 0; pass < 2; pass++) {
			pl_run_init(&run[pass]);
			pl_tree_build(&tree, &run[pass].arena, f->functions, f->count);
			pl_platform_find(&platform, &tree, NULL, NULL);
			pl_classify(&tree, &platform);
			pl_entries_build(&run[pass], &tree, &entries);
			for (size_t k = 0; k < f->count; k++) {
				struct pl_function *fn = &f->functions[k];

				if (fn->bdf.bus)
					fn->bdf.bus = (uint8_t)(fn->bdf.bus + 9);
				if (fn->secondary) {
					fn->secondary = (uint8_t)(fn->secondary + 9);
					fn->subordinate = (uint8_t)(fn->subordinate + 9);
				}
			}
		}
		assert_int_equal(run[0].slot_count, run[1].slot_count);
		for (size_t k = 0; k < run[0].slot_count; k++) {
			assert_string_equal(run[0].slots[k].key, run[1].slots[k].key);
			assert_int_equal(run[0].slots[k].attachment, run[1].slots[k].attachment);
			assert_int_equal(run[0].slots[k].chipset_hops,
					 run[1].slots[k].chipset_hops);
		}
		pl_run_fini(&run[0]);
		pl_run_fini(&run[1]);
	}
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_trees_keep_the_rules),
		cmocka_unit_test(bus_numbers_do_not_matter),
	};

	return cmocka_run_group_tests_name("prop_topology", tests, NULL, NULL);
}
