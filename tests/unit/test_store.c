#include "tests/t.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/store.h"
#include "session/store_text.h"

/* A board with three slots; the drive sits in slot `at` (3: nowhere). */
static struct pl_bdf functions[3] = {{0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}};

static void board(struct pl_run *run, unsigned at, const char *boot_id, const char *unit)
{
	static const char *const keys[] = {"0000:00:01.1/00.0", "0000:00:02.1/00.0",
					   "0000:00:02.2/00.0/04.0/00.0"};
	static const char *const labels[] = {"M2_1", "M2 2", "M2_3"};

	pl_run_init(run);
	run->machine.board_name = "X670E Example";
	run->machine.bios_version = "F31";
	run->machine.kernel = "6.1.0-50-amd64";
	run->machine.kernel_cmdline = "quiet root=/dev/sda1 x=100%";
	run->machine.boot_id = boot_id;
	run->started_utc = "2026-11-30T10:00:00Z";
	for (unsigned i = 0; i < 3; i++) {
		struct pl_slot *slot = pl_run_add_slot(run);
		struct pl_device *device;

		slot->key = keys[i];
		slot->label = labels[i];
		if (i != at)
			continue;
		device = pl_arena_alloc(&run->arena, sizeof(*device));
		device->bdf = functions[i];
		device->vendor_id = 0x144d;
		device->device_id = 0xa80a;
		device->name = "Example SSD";
		device->unit_hash = unit;
		device->driver = "nvme";
		slot->device = device;
	}
}

static char folder[] = "/tmp/pl-store-XXXXXX";

static const char *path(const char *name)
{
	static char paths[4][128];
	static unsigned turn;
	char *text = paths[turn++ % 4];

	snprintf(text, sizeof(paths[0]), "%s/%s", folder, name);
	return text;
}

static void create(struct pl_store *store, const char *dir, unsigned boots)
{
	struct pl_run run;
	const struct pl_slot *slots[3];
	struct pl_store_plan plan = {slots, NULL, 3, NULL, boots};

	board(&run, 0, "boot-0", "unit-a");
	for (unsigned i = 0; i < 3; i++)
		slots[i] = &run.slots[i];
	plan.card = run.slots[0].device;
	assert_int_equal(pl_store_create(store, dir, &run, &plan, NULL), 0);
	pl_run_fini(&run);
}

static enum pl_store_action action(struct pl_store *store, unsigned at, const char *boot_id,
				   const char *words)
{
	struct pl_store_step step;
	struct pl_run run;

	board(&run, at, boot_id, "unit-a");
	pl_store_next(store, &run, &step);
	if (!strstr(step.sentence, words))
		print_message("%s\n", step.sentence);
	assert_non_null(strstr(step.sentence, words));
	pl_run_fini(&run);
	return step.action;
}

static void fields_survive_any_byte(void **state)
{
	static const char *const texts[] = {"plain",          "",    "-",        "a b", "100%",
					    "tab\tnew\nline", "%41", "\xff\xfe", "插槽"};
	struct pl_arena arena = {NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *escaped = pl_store_escape(&arena, texts[i]);

		assert_null(strpbrk(escaped, " \t\n"));
		assert_string_equal(pl_store_unescape(&arena, escaped), texts[i]);
	}
	assert_null(pl_store_unescape(&arena, pl_store_escape(&arena, NULL)));
	pl_arena_fini(&arena);
}

static void three_slots_two_boots(void **state)
{
	static const char *const keys[] = {"0000:00:01.1/00.0", "0000:00:02.1/00.0",
					   "0000:00:02.2/00.0/04.0/00.0"};
	struct pl_store store;
	char boot[16];

	(void)state;
	create(&store, path("walk"), 2);
	for (unsigned slot = 0; slot < 3; slot++)
		for (unsigned k = 0; k < 2; k++) {
			snprintf(boot, sizeof(boot), "b%u-%u", slot, k);
			assert_int_equal(action(&store, slot, boot, "measuring"), PL_STORE_MEASURE);
			assert_int_equal(pl_store_finish(&store, keys[slot], boot, NULL), 0);
			/* Every step ends the process: the next one reads the journal. */
			pl_store_close(&store);
			assert_int_equal(pl_store_open(&store, path("walk"), NULL), 0);
			if (k == 0)
				assert_int_equal(action(&store, slot, boot, "boot again"),
						 PL_STORE_REBOOT);
			else if (slot < 2)
				assert_int_equal(action(&store, slot, boot, "power off, move it"),
						 PL_STORE_MOVE);
		}
	assert_int_equal(action(&store, 2, "later", "all 3 slots are measured"), PL_STORE_DONE);
	assert_int_equal(store.done_count, 6);
	assert_string_equal(store.done[5].run_dir, path("walk/runs/0006"));
	pl_store_close(&store);
}

