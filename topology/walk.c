#include "topology/walk.h"

#include <string.h>

#include "pci/decode.h"

#define MOST_REASON_STEPS 6u

const char *pl_walk_ids(struct pl_walk *w, const struct pl_node *node)
{
	const struct pl_function *f = &node->function;

	if (f->has_no_id)
		return pl_arena_printf(w->tree->arena, "%s [id not in the text]",
				       pl_bdf_short(w->tree->arena, f->bdf));
	return pl_arena_printf(w->tree->arena, "%s [%04x:%04x]",
			       pl_bdf_short(w->tree->arena, f->bdf), f->vendor_id, f->device_id);
}

void pl_walk_set(struct pl_place *place, enum pl_attachment attachment, int hops,
		 enum pl_origin origin)
{
	place->attachment = attachment;
	place->hops = hops;
	place->origin = origin;
}

void pl_walk_unknown(struct pl_place *place, const char *reason)
{
	pl_walk_set(place, PL_ATTACH_UNKNOWN, -1, PL_ORIGIN_UNKNOWN);
	place->is_closed = true;
	place->confidence = PL_CONFIDENCE_LOW;
	place->chipset = NULL;
	place->reason = reason;
}

void pl_walk_reason(struct pl_walk *w, struct pl_place *place, const char *text)
{
	place->reason_steps++;
	if (!place->reason)
		place->reason = text;
	else if (place->reason_steps < MOST_REASON_STEPS)
		place->reason = pl_arena_printf(w->tree->arena, "%s; %s", place->reason, text);
	else if (place->reason_steps == MOST_REASON_STEPS)
		place->reason = pl_arena_printf(w->tree->arena, "%s; …", place->reason);
}

void pl_walk_via(struct pl_walk *w, struct pl_place *place, enum pl_via_kind kind, const char *name,
		 const struct pl_node *node)
{
	struct pl_via *via =
		pl_arena_array(w->tree->arena, place->via_count + 1, sizeof(struct pl_via));

	if (place->via_count)
		memcpy(via, place->via, place->via_count * sizeof(*via));
	via[place->via_count] = (struct pl_via){
		.kind = kind,
		.name = name,
		.vendor_id = node->function.vendor_id,
		.device_id = node->function.device_id,
		.bdf = node->function.bdf,
	};
	if (node->parent != PL_NO_NODE && node->function.express.has_link) {
		via[place->via_count].speed_mts =
			pl_decode_speed_mts(node->function.express.link_sta & 0xf);
		via[place->via_count].width = node->function.express.link_sta >> 4 & 0x3f;
	}
	place->via = via;
	place->via_count++;
}
