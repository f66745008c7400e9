#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu_probe/buffer.h"
#include "gpu_probe/probe.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define US UINT64_C(1000)
#define MS (1000 * US)
/* A software device cannot wait longer: llvmpipe ends a kernel after 65,535 loop turns. */
#define SOFTWARE_GAP_MAX (10 * MS)
#define FIRST_HOST_CLASS PL_GPU_MEMORY_COUNT

enum { QUICK, DEFAULT, THOROUGH, NEVER };

/* One series or a sweep over regions. `from` is the region at quick effort too when it is alone. */
struct family {
	const char *metric;
	enum pl_gpu_memory memory; /* FIRST_HOST_CLASS: the one that the driver lists first */
	uint64_t from, to;         /* equal: one region */
	unsigned effort;           /* of a single region; sweeps have sweep_effort */
	size_t samples_per_block;
	double block_s;
};

/* What a card offers; the classes that its driver does not have fall out. */
static const struct family families[] = {
	{"chase", FIRST_HOST_CLASS, 4 * KIB, GIB, QUICK, 2, 0.03},
	{"chase", PL_GPU_HOST_WC, 64 * KIB, 64 * KIB, DEFAULT, 2, 0.03},
	{"chase", PL_GPU_HOST_WC, 16 * MIB, 16 * MIB, QUICK, 2, 0.03},
	{"chase", PL_GPU_HOST_UNCACHED, 64 * KIB, 64 * KIB, DEFAULT, 2, 0.03},
	{"chase", PL_GPU_HOST_UNCACHED, 16 * MIB, 16 * MIB, QUICK, 2, 0.03},
	{"chase", PL_GPU_HOST_HUGE, 16 * MIB, 16 * MIB, DEFAULT, 2, 0.03},
	{"chase", PL_GPU_HOST_HUGE, 256 * MIB, 256 * MIB, DEFAULT, 2, 0.1},
	{"chase", PL_GPU_VRAM, 64 * KIB, 64 * KIB, DEFAULT, 2, 0.03},
	{"chase", PL_GPU_VRAM, 16 * MIB, 16 * MIB, QUICK, 2, 0.05},
	{"chase", PL_GPU_VRAM, 256 * MIB, 256 * MIB, DEFAULT, 2, 0.3},
	{"chase", PL_GPU_ON_CHIP, 8 * KIB, 8 * KIB, QUICK, 2, 0.03},
	{"load", FIRST_HOST_CLASS, 64 * KIB, 64 * KIB, DEFAULT, 1000, 0.02},
	{"load", FIRST_HOST_CLASS, 16 * MIB, 16 * MIB, QUICK, 1000, 0.02},
	{"load", PL_GPU_HOST_UNCACHED, 16 * MIB, 16 * MIB, DEFAULT, 1000, 0.02},
	{"load", PL_GPU_VRAM, 16 * MIB, 16 * MIB, DEFAULT, 1000, 0.05},
	{"read", FIRST_HOST_CLASS, 4 * KIB, 256 * MIB, QUICK, 2, 0.05},
	{"read", PL_GPU_VRAM, 16 * MIB, 16 * MIB, DEFAULT, 2, 0.05},
	{"copy_to_vram", PL_GPU_VRAM, 64 * MIB, 64 * MIB, QUICK, 2, 0.1},
	{"copy_from_vram", PL_GPU_VRAM, 64 * MIB, 64 * MIB, QUICK, 2, 0.1},
	{"cpu_vram_read", PL_GPU_VRAM_MAPPED, 4 * KIB, 4 * KIB, QUICK, 500, 0.01},
	{"ping_pong", FIRST_HOST_CLASS, 4 * KIB, 4 * KIB, QUICK, 60, 0.01},
};