static void the_card_is_followed_by_its_hash(void **state)
{
	struct pl_store store;
	struct pl_run run;

	(void)state;
	create(&store, path("card"), 3);
	board(&run, 2, "b", "unit-a");
	assert_ptr_equal(pl_store_find_card(&store, &run), &run.slots[2]);
	pl_run_fini(&run);
	board(&run, 2, "b", "another unit");
	assert_null(pl_store_find_card(&store, &run));
	pl_run_fini(&run);
	board(&run, 1, "b", NULL);
	assert_ptr_equal(pl_store_find_card(&store, &run), &run.slots[1]);
	pl_run_fini(&run);
	assert_int_equal(action(&store, 3, "b", "is in no slot of this machine"), PL_STORE_MOVE);
	pl_store_close(&store);
}

static void a_changed_machine_is_refused_or_marked(void **state)
{
	struct pl_store store;
	struct pl_run run;
	struct pl_err err = {0};
	unsigned allowed;

	(void)state;
	create(&store, path("change"), 3);
	board(&run, 1, "b", "unit-a");
	assert_int_equal(pl_store_check(&store, &run, 0, &err), 0);
	run.machine.bios_version = "F32";
	assert_int_equal(pl_store_check(&store, &run, 0, &err), -ESTALE);
	assert_non_null(
		strstr(err.text, "the bios changed since the session began (F31, now F32)"));
	assert_int_equal(run.warning_count, 0);
	assert_int_equal(pl_store_parse_allowed("kernel,bios", &allowed, NULL), 0);
	assert_int_equal(pl_store_check(&store, &run, allowed, NULL), 0);
	assert_string_equal(run.warnings[0].code, "W-CHANGED");
	run.machine.bios_version = NULL;
	assert_int_equal(pl_store_check(&store, &run, 0, NULL), 0);
	assert_int_equal(pl_store_parse_allowed("weather", &allowed, &err), -EINVAL);
	pl_run_fini(&run);
	pl_store_close(&store);
}

static void there_is_one_session_in_a_folder(void **state)
{
	struct pl_store store;
	struct pl_run run;
	const struct pl_slot *slot;
	struct pl_store_plan plan = {&slot, NULL, 1, NULL, 3};
	struct pl_err err = {0};

	(void)state;
	create(&store, path("one"), 3);
	pl_store_close(&store);
	board(&run, 0, "b", "unit-a");
	slot = &run.slots[0];
	plan.card = slot->device;
	assert_int_equal(pl_store_create(&store, path("one"), &run, &plan, &err), -EEXIST);
	assert_non_null(strstr(err.text, "there is a session"));
	assert_int_equal(pl_store_open(&store, path("none"), &err), -ENOENT);
	pl_run_fini(&run);
}

static void write_journal(const char *dir, const char *text, size_t size)
{
	char name[160];
	FILE *out;

	mkdir(path(dir), 0755);
	snprintf(name, sizeof(name), "%s/journal", path(dir));
	out = fopen(name, "w");
	fwrite(text, 1, size, out);
	fclose(out);
}

static void what_is_not_a_journal_is_refused(void **state)
{
	struct pl_store store;
	struct pl_err err = {0};

	(void)state;
	write_journal("bad", "hello\n", 6);
	assert_int_equal(pl_store_open(&store, path("bad"), &err), -EINVAL);
	write_journal("bad", "", 0);
	assert_int_equal(pl_store_open(&store, path("bad"), &err), -EINVAL);
	write_journal("bad", "pcielat-session 2\n", 18);
	assert_int_equal(pl_store_open(&store, path("bad"), &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "newer pcielat"));
}

/* Cut anywhere: a step whose line was whole stays, the next step continues on a line of its own. */
static void a_power_cut_loses_at_most_the_running_step(void **state)
{
	struct pl_store store;
	char text[4096];
	size_t size, planned;
	FILE *in;

	(void)state;
	create(&store, path("cut"), 3);
	in = fopen(path("cut/journal"), "r");
	planned = fread(text, 1, sizeof(text), in);
	fclose(in);
	assert_int_equal(pl_store_finish(&store, "0000:00:01.1/00.0", "b0", NULL), 0);
	assert_int_equal(pl_store_finish(&store, "0000:00:02.1/00.0", "b1", NULL), 0);
	pl_store_close(&store);
	in = fopen(path("cut/journal"), "r");
	size = fread(text, 1, sizeof(text), in);
	fclose(in);
	for (size_t cut = planned; cut <= size; cut++) {
		unsigned whole = 0;

		for (size_t i = planned; i < cut; i++)
			whole += text[i] == '\n';
		write_journal("torn", text, cut);
		assert_int_equal(pl_store_open(&store, path("torn"), NULL), 0);
		assert_int_equal(store.slot_count, 3);
		assert_int_equal(store.done_count, whole);
		assert_int_equal(pl_store_finish(&store, "0000:00:02.2/00.0/04.0/00.0", "b2", NULL),
				 0);
		pl_store_close(&store);
		assert_int_equal(pl_store_open(&store, path("torn"), NULL), 0);
		assert_int_equal(store.done_count, whole + 1);
		assert_int_equal(store.slots[2].done, 1);
		pl_store_close(&store);
	}
}

