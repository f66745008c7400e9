#include "tests/t.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "tests/golden/boards.h"
#include "tests/golden/dmi.h"
#include "topology/capture.h"
#include "topology/capture_clean.h"
#include "topology/topology.h"

/* A capture gives the same slots as the machine, and nothing that says whose machine it was. */

#define SECRET "S3CRETSERIAL"
#define DUMP PL_TEST_DATA "/boards/dumps/asus-adl-h-rtx3070ti-laptop__lspci-xxxx.txt"
#define DRIVE "sys/bus/pci/devices/0000:02:00.0"

static void put(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static char *make_machine(void)
{
	size_t size;
	uint8_t *table = t_dmi_table(PL_TEST_DATA "/boards/slots/asus-rog-strix-z690-e.txt", &size);
	char *dir = t_sysroot_make(DUMP, table, size);
	char path[512];

	free(table);
	put(dir, DRIVE "/nvme/nvme0/model", "A drive\n");
	put(dir, DRIVE "/nvme/nvme0/serial", SECRET "\n");
	put(dir, DRIVE "/nvme/nvme0/nvme0n1/uuid", SECRET "\n");
	put(dir, DRIVE "/power_state", "D0\n");
	put(dir, DRIVE "/aer_dev_correctable", "RxErr 1\nTOTAL_ERR_COR 3\n");
	put(dir, "sys/block/nvme0n1/size", "2000409264\n");
	put(dir, "sys/block/nvme0n1/serial", SECRET "\n");
	put(dir, "sys/block/nvme0n1/queue/logical_block_size", "512\n");
	put(dir, "sys/bus/pci/devices/0000:2e:00.0/net/enp46s0/address", SECRET "\n");
	put(dir, "sys/class/dmi/id/board_name", "A board\n");
	put(dir, "sys/class/dmi/id/board_serial", SECRET "\n");
	put(dir, "sys/class/dmi/id/product_uuid", SECRET "\n");
	put(dir, "sys/module/pcie_aspm/parameters/policy", "[default] performance\n");
	put(dir, "proc/cmdline", "root=UUID=" SECRET " pcie_aspm=off ip=dhcp:" SECRET " quiet\n");
	put(dir, "proc/cpuinfo", "model name\t: A CPU\nSerial\t\t: " SECRET "\n");
	put(dir, "proc/sys/kernel/osrelease", "6.1.0\n");
	put(dir, "proc/sys/kernel/hostname", SECRET "\n");
	put(dir, "etc/hostname", SECRET "\n");
	snprintf(path, sizeof(path), "%s/" DRIVE "/driver", dir);
	assert_int_equal(symlink("../../../bus/pci/drivers/nvme", path), 0);
	return dir;
}

static void unpack(const char *file, const char *dir)
{
	struct archive *in = archive_read_new(), *out = archive_write_disk_new();
	struct archive_entry *entry;
	char path[768];

	archive_read_support_filter_zstd(in);
	archive_read_support_format_tar(in);
	assert_int_equal(archive_read_open_filename(in, file, 65536), ARCHIVE_OK);
	while (archive_read_next_header(in, &entry) == ARCHIVE_OK) {
		assert_int_equal(archive_entry_uid(entry), 0);
		assert_true(!archive_entry_uname(entry) || !*archive_entry_uname(entry));
		snprintf(path, sizeof(path), "%s/%s", dir, archive_entry_pathname(entry));
		archive_entry_set_pathname(entry, path);
		assert_int_equal(archive_read_extract2(in, entry, out), ARCHIVE_OK);
	}
	archive_read_free(in);
	archive_write_free(out);
}

static void discover(struct pl_run *run, const char *dir)
{
	struct pl_sysroot root;
	struct pl_err err = {0, ""};

	pl_run_init(run);
	assert_int_equal(pl_sysroot_open(&root, dir, &err), 0);
	if (pl_topology_discover(run, &root, NULL, &err))
		fail_msg("%s", err.text);
	pl_sysroot_close(&root);
}

static void same_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "(none)", b ? b : "(none)");
}

