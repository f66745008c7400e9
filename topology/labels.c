#include "topology/labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology/link_facts.h"

struct labelling {
	struct pl_run *run;
	const struct pl_tree *tree;
	struct pl_entries *entries;
	const struct pl_sysroot *root;
};

void pl_label_set(struct pl_slot *slot, const char *label, enum pl_label_source source)
{
	if (source < slot->label_source)
		return;
	slot->label = label;
	slot->label_source = source;
}

/* A better-sounding name that is not believed stays visible, with the reason. */
static void note(struct labelling *l, struct pl_slot *slot, const char *code, const char *text)
{
	slot->label_note =
		slot->label_note ? pl_arena_printf(&l->run->arena, "%s; %s", slot->label_note, text)
				 : text;
	pl_slot_warn(l->run, slot, "%s: %s", code, text);
}

static bool key_matches(const struct pl_slot *slot, const char *key)
{
	return strcmp(slot->key, key) == 0 ||
	       (strncmp(slot->key, "0000:", 5) == 0 && strcmp(slot->key + 5, key) == 0) ||
	       strcmp(slot->label, key) == 0 ||
	       (slot->neutral_name && strcmp(slot->neutral_name, key) == 0);
}

static bool device_has(const struct pl_slot *slot, struct pl_bdf bdf)
{
	for (size_t i = 0; slot->device && i < slot->device->function_count; i++)
		if (pl_bdf_is_equal(slot->device->functions[i], bdf))
			return true;
	return false;
}

static bool path_has(const struct pl_slot *slot, struct pl_bdf bdf)
{
	for (size_t i = 0; i < slot->path_count; i++)
		if (pl_bdf_is_equal(slot->path[i], bdf))
			return true;
	return false;
}

/* The key of an empty slot when a card with a switch of its own sits in it now. */
static bool key_leads_to(const struct pl_slot *slot, const char *key)
{
	const char *mine = slot->key;
	size_t length = strlen(key);

	if (strncmp(mine, key, length) != 0 && strncmp(mine, "0000:", 5) == 0)
		mine += 5;
	return strncmp(mine, key, length) == 0 && mine[length] == '/';
}

typedef bool matcher(const struct pl_slot *slot, const void *what);

static bool match_key(const struct pl_slot *slot, const void *what)
{
	return key_matches(slot, what);
}

static bool match_device(const struct pl_slot *slot, const void *what)
{
	return device_has(slot, *(const struct pl_bdf *)what);
}

static bool match_path(const struct pl_slot *slot, const void *what)
{
	return path_has(slot, *(const struct pl_bdf *)what);
}

static bool match_below(const struct pl_slot *slot, const void *what)
{
	return key_leads_to(slot, what);
}

static struct pl_slot *only(struct pl_run *run, matcher *is_match, const void *what)
{
	struct pl_slot *found = NULL;

	for (size_t i = 0; i < run->slot_count; i++) {
		if (!is_match(&run->slots[i], what))
			continue;
		if (found)
			return NULL;
		found = &run->slots[i];
	}
	return found;
}

struct pl_slot *pl_labels_find(struct pl_run *run, const char *key)
{
	struct pl_slot *slot = only(run, match_key, key);
	struct pl_bdf bdf;

	if (!slot && pl_bdf_parse(key, &bdf) == 0) {
		slot = only(run, match_device, &bdf);
		if (!slot)
			slot = only(run, match_path, &bdf);
	}
	return slot ? slot : only(run, match_below, key);
}

static int apply_user(struct labelling *l, const char *option, struct pl_err *err)
{
	const char *equals = strchr(option, '=');
	struct pl_slot *slot;
	const char *key;

	if (!equals || equals == option || !equals[1])
		return pl_fail(err, -EINVAL, "--label %s: wanted KEY=NAME", option);
	key = pl_arena_printf(&l->run->arena, "%.*s", (int)(equals - option), option);
	slot = pl_labels_find(l->run, key);
	if (!slot)
		pl_run_warn(l->run, "W-LABEL", "warning", NULL,
			    "--label %s: %s names no slot of this machine, or several", option,
			    key);
	else
		pl_label_set(slot, pl_arena_strdup(&l->run->arena, equals + 1), PL_LABEL_USER);
	return 0;
}

static struct pl_slot *slot_of_port(struct labelling *l, int port)
{
	for (size_t i = 0; i < l->entries->count; i++)
		if (l->entries->items[i].port == port && !l->run->slots[i].built_in)
			return &l->run->slots[i];
	return NULL;
}

