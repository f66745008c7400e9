#include "topology/ids.h"

#include <stdlib.h>

static const struct pl_id table[] = {
#include "topology/bridge_ids.inc"
};

static int compare(const void *key, const void *row)
{
	const struct pl_id *a = key, *b = row;

	if (a->vendor != b->vendor)
		return a->vendor < b->vendor ? -1 : 1;
	return (a->device > b->device) - (a->device < b->device);
}

const struct pl_id *pl_id_find(uint16_t vendor, uint16_t device)
{
	struct pl_id key = {.vendor = vendor, .device = device};

	return bsearch(&key, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), compare);
}

size_t pl_id_table(const struct pl_id **rows)
{
	*rows = table;
	return sizeof(table) / sizeof(table[0]);
}
