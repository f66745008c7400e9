#include "tests/t.h"

#include "tests/golden/boards.h"

/* Every row of tests/boards/TRUTH.tsv, original dumps and rebuilt ones counted apart. */

struct score {
	unsigned right, wrong, unknown, chipset_right, chipset_given;
};

static void judge(const struct pl_run *run, char *const *row, struct score *score)
{
	const struct pl_slot *slot = t_slot_at(run, row[2]);

	if (!slot) {
		print_error("%s %s: no slot\n", row[0], row[2]);
		score->wrong++;
		return;
	}
	if (strcmp(pl_attachment_name(slot->attachment), row[3]) == 0 &&
	    slot->chipset_hops == atoi(row[4])) {
		score->right++;
	} else if (slot->attachment == PL_ATTACH_UNKNOWN) {
		score->unknown++;
		print_error("%s %s: unknown, truth %s: %s\n", row[0], row[2], row[3], slot->reason);
	} else {
		score->wrong++;
		print_error("%s %s: %s %d, truth %s %s: %s\n", row[0], row[2],
			    pl_attachment_name(slot->attachment), slot->chipset_hops, row[3],
			    row[4], slot->reason);
	}
	if (strcmp(row[5], "-") == 0)
		return;
	score->chipset_given++;
	score->chipset_right += t_is_same_chipset(row[5], slot->chipset);
	if (!t_is_same_chipset(row[5], slot->chipset))
		print_error("%s %s: chipset %s, truth %s\n", row[0], row[2],
			    slot->chipset ? slot->chipset : "none", row[5]);
}

static void judge_file(struct score scores[2])
{
	FILE *file = fopen(PL_TEST_DATA "/boards/TRUTH.tsv", "r");
	char line[2048], path[512], now[256] = "";
	char *row[7];
	struct pl_run run;

	assert_non_null(file);
	pl_run_init(&run);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		assert_true(t_fields(line, row, 7) >= 6);
		if (strcmp(now, row[0]) != 0) {
			pl_run_fini(&run);
			snprintf(path, sizeof(path), PL_TEST_DATA "/boards/dumps/%s", row[0]);
			t_discover_dump(&run, path);
			snprintf(now, sizeof(now), "%s", row[0]);
		}
		judge(&run, row, &scores[strstr(row[0], "-rebuilt") != NULL]);
	}
	pl_run_fini(&run);
	fclose(file);
}

static void every_row_of_truth_is_right(void **state)
{
	static const char *const kinds[] = {"original dumps", "rebuilt dumps"};
	struct score scores[2] = {{0}, {0}};

	(void)state;
	judge_file(scores);
	for (size_t i = 0; i < 2; i++)
		print_message("%s: %u right, %u unknown, %u wrong; chipset %u of %u\n", kinds[i],
			      scores[i].right, scores[i].unknown, scores[i].wrong,
			      scores[i].chipset_right, scores[i].chipset_given);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(scores[i].wrong, 0);
		assert_int_equal(scores[i].unknown, 0);
		assert_int_equal(scores[i].chipset_right, scores[i].chipset_given);
	}
	assert_int_equal(scores[0].right + scores[1].right, 351);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_of_truth_is_right)};

	return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}
