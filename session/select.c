#include "session/select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KNOWN_BYTES 400

static bool has_function(const struct pl_device *device, struct pl_bdf bdf)
{
	for (size_t i = 0; i < device->function_count; i++)
		if (pl_bdf_is_equal(device->functions[i], bdf))
			return true;
	return pl_bdf_is_equal(device->bdf, bdf);
}

bool pl_select_device_matches(const struct pl_slot *slot, const char *name)
{
	const struct pl_device *device = slot->device;
	struct pl_bdf bdf;

	if (!device)
		return false;
	if (!pl_bdf_parse(name, &bdf))
		return has_function(device, bdf);
	for (size_t i = 0; i < device->namespace_count; i++)
		if (!strcmp(device->namespaces[i].name, name))
			return true;
	for (size_t i = 0; i < device->interface_count; i++)
		if (!strcmp(device->interfaces[i], name))
			return true;
	return false;
}

bool pl_select_slot_matches(const struct pl_slot *slot, const char *name)
{
	struct pl_bdf bdf;

	if (!strcmp(slot->label, name) || !strcmp(slot->key, name))
		return true;
	if (slot->neutral_name && !strcmp(slot->neutral_name, name))
		return true;
	if (pl_bdf_parse(name, &bdf))
		return false;
	return pl_select_device_matches(slot, name) ||
	       (slot->path_count && pl_bdf_is_equal(slot->path[slot->path_count - 1], bdf));
}

bool pl_select_gpu_matches(const struct pl_gpu *gpu, const char *name)
{
	struct pl_bdf bdf;
	char text[32];

	if (!pl_bdf_parse(name, &bdf))
		return gpu->has_bdf && pl_bdf_is_equal(gpu->bdf, bdf);
	snprintf(text, sizeof(text), "gpu%u", gpu->index);
	return !strcmp(text, name);
}

const struct pl_gpu *pl_select_gpu_of(const struct pl_run *run, const struct pl_slot *slot)
{
	for (size_t i = 0; i < run->gpu_count; i++)
		if (run->gpus[i].has_bdf && pl_run_find_slot(run, run->gpus[i].bdf) == slot)
			return &run->gpus[i];
	return NULL;
}

static bool find_slot(const struct pl_run *run, const char *name)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (pl_select_slot_matches(&run->slots[i], name))
			return true;
	return false;
}

static bool find_device(const struct pl_run *run, const char *name)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (pl_select_device_matches(&run->slots[i], name))
			return true;
	for (size_t i = 0; i < run->gpu_count; i++)
		if (pl_select_gpu_matches(&run->gpus[i], name))
			return true;
	return false;
}

static void append(char *text, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, KNOWN_BYTES - used, "%s%.60s", used ? ", " : "", name);
}

static int not_found(const struct pl_run *run, const char *option, const char *name, bool is_device,
		     struct pl_err *err)
{
	char known[KNOWN_BYTES] = "", bdf[PL_BDF_TEXT];

	for (size_t i = 0; i < run->slot_count && strlen(known) < KNOWN_BYTES - 64; i++) {
		const struct pl_slot *slot = &run->slots[i];

		if (!is_device)
			append(known, slot->label);
		else if (slot->device)
			append(known, pl_bdf_format(slot->device->bdf, bdf));
	}
	return pl_fail(err, -ENOENT, "%s %s: no such %s; there is: %s", option, name,
		       is_device ? "device" : "slot", *known ? known : "nothing");
}

int pl_select_check_slots(const struct pl_run *run, const char *option, const char *const *names,
			  size_t count, struct pl_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!find_slot(run, names[i]))
			return not_found(run, option, names[i], false, err);
	return 0;
}

int pl_select_check_devices(const struct pl_run *run, const char *option, const char *const *names,
			    size_t count, struct pl_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!find_device(run, names[i]))
			return not_found(run, option, names[i], true, err);
	return 0;
}
