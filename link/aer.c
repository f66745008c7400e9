#include "link/aer.h"

#include <stdlib.h>
#include <string.h>

#include "link/io.h"

static const struct {
	const char *file, *total;
	bool is_correctable;
} counters[] = {
	{"aer_dev_correctable", "TOTAL_ERR_COR", true},
	{"aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", false},
	{"aer_dev_fatal", "TOTAL_ERR_FATAL", false},
};

uint64_t pl_aer_parse_total(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

void pl_aer_add(const struct pl_sysroot *root, struct pl_bdf bdf, struct pl_aer_counts *counts)
{
	struct pl_arena arena = {NULL};
	char path[PL_LINK_PATH_BYTES], *text;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		uint64_t total;

		if (pl_sysroot_read(root, pl_link_device_path(path, bdf, counters[i].file), &arena,
				    &text, NULL))
			continue;
		counts->is_watched = true;
		total = pl_aer_parse_total(text, counters[i].total);
		*(counters[i].is_correctable ? &counts->correctable : &counts->uncorrectable) +=
			total;
	}
	pl_arena_fini(&arena);
}
