#include "tests/t.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/outfile.h"

static char folder[] = "/tmp/pl-outfile-XXXXXX";

static const char *at(const char *name)
{
	static char path[2][128];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void put(const char *name, const char *text, int rc)
{
	struct pl_outfile outfile;

	assert_int_equal(pl_outfile_open(&outfile, at(name), NULL), 0);
	fputs(text, outfile.out);
	assert_int_equal(pl_outfile_close(&outfile, rc, NULL), rc);
	assert_int_equal(access(at("file.part"), F_OK), -1);
}

static void assert_holds(const char *name, const char *text)
{
	char got[32] = "";
	FILE *in = fopen(at(name), "r");

	assert_non_null(in);
	assert_non_null(fgets(got, sizeof(got), in));
	fclose(in);
	assert_string_equal(got, text);
}

static void a_file_appears_whole_or_stays(void **state)
{
	(void)state;
	put("file", "first", 0);
	assert_holds("file", "first");
	put("file", "half of the sec", -EIO);
	assert_holds("file", "first");
	put("file", "second", 0);
	assert_holds("file", "second");
	unlink(at("file"));
	put("file", "never", -EIO);
	assert_int_equal(access(at("file"), F_OK), -1);
}

/* The name of the file that is written beside may be somebody's: the drive that is measured. */
static void a_file_of_that_name_is_left_alone(void **state)
{
	struct pl_outfile outfile;

	(void)state;
	put("file.part-2", "mine", 0);
	assert_int_equal(rename(at("file.part-2"), at("file.part")), 0);
	assert_int_equal(pl_outfile_open(&outfile, at("file"), NULL), 0);
	fputs("theirs", outfile.out);
	assert_int_equal(pl_outfile_close(&outfile, 0, NULL), 0);
	assert_holds("file.part", "mine");
	assert_holds("file", "theirs");
	unlink(at("file.part"));
	unlink(at("file"));
}

static void a_link_leads_to_its_file(void **state)
{
	struct stat st;

	(void)state;
	put("file", "old", 0);
	assert_int_equal(symlink(at("file"), at("link")), 0);
	put("link", "new", 0);
	assert_holds("file", "new");
	assert_int_equal(lstat(at("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(at("link"));
	unlink(at("file"));
}

/* Somebody's link in place of our part: it is not written through. */
static void a_planted_part_is_not_followed(void **state)
{
	(void)state;
	put("victim", "whole", 0);
	assert_int_equal(symlink(at("victim"), at("file.part")), 0);
	{
		struct pl_outfile outfile;

		assert_int_equal(pl_outfile_open(&outfile, at("file"), NULL), 0);
		fputs("text", outfile.out);
		assert_int_equal(pl_outfile_close(&outfile, 0, NULL), 0);
	}
	assert_holds("victim", "whole");
	assert_holds("file", "text");
	unlink(at("file.part"));
	unlink(at("victim"));
	unlink(at("file"));
}

static void devices_are_written_in_place(void **state)
{
	struct pl_outfile outfile;
	struct pl_err err = {0, ""};
	struct stat st;

	(void)state;
	assert_false(pl_outfile_is_regular("/dev/null"));
	assert_int_equal(pl_outfile_open(&outfile, "/dev/null", NULL), 0);
	assert_int_equal(pl_outfile_close(&outfile, 0, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(pl_outfile_open(&outfile, "/dev/full", NULL), 0);
	fputs("text", outfile.out);
	assert_int_equal(pl_outfile_close(&outfile, 0, &err), -ENOSPC);
	assert_string_equal(err.text, "/dev/full: No space left on device");
}

/* The node has no device behind it: opening it would be another error. */
static void drives_are_refused(void **state)
{
	struct pl_outfile outfile;
	struct pl_err err = {0, ""};

	(void)state;
	if (mknod(at("drive"), S_IFBLK | 0600, makedev(259, 1048575))) {
		assert_int_equal(errno, EPERM);
		print_message("not root: no device node to try\n");
		return;
	}
	assert_int_equal(pl_outfile_open(&outfile, at("drive"), &err), -EINVAL);
	assert_non_null(strstr(err.text, "drive is a drive: nothing is written to drives"));
	unlink(at("drive"));
}

static void what_cannot_be_opened_is_named(void **state)
{
	struct pl_outfile outfile;
	struct pl_err err = {0, ""};

	(void)state;
	assert_int_equal(pl_outfile_open(&outfile, "/no/such/folder", &err), -ENOENT);
	assert_string_equal(err.text, "/no/such/folder: No such file or directory");
	assert_int_equal(pl_outfile_open(&outfile, folder, &err), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_appears_whole_or_stays),
		cmocka_unit_test(a_file_of_that_name_is_left_alone),
		cmocka_unit_test(a_link_leads_to_its_file),
		cmocka_unit_test(a_planted_part_is_not_followed),
		cmocka_unit_test(devices_are_written_in_place),
		cmocka_unit_test(drives_are_refused),
		cmocka_unit_test(what_cannot_be_opened_is_named),
	};

	return cmocka_run_group_tests_name("outfile", tests, make_folder, remove_folder);
}
