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

/* "SDES 1": one kind of error a line, and the total of all messages last. */
static void add_kinds(const char *text, struct pl_aer_counts *counts)
{
	for (const char *line = text; *line;) {
		size_t word = strcspn(line, " \n");
		uint64_t number = strtoull(line + word, NULL, 10);

		if (word == 4 && !strncmp(line, "SDES", word))
			counts->surprise_down += number;
		else if (strncmp(line, "TOTAL_", 6) != 0)
			counts->other_kinds += number;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

void pl_aer_read(const struct pl_sysroot *root, struct pl_bdf bdf, struct pl_aer_counts *counts)
{
	struct pl_arena arena = {NULL};
	char path[PL_LINK_PATH_BYTES], *text;

	*counts = (struct pl_aer_counts){.is_watched = false};
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		bool is_correctable = counters[i].is_correctable;

		if (pl_sysroot_read(root, pl_link_device_path(path, bdf, counters[i].file), &arena,
				    &text, NULL))
			continue;
		counts->is_watched = true;
		*(is_correctable ? &counts->correctable : &counts->uncorrectable) +=
			pl_aer_parse_total(text, counters[i].total);
		if (!is_correctable)
			add_kinds(text, counts);
	}
	pl_arena_fini(&arena);
}

static uint64_t since(uint64_t before, uint64_t now)
{
	return now < before ? now : now - before;
}

struct pl_aer_counts pl_aer_since(const struct pl_aer_counts *before,
				  const struct pl_aer_counts *now)
{
	return (struct pl_aer_counts){since(before->correctable, now->correctable),
				      since(before->uncorrectable, now->uncorrectable),
				      since(before->surprise_down, now->surprise_down),
				      since(before->other_kinds, now->other_kinds),
				      now->is_watched};
}