/* With --chase-memory: what can be done with memory that is somebody else's. */
static const struct family file_families[] = {
	{"chase", PL_GPU_HOST_FILE, 64 * KIB, 64 * KIB, QUICK, 2, 0.1},
	{"chase", PL_GPU_HOST_FILE, MIB, MIB, QUICK, 2, 0.1},
	{"load", PL_GPU_HOST_FILE, 64 * KIB, 64 * KIB, QUICK, 500, 0.02},
	{"cpu_vram_read", PL_GPU_HOST_FILE, 4 * KIB, 4 * KIB, QUICK, 200, 0.01},
};

/* Idle gaps: the grid of the other probes, and beyond it for a card's own timers. */
static const struct {
	uint64_t gap_ns;
	unsigned effort;
	size_t samples_per_block;
} gaps[] = {
	{0, QUICK, 100},         {1 * US, DEFAULT, 100},   {3 * US, THOROUGH, 100},
	{10 * US, DEFAULT, 100}, {20 * US, THOROUGH, 100}, {30 * US, DEFAULT, 100},
	{50 * US, THOROUGH, 50}, {100 * US, QUICK, 50},    {300 * US, DEFAULT, 50},
	{1 * MS, DEFAULT, 25},   {3 * MS, DEFAULT, 10},    {10 * MS, QUICK, 5},
	{50 * MS, THOROUGH, 2},  {500 * MS, THOROUGH, 1},
};

struct list {
	const struct pl_gpu_probe *probe;
	const struct pl_gpu_device *d;
	struct pl_run *run;
	void *items;
	size_t count, capacity;
};

/* Half of the regions at thorough effort, every fourth power of two at quick. */
static unsigned sweep_effort(uint64_t bytes)
{
	if (bytes == 64 * KIB || bytes == 16 * MIB)
		return QUICK;
	for (uint64_t r = 4 * KIB; r <= 256 * MIB; r *= 4)
		if (r == bytes)
			return DEFAULT;
	return THOROUGH;
}

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* The largest region a class may take: an eighth of the machine's memory, a quarter of a heap. */
static uint64_t region_max(const struct list *list, enum pl_gpu_memory memory, struct pl_err *why)
{
	const struct pl_gpu_device *d = list->d;
	uint64_t limit = d->properties.limits.maxStorageBufferRange;
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 8;
	uint64_t heap;
	uint32_t index;

	if (memory == PL_GPU_ON_CHIP)
		memory = pl_gpu_host_class(d);
	if ((memory == PL_GPU_HOST_HUGE || memory == PL_GPU_HOST_FILE) && !d->has_import)
		return 0;
	if (memory == PL_GPU_HOST_UNCACHED && !d->has_uncached)
		return 0;
	if (pl_gpu_memory_pick(&d->memory, d->kind, memory, UINT32_MAX, &index, why))
		return 0;
	heap = d->memory.memoryHeaps[d->memory.memoryTypes[index].heapIndex].size / 4;
	if (memory == PL_GPU_HOST_FILE)
		heap = machine = file_bytes(list->probe->options.chase_memory);
	if (heap < limit)
		limit = heap;
	return machine < limit ? machine : limit;
}

static void add(struct list *list, const struct family *f, enum pl_gpu_memory memory,
		uint64_t region_bytes, unsigned effort)
{
	struct pl_offer *offer = pl_arena_push(&list->run->arena, &list->items, &list->count,
					       &list->capacity, sizeof(*offer));
	const char *name = pl_gpu_memory_name(memory);

	if (memory == PL_GPU_HOST_FILE)
		name = pl_arena_printf(&list->run->arena, "%s%s", name,
				       list->probe->options.chase_memory);
	*offer = (struct pl_offer){.metric = f->metric,
				   .memory = name,
				   .region_bytes = region_bytes,
				   .effort = effort,
				   .samples_per_block = f->samples_per_block,
				   .block_s = f->block_s};
}

static bool has_clock(const struct pl_gpu_device *d)
{
	return d->has_device_clock || d->has_subgroup_clock;
}

