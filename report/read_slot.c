#include "report/read.h"

#include <stdlib.h>

/* The mirror of json_slot.c. */

static unsigned mts_at(const json_t *object, const char *key)
{
	double gts = pl_read_real(object, key);

	return gts > 0.0 && gts < 1e3 ? (unsigned)(gts * 1e3 + 0.5) : 0;
}

static unsigned u32_at(const json_t *object, const char *key)
{
	uint64_t value = pl_read_u64(object, key, 0);

	return value > UINT32_MAX ? 0 : (unsigned)value;
}

static unsigned hex_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? (unsigned)strtoul(text, NULL, 16) : 0;
}

unsigned pl_read_states(const json_t *object, const char *key)
{
	static const char *const names[] = {"l0s",   "l1",         "l1_1",      "l1_2",
					    "clkpm", "l1_1_pcipm", "l1_2_pcipm"};
	const json_t *array = json_object_get(object, key);
	unsigned bits = 0;

	if (!json_is_array(array))
		return PL_ASPM_UNKNOWN;
	for (size_t i = 0; i < json_array_size(array); i++)
		for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const char *text = json_string_value(json_array_get(array, i));

			if (text && !strcmp(text, names[k]))
				bits |= 1u << k;
		}
	return bits;
}

static const struct pl_bdf *bdfs_at(struct pl_run *run, const json_t *object, const char *key,
				    size_t *count)
{
	const json_t *array = json_object_get(object, key);
	struct pl_bdf *items = pl_arena_array(&run->arena, json_array_size(array), sizeof(*items));

	*count = 0;
	for (size_t i = 0; i < json_array_size(array); i++)
		*count += pl_read_bdf(json_array_get(array, i), &items[*count]);
	return items;
}

static void read_namespaces(struct pl_run *run, const json_t *object, struct pl_device *device)
{
	const json_t *array = json_object_get(object, "namespaces");
	size_t count = json_array_size(array);
	struct pl_namespace *items = pl_arena_array(&run->arena, count, sizeof(*items));

	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(array, i);

		items[i].name = pl_read_text(run, item, "name");
		items[i].size_bytes = pl_read_u64(item, "size_bytes", 0);
		items[i].block_bytes = u32_at(item, "block_bytes");
	}
	device->namespaces = items;
	device->namespace_count = count;
}

static const struct pl_device *read_device(struct pl_run *run, const json_t *object)
{
	struct pl_device *d;

	if (!json_is_object(object))
		return NULL;
	d = pl_arena_alloc(&run->arena, sizeof(*d));
	pl_read_bdf(json_object_get(object, "bdf"), &d->bdf);
	d->vendor_id = (uint16_t)hex_at(object, "vendor_id");
	d->device_id = (uint16_t)hex_at(object, "device_id");
	d->subsystem_vendor_id = (uint16_t)hex_at(object, "subsystem_vendor_id");
	d->subsystem_id = (uint16_t)hex_at(object, "subsystem_id");
	d->class_code = hex_at(object, "class");
	d->revision = (uint8_t)u32_at(object, "revision");
	PL_READ_ENUM(d->kind, object, "kind", pl_device_kind_name, PL_DEVICE_NIC + 1);
	d->class_name = pl_read_text(run, object, "class_name");
	d->name = pl_read_text(run, object, "name");
	d->model = pl_read_text(run, object, "model");
	d->unit_hash = pl_read_text(run, object, "unit_hash");
	d->driver = pl_read_text(run, object, "driver");
	d->power_state = pl_read_text(run, object, "power_state");
	d->functions = bdfs_at(run, object, "functions", &d->function_count);
	read_namespaces(run, object, d);
	d->interfaces = pl_read_texts(run, object, "interfaces", &d->interface_count);
	d->numa_node = (int)pl_read_i64(object, "numa_node", -1);
	d->local_cpus = pl_read_text(run, object, "local_cpus");
	d->rebar_bytes = pl_read_u64(object, "rebar_bytes", 0);
	return d;
}

static void read_end(const json_t *object, struct pl_link_end *end)
{
	end->is_readable = json_is_object(object);
	if (!end->is_readable)
		return;
	pl_read_bdf(json_object_get(object, "bdf"), &end->bdf);
	end->max_speed_mts = mts_at(object, "max_speed_gts");
	end->max_width = u32_at(object, "max_width");
	end->aspm_supported = pl_read_states(object, "aspm_supported");
	end->aspm_enabled = pl_read_states(object, "aspm_enabled");
	end->l0s_exit_ns = pl_read_i64(object, "l0s_exit_ns", -1);
	end->l1_exit_ns = pl_read_i64(object, "l1_exit_ns", -1);
}

