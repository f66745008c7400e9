#include "topology/names.h"

#include <stdlib.h>
#include <string.h>

struct naming {
	struct pl_run *run;
	const struct pl_tree *tree;
	bool has_chip_numbers; /* two PROM21 in series: "#1", "#2" */
};

/* " x16" of the port, "" when its registers were not read. */
static const char *width_of(struct naming *n, const struct pl_node *port)
{
	unsigned width = port->function.express.link_cap >> 4 & 0x3f;

	if (!port->function.express.has_link || !width)
		return "";
	return pl_arena_printf(&n->run->arena, " x%u", width);
}

static const char *class_of(const struct pl_slot *slot)
{
	return slot->device && slot->device->class_name ? slot->device->class_name : "function";
}

static const struct pl_via *last_via(const struct pl_slot *slot, enum pl_via_kind kind)
{
	for (size_t i = slot->via_count; i-- > 0;)
		if (slot->via[i].kind == kind)
			return &slot->via[i];
	return NULL;
}

static const char *name_chipset_slot(struct naming *n, const struct pl_slot *slot,
				     const struct pl_node *port, const char *where)
{
	const struct pl_via *chip = last_via(slot, PL_VIA_CHIPSET);
	const char *name = chip ? chip->name : "chipset", *number = "";
	struct pl_arena *arena = &n->run->arena;

	if (chip && port && pl_node_role(port) == PL_ROLE_CHIPSET_DOWN) {
		if (n->has_chip_numbers)
			number = pl_arena_printf(arena, " #%d", slot->chipset_hops);
		return pl_arena_printf(arena, "%s%s port %02x%s%s%s", name, number,
				       port->function.bdf.dev, width_of(n, port),
				       slot->built_in ? " " : "",
				       slot->built_in ? class_of(slot) : "");
	}
	if (slot->built_in)
		return pl_arena_printf(arena, "%s %s %s", slot->chipset ? slot->chipset : name,
				       class_of(slot), where);
	return pl_arena_printf(arena, "%s%s %s", slot->chipset ? slot->chipset : name,
			       port ? width_of(n, port) : "", where);
}

static const char *name_switch_slot(struct naming *n, const struct pl_slot *slot,
				    const struct pl_node *port)
{
	const struct pl_via *chip = last_via(slot, PL_VIA_BOARD_SWITCH);

	if (!chip)
		chip = last_via(slot, PL_VIA_CONTROLLER);
	if (!chip || !port)
		return NULL;
	return pl_arena_printf(&n->run->arena, "%s port %02x%s", chip->name, port->function.bdf.dev,
			       width_of(n, port));
}

static const char *make_name(struct naming *n, const struct pl_slot *slot,
			     const struct pl_entry *entry)
{
	const struct pl_node *port =
		entry->port == PL_NO_NODE ? NULL : &n->tree->nodes[entry->port];
	struct pl_arena *arena = &n->run->arena;
	const char *where =
		pl_bdf_short(arena, port && !slot->built_in ? port->function.bdf
							    : slot->path[slot->path_count - 1]);
	const char *name = NULL;

	switch (slot->attachment) {
	case PL_ATTACH_CPU_DIRECT:
		return pl_arena_printf(arena, "CPU%s %s", port ? width_of(n, port) : "", where);
	case PL_ATTACH_CHIPSET:
		return name_chipset_slot(n, slot, port, where);
	case PL_ATTACH_SWITCH:
		name = name_switch_slot(n, slot, port);
		break;
	case PL_ATTACH_TUNNEL:
		if (slot->device)
			return pl_arena_printf(arena, "tunnel %s", slot->key);
		return pl_arena_printf(arena, "USB4/Thunderbolt port %s", where);
	case PL_ATTACH_INTEGRATED:
		return pl_arena_printf(arena, "CPU %s %s", class_of(slot), where);
	default:
		break;
	}
	return name ? name : pl_arena_printf(arena, "path %s", slot->key);
}

static int compare_names(const void *a, const void *b)
{
	const struct pl_slot *const *x = a, *const *y = b;

	return strcmp((*x)->neutral_name, (*y)->neutral_name);
}

/* The same chip twice on one board: the key tells them apart. */
static void make_unique(struct pl_run *run)
{
	struct pl_slot **order = pl_arena_array(&run->arena, run->slot_count, sizeof(*order));
	size_t first = 0;

	for (size_t i = 0; i < run->slot_count; i++)
		order[i] = &run->slots[i];
	if (run->slot_count)
		qsort(order, run->slot_count, sizeof(*order), compare_names);
	for (size_t i = 1; i <= run->slot_count; i++) {
		if (i < run->slot_count && !compare_names(&order[first], &order[i]))
			continue;
		for (size_t k = first; i - first > 1 && k < i; k++)
			order[k]->neutral_name = pl_arena_printf(
				&run->arena, "%s (%s)", order[k]->neutral_name, order[k]->key);
		first = i;
	}
}

void pl_names_neutral(struct pl_run *run, const struct pl_tree *tree,
		      const struct pl_entries *entries)
{
	struct naming n = {run, tree, false};
	size_t prom21 = 0;

	for (size_t i = 0; i < tree->count; i++)
		prom21 += tree->nodes[i].function.vendor_id == 0x1022 &&
			  tree->nodes[i].function.device_id == 0x43f4;
	n.has_chip_numbers = prom21 > 1;
	for (size_t i = 0; i < run->slot_count; i++)
		run->slots[i].neutral_name = make_name(&n, &run->slots[i], &entries->items[i]);
	make_unique(run);
	for (size_t i = 0; i < run->slot_count; i++) {
		run->slots[i].label = run->slots[i].neutral_name;
		run->slots[i].label_source = PL_LABEL_PATH;
	}
}