static void add_family(struct list *list, const struct family *f)
{
	enum pl_gpu_memory first = pl_gpu_host_class(list->d);
	enum pl_gpu_memory memory = f->memory == FIRST_HOST_CLASS ? first : f->memory;
	uint64_t max = region_max(list, memory, NULL);

	if ((!strcmp(f->metric, "load") && !has_clock(list->d)) ||
	    (f->memory == PL_GPU_HOST_WC && first == PL_GPU_HOST_WC))
		return;
	for (uint64_t bytes = f->from; bytes <= f->to && bytes <= max; bytes *= 2)
		add(list, f, memory, bytes, f->from == f->to ? f->effort : sweep_effort(bytes));
}

/* The pair after a gap lies in a region that no GPU cache holds. */
static void add_gaps(struct list *list, enum pl_gpu_memory memory, uint64_t region_bytes,
		     unsigned least_effort)
{
	bool is_software = list->d->kind == PL_GPU_SOFTWARE;

	if (!has_clock(list->d) || region_bytes > region_max(list, memory, NULL))
		return;
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		unsigned effort = gaps[i].effort > least_effort ? gaps[i].effort : least_effort;
		double gap_s = (double)gaps[i].gap_ns / 1e9;
		struct family f = {.metric = "load_after_gap",
				   .samples_per_block = gaps[i].samples_per_block,
				   .block_s = 0.002 + gap_s * (double)gaps[i].samples_per_block};

		if (is_software && gaps[i].gap_ns > SOFTWARE_GAP_MAX)
			continue;
		add(list, &f, memory, region_bytes, effort);
		((struct pl_offer *)list->items)[list->count - 1].gap_ns = gaps[i].gap_ns;
	}
}

static void skip(struct list *list, const char *what, const char *why, const char *remedy)
{
	struct pl_arena *arena = &list->run->arena;

	pl_run_skip(list->run, pl_arena_printf(arena, "%s of %s", what, list->d->name),
		    pl_arena_strdup(arena, why), remedy);
}

/* Whether the device can be measured at all; if not, the skip entry says why. */
static bool is_usable(struct list *list)
{
	const struct pl_gpu_device *d = list->d;
	struct pl_err why = {0, ""};

	if (d->properties.apiVersion < VK_API_VERSION_1_1)
		pl_fail(&why, -ENOTSUP, "the driver offers Vulkan 1.0, 1.1 is needed");
	else if (!d->has_compute)
		pl_fail(&why, -ENOTSUP, "the driver offers no compute queue");
	else
		region_max(list, pl_gpu_host_class(d), &why);
	if (!why.code)
		return true;
	skip(list, "GPU latency", why.text, NULL);
	return false;
}

void pl_gpu_offers(const struct pl_gpu_probe *probe, const struct pl_gpu_device *d,
		   struct pl_run *run, struct pl_gpu *gpu)
{
	struct list list = {.probe = probe, .d = d, .run = run};
	bool is_file = probe->options.chase_memory;
	const struct family *f = is_file ? file_families : families;
	size_t count = is_file ? sizeof(file_families) / sizeof(file_families[0])
			       : sizeof(families) / sizeof(families[0]);

	if (!is_usable(&list))
		return;
	if (!has_clock(d))
		skip(&list, "single loads and idle gaps",
		     "the driver has no shader clock (VK_KHR_shader_clock)", NULL);
	for (size_t i = 0; i < count; i++)
		add_family(&list, &f[i]);
	if (is_file) {
		add_gaps(&list, PL_GPU_HOST_FILE, 64 * KIB, QUICK);
	} else {
		add_gaps(&list, pl_gpu_host_class(d), 16 * MIB, QUICK);
		add_gaps(&list, PL_GPU_VRAM, 16 * MIB, DEFAULT); /* no link there: the control */
	}
	if (is_file && !list.count)
		skip(&list, "the chase in a file",
		     d->has_import ? "the file given with --chase-memory is missing or smaller "
				     "than 4 KiB"
				   : "the driver cannot import host memory "
				     "(VK_EXT_external_memory_host)",
		     NULL);
	gpu->offers = list.items;
	gpu->offer_count = list.count;
}
