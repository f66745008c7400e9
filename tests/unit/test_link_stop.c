/* When a run stops: error counters. All is put back at once. */
#include "tests/t.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/fake/world.h"

static void write_file(struct world *w, const char *path, const char *text)
{
	int fd = openat(w->fake.root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void test_correctable_errors(void **state)
{
	struct world w;
	const struct pl_link_path *path;

	(void)state;
	world_make(&w, FAKE_FULL);
	memcpy(w.fake.aer, "RxErr 7\nTOTAL_ERR_COR 00007\n", 28);
	world_open(&w);
	path = world_path(&w, FAKE_SLOT_TWO_SWITCHES);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	memcpy(w.fake.aer, "RxErr 9\nTOTAL_ERR_COR 00017\n", 28);
	assert_int_equal(pl_link_verify(w.control, path, &w.check, &w.err), 0);
	assert_false(w.check.must_stop);
	assert_int_equal(w.check.correctable, 10);
	memcpy(w.fake.aer, "RxErr 9\nTOTAL_ERR_COR 00018\n", 28);
	assert_int_equal(pl_link_verify(w.control, path, &w.check, &w.err), 0);
	assert_true(w.check.must_stop);
	assert_true(world_has_warning(&w, "W-ASPM-STOP"));
	/* All is back already, and nothing is set any more. */
	assert_int_equal(fake_compare(&w.fake, w.snapshot), 0);
	assert_false(fake_has_journal(&w.fake));
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "l1"), 0);
	assert_int_equal(w.check.verdict, PL_VERDICT_NOT_SET);
	world_end_clean(&w);
}

static void try_uncorrectable(const char *file, const char *word)
{
	char path[128], text[64];
	struct world w;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/0000:06:00.0/%s", file);
	snprintf(text, sizeof(text), "%s 0\n", word);
	world_make(&w, FAKE_FULL);
	write_file(&w, path, text);
	world_open(&w);
	assert_int_equal(world_set(&w, FAKE_SLOT_TWO_SWITCHES, "off"), 0);
	assert_false(w.check.must_stop);
	snprintf(text, sizeof(text), "%s 1\n", word);
	write_file(&w, path, text);
	assert_int_equal(
		pl_link_verify(w.control, world_path(&w, FAKE_SLOT_TWO_SWITCHES), &w.check, &w.err),
		0);
	assert_true(w.check.must_stop);
	assert_int_equal(w.check.uncorrectable, 1);
	world_end_clean(&w);
}

static void test_uncorrectable_errors(void **state)
{
	(void)state;
	try_uncorrectable("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
	try_uncorrectable("aer_dev_fatal", "TOTAL_ERR_FATAL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_correctable_errors),
		cmocka_unit_test(test_uncorrectable_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