/* M2_1 is known; the two others are names on the board whose places nobody knows yet. */
static void create_named(struct pl_store *store, const char *dir)
{
	static const char *const names[] = {NULL, "M2 2", "M2_3"};
	struct pl_run run;
	const struct pl_slot *slots[3] = {NULL, NULL, NULL};
	struct pl_store_plan plan = {slots, names, 3, NULL, 1};

	board(&run, 0, "boot-0", "unit-a");
	slots[0] = &run.slots[0];
	plan.card = run.slots[0].device;
	assert_int_equal(pl_store_create(store, dir, &run, &plan, NULL), 0);
	pl_run_fini(&run);
}

static void a_slot_without_a_name_is_asked_for_once(void **state)
{
	static const char *const keys[] = {"0000:00:01.1/00.0", "0000:00:02.1/00.0",
					   "0000:00:02.2/00.0/04.0/00.0"};
	struct pl_store store;
	struct pl_err err = {0};

	(void)state;
	create_named(&store, path("named"));
	assert_null(store.slots[1].key);
	assert_int_equal(action(&store, 0, "b0", "measuring M2_1"), PL_STORE_MEASURE);
	assert_int_equal(pl_store_finish(&store, keys[0], "b0", NULL), 0);
	assert_int_equal(action(&store, 0, "b0", "move it to M2 2"), PL_STORE_MOVE);
	assert_int_equal(action(&store, 2, "b1", "(M2 2, M2_3)"), PL_STORE_ASK);
	assert_int_equal(pl_store_place(&store, "M2_9", keys[2], &err), -ENOENT);
	assert_int_equal(pl_store_place(&store, "M2_3", keys[2], NULL), 0);
	assert_int_equal(action(&store, 2, "b1", "measuring M2_3"), PL_STORE_MEASURE);
	assert_int_equal(pl_store_finish(&store, keys[2], "b1", NULL), 0);
	/* The card is somewhere else than the name says. */
	assert_int_equal(pl_store_place(&store, "M2_3", keys[1], &err), -EEXIST);
	assert_non_null(strstr(err.text, keys[2]));
	pl_store_close(&store);
	assert_int_equal(pl_store_open(&store, path("named"), NULL), 0);
	assert_string_equal(store.slots[2].key, keys[2]);
	assert_int_equal(store.slots[2].done, 1);
	assert_int_equal(action(&store, 1, "b2", "(M2 2)"), PL_STORE_ASK);
	pl_store_close(&store);
}

/* Its numbers are gone: the boot is wanted again, the folder's number is not used twice. */
static void a_forgotten_step_is_measured_again(void **state)
{
	struct pl_store store;

	(void)state;
	create(&store, path("forget"), 1);
	assert_int_equal(pl_store_finish(&store, "0000:00:01.1/00.0", "b0", NULL), 0);
	assert_int_equal(pl_store_finish(&store, "0000:00:02.1/00.0", "b1", NULL), 0);
	pl_store_forget(&store, 0);
	assert_int_equal(store.done_count, 1);
	assert_string_equal(store.done[0].boot_id, "b1");
	assert_int_equal(store.slots[0].done, 0);
	assert_int_equal(action(&store, 0, "b0", "measuring M2_1"), PL_STORE_MEASURE);
	assert_string_equal(pl_store_run_dir(&store), path("forget/runs/0003"));
	pl_store_close(&store);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_survive_any_byte),
		cmocka_unit_test(three_slots_two_boots),
		cmocka_unit_test(the_card_is_followed_by_its_hash),
		cmocka_unit_test(a_changed_machine_is_refused_or_marked),
		cmocka_unit_test(there_is_one_session_in_a_folder),
		cmocka_unit_test(what_is_not_a_journal_is_refused),
		cmocka_unit_test(a_slot_without_a_name_is_asked_for_once),
		cmocka_unit_test(a_forgotten_step_is_measured_again),
		cmocka_unit_test(a_power_cut_loses_at_most_the_running_step),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
