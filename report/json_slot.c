#include "report/json.h"

/* Slots and devices: the same objects in `list --json` and in results.json. */

static json_t *hex(unsigned value, int digits)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%0*x", digits, value);
	return json_string(text);
}

static json_t *bdf_array(const struct pl_bdf *items, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, pl_json_bdf(items[i]));
	return array;
}

static json_t *text_array(const char *const *items, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, pl_json_text(items[i]));
	return array;
}

json_t *pl_json_states(unsigned bits)
{
	static const char *const names[] = {"l0s",   "l1",         "l1_1",      "l1_2",
					    "clkpm", "l1_1_pcipm", "l1_2_pcipm"};
	json_t *array;

	if (bits == PL_ASPM_UNKNOWN)
		return json_null();
	array = json_array();
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bits & (1u << i))
			json_array_append_new(array, json_string(names[i]));
	return array;
}

static json_t *gts(unsigned mts)
{
	return mts ? json_real((double)mts / 1e3) : json_null();
}

json_t *pl_json_known_ns(int64_t ns)
{
	return ns < 0 || ns == INT64_MAX ? json_null() : json_integer(ns);
}

static json_t *namespaces(const struct pl_device *device)
{
	json_t *array = json_array();

	for (size_t i = 0; i < device->namespace_count; i++) {
		const struct pl_namespace *ns = &device->namespaces[i];

		json_array_append_new(array,
				      json_pack("{s:o, s:I, s:I}", "name", pl_json_text(ns->name),
						"size_bytes", (json_int_t)ns->size_bytes,
						"block_bytes", (json_int_t)ns->block_bytes));
	}
	return array;
}

static json_t *device_of(const struct pl_device *d)
{
	if (!d)
		return json_null();
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o}",
		"bdf", pl_json_bdf(d->bdf), "vendor_id", hex(d->vendor_id, 4), "device_id",
		hex(d->device_id, 4), "subsystem_vendor_id", hex(d->subsystem_vendor_id, 4),
		"subsystem_id", hex(d->subsystem_id, 4), "revision", (int)d->revision, "class",
		hex(d->class_code, 6), "class_name", pl_json_text(d->class_name), "kind",
		pl_device_kind_name(d->kind), "name", pl_json_text(d->name), "model",
		pl_json_text(d->model), "unit_hash", pl_json_text(d->unit_hash), "driver",
		pl_json_text(d->driver), "power_state", pl_json_text(d->power_state), "functions",
		bdf_array(d->functions, d->function_count), "namespaces", namespaces(d),
		"interfaces", text_array(d->interfaces, d->interface_count), "numa_node",
		d->numa_node < 0 ? json_null() : json_integer(d->numa_node), "local_cpus",
		pl_json_text(d->local_cpus), "rebar_bytes", pl_json_positive(d->rebar_bytes));
}

static json_t *link_end(const struct pl_link_end *end)
{
	if (!end->is_readable)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bdf", pl_json_bdf(end->bdf),
			 "max_speed_gts", gts(end->max_speed_mts), "max_width",
			 pl_json_positive(end->max_width), "aspm_supported",
			 pl_json_states(end->aspm_supported), "aspm_enabled",
			 pl_json_states(end->aspm_enabled), "l0s_exit_ns",
			 pl_json_known_ns(end->l0s_exit_ns), "l1_exit_ns",
			 pl_json_known_ns(end->l1_exit_ns));
}

static json_t *link_of(const struct pl_link *link)
{
	if (!link->is_present)
		return json_null();
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o}",
		"speed_gts", gts(link->speed_mts), "width", pl_json_positive(link->width),
		"max_speed_gts", gts(link->max_speed_mts), "max_width",
		pl_json_positive(link->max_width), "aspm_supported",
		pl_json_states(link->aspm_supported), "aspm_enabled",
		pl_json_states(link->aspm_enabled), "l0s_exit_ns",
		pl_json_known_ns(link->l0s_exit_ns), "l1_exit_ns",
		pl_json_known_ns(link->l1_exit_ns), "l0s_acceptable_ns",
		pl_json_known_ns(link->l0s_acceptable_ns), "l1_acceptable_ns",
		pl_json_known_ns(link->l1_acceptable_ns), "l0s_acceptable_unlimited",
		link->l0s_acceptable_ns == INT64_MAX, "l1_acceptable_unlimited",
		link->l1_acceptable_ns == INT64_MAX, "up", link_end(&link->up), "down",
		link_end(&link->down), "ltr_enabled", pl_json_maybe(link->ltr_enabled),
		"clkpm_enabled", pl_json_maybe(link->clkpm_enabled), "atomic_routing",
		pl_json_maybe(link->atomic_routing), "limited_by", pl_json_text(link->limited_by),
		"path_speed_gts", gts(link->path_speed_mts), "path_width",
		pl_json_positive(link->path_width));
}

static json_t *via_of(const struct pl_slot *slot)
{
	json_t *array = json_array();

	for (size_t i = 0; i < slot->via_count; i++) {
		const struct pl_via *via = &slot->via[i];

		json_array_append_new(
			array,
			json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
				  pl_via_kind_name(via->kind), "name", pl_json_text(via->name),
				  "vendor_id", hex(via->vendor_id, 4), "device_id",
				  hex(via->device_id, 4), "bdf", pl_json_bdf(via->bdf), "speed_gts",
				  gts(via->speed_mts), "width", pl_json_positive(via->width)));
	}
	return array;
}

json_t *pl_json_slot(const struct pl_slot *s)
{
	return json_pack(
		"{s:o, s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, "
		"s:o}",
		"key", pl_json_text(s->key), "label", pl_json_text(s->label), "label_source",
		pl_label_source_name(s->label_source), "label_note", pl_json_text(s->label_note),
		"neutral_name", pl_json_text(s->neutral_name), "attachment",
		pl_attachment_name(s->attachment), "chipset_hops",
		s->chipset_hops < 0 ? json_null() : json_integer(s->chipset_hops), "chipset",
		pl_json_text(s->chipset), "origin", pl_origin_name(s->origin), "confidence",
		pl_confidence_name(s->confidence), "built_in", s->built_in, "via", via_of(s),
		"reason", pl_json_text(s->reason), "path", bdf_array(s->path, s->path_count),
		"device", device_of(s->device), "link", link_of(&s->link), "warnings",
		text_array(s->warnings, s->warning_count));
}
