#include <stdint.h>
#include <string.h>

#include "topology/capture_clean.h"
#include "topology/classify.h"
#include "topology/dump.h"
#include "topology/dump_lines.h"
#include "topology/entries.h"
#include "topology/slot_table.h"

/*
 * Input that nobody checked: an SMBIOS table (first byte 'D') or the text of lspci (anything else).
 * Every 32nd text goes the whole way through libpci and the classification; reading the list of
 * ids makes that slow.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_table(struct pl_run *run, const uint8_t *data, size_t size)
{
	static const struct pl_function ports[] = {
		{.bdf = {0, 0, 1, 0},
		 .vendor_id = 0x8086,
		 .device_id = 0x460d,
		 .header_type = 1,
		 .secondary = 1,
		 .subordinate = 1},
		{.bdf = {0, 1, 0, 0}, .vendor_id = 0x10de, .device_id = 0x1b80},
		{.bdf = {0, 0, 0x1c, 4},
		 .vendor_id = 0x8086,
		 .device_id = 0x7abc,
		 .header_type = 1,
		 .secondary = 2,
		 .subordinate = 2},
	};
	struct pl_smbios_slot *slots = NULL;
	struct pl_slot_names names;
	struct pl_tree tree;
	unsigned char *kept = pl_arena_alloc(&run->arena, size + 16);
	size_t count = pl_smbios_slots(&run->arena, data, size, &slots);

	pl_tree_build(&tree, &run->arena, ports, 3);
	pl_slot_names_resolve(&names, &tree, slots, count);
	pl_capture_slot_records(data, size, kept);
}

static void try_whole_text(struct pl_run *run, const char *text, size_t size)
{
	struct pl_function *functions = NULL;
	struct pl_platform platform;
	struct pl_entries entries;
	struct pl_pci *pci = NULL;
	struct pl_err err = {0, ""};
	struct pl_tree tree;
	size_t count = 0;

	if (pl_dump_parse(run, "fuzz", text, size, &pci, &functions, &count, &err))
		return;
	pl_tree_build(&tree, &run->arena, functions, count);
	pl_platform_find(&platform, &tree, NULL, NULL);
	pl_classify(&tree, &platform);
	pl_entries_build(run, &tree, &entries);
	pl_pci_close(pci);
}

static void try_lines(struct pl_run *run, const char *text, size_t size)
{
	struct pl_text_dump *dump = pl_arena_alloc(&run->arena, sizeof(*dump));
	struct pl_err err = {0, ""};

	*dump = (struct pl_text_dump){.name = "fuzz", .arena = &run->arena};
	if (pl_dump_lines(dump, text, size, &err) && !strstr(err.text, "line "))
		__builtin_trap(); /* every refusal says where */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned turn;
	struct pl_run run;

	pl_run_init(&run);
	if (size && data[0] == 'D')
		try_table(&run, data + 1, size - 1);
	else if (turn++ % 32 == 0)
		try_whole_text(&run, (const char *)data, size);
	else
		try_lines(&run, (const char *)data, size);
	pl_run_fini(&run);
	return 0;
}