/* The last of a chain of bridges with nothing else below; PL_NO_NODE when there is a device. */
static int end_of_chain(const struct pl_tree *tree, int port)
{
	while (tree->nodes[port].first_child != PL_NO_NODE) {
		int child = tree->nodes[port].first_child;

		if (tree->nodes[child].next_sibling != PL_NO_NODE ||
		    !pl_node_is_bridge(&tree->nodes[child]))
			return PL_NO_NODE;
		port = child;
	}
	return port;
}

static void append_entry(struct labelling *l, struct pl_entry entry)
{
	size_t count = l->entries->count;
	struct pl_entry *grown = pl_arena_array(&l->run->arena, count + 1, sizeof(*grown));

	memcpy(grown, l->entries->items, count * sizeof(*grown));
	grown[count] = entry;
	*l->entries = (struct pl_entries){grown, count + 1};
}

/* An empty PCI bus, or a port without a connector, is a slot only because the table names it. */
static struct pl_slot *add_named_port(struct labelling *l, int port)
{
	int end = end_of_chain(l->tree, port);
	struct pl_slot *slot;

	if (end == PL_NO_NODE)
		return NULL;
	slot = pl_run_add_slot(l->run);
	append_entry(l, (struct pl_entry){PL_NO_NODE, port, PL_NO_NODE});
	pl_entry_describe(slot, l->tree, end);
	slot->physical_slot = -1;
	pl_link_set_unknown(&slot->link);
	slot->neutral_name = pl_arena_printf(&l->run->arena, "empty %s", slot->key);
	slot->label = slot->neutral_name;
	return slot;
}

/* The slot holds a switch: what hangs on its ports carries the slot's name with the port's. */
static void name_below(struct labelling *l, int port, const char *text)
{
	struct pl_bdf bdf = l->tree->nodes[port].function.bdf;

	for (size_t i = 0; i < l->run->slot_count; i++) {
		struct pl_slot *slot = &l->run->slots[i];
		bool is_below = false;

		for (size_t k = 0; k + 1 < slot->path_count; k++)
			is_below |= pl_bdf_is_equal(slot->path[k], bdf);
		if (is_below)
			pl_label_set(
				slot,
				pl_arena_printf(&l->run->arena, "%s: %s", text, slot->neutral_name),
				PL_LABEL_SMBIOS);
	}
}

/* Its port is switched off: nothing but the table says that the slot is there. */
static void add_hidden_slot(struct labelling *l, const struct pl_slot_name *name)
{
	struct pl_slot *slot = pl_run_add_slot(l->run);

	*slot = (struct pl_slot){
		.key = pl_arena_printf(&l->run->arena, "smbios:%s", name->entry->designation),
		.label = name->entry->designation,
		.label_source = PL_LABEL_SMBIOS,
		.neutral_name =
			pl_arena_printf(&l->run->arena, "empty %s", name->entry->designation),
		.chipset_hops = -1,
		.reason = "the firmware lists it as empty and has switched its port off: where it "
			  "hangs shows when a card is in it",
		.physical_slot = -1,
	};
	pl_link_set_unknown(&slot->link);
}

static void apply_name(struct labelling *l, const struct pl_slot_names *names,
		       const struct pl_slot_name *name)
{
	struct pl_slot *slot = name->port == PL_NO_NODE ? NULL : slot_of_port(l, name->port);
	const char *text = name->entry->designation;

	if (!slot && name->verdict == PL_NAME_BELIEVED)
		slot = add_named_port(l, name->port);
	if (!slot && name->verdict == PL_NAME_BELIEVED)
		name_below(l, name->port, text);
	if (!slot)
		return;
	if (name->verdict == PL_NAME_BELIEVED) {
		pl_label_set(slot, text, PL_LABEL_SMBIOS);
		if (names->has_reference_names)
			note(l, slot, "W-SMBIOS",
			     "the firmware's table has names of the reference board: compare with "
			     "the manual");
		if (!name->is_exact)
			note(l, slot, "W-SMBIOS",
			     pl_arena_printf(&l->run->arena, "address of \"%s\" read as: %s", text,
					     name->how));
	} else if (name->verdict == PL_NAME_REFUSED && text) {
		note(l, slot, "W-SMBIOS",
		     pl_arena_printf(&l->run->arena, "SMBIOS calls it \"%s\", not believed: %s",
				     text, name->why));
	}
}

