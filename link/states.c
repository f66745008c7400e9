#include "link/states.h"

#include <string.h>

#include "link/apply.h"

/* The subsets that are worth an arm of their own; a mixture of substates is as found. */
static const struct {
	unsigned mask;
	const char *name, *text;
} masks[] = {
	{PL_ASPM_L0S, "l0s", "L0s"},
	{PL_ASPM_L1, "l1", "L1 without substates"},
	{PL_ASPM_L0S | PL_ASPM_L1, "l0s_l1", "L0s and L1 without substates"},
	{PL_ASPM_L1 | PL_ASPM_L1_1, "l1_1", "L1 with substate L1.1"},
	{PL_ASPM_L1 | PL_ASPM_L1_2, "l1_2", "L1 with substate L1.2"},
};

#define MASK_COUNT (sizeof(masks) / sizeof(masks[0]))
#define STATES_MAX (3 + 3 * MASK_COUNT + PL_LINK_PATH_MAX)

struct builder {
	struct pl_arena *arena;
	const struct pl_link_choice *links;
	size_t count;
	struct pl_link_state *states;
	size_t state_count;
};

static bool is_known(const struct builder *b, const unsigned *targets)
{
	for (size_t s = 0; s < b->state_count; s++)
		if (!memcmp(b->states[s].targets, targets, b->count * sizeof(*targets)))
			return true;
	return false;
}

/* The first link in the way, from the root port down. */
static const char *find_obstacle(const struct builder *b, const unsigned *targets)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->links[i].why_not && targets[i] != b->links[i].found)
			return b->links[i].why_not;
	return NULL;
}

static void add_state(struct builder *b, enum pl_link_state_kind kind, const unsigned *targets,
		      const char *name, const char *text)
{
	unsigned *copy;

	if (is_known(b, targets) || b->state_count == STATES_MAX)
		return;
	copy = pl_arena_array(b->arena, b->count, sizeof(*copy));
	memcpy(copy, targets, b->count * sizeof(*copy));
	b->states[b->state_count] = (struct pl_link_state){
		.name = name,
		.text = text,
		.kind = kind,
		.targets = copy,
		.why_not = find_obstacle(b, targets),
	};
	b->states[b->state_count].is_settable = !b->states[b->state_count].why_not;
	b->state_count++;
}

/* found & mask on the links from first down, off above. */
static void fill(const struct builder *b, unsigned *targets, size_t first, unsigned mask)
{
	for (size_t i = 0; i < b->count; i++)
		targets[i] = i < first ? 0 : pl_link_normalise(b->links[i].found & mask);
}

static void add_subsets(struct builder *b)
{
	unsigned targets[PL_LINK_PATH_MAX];

	for (size_t m = 0; m < MASK_COUNT; m++) {
		fill(b, targets, 0, masks[m].mask);
		add_state(b, PL_LINK_STATE_SUBSET, targets, masks[m].name,
			  pl_arena_printf(b->arena, "%s on %s, nothing else", masks[m].text,
					  b->count > 1 ? "every link of the path" : "the link"));
	}
}

static const char *partial_name(struct builder *b, size_t uplinks)
{
	if (!uplinks)
		return "device_only";
	return pl_arena_printf(b->arena, "device_and_%zu_uplink%s", uplinks,
			       uplinks > 1 ? "s" : "");
}

static void add_partials(struct builder *b)
{
	unsigned targets[PL_LINK_PATH_MAX];

	for (size_t first = b->count - 1; first > 0; first--) {
		size_t uplinks = b->count - 1 - first;

		fill(b, targets, first, PL_ASPM_STATES);
		add_state(b, PL_LINK_STATE_PARTIAL, targets, partial_name(b, uplinks),
			  uplinks ? pl_arena_printf(b->arena,
						    "as found on the device link and %zu above it, "
						    "the others off",
						    uplinks)
				  : "as found on the device link, the links above off");
	}
}

static void add_control(struct builder *b)
{
	unsigned targets[PL_LINK_PATH_MAX];

	fill(b, targets, 0, PL_ASPM_STATES);
	targets[b->count - 1] = 0;
	add_state(b, PL_LINK_STATE_CONTROL, targets, "uplink_only",
		  "device link off, links above as found (control: a switch may not sleep above a "
		  "link that is awake)");
}

static void add_device_subsets(struct builder *b)
{
	unsigned targets[PL_LINK_PATH_MAX];

	for (size_t m = 0; m < MASK_COUNT; m++) {
		fill(b, targets, b->count - 1, masks[m].mask);
		add_state(b, PL_LINK_STATE_PARTIAL, targets,
			  pl_arena_printf(b->arena, "device_%s_uplink_off", masks[m].name),
			  pl_arena_printf(b->arena, "%s on the device link, the links above off",
					  masks[m].text));
	}
}

static void add_raised(struct builder *b)
{
	unsigned targets[PL_LINK_PATH_MAX];

	for (size_t m = 0; m < MASK_COUNT; m++) {
		bool is_more = false;

		for (size_t i = 0; i < b->count; i++) {
			targets[i] = pl_link_normalise(b->links[i].available & masks[m].mask);
			is_more |= (targets[i] & ~b->links[i].found) != 0;
		}
		if (is_more)
			add_state(b, PL_LINK_STATE_RAISED, targets,
				  pl_arena_printf(b->arena, "raised_%s", masks[m].name),
				  pl_arena_printf(b->arena, "%s, more than firmware enabled",
						  masks[m].text));
	}
}

static bool is_anything_unknown(const struct builder *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->links[i].found == PL_ASPM_UNKNOWN)
			return true;
	return false;
}

static void add_all(struct builder *b, bool may_raise)
{
	unsigned targets[PL_LINK_PATH_MAX] = {0};

	if (is_anything_unknown(b)) {
		for (size_t i = 0; i < b->count; i++)
			targets[i] = b->links[i].found;
		add_state(b, PL_LINK_STATE_AS_FOUND, targets, "as_found",
			  "as firmware and kernel left it (registers not readable)");
		return;
	}
	add_state(b, PL_LINK_STATE_OFF, targets, "off", "every link of the path stays in L0");
	for (size_t i = 0; i < b->count; i++)
		targets[i] = b->links[i].found; /* word for word: an odd state stays odd */
	add_state(b, PL_LINK_STATE_AS_FOUND, targets, "as_found", "as firmware and kernel left it");
	add_subsets(b);
	if (b->count > 1) {
		add_partials(b);
		add_control(b);
		add_device_subsets(b);
	}
	if (may_raise)
		add_raised(b);
}

void pl_link_build_states(struct pl_arena *arena, const struct pl_link_choice *links, size_t count,
			  bool may_raise, struct pl_link_path *path)
{
	struct builder b = {arena, links, count, NULL, 0};

	if (!count)
		return;
	b.states = pl_arena_array(arena, STATES_MAX, sizeof(*b.states));
	add_all(&b, may_raise);
	path->states = b.states;
	path->state_count = b.state_count;
}
