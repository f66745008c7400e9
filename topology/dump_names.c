#include "topology/dump_text.h"

#include <stdlib.h>
#include <string.h>

/*
 * Names of the ids that decide: as in the list that our table was made from, and as in the lists
 * installed here, which lspci used if the text was made here.
 */
struct known {
	struct pl_pci *pci;
	struct pl_arena *arena;
	const struct pl_id *table;
	size_t count;
	const char **local; /* made when first needed */
};

static bool is_named(const char *list, const char *name)
{
	size_t length = strlen(name);

	/* Former names follow the present one behind a bar. */
	for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == '|'))
			return true;
	return false;
}

static void ask_local(struct known *k)
{
	k->local = pl_arena_array(k->arena, k->count, sizeof(*k->local));
	for (size_t i = 0; i < k->count; i++)
		k->local[i] = pl_pci_device_name_slow(k->pci, k->arena, k->table[i].vendor,
						      k->table[i].device);
}

static bool find_in_table(struct known *k, uint16_t vendor, const char *name, bool is_local,
			  uint16_t *device)
{
	if (is_local && !k->local)
		ask_local(k);
	for (size_t i = 0; i < k->count; i++) {
		const char *list = is_local ? k->local[i] : k->table[i].name;

		if (k->table[i].vendor != vendor || !list || !is_named(list, name))
			continue;
		*device = k->table[i].device;
		return true;
	}
	return false;
}

/* "Device 14db": the list that lspci used had no name for it. */
static bool is_numbered(const char *name, uint16_t *device)
{
	char *end = NULL;
	unsigned long value;

	if (strncmp(name, "Device ", 7) != 0)
		return false;
	value = strtoul(name + 7, &end, 16);
	if (end != name + 11 || (*end && *end != ' '))
		return false;
	*device = (uint16_t)value;
	return true;
}

static void find_id(struct pl_text_function *function, struct known *k)
{
	const char *name = function->title;
	uint16_t vendor = 0, device = 0;
	size_t length = 0;

	if (!name || !pl_pci_find_vendor(k->pci, name, &vendor, &length))
		return;
	function->f.vendor_id = vendor;
	name += length;
	name += strspn(name, " ");
	if (!is_numbered(name, &device) && !find_in_table(k, vendor, name, false, &device) &&
	    !pl_pci_find_device(k->pci, vendor, name, &device) &&
	    !(function->f.header_type == 1 && find_in_table(k, vendor, name, true, &device)))
		return;
	function->f.device_id = device;
	function->has_ids = true;
}

void pl_text_find_ids(struct pl_text_dump *dump, struct pl_pci *pci)
{
	struct known k = {.pci = pci, .arena = dump->arena};

	k.count = pl_id_table(&k.table);
	for (size_t i = 0; i < dump->count; i++) {
		struct pl_text_function *function = dump->items[i];
		uint16_t class_code = 0;

		if (!function->has_ids && !function->config)
			find_id(function, &k);
		if (!function->has_class && function->f.class_name &&
		    pl_pci_find_class(pci, function->f.class_name, &class_code)) {
			function->f.class_code |= (uint32_t)class_code << 8;
			function->has_class = true;
		}
	}
}
