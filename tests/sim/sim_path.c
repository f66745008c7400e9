#include <math.h>
#include <string.h>

#include "model/aspm.h"
#include "tests/sim/sim_draw.h"

/* What discovery says of the paths and links of a drawn board. */

#define TOLERANCE_NS 2000.0
#define SWITCH_NS 1000.0
#define OPEN_NS 65000 /* class 7: more than 64 µs */

/* Classes of LnkCap: upper bounds of L1 exits. A board advertises any, whatever is true. */
static const int64_t classes_ns[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, OPEN_NS};
#define CLASSES (sizeof(classes_ns) / sizeof(classes_ns[0]))

void pl_sim_draw_advertised(struct pl_rng *rng, struct sim_truth *truth)
{
	for (size_t i = 0; i < SIM_LINKS; i++)
		truth->advertised_ns[i] = classes_ns[pl_rng_below(rng, CLASSES)];
}

/* Root port, one function for each link above, the device. */
static void set_path(struct pl_run *run, struct pl_slot *slot, size_t uplinks)
{
	size_t count = uplinks + 2;
	struct pl_bdf *path = pl_arena_array(&run->arena, count, sizeof(*path));
	struct pl_via *via = pl_arena_array(&run->arena, uplinks, sizeof(*via));

	path[0] = slot->path[0];
	for (size_t i = 0; i < uplinks; i++) {
		path[i + 1] = slot->path[1];
		path[i + 1].dev = (uint8_t)i;
		via[i] = slot->via[0];
		via[i].bdf = path[i + 1];
	}
	path[count - 1] = slot->path[slot->path_count - 1];
	slot->path = path;
	slot->path_count = count;
	slot->via = via;
	slot->via_count = uplinks;
	slot->chipset_hops = (int)uplinks;
}

static void survey(struct pl_run *run, const struct sim_truth *truth)
{
	const struct pl_slot *slot = &run->slots[1];
	size_t count = slot->path_count - 1;
	struct pl_aspm_link *links = pl_arena_array(&run->arena, count, sizeof(*links));

	for (size_t i = 0; i < count; i++) {
		struct pl_aspm_function *down = pl_arena_alloc(&run->arena, sizeof(*down));

		down->bdf = slot->path[i + 1];
		links[i] = (struct pl_aspm_link){.up.bdf = slot->path[i],
						 .down = down,
						 .down_count = 1,
						 .supported = truth->bits,
						 .enabled = truth->bits,
						 .l0s_exit_ns = -1,
						 .l1_exit_ns = truth->advertised_ns[i]};
	}
	run->aspm_links = links;
	run->aspm_link_count = count;
}

void pl_sim_discover(struct pl_run *run, const struct sim_truth *truth)
{
	set_path(run, &run->slots[1], truth->uplinks);
	set_path(run, &run->slots[3], truth->uplinks);
	survey(run, truth);
}

/* The slowest link that may sleep, 1 µs for each one passed before it; HUGE_VAL: an open class. */
static double advertised_high_ns(const struct sim_truth *truth, bool is_device)
{
	double high = 0.0;

	for (size_t i = is_device ? truth->uplinks : 0; i <= truth->uplinks; i++) {
		if (truth->advertised_ns[i] == OPEN_NS)
			return HUGE_VAL;
		high = fmax(high, (double)truth->advertised_ns[i] + SWITCH_NS * (double)i);
	}
	return high;
}

bool pl_sim_exceeds(const struct pl_effect *effect, const struct sim_truth *truth)
{
	bool is_device = !strcmp(effect->state, truth->device_state);

	return pl_sim_true_value(effect, truth) >
	       advertised_high_ns(truth, is_device) + TOLERANCE_NS;
}
