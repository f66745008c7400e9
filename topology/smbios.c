#include "topology/smbios.h"

#include <string.h>

#define TYPE_SLOT 9u
#define TYPE_END 127u
#define HEADER_BYTES 4u

/* Walk over the structures of a table. */
struct structure {
	uint8_t type, length;
	const uint8_t *data;    /* the formatted part, from its header */
	const uint8_t *strings; /* after it */
	const uint8_t *end;     /* of the whole structure, strings included */
};

/* The string set ends with two zero bytes; false: it does not end inside the table. */
static bool find_end(const uint8_t *strings, const uint8_t *limit, const uint8_t **end)
{
	for (const uint8_t *at = strings; limit - at >= 2; at++)
		if (at[0] == 0 && at[1] == 0) {
			*end = at + 2;
			return true;
		}
	return false;
}

static bool read_structure(const uint8_t *at, const uint8_t *limit, struct structure *s)
{
	if (limit - at < (ptrdiff_t)HEADER_BYTES || at[1] < HEADER_BYTES || limit - at < at[1])
		return false;
	s->type = at[0];
	s->length = at[1];
	s->data = at;
	s->strings = at + at[1];
	return find_end(s->strings, limit, &s->end);
}

/* String number n (from 1) of a structure, printable or not: callers escape. NULL: none, blank. */
static const char *string_of(struct pl_arena *arena, const struct structure *s, uint8_t n)
{
	const uint8_t *at = s->strings;
	size_t length;

	for (uint8_t i = 1; n && at < s->end; i++) {
		length = strnlen((const char *)at, (size_t)(s->end - at));
		if (i == n) {
			while (length && at[length - 1] == ' ')
				length--;
			return length ? pl_arena_printf(arena, "%.*s", (int)length,
							(const char *)at)
				      : NULL;
		}
		if (length == 0)
			return NULL;
		at += length + 1;
	}
	return NULL;
}

/* Data bus width codes 08h … 0Eh. */
static unsigned lanes_of_width(uint8_t code)
{
	static const unsigned lanes[] = {1, 2, 4, 8, 12, 16, 32};

	return code >= 8 && code < 8 + sizeof(lanes) / sizeof(lanes[0]) ? lanes[code - 8] : 0;
}

/*
 * Slot types (table 45 of DSP0134 3.7): A5h "PCI Express" is followed by x1, x2, x4, x8, x16, and
 * so are ABh (Gen 2), B1h (Gen 3), B8h (Gen 4) and BEh (Gen 5).
 */
static unsigned lanes_of_type(uint8_t type)
{
	static const uint8_t bases[] = {0xa5, 0xab, 0xb1, 0xb8, 0xbe};

	for (size_t i = 0; i < sizeof(bases); i++)
		if (type > bases[i] && type <= bases[i] + 5)
			return 1u << (type - bases[i] - 1);
	return 0;
}

static bool is_pcie_type(uint8_t type)
{
	return (type >= 0xa5 && type <= 0xc6) || (type >= 0x14 && type <= 0x28) || type == 0x30;
}

static bool is_pci_type(uint8_t type)
{
	return type == 0x06 || type == 0x0e || type == 0x12;
}

static void read_address(const struct structure *s, struct pl_smbios_slot *slot)
{
	uint8_t devfn;

	if (s->length < 0x11)
		return; /* SMBIOS before 2.6 */
	devfn = s->data[0x10];
	slot->address = (struct pl_bdf){s->data[0x0d] | (uint32_t)s->data[0x0e] << 8, s->data[0x0f],
					devfn >> 3, devfn & 7};
	slot->has_address = slot->address.domain != 0xffff;
}

static void read_slot(struct pl_arena *arena, const struct structure *s,
		      struct pl_smbios_slot *slot)
{
	slot->designation = string_of(arena, s, s->data[4]);
	slot->type = s->data[5];
	slot->usage = s->data[7];
	slot->width = lanes_of_width(s->data[6]);
	if (!slot->width)
		slot->width = lanes_of_type(slot->type);
	slot->is_pcie = is_pcie_type(slot->type);
	slot->is_pci = is_pci_type(slot->type);
	read_address(s, slot);
}

size_t pl_smbios_slots(struct pl_arena *arena, const uint8_t *table, size_t size_bytes,
		       struct pl_smbios_slot **slots)
{
	const uint8_t *limit = table + size_bytes;
	size_t count = 0, capacity = 0;
	struct structure s;
	void *items = NULL;

	for (const uint8_t *at = table; read_structure(at, limit, &s); at = s.end) {
		if (s.type == TYPE_END)
			break;
		if (s.type == TYPE_SLOT && s.length >= 0x0d)
			read_slot(arena, &s,
				  pl_arena_push(arena, &items, &count, &capacity,
						sizeof(struct pl_smbios_slot)));
	}
	*slots = items;
	return count;
}