static int64_t acceptable(const json_t *object, const char *key, const char *unlimited)
{
	return pl_read_bool(object, unlimited) ? INT64_MAX : pl_read_i64(object, key, -1);
}

static void read_link(struct pl_run *run, const json_t *object, struct pl_link *link)
{
	link->is_present = json_is_object(object);
	link->speed_mts = mts_at(object, "speed_gts");
	link->width = u32_at(object, "width");
	link->max_speed_mts = mts_at(object, "max_speed_gts");
	link->max_width = u32_at(object, "max_width");
	link->aspm_supported = pl_read_states(object, "aspm_supported");
	link->aspm_enabled = pl_read_states(object, "aspm_enabled");
	link->l0s_exit_ns = pl_read_i64(object, "l0s_exit_ns", -1);
	link->l1_exit_ns = pl_read_i64(object, "l1_exit_ns", -1);
	link->l0s_acceptable_ns =
		acceptable(object, "l0s_acceptable_ns", "l0s_acceptable_unlimited");
	link->l1_acceptable_ns = acceptable(object, "l1_acceptable_ns", "l1_acceptable_unlimited");
	read_end(json_object_get(object, "up"), &link->up);
	read_end(json_object_get(object, "down"), &link->down);
	link->ltr_enabled = pl_read_maybe(object, "ltr_enabled");
	link->clkpm_enabled = pl_read_maybe(object, "clkpm_enabled");
	link->atomic_routing = pl_read_maybe(object, "atomic_routing");
	link->limited_by = pl_read_text(run, object, "limited_by");
	link->path_speed_mts = mts_at(object, "path_speed_gts");
	link->path_width = u32_at(object, "path_width");
}

static void read_via(struct pl_run *run, const json_t *array, struct pl_slot *slot)
{
	size_t count = json_array_size(array);
	struct pl_via *items = pl_arena_array(&run->arena, count, sizeof(*items));

	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(array, i);

		PL_READ_ENUM(items[i].kind, item, "kind", pl_via_kind_name, PL_VIA_PCI_BRIDGE + 1);
		items[i].name = pl_read_text(run, item, "name");
		items[i].vendor_id = (uint16_t)hex_at(item, "vendor_id");
		items[i].device_id = (uint16_t)hex_at(item, "device_id");
		pl_read_bdf(json_object_get(item, "bdf"), &items[i].bdf);
		items[i].speed_mts = mts_at(item, "speed_gts");
		items[i].width = u32_at(item, "width");
	}
	slot->via = items;
	slot->via_count = count;
}

void pl_read_slot(struct pl_run *run, const json_t *object, struct pl_slot *slot)
{
	slot->key = pl_read_text(run, object, "key");
	slot->label = pl_read_text(run, object, "label");
	PL_READ_ENUM(slot->label_source, object, "label_source", pl_label_source_name,
		     PL_LABEL_USER + 1);
	slot->label_note = pl_read_text(run, object, "label_note");
	slot->neutral_name = pl_read_text(run, object, "neutral_name");
	PL_READ_ENUM(slot->attachment, object, "attachment", pl_attachment_name,
		     PL_ATTACH_INTEGRATED + 1);
	slot->chipset_hops = (int)pl_read_i64(object, "chipset_hops", -1);
	if (slot->chipset_hops < -1 || slot->chipset_hops > 255)
		slot->chipset_hops = -1;
	slot->chipset = pl_read_text(run, object, "chipset");
	PL_READ_ENUM(slot->origin, object, "origin", pl_origin_name, PL_ORIGIN_INTEGRATED + 1);
	PL_READ_ENUM(slot->confidence, object, "confidence", pl_confidence_name,
		     PL_CONFIDENCE_HIGH + 1);
	slot->built_in = pl_read_bool(object, "built_in");
	read_via(run, json_object_get(object, "via"), slot);
	slot->reason = pl_read_text(run, object, "reason");
	slot->path = bdfs_at(run, object, "path", &slot->path_count);
	slot->device = read_device(run, json_object_get(object, "device"));
	read_link(run, json_object_get(object, "link"), &slot->link);
	slot->warnings = pl_read_texts(run, object, "warnings", &slot->warning_count);
	if (!slot->key)
		slot->key = "unknown";
}
