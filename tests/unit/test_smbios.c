#include "tests/t.h"

#include "pci/decode.h"
#include "topology/smbios.h"

/* One record: type, width and usage codes, address; two strings' end. */
static size_t put_slot(uint8_t *at, const char *name, uint8_t type, uint8_t width, uint8_t bus,
		       uint8_t devfn)
{
	const uint8_t head[] = {9, 0x11, 0, 0, 1, type, width, 4, 3, 0, 0, 0, 0, 0, 0, bus, devfn};
	size_t size = sizeof(head);

	memcpy(at, head, size);
	memcpy(at + size, name, strlen(name) + 1);
	size += strlen(name) + 1;
	at[size++] = 0;
	return size;
}

static void slots_are_read(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_smbios_slot *slots = NULL;
	uint8_t table[512];
	size_t size = put_slot(table, "PCIEX16_1", 0xb6, 0x0d, 1, 8);

	(void)state;
	size += put_slot(table + size, "M2_1  ", 0x17, 0x0a, 0xff, 0x1c << 3 | 4);
	size += put_slot(table + size, "PCI1", 0x06, 0x05, 3, 0);
	assert_int_equal(pl_smbios_slots(&arena, table, size, &slots), 3);
	assert_string_equal(slots[0].designation, "PCIEX16_1");
	assert_int_equal(slots[0].width, 16);
	assert_true(slots[0].is_pcie && slots[0].has_address);
	assert_int_equal(slots[0].address.dev, 1);
	assert_string_equal(slots[1].designation, "M2_1");
	assert_int_equal(slots[1].width, 4);
	assert_int_equal(slots[1].address.fn, 4);
	assert_true(slots[2].is_pci && !slots[2].is_pcie);
	pl_arena_fini(&arena);
}

/* Every cut of a good table, and every single broken byte: no read outside (ASan watches). */
static void broken_tables_end_the_walk(void **state)
{
	struct pl_arena arena = {NULL};
	struct pl_smbios_slot *slots = NULL;
	uint8_t table[256];
	size_t size = put_slot(table, "A", 0xa5, 8, 0, 8);

	(void)state;
	size += put_slot(table + size, "B", 0xa5, 8, 0, 16);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy, table, cut);
		assert_true(pl_smbios_slots(&arena, copy, cut, &slots) < 2);
		free(copy);
	}
	for (size_t i = 0; i < size * 256; i++) {
		uint8_t *copy = malloc(size);

		memcpy(copy, table, size);
		copy[i / 256] = (uint8_t)i;
		assert_true(pl_smbios_slots(&arena, copy, size, &slots) <= 2);
		free(copy);
	}
	pl_arena_fini(&arena);
}

/* The decode tables of PCIe §7.5.3 and §7.8.3. */
static void fields_become_units(void **state)
{
	(void)state;
	assert_int_equal(pl_decode_speed_mts(1), 2500);
	assert_int_equal(pl_decode_speed_mts(5), 32000);
	assert_int_equal(pl_decode_speed_mts(9), 0);
	assert_int_equal(pl_decode_l0s_exit_ns(0), 64);
	assert_int_equal(pl_decode_l0s_exit_ns(6), 4096);
	assert_int_equal(pl_decode_l1_exit_ns(5), 32000);
	assert_true(pl_decode_l1_exit_ns(7) == INT64_MAX);
	assert_int_equal(pl_decode_power_on_ns(1, 7), 70000);
	assert_int_equal(pl_decode_power_on_ns(3, 7), -1);
	assert_int_equal(pl_decode_ltr_ns(4, 3), 3145728);
	assert_int_equal(pl_decode_ltr_ns(2, 160), 163840);
	assert_int_equal(pl_decode_ltr_ns(6, 1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_read),
		cmocka_unit_test(broken_tables_end_the_walk),
		cmocka_unit_test(fields_become_units),
	};

	return cmocka_run_group_tests_name("smbios", tests, NULL, NULL);
}
