#include "tests/golden/boards.h"

#include "tests/t.h"

#include "topology/topology.h"

size_t t_fields(char *line, char **fields, size_t most)
{
	size_t count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (count < most) {
		char *tab = strchr(line, '\t');

		fields[count++] = line;
		if (!tab)
			break;
		*tab = '\0';
		line = tab + 1;
	}
	return count;
}

/* Words of TRUTH.tsv's free text and the word that a name of the same family must have. */
static const struct {
	const char *truth, *found;
} families[] = {
	{"PROM21 x2", "PROM21 x2"},
	{"PROM21 (B650)", "B650"},
	{"PROM21 (B850)", "B850"},
	{"TRX50", "TRX50"},
	{"WRX80", "WRX80"},
	{"990FX northbridge", "990FX"},
	{"990X northbridge", "990X"},
	{"970 northbridge", "970"},
	{"SB950", "SB950"},
	{"5520 IOH", "5520"},
	{"X58 IOH", "X58"},
	{"ICH10R", "ICH10R"},
	{"ICH10 ", "ICH10"},
	{"ICH8M", "ICH8M"},
	{"Alder Lake-P PCH", "Alder Lake-P"},
	{"Intel 600 PCH", "B660"}, /* the LPC bridge of this one says B660 */
	{"Intel 800 PCH", "800-series"},
	{"Intel 800-series PCH", "800-series"},
	{"C621", "C621"},
	{"C620 (PCIe uplink)", "PCIe uplink"},
	{"C620", "C622"}, /* the LPC bridge of this one says C622 */
	{"X99", "X99"},
	{"C600", "C600"},
	{"Q170", "Q170"},
	{"CM238", "CM238"},
};

bool t_is_same_chipset(const char *truth, const char *found)
{
	if (strcmp(truth, "-") == 0)
		return true; /* nothing given */
	if (!found)
		return false;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(truth, families[i].truth, strlen(families[i].truth)) == 0)
			return strstr(found, families[i].found) != NULL;
	return strncmp(found, truth, strlen(truth)) == 0;
}

const struct pl_slot *t_slot_at(const struct pl_run *run, const char *address)
{
	struct pl_bdf bdf;

	assert_int_equal(pl_bdf_parse(address, &bdf), 0);
	for (size_t i = 0; i < run->slot_count; i++) {
		const struct pl_slot *slot = &run->slots[i];

		for (size_t k = 0; slot->device && k < slot->device->function_count; k++)
			if (pl_bdf_is_equal(slot->device->functions[k], bdf))
				return slot;
		if (!slot->device && slot->path_count &&
		    pl_bdf_is_equal(slot->path[slot->path_count - 1], bdf))
			return slot;
	}
	return NULL;
}

void t_discover_dump(struct pl_run *run, const char *file)
{
	struct pl_topology_options options = {.dump_file = file};
	struct pl_err err = {0, ""};

	pl_run_init(run);
	if (pl_topology_discover(run, NULL, &options, &err))
		fail_msg("%s: %s", file, err.text);
}
