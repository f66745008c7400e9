#include "model/access.h"

#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Latencies of single accesses that cross the path; bandwidths, memory on the card, deep queues
 * and the host's control are reported but make no claim. */
static const struct {
	enum pl_probe probe;
	const char *metric; /* NULL: any */
	bool is_host_memory;
	uint64_t region_bytes; /* at least: beyond the caches of the GPU */
} claimable[] = {
	{PL_PROBE_CONFIG, NULL, false, 0},         {PL_PROBE_BAR, NULL, false, 0},
	{PL_PROBE_NVME, NULL, false, 0},           {PL_PROBE_NET, NULL, false, 0},
	{PL_PROBE_GPU, "chase", true, 1 << 20},    {PL_PROBE_GPU, "load", true, 1 << 20},
	{PL_PROBE_GPU, "load_after_gap", true, 0}, {PL_PROBE_GPU, "cpu_vram_read", false, 0},
};

static bool is_host_memory(const char *memory)
{
	return !memory || !strncmp(memory, "host", 4) || !strncmp(memory, "imported", 8);
}

bool pl_measurement_is_claimable(const struct pl_measurement *m)
{
	const struct pl_conditions *c = &m->conditions;

	if (!m->slot || m->is_off_path || c->queue_depth > 1 || c->prewake || c->apst || c->burst)
		return false;
	for (size_t i = 0; i < sizeof(claimable) / sizeof(claimable[0]); i++)
		if (claimable[i].probe == m->probe &&
		    (!claimable[i].metric || is_same_text(claimable[i].metric, m->metric)) &&
		    (!claimable[i].is_host_memory || is_host_memory(c->memory)) &&
		    (!c->region_bytes || c->region_bytes >= claimable[i].region_bytes))
			return true;
	return false;
}

/* Without a gap there is nothing to sleep through: such a series belongs to both arms. */
static bool is_same_idle(const struct pl_conditions *x, const struct pl_conditions *y)
{
	return !x->gap_ns || !y->gap_ns ||
	       is_same_text(x->idle ? x->idle : "spun", y->idle ? y->idle : "spun");
}

bool pl_measurement_is_same_access(const struct pl_measurement *a, const struct pl_measurement *b)
{
	const struct pl_conditions *x = &a->conditions, *y = &b->conditions;

	return a->probe == b->probe && is_same_text(a->metric, b->metric) &&
	       x->size_bytes == y->size_bytes && x->queue_depth == y->queue_depth &&
	       x->config_offset == y->config_offset && x->region_bytes == y->region_bytes &&
	       is_same_text(x->path, y->path) && is_same_text(x->clock, y->clock) &&
	       is_same_text(x->pattern, y->pattern) && is_same_text(x->memory, y->memory) &&
	       is_same_text(x->prewake, y->prewake) && is_same_text(x->apst, y->apst) &&
	       x->burst == y->burst && is_same_idle(x, y);
}

bool pl_measurement_is_slept(const struct pl_measurement *m)
{
	return is_same_text(m->conditions.idle, "slept");
}

static uint64_t size_of(const struct pl_device *device)
{
	return device->namespace_count ? device->namespaces[0].size_bytes : 0;
}

enum pl_reference_class pl_slot_reference_class(const struct pl_slot *a, const struct pl_slot *b)
{
	const struct pl_device *x = a->device, *y = b->device;

	if (!x || !y)
		return PL_REF_NONE;
	if (x->unit_hash && is_same_text(x->unit_hash, y->unit_hash))
		return PL_REF_SAME_UNIT;
	if (x->vendor_id == y->vendor_id && x->device_id == y->device_id &&
	    x->subsystem_vendor_id == y->subsystem_vendor_id &&
	    x->subsystem_id == y->subsystem_id && !x->model == !y->model &&
	    (!x->model || !strcmp(x->model, y->model)) && size_of(x) == size_of(y))
		return PL_REF_SAME_MODEL;
	return PL_REF_NONE;
}