static bool is_name_free(struct labelling *l, const char *text)
{
	for (size_t i = 0; i < l->run->slot_count; i++)
		if (strcmp(l->run->slots[i].label, text) == 0)
			return false;
	return true;
}

/* Entries that resolve nowhere, in one sentence for the whole table. */
static void warn_table(struct labelling *l, const struct pl_slot_names *names)
{
	const char *list = "";
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct pl_slot_name *name = &names->items[i];

		if (name->verdict == PL_NAME_BELIEVED || name->verdict == PL_NAME_EMPTY ||
		    !name->entry->designation || count++ >= 12)
			continue;
		list = pl_arena_printf(&l->run->arena, "%s%s%s", list, *list ? ", " : "",
				       name->entry->designation);
	}
	if (names->template_why)
		pl_run_warn(l->run, "W-SMBIOS", "warning", NULL, "SMBIOS slot names not used: %s",
			    names->template_why);
	else if (count)
		pl_run_warn(l->run, "W-SMBIOS", "info", NULL,
			    "%zu of %zu SMBIOS slot names not used (no or wrong address): %s%s",
			    count, names->count, list, count > 12 ? ", …" : "");
}

void pl_labels_from_table(struct pl_run *run, const struct pl_tree *tree,
			  struct pl_entries *entries, const struct pl_slot_names *names)
{
	struct labelling l = {run, tree, entries, NULL};
	bool is_believable = false;

	for (size_t i = 0; i < names->count; i++) {
		apply_name(&l, names, &names->items[i]);
		is_believable |= names->items[i].verdict == PL_NAME_BELIEVED;
	}
	for (size_t i = 0; is_believable && i < names->count; i++)
		if (names->items[i].verdict == PL_NAME_EMPTY &&
		    is_name_free(&l, names->items[i].entry->designation))
			add_hidden_slot(&l, &names->items[i]);
	warn_table(&l, names);
}

static void apply_smbios(struct labelling *l)
{
	struct pl_smbios_slot *slots = NULL;
	struct pl_slot_names names;
	size_t size = 0, count;
	char *table = NULL;
	int rc = pl_sysroot_read(l->root, "sys/firmware/dmi/tables/DMI", &l->run->arena, &table,
				 &size);

	if (rc == -EACCES || rc == -EPERM) {
		pl_run_skip(l->run, "slot names from SMBIOS",
			    "the firmware tables are readable for root only", "run as root");
		return;
	}
	if (rc)
		return;
	count = pl_smbios_slots(&l->run->arena, (const uint8_t *)table, size, &slots);
	pl_slot_names_resolve(&names, l->tree, slots, count);
	pl_labels_from_table(l->run, l->tree, l->entries, &names);
}

/* "SLOT 1", "Riser 2", "M.2 Slot": a place, not the device that is in it. */
static bool is_slot_text(const char *text)
{
	static const char *const words[] = {"slot", "riser", "m.2", "ocp", "bay", "pcie"};

	for (const char *at = text; *at; at++)
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strncasecmp(at, words[i], strlen(words[i])) == 0)
				return true;
	return false;
}

/* Type 41 or _DSM text: of a port it is the slot's name; of a device its name, often wrong. */
static void apply_firmware_text(struct labelling *l, struct pl_slot *slot, const char *text,
				bool is_port)
{
	if (!text || !*text)
		return;
	if (is_port || is_slot_text(text)) {
		pl_label_set(slot, text, PL_LABEL_ACPI);
		return;
	}
	slot->label_note = slot->label_note
				   ? slot->label_note
				   : pl_arena_printf(&l->run->arena,
						     "the firmware calls the device \"%s\"", text);
}

static char *sysfs_line(struct labelling *l, struct pl_bdf bdf, const char *file)
{
	char text[PL_BDF_TEXT], path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", pl_bdf_format(bdf, text), file);
	return pl_sysroot_line(l->root, path, &l->run->arena);
}

static void apply_acpi(struct labelling *l, struct pl_slot *slot, const struct pl_entry *entry)
{
	const struct pl_bdf *port =
		entry->port == PL_NO_NODE ? NULL : &l->tree->nodes[entry->port].function.bdf;
	const char *sun;

	if (!port || slot->built_in)
		return;
	sun = sysfs_line(l, *port, "firmware_node/sun");
	if (!sun && slot->device)
		sun = sysfs_line(l, slot->device->bdf, "firmware_node/sun");
	if (sun && strtoul(sun, NULL, 0))
		pl_label_set(slot, pl_arena_printf(&l->run->arena, "Slot %s", sun), PL_LABEL_ACPI);
	apply_firmware_text(l, slot, sysfs_line(l, *port, "label"), true);
	if (slot->device)
		apply_firmware_text(l, slot, sysfs_line(l, slot->device->bdf, "label"), false);
}

