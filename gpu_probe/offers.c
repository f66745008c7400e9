#include "core/fmt.h"
#include "gpu_probe/probe.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

struct wish {
	const char *metric;
	enum pl_gpu_memory memory;
	uint64_t region_bytes, gap_ns;
	unsigned effort;
	size_t samples_per_block;
	double block_s;
};

static const struct wish wishes[] = {
	{"chase", PL_GPU_HOST_CACHED, 64 * KIB, 0, 0, 2, 0.04},
	{"chase", PL_GPU_HOST_CACHED, 1 * MIB, 0, 0, 2, 0.04},
	{"chase", PL_GPU_HOST_CACHED, 16 * MIB, 0, 0, 2, 0.04},
};

static bool can(const struct pl_gpu_device *d, const struct wish *wish, struct pl_err *err)
{
	uint32_t index;

	return !pl_gpu_memory_pick(&d->memory, d->kind, wish->memory, UINT32_MAX, &index, err) &&
	       wish->region_bytes <= d->properties.limits.maxStorageBufferRange;
}

void pl_gpu_offers(const struct pl_gpu_probe *probe, const struct pl_gpu_device *d,
		   struct pl_run *run, struct pl_gpu *gpu)
{
	struct pl_offer *offers = NULL;
	size_t count = 0, capacity = 0;
	struct pl_err why = {0, ""};

	(void)probe;
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		const struct wish *w = &wishes[i];
		void *items = offers;
		struct pl_offer *offer;

		if (!can(d, w, &why))
			continue;
		offer = pl_arena_push(&run->arena, &items, &count, &capacity, sizeof(*offer));
		offers = items;
		*offer = (struct pl_offer){.metric = w->metric,
					   .memory = pl_gpu_memory_name(w->memory),
					   .region_bytes = w->region_bytes,
					   .gap_ns = w->gap_ns,
					   .effort = w->effort,
					   .samples_per_block = w->samples_per_block,
					   .block_s = w->block_s};
	}
	gpu->offers = offers;
	gpu->offer_count = count;
}
