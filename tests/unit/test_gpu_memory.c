#include "tests/t.h"

#include <errno.h>

#include "gpu_probe/memory.h"

#define DL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VC (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CA VK_MEMORY_PROPERTY_HOST_CACHED_BIT
#define UC (VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)
#define HEAP_DL VK_MEMORY_HEAP_DEVICE_LOCAL_BIT
#define GIB (UINT64_C(1) << 30)
#define NONE (-1)

/*
 * The memory-type tables of drivers: lavapipe's as Mesa 22.3.6 shows it, the others as the drivers'
 * sources build them (radv_device.c, nvk_physical_device.c, anv_device.c) and as NVIDIA's driver
 * 535 reports them. `want` is the index that each class must pick.
 */
static const struct table {
	const char *name;
	enum pl_gpu_kind kind;
	VkPhysicalDeviceMemoryProperties memory;
	int want[PL_GPU_MEMORY_COUNT];
} tables[] = {
	{"NVIDIA proprietary, 256 MiB BAR",
	 PL_GPU_DISCRETE,
	 {5,
	  {{0, 1}, {DL, 0}, {VC, 1}, {VC | CA, 1}, {DL | VC, 2}},
	  3,
	  {{8 * GIB, HEAP_DL}, {24 * GIB, 0}, {GIB / 4, HEAP_DL}}},
	 {3, 2, NONE, 0, 0, 1, 4, NONE}},
	{"NVIDIA proprietary, resizable BAR",
	 PL_GPU_DISCRETE,
	 {5,
	  {{0, 1}, {DL, 0}, {VC, 1}, {VC | CA, 1}, {DL | VC, 0}},
	  2,
	  {{8 * GIB, HEAP_DL}, {24 * GIB, 0}}},
	 {3, 2, NONE, 0, 0, 1, 4, NONE}},
	{"NVK: the mapped VRAM type stands before system memory",
	 PL_GPU_DISCRETE,
	 {3,
	  {{DL, 0}, {DL | VC, 1}, {VC | CA, 2}},
	  3,
	  {{8 * GIB, HEAP_DL}, {GIB / 4, HEAP_DL}, {24 * GIB, 0}}},
	 {2, NONE, NONE, 2, 2, 0, 1, NONE}},
	{"NVK, old chip without a mapped VRAM type",
	 PL_GPU_DISCRETE,
	 {2, {{DL, 0}, {VC | CA, 1}}, 2, {{2 * GIB, HEAP_DL}, {24 * GIB, 0}}},
	 {1, NONE, NONE, 1, 1, 0, NONE, NONE}},
	{"RADV, 256 MiB BAR, with uncached copies",
	 PL_GPU_DISCRETE,
	 {8,
	  {{DL, 0},
	   {VC, 1},
	   {DL | VC, 2},
	   {VC | CA, 1},
	   {DL | UC, 0},
	   {VC | UC, 1},
	   {DL | VC | UC, 2},
	   {VC | CA | UC, 1}},
	  3,
	  {{8 * GIB, HEAP_DL}, {16 * GIB, 0}, {GIB / 4, HEAP_DL}}},
	 {3, 1, 5, 1, 1, 0, 2, NONE}},
	{"RADV, resizable BAR",
	 PL_GPU_DISCRETE,
	 {7,
	  {{DL, 1},
	   {VC, 0},
	   {DL | VC, 1},
	   {VC | CA, 0},
	   {VC | UC, 0},
	   {DL | VC | UC, 1},
	   {VC | CA | UC, 0}},
	  2,
	  {{16 * GIB, 0}, {8 * GIB, HEAP_DL}}},
	 {3, 1, 4, 1, 1, 0, 2, NONE}},
	{"RADV on an APU: all of it is the machine's memory",
	 PL_GPU_INTEGRATED,
	 {4, {{DL, 1}, {VC, 0}, {DL | VC, 1}, {VC | CA, 0}}, 2, {{4 * GIB, 0}, {8 * GIB, HEAP_DL}}},
	 {3, 1, NONE, 0, 0, NONE, NONE, NONE}},
	{"anv, discrete, resizable BAR",
	 PL_GPU_DISCRETE,
	 {3, {{DL, 0}, {VC | CA, 1}, {DL | VC, 0}}, 2, {{8 * GIB, HEAP_DL}, {24 * GIB, 0}}},
	 {1, NONE, NONE, 1, 1, 0, 2, NONE}},
	{"anv, integrated with LLC",
	 PL_GPU_INTEGRATED,
	 {2, {{DL | VC, 0}, {DL | VC | CA, 0}}, 1, {{12 * GIB, HEAP_DL}}},
	 {1, 0, NONE, 0, 0, NONE, NONE, NONE}},
	{"anv, integrated without LLC: the cached type is not coherent",
	 PL_GPU_INTEGRATED,
	 {2,
	  {{DL | VC, 0}, {DL | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | CA, 0}},
	  1,
	  {{4 * GIB, HEAP_DL}}},
	 {NONE, 0, NONE, 0, 0, NONE, NONE, NONE}},
	{"lavapipe",
	 PL_GPU_SOFTWARE,
	 {1, {{DL | VC | CA, 0}}, 1, {{2 * GIB, HEAP_DL}}},
	 {0, NONE, NONE, 0, 0, NONE, NONE, NONE}},
	{"RADV's null winsys: no memory types",
	 PL_GPU_DISCRETE,
	 {0, {{0, 0}}, 0, {{0, 0}}},
	 {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
	{"a device-local heap under a type that does not say so",
	 PL_GPU_DISCRETE,
	 {2, {{VC | CA, 0}, {VC, 1}}, 2, {{8 * GIB, HEAP_DL}, {8 * GIB, 0}}},
	 {NONE, 1, NONE, 1, 1, NONE, NONE, NONE}},
	{"only protected memory would fit",
	 PL_GPU_DISCRETE,
	 {2, {{DL | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0}, {DL, 0}}, 1, {{8 * GIB, HEAP_DL}}},
	 {NONE, NONE, NONE, NONE, NONE, 1, NONE, NONE}},
};

static void every_class_picks_the_right_type(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (int class = 0; class < PL_GPU_MEMORY_COUNT; class ++) {
			struct pl_err err = {0, ""};
			uint32_t index = 99;
			int rc = pl_gpu_memory_pick(&tables[t].memory, tables[t].kind,
						    (enum pl_gpu_memory) class, UINT32_MAX, &index,
						    &err);
			int got = rc ? NONE : (int)index;

			if (got != tables[t].want[class])
				fail_msg("%s, %s: picked %d instead of %d", tables[t].name,
					 pl_gpu_memory_name((enum pl_gpu_memory) class), got,
					 tables[t].want[class]);
			if (rc)
				assert_true(rc == -ENOTSUP && *err.text);
		}
	}
}

/* The property behind the table: a host class never lies in memory of a discrete device. */
static void host_classes_never_lie_in_vram(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const VkPhysicalDeviceMemoryProperties *m = &tables[t].memory;

		for (int class = PL_GPU_HOST_CACHED; class <= PL_GPU_HOST_FILE; class ++) {
			uint32_t i;

			if (tables[t].kind != PL_GPU_DISCRETE ||
			    pl_gpu_memory_pick(m, PL_GPU_DISCRETE, (enum pl_gpu_memory) class,
					       UINT32_MAX, &i, NULL))
				continue;
			assert_false(m->memoryTypes[i].propertyFlags & DL);
			assert_false(m->memoryHeaps[m->memoryTypes[i].heapIndex].flags & HEAP_DL);
		}
	}
}

