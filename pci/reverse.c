#include "pci/internal.h"

#include <stdlib.h>
#include <string.h>

#define IDS 0x10000u
#define NAME_ROOM 256

/* libpci names ids and nothing else, so all ids are asked once: some ten milliseconds. */
static const char *name_of(struct pl_pci *pci, int mode, int vendor, unsigned id,
			   char room[NAME_ROOM])
{
	int flags = mode | PCI_LOOKUP_NO_NUMBERS | PCI_LOOKUP_NO_HWDB;

	if (mode == PCI_LOOKUP_DEVICE)
		return pci_lookup_name(pci->access, room, NAME_ROOM, flags, vendor, (int)id);
	return pci_lookup_name(pci->access, room, NAME_ROOM, flags, (int)id);
}

static int compare_entries(const void *a, const void *b)
{
	const struct pl_pci_name *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static struct pl_pci_names *collect(struct pl_pci *pci, int mode, int vendor)
{
	struct pl_pci_names *names = calloc(1, sizeof(*names));
	char room[NAME_ROOM];

	if (!names)
		return NULL;
	names->vendor = vendor;
	names->items = calloc(IDS, sizeof(*names->items));
	for (unsigned id = 0; names->items && id < IDS - 1; id++) {
		const char *name = name_of(pci, mode, vendor, id, room);
		char *copy = name ? strdup(name) : NULL;

		if (copy)
			names->items[names->count++] = (struct pl_pci_name){copy, (uint16_t)id};
	}
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_entries);
	return names;
}

void pl_pci_names_free(struct pl_pci_names *names)
{
	while (names) {
		struct pl_pci_names *next = names->next;

		for (size_t i = 0; i < names->count; i++)
			free(names->items[i].name);
		free(names->items);
		free(names);
		names = next;
	}
}

static bool find_exact(const struct pl_pci_names *names, const char *name, uint16_t *id)
{
	size_t low = 0, high = names ? names->count : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(names->items[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!names || low == names->count || strcmp(names->items[low].name, name) != 0)
		return false;
	*id = names->items[low].id;
	return true;
}

/* Names that vendors had in older lists. */
static const struct {
	const char *name;
	uint16_t id;
} former[] = {
	{"Advanced Micro Devices [AMD]", 0x1022},
	{"Advanced Micro Devices, Inc. [AMD/ATI]", 0x1002},
	{"Advanced Micro Devices [AMD/ATI]", 0x1002},
	{"Advanced Micro Devices [AMD] nee ATI", 0x1002},
	{"ATI Technologies Inc", 0x1002},
	{"Intel Corp.", 0x8086},
};

static void try_prefix(const char *text, const char *name, uint16_t id, uint16_t *vendor,
		       size_t *length)
{
	size_t size = strlen(name);

	if (size <= *length || strncmp(text, name, size) != 0 || (text[size] && text[size] != ' '))
		return;
	*vendor = id;
	*length = size;
}

bool pl_pci_find_vendor(struct pl_pci *pci, const char *text, uint16_t *vendor, size_t *length)
{
	if (!pci->vendor_names)
		pci->vendor_names = collect(pci, PCI_LOOKUP_VENDOR, -1);
	*length = 0;
	for (size_t i = 0; i < sizeof(former) / sizeof(former[0]); i++)
		try_prefix(text, former[i].name, former[i].id, vendor, length);
	for (size_t i = 0; pci->vendor_names && i < pci->vendor_names->count; i++)
		try_prefix(text, pci->vendor_names->items[i].name, pci->vendor_names->items[i].id,
			   vendor, length);
	return *length > 0;
}

bool pl_pci_find_device(struct pl_pci *pci, uint16_t vendor, const char *name, uint16_t *device)
{
	struct pl_pci_names *list = pci->device_names;

	while (list && list->vendor != vendor)
		list = list->next;
	if (!list) {
		list = collect(pci, PCI_LOOKUP_DEVICE, vendor);
		if (!list)
			return false;
		list->next = pci->device_names;
		pci->device_names = list;
	}
	return find_exact(list, name, device);
}

bool pl_pci_find_class(struct pl_pci *pci, const char *name, uint16_t *class_code)
{
	if (!pci->class_names)
		pci->class_names = collect(pci, PCI_LOOKUP_CLASS, -1);
	return find_exact(pci->class_names, name, class_code);
}
