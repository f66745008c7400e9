#include "tests/integration/gpu_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/fake_gpu.h"

/* Files around the chase: memory of --chase-memory, and sysfs saying how the card runs. */

static uint32_t checksum(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint32_t sum = 0;

	for (int c = fgetc(file); c != EOF; c = fgetc(file))
		sum = sum * 31 + (uint32_t)c;
	fclose(file);
	return sum;
}

static struct fixture open_file(const char *path)
{
	struct pl_gpu_options options = {.seed = 7, .chase_memory = path};
	struct fixture f;

	fixture_open(&f, &options);
	return f;
}

/* --chase-memory: stamped, off every path, and the user's file stays as it was. */
static void a_file_can_hold_the_chain(void **state)
{
	char path[] = "/tmp/pcielat-chase-XXXXXX";
	int fd = mkstemp(path);
	struct fixture f;
	uint32_t before;

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(write(fd, "mine", 4), 4);
	before = checksum(path);
	f = open_file(path);
	assert_true(f.run.gpus[0].offer_count > 5);
	for (size_t i = 0; i < f.run.gpus[0].offer_count; i++) {
		const struct pl_offer *offer = &f.run.gpus[0].offers[i];
		struct pl_measurement *m =
			plan(&f, offer->metric, offer->memory, offer->region_bytes);
		struct pl_sampler sampler;
		uint64_t ticks[3];

		if (offer->gap_ns > 100000)
			continue;
		m->conditions.gap_ns = offer->gap_ns;
		sampler = open_sampler(&f, m);
		take(&sampler, ticks, 3);
		assert_true(m->is_off_path);
		assert_int_equal(strncmp(m->conditions.memory, "imported:/tmp/", 14), 0);
		assert_int_equal(strncmp(m->warnings[0], "W-CHASE-MEMORY", 14), 0);
		pl_sampler_close(&sampler);
	}
	fixture_close(&f);
	assert_int_equal(checksum(path), before);
	close(fd);
	unlink(path);
}

static void a_file_that_does_not_fit_is_refused(void **state)
{
	char path[] = "/tmp/pcielat-chase-XXXXXX";
	int fd = mkstemp(path);
	struct fixture f = open_file(path);

	(void)state;
	assert_int_equal(f.run.gpus[0].offer_count, 0);
	assert_non_null(strstr(f.run.skipped[0].why, "--chase-memory"));
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EINVAL, "does not fit");
	unlink(path);
	open_fails(&f, plan(&f, "chase", NULL, 65536), -ENOENT, "No such file");
	fixture_close(&f);
	close(fd);
	f = open_file("/dev/null");
	open_fails(&f, plan(&f, "chase", NULL, 65536), -EINVAL, "no file that can be mapped");
	fixture_close(&f);
}

/* A BAR of a device in use must never be overwritten, under whatever name it is given. */
static void a_bar_in_use_is_refused(void **state)
{
	char folder[] = "/tmp/pcielat-bar-XXXXXX", bar[64], driver[64], name[64];
	struct pl_sampler sampler;
	struct fixture f;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(bar, sizeof(bar), "%s/resource2", folder);
	snprintf(driver, sizeof(driver), "%s/driver", folder);
	snprintf(name, sizeof(name), "%s/other-name", folder);
	fd = open(bar, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_int_equal(ftruncate(fd, 65536), 0);
	close(fd);
	assert_int_equal(symlink("../../../bus/pci/drivers/nvme", driver), 0);
	assert_int_equal(symlink("resource2", name), 0);
	f = open_file(bar);
	open_fails(&f, plan(&f, "chase", NULL, 4096), -EBUSY, "that the driver nvme uses");
	fixture_close(&f);
	f = open_file(name);
	open_fails(&f, plan(&f, "chase", NULL, 4096), -EBUSY, "that the driver nvme uses");
	unlink(driver);
	sampler = open_sampler(&f, plan(&f, "chase", NULL, 4096));
	pl_sampler_close(&sampler);
	fixture_close(&f);
	unlink(name);
	unlink(bar);
	rmdir(folder);
}

static char link_root[] = "/tmp/pcielat-link-XXXXXX";
/* The link changes its speed with every submission: until a batch of this series was dropped … */
static const struct pl_measurement *retrain_until_drop;
/* … or for good. */
static bool retrain_always;

static void put(const char *file, const char *text)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s", link_root, file);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static bool is_retraining(void)
{
	return retrain_always ||
	       (retrain_until_drop &&
		!pl_measurement_find_fact(retrain_until_drop, "dropped_link_retrained"));
}

/* As an idle card's does: no two submissions in a row see the same speed. */
static void change_speed(unsigned submits)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.0 GT/s PCIe", is_retraining() ? 17 + submits % 97 : 16);
	put("current_link_speed", text);
}

static void make_card(void)
{
	char path[256];

	assert_non_null(mkdtemp(link_root));
	snprintf(path, sizeof(path), "mkdir -p %s/sys/bus/pci/devices/0000:03:00.0", link_root);
	assert_int_equal(system(path), 0);
	put("current_link_width", "16");
	put("0000:03:00.0/numa_node", "0");
	put("0000:03:00.0/pp_dpm_sclk", "0: 500Mhz\n1: 2100Mhz *\n");
	put("0000:03:00.0/pp_dpm_mclk", "0: 96Mhz *\n1: 1000Mhz\n");
	change_speed(0);
}

/* What was taken while the link retrained is dropped and counted; a link that never rests fails. */
static void a_retraining_link_drops_samples(void **state)
{
	struct pl_gpu_options options = {.seed = 7, .loader = fake_gpu_loader};
	struct pl_sysroot root;
	struct pl_measurement *m;
	struct pl_sampler sampler;
	struct pl_err err = {0, ""};
	struct fixture f;
	uint64_t tick;
	char command[128];

	(void)state;
	make_card();
	assert_int_equal(pl_sysroot_open(&root, link_root, NULL), 0);
	options.sysroot = &root;
	fake_gpu_reset(&(struct fake_gpu){.is_discrete = true, .on_submit = change_speed});
	fixture_open(&f, &options);
	m = plan(&f, "load", NULL, 65536);
	sampler = open_sampler(&f, m);
	take(&sampler, &tick, 1);
	assert_string_equal(pl_measurement_find_fact(m, "link_before")->text, "16.0 GT/s PCIe x16");
	assert_string_equal(pl_measurement_find_fact(m, "clocks_after")->text,
			    "graphics 2100Mhz, memory 96Mhz");
	assert_null(pl_measurement_find_fact(m, "dropped_link_retrained"));
	assert_true(fact(m, "numa_node") == 0);
	retrain_until_drop = m;
	take(&sampler, &tick, 1);
	assert_true(fact(m, "dropped_link_retrained") >= 1);
	retrain_always = true;
	assert_int_equal(sampler.sample(sampler.self, &tick, 1, &err), -EAGAIN);
	assert_non_null(strstr(err.text, "the link retrained during each"));
	retrain_always = false;
	retrain_until_drop = NULL;
	pl_sampler_close(&sampler);
	fixture_close(&f);
	pl_sysroot_close(&root);
	snprintf(command, sizeof(command), "rm -r %s", link_root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_can_hold_the_chain),
		cmocka_unit_test(a_file_that_does_not_fit_is_refused),
		cmocka_unit_test(a_bar_in_use_is_refused),
		cmocka_unit_test(a_retraining_link_drops_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