static void the_buffer_may_rule_types_out(void **state)
{
	const struct table *t = &tables[0];
	uint32_t index;

	(void)state;
	assert_int_equal(pl_gpu_memory_pick(&t->memory, t->kind, PL_GPU_HOST_CACHED, ~(1u << 3),
					    &index, NULL),
			 -ENOTSUP);
	assert_int_equal(
		pl_gpu_memory_pick(&t->memory, t->kind, PL_GPU_HOST_WC, 1u << 2, &index, NULL), 0);
	assert_int_equal(index, 2);
}

static void names_are_parsed_back(void **state)
{
	enum pl_gpu_memory memory;

	(void)state;
	for (int class = 0; class < PL_GPU_MEMORY_COUNT; class ++) {
		assert_int_equal(pl_gpu_memory_parse(pl_gpu_memory_name((enum pl_gpu_memory) class),
						     &memory),
				 0);
		assert_int_equal(memory, class);
	}
	assert_int_equal(pl_gpu_memory_parse("imported:/sys/x/resource2", &memory), 0);
	assert_int_equal(memory, PL_GPU_HOST_FILE);
	assert_int_equal(pl_gpu_memory_parse("host", &memory), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_picks_the_right_type),
		cmocka_unit_test(host_classes_never_lie_in_vram),
		cmocka_unit_test(the_buffer_may_rule_types_out),
		cmocka_unit_test(names_are_parsed_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