static void same_device(const struct pl_device *a, const struct pl_device *b)
{
	assert_int_equal(a != NULL, b != NULL);
	if (!a)
		return;
	assert_true(pl_bdf_is_equal(a->bdf, b->bdf));
	assert_int_equal(a->function_count, b->function_count);
	assert_int_equal(a->namespace_count, b->namespace_count);
	for (size_t i = 0; i < a->namespace_count; i++)
		assert_int_equal(a->namespaces[i].size_bytes, b->namespaces[i].size_bytes);
	assert_int_equal(a->interface_count, b->interface_count);
	same_text(a->unit_hash, b->unit_hash);
	same_text(a->driver, b->driver);
	same_text(a->model, b->model);
	same_text(a->power_state, b->power_state);
}

static void same_slot(const struct pl_slot *a, const struct pl_slot *b)
{
	assert_string_equal(a->key, b->key);
	assert_string_equal(a->label, b->label);
	same_text(a->label_note, b->label_note);
	same_text(a->reason, b->reason);
	assert_int_equal(a->attachment, b->attachment);
	assert_int_equal(a->chipset_hops, b->chipset_hops);
	assert_int_equal(a->warning_count, b->warning_count);
	assert_int_equal(a->link.speed_mts, b->link.speed_mts);
	assert_int_equal(a->link.aspm_enabled, b->link.aspm_enabled);
	assert_int_equal(a->link.down.aer_correctable, b->link.down.aer_correctable);
	same_device(a->device, b->device);
}

static void a_capture_replays_without_secrets(void **state)
{
	char *machine = make_machine(), work[] = "/tmp/pl-capture-XXXXXX", file[64], dir[128];
	struct pl_run before, after, notes;
	struct pl_sysroot root;
	struct pl_err err = {0, ""};
	const struct pl_slot *drive;
	char command[256];

	(void)state;
	assert_non_null(mkdtemp(work));
	snprintf(file, sizeof(file), "%s/c.tar.zst", work);
	snprintf(dir, sizeof(dir), "%s/pcielat-capture", work);
	discover(&before, machine);
	pl_run_init(&notes);
	assert_int_equal(pl_sysroot_open(&root, machine, &err), 0);
	if (pl_capture_write(&root, file, &notes, &err))
		fail_msg("%s", err.text);
	pl_sysroot_close(&root);
	unpack(file, work);
	discover(&after, dir);
	assert_true(before.slot_count > 10);
	assert_int_equal(before.slot_count, after.slot_count);
	for (size_t i = 0; i < before.slot_count; i++)
		same_slot(&before.slots[i], &after.slots[i]);
	drive = t_slot_at(&after, "0000:02:00.0");
	assert_non_null(drive->device->unit_hash);
	assert_int_equal(drive->device->namespaces[0].size_bytes, 2000409264ull * 512);
	same_text(after.machine.kernel_cmdline, "pcie_aspm=off quiet");
	snprintf(command, sizeof(command), "grep -rq %s %s", SECRET, dir);
	assert_int_not_equal(system(command), 0);
	pl_run_fini(&before);
	pl_run_fini(&after);
	pl_run_fini(&notes);
	t_sysroot_remove(machine);
	snprintf(command, sizeof(command), "rm -r %s", work);
	assert_int_equal(system(command), 0);
}

static void serial_numbers_in_config_are_zeroed(void **state)
{
	unsigned char config[4096] = {0};

	(void)state;
	memcpy(config + 0x100, "\x01\x00\x01\x20", 4); /* AER, next at 0x200 */
	memcpy(config + 0x200, "\x03\x00\x01\x00", 4);
	memset(config + 0x204, 0xab, 8);
	config[0x20c] = 0xcd;
	pl_capture_clean_config(config, sizeof(config));
	for (size_t i = 0x204; i < 0x20c; i++)
		assert_int_equal(config[i], 0);
	assert_int_equal(config[0x20c], 0xcd);
	pl_capture_clean_config(config, 64);
}

static void a_full_disk_leaves_no_file(void **state)
{
	struct pl_sysroot root;
	struct pl_err err = {0, ""};
	struct pl_run notes;

	(void)state;
	pl_run_init(&notes);
	assert_int_equal(pl_sysroot_open(&root, "/", &err), 0);
	assert_true(pl_capture_write(&root, "/no/such/folder/c.tar.zst", &notes, &err) < 0);
	assert_non_null(strstr(err.text, "/no/such/folder"));
	pl_sysroot_close(&root);
	pl_run_fini(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capture_replays_without_secrets),
		cmocka_unit_test(serial_numbers_in_config_are_zeroed),
		cmocka_unit_test(a_full_disk_leaves_no_file),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