/* One _SUN on two slots is a template of the firmware: neither is believed. */
static void demote_shared(struct labelling *l, enum pl_label_source source)
{
	struct pl_run *run = l->run;
	bool *is_shared = pl_arena_array(&run->arena, run->slot_count, sizeof(bool));

	for (size_t i = 0; i < run->slot_count; i++) {
		if (run->slots[i].label_source != source)
			continue;
		for (size_t k = 0; k < run->slot_count && !is_shared[i]; k++)
			is_shared[i] = i != k && run->slots[k].label_source == source &&
				       strcmp(run->slots[i].label, run->slots[k].label) == 0;
	}
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_slot *slot = &run->slots[i];

		if (!is_shared[i])
			continue;
		note(l, slot, "W-SLOT-NAME",
		     pl_arena_printf(&run->arena, "the %s name \"%s\" is given to several slots",
				     pl_label_source_name(source), slot->label));
		slot->label = slot->neutral_name;
		slot->label_source = PL_LABEL_PATH;
	}
}

static void name_hot_plug_slot(struct labelling *l, const char *name, const char *address)
{
	unsigned domain, bus, device;

	if (sscanf(address, "%x:%x:%x", &domain, &bus, &device) != 3 || strcmp(name, "0") == 0)
		return;
	for (size_t i = 0; i < l->entries->count; i++) {
		const struct pl_entry *entry = &l->entries->items[i];
		struct pl_slot *slot = &l->run->slots[i];
		const struct pl_function *port;

		if (entry->port == PL_NO_NODE || slot->built_in)
			continue;
		port = &l->tree->nodes[entry->port].function;
		/* A name with "-1" is the kernel's way out of two equal ones. */
		if (port->bdf.domain == domain && port->secondary == bus && device == 0 &&
		    !strchr(name, '-'))
			pl_label_set(slot, pl_arena_printf(&l->run->arena, "slot %s", name),
				     PL_LABEL_SYSFS);
	}
}

static void apply_hot_plug(struct labelling *l)
{
	char **names = NULL;
	char path[280];
	int count = pl_sysroot_list(l->root, "sys/bus/pci/slots", &l->run->arena, &names);

	for (int i = 0; i < count; i++) {
		const char *address;

		snprintf(path, sizeof(path), "sys/bus/pci/slots/%.200s/address", names[i]);
		address = pl_sysroot_line(l->root, path, &l->run->arena);
		if (address)
			name_hot_plug_slot(l, names[i], address);
	}
	demote_shared(l, PL_LABEL_SYSFS);
}

static void apply_texts(struct labelling *l)
{
	for (size_t i = 0; i < l->entries->count; i++) {
		const struct pl_entry *entry = &l->entries->items[i];
		struct pl_slot *slot = &l->run->slots[i];
		int node = entry->device == PL_NO_NODE ? entry->port : entry->device;
		const struct pl_function *f = &l->tree->nodes[node].function;

		if (f->slot_name && entry->port != PL_NO_NODE && !slot->built_in)
			pl_label_set(slot, pl_arena_printf(&l->run->arena, "slot %s", f->slot_name),
				     PL_LABEL_SYSFS);
		apply_firmware_text(l, slot, f->firmware_name, false);
	}
	demote_shared(l, PL_LABEL_SYSFS);
	demote_shared(l, PL_LABEL_ACPI);
}

int pl_labels_apply(struct pl_run *run, const struct pl_tree *tree, struct pl_entries *entries,
		    const struct pl_sysroot *root, const struct pl_topology_options *options,
		    struct pl_err *err)
{
	struct labelling l = {run, tree, entries, root};
	int rc = 0;

	if (root) {
		for (size_t i = 0; i < entries->count; i++)
			apply_acpi(&l, &run->slots[i], &entries->items[i]);
		demote_shared(&l, PL_LABEL_ACPI);
		apply_hot_plug(&l);
		apply_smbios(&l);
	} else {
		apply_texts(&l);
	}
	if (options && options->board_file)
		rc = pl_board_file_apply(run, options->board_file, err);
	for (size_t i = 0; options && !rc && i < options->label_count; i++)
		rc = apply_user(&l, options->labels[i], err);
	return rc;
}
