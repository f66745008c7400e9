#include "tests/t.h"

#include <errno.h>
#include <dirent.h>

#include "tests/golden/boards.h"
#include "topology/topology.h"

/* The texts of tests/boards/texts against TRUTH.tsv, counted per form. */

struct form {
	const char *kind; /* between "__" and ".txt" */
	unsigned right, unknown, wrong;
};

static struct form forms[] = {
	{"lspci-v", 0, 0, 0},    {"lspci-vv", 0, 0, 0},   {"lspci-vvv", 0, 0, 0},
	{"lspci-vvnn", 0, 0, 0}, {"lspci-nn-t", 0, 0, 0},
};

static struct form *form_of(const char *file)
{
	const char *kind = strstr(file, "__") + 2;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strlen(forms[i].kind) == strlen(kind) - 4 &&
		    strncmp(kind, forms[i].kind, strlen(forms[i].kind)) == 0)
			return &forms[i];
	return NULL;
}

static void judge(const struct pl_run *run, const char *file, char *const *row, struct form *form)
{
	const struct pl_slot *slot = t_slot_at(run, row[2]);

	if (!slot || slot->attachment == PL_ATTACH_UNKNOWN) {
		form->unknown++;
		print_error("%s %s: unknown\n", file, row[2]);
	} else if (strcmp(pl_attachment_name(slot->attachment), row[3]) == 0 &&
		   slot->chipset_hops == atoi(row[4])) {
		form->right++;
	} else {
		form->wrong++;
		print_error("%s %s: %s %d: %s\n", file, row[2],
			    pl_attachment_name(slot->attachment), slot->chipset_hops, slot->reason);
	}
}

/* Rows of the same text; the texts made from a dump take that machine's rows. */
static bool is_row_of(const char *file, char *const *row)
{
	size_t machine = (size_t)(strstr(file, "__") - file);

	if (strcmp(row[1], file) == 0)
		return true;
	return strstr(file, "-nn-t.txt") && strncmp(row[0], file, machine + 2) == 0 &&
	       !strstr(row[0], "__lspci");
}

static void judge_file(const char *file)
{
	FILE *truth = fopen(PL_TEST_DATA "/boards/TRUTH.tsv", "r");
	struct form *form = form_of(file);
	char line[2048], path[512];
	char *row[7];
	struct pl_run run;

	assert_non_null(truth);
	assert_non_null(form);
	snprintf(path, sizeof(path), PL_TEST_DATA "/boards/texts/%s", file);
	t_discover_dump(&run, path);
	while (fgets(line, sizeof(line), truth))
		if (t_fields(line, row, 7) >= 6 && is_row_of(file, row))
			judge(&run, file, row, form);
	pl_run_fini(&run);
	fclose(truth);
}

static void texts_give_the_same_answers(void **state)
{
	DIR *dir = opendir(PL_TEST_DATA "/boards/texts");
	struct dirent *entry;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".txt") && !strstr(entry->d_name, "__lspci-nn.txt"))
			judge_file(entry->d_name);
	closedir(dir);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		print_message("%s: %u right, %u unknown, %u wrong\n", forms[i].kind, forms[i].right,
			      forms[i].unknown, forms[i].wrong);
		assert_true(forms[i].right > 0);
		assert_int_equal(forms[i].unknown, 0);
		assert_int_equal(forms[i].wrong, 0);
	}
}

static void a_flat_list_is_refused_with_what_to_ask_for(void **state)
{
	struct pl_topology_options options = {
		.dump_file = PL_TEST_DATA
		"/boards/texts/am5-b850-server-board-arc-in-chipset-slot__lspci-nn.txt"};
	struct pl_err err = {0, ""};
	struct pl_run run;

	(void)state;
	pl_run_init(&run);
	assert_int_equal(pl_topology_discover(&run, NULL, &options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "line 4"));
	assert_non_null(strstr(err.text, "lspci -xxxx"));
	pl_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_give_the_same_answers),
		cmocka_unit_test(a_flat_list_is_refused_with_what_to_ask_for),
	};

	return cmocka_run_group_tests_name("texts", tests, NULL, NULL);
}
