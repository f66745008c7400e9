#include "tests/t.h"

#include <dirent.h>

#include "tests/golden/boards.h"
#include "tests/golden/dmi.h"
#include "topology/topology.h"

/*
 * tests/boards/SLOTS.tsv: names that are right come out, names that are wrong do not, and none of
 * them without its warning.
 */

struct machine {
	char name[128];
	char *dir;
	struct pl_run run;
};

/* The dump of the same machine; false when only its slot table is known. */
static bool find_dump(const char *machine, char path[512])
{
	DIR *dir = opendir(PL_TEST_DATA "/boards/dumps");
	struct dirent *entry;
	bool is_found = false;

	assert_non_null(dir);
	while (!is_found && (entry = readdir(dir))) {
		const char *end = strstr(entry->d_name, "__");

		is_found = end && (size_t)(end - entry->d_name) == strlen(machine) &&
			   strncmp(entry->d_name, machine, strlen(machine)) == 0;
		if (is_found)
			snprintf(path, 512, PL_TEST_DATA "/boards/dumps/%s", entry->d_name);
	}
	closedir(dir);
	return is_found;
}

static void close_machine(struct machine *m)
{
	if (!m->dir)
		return;
	pl_run_fini(&m->run);
	t_sysroot_remove(m->dir);
	m->dir = NULL;
}

static void open_machine(struct machine *m, const char *name)
{
	char dump[512], text[512];
	struct pl_sysroot root;
	struct pl_err err = {0, ""};
	uint8_t *table;
	size_t size;

	close_machine(m);
	snprintf(m->name, sizeof(m->name), "%s", name);
	assert_true(find_dump(name, dump));
	snprintf(text, sizeof(text), PL_TEST_DATA "/boards/slots/%s.txt", name);
	table = t_dmi_table(text, &size);
	m->dir = t_sysroot_make(dump, table, size);
	free(table);
	pl_run_init(&m->run);
	assert_int_equal(pl_sysroot_open(&root, m->dir, &err), 0);
	if (pl_topology_discover(&m->run, &root, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	pl_sysroot_close(&root);
}

/* "PCIE6", or "PCIE6: ASM1187e port 01" for what hangs on a switch in that slot. */
static bool says(const char *label, const char *name)
{
	size_t length = strlen(name);

	return strncmp(label, name, length) == 0 && (!label[length] || label[length] == ':');
}

static const struct pl_slot *slot_named(const struct pl_run *run, const char *label)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].label_source == PL_LABEL_SMBIOS &&
		    says(run->slots[i].label, label))
			return &run->slots[i];
	return NULL;
}

static bool path_has(const struct pl_slot *slot, const char *address)
{
	struct pl_bdf bdf;

	assert_int_equal(pl_bdf_parse(address, &bdf), 0);
	for (size_t i = 0; i < slot->path_count; i++)
		if (pl_bdf_is_equal(slot->path[i], bdf))
			return true;
	return false;
}

static bool has_warning(const struct pl_slot *slot)
{
	for (size_t i = 0; i < slot->warning_count; i++)
		if (strncmp(slot->warnings[i], "W-SMBIOS", 8) == 0)
			return true;
	return false;
}

/* machine designation type usage address pattern resolved verdict */
static bool judge(const struct machine *m, char *const *row)
{
	const struct pl_slot *slot = slot_named(&m->run, row[1]);
	bool is_right =
		strncmp(row[7], "right", 5) == 0 || strncmp(row[7], "address right", 13) == 0;
	bool is_empty = strncmp(row[7], "ok as", 5) == 0, is_good;

	if (is_right)
		is_good = slot && path_has(slot, row[6]);
	else if (is_empty)
		is_good = !slot || !slot->device;
	else
		is_good = !slot || has_warning(slot);
	if (!is_good)
		print_error("%s %s (%s): %s\n", row[0], row[1], row[7],
			    slot ? slot->key : "does not come out");
	return is_good;
}

static void every_slot_name_is_judged_right(void **state)
{
	FILE *file = fopen(PL_TEST_DATA "/boards/SLOTS.tsv", "r");
	struct machine m = {.dir = NULL};
	unsigned rows = 0, good = 0;
	char line[1024];
	char *row[8];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(t_fields(line, row, 8), 8);
		if (strcmp(m.name, row[0]) != 0)
			open_machine(&m, row[0]);
		good += judge(&m, row);
		rows++;
	}
	close_machine(&m);
	fclose(file);
	print_message("%u of %u slot names judged right\n", good, rows);
	assert_int_equal(rows, 86);
	assert_int_equal(good, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_slot_name_is_judged_right)};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
