/* The journal: what goes in comes out, damage is seen, and a journal of others is left alone. */
#include "tests/t.h"

#include <errno.h>

#include "core/rng.h"
#include "link/journal.h"
#include "tests/fake/world.h"

static uint32_t pick(struct pl_rng *rng)
{
	return (uint32_t)pl_rng_u64(rng);
}

static struct pl_aspm_function random_function(struct pl_rng *rng)
{
	return (struct pl_aspm_function){
		.bdf = {pick(rng) & 0x1ffff, (uint8_t)pick(rng), pick(rng) & 31, pick(rng) & 7},
		.vendor_id = (uint16_t)pick(rng),
		.device_id = (uint16_t)pick(rng),
		.is_readable = pick(rng) & 1,
		.has_l1ss = pick(rng) & 1,
		.lnkctl = (uint16_t)pick(rng),
		.l1ss_ctl1 = pick(rng),
	};
}

static void add_random_link(struct pl_journal *journal, struct pl_rng *rng)
{
	struct pl_aspm_function down[3];
	struct pl_aspm_link link = {.up = random_function(rng), .down = down};

	link.down_count = 1 + pl_rng_below(rng, 3);
	for (size_t i = 0; i < link.down_count; i++)
		down[i] = random_function(rng);
	for (int a = 0; a < PL_ATTR_COUNT; a++)
		link.attr[a] = (int)pl_rng_below(rng, 3) - 1;
	pl_journal_add_link(journal, &link, (unsigned)pl_rng_below(rng, 9));
}

static void add_random_text(struct pl_journal *journal, struct pl_rng *rng)
{
	struct pl_journal_text text = {.kind = pick(rng) & 1 ? PL_TEXT_POWER : PL_TEXT_LATENCY};
	char path[64];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%08x/power/control", pick(rng));
	text.path = path;
	text.vendor_id = (uint16_t)pick(rng);
	snprintf(text.value, sizeof(text.value), "value-%u", pick(rng));
	pl_journal_add_text(journal, &text);
}

static void make(struct pl_journal *journal, struct pl_rng *rng)
{
	memset(journal, 0, sizeof(*journal));
	snprintf(journal->boot_id, sizeof(journal->boot_id), "boot-%u", pick(rng));
	journal->pid = (long)pl_rng_below(rng, 1u << 22);
	if (pick(rng) & 1)
		snprintf(journal->policy, sizeof(journal->policy), "powersave");
	for (uint64_t i = pl_rng_below(rng, 5); i; i--)
		add_random_link(journal, rng);
	for (uint64_t i = pl_rng_below(rng, 4); i; i--)
		add_random_text(journal, rng);
}

static void test_round_trip(void **state)
{
	struct pl_rng rng;

	(void)state;
	pl_rng_init(&rng, t_seed());
	for (int i = 0; i < 300; i++) {
		struct pl_journal journal, again = {.pid = 0};
		char *text, *text_again;
		size_t length;
		struct pl_err err = {0, ""};

		make(&journal, &rng);
		assert_int_equal(pl_journal_format(&journal, &text, &length), 0);
		if (pl_journal_parse(&again, text, &err))
			fail_msg("%s\n%s", err.text, text);
		assert_int_equal(pl_journal_format(&again, &text_again, &length), 0);
		assert_string_equal(text, text_again);
		assert_int_equal(again.link_count, journal.link_count);
		for (size_t k = 0; k < journal.link_count; k++) {
			assert_memory_equal(again.links[k].found.attr, journal.links[k].found.attr,
					    sizeof(again.links[k].found.attr));
			assert_int_equal(again.links[k].found.up.l1ss_ctl1,
					 journal.links[k].found.up.l1ss_ctl1);
			assert_int_equal(again.links[k].found.down[0].lnkctl,
					 journal.links[k].found.down[0].lnkctl);
		}
		free(text);
		free(text_again);
		pl_journal_fini(&journal);
		pl_journal_fini(&again);
	}
}

/* Cut anywhere, or one byte changed anywhere: never taken for a journal. */
static void test_damage(void **state)
{
	struct pl_journal journal;
	struct pl_rng rng;
	char *text;
	size_t length;

	(void)state;
	pl_rng_init(&rng, 3);
	do {
		make(&journal, &rng);
		if (journal.link_count > 1 && journal.text_count)
			break;
		pl_journal_fini(&journal);
	} while (true);
	assert_int_equal(pl_journal_format(&journal, &text, &length), 0);
	for (size_t i = 0; i < length; i++) {
		struct pl_journal again = {.pid = 0};
		struct pl_err err = {0, ""};
		char kept = text[i];

		text[i] = '\0';
		assert_int_equal(pl_journal_parse(&again, text, &err), -EINVAL);
		assert_non_null(strstr(err.text, "damaged at line"));
		pl_journal_fini(&again);
		text[i] = (char)(kept ^ 1);
		assert_int_equal(pl_journal_parse(&again, text, &err), -EINVAL);
		pl_journal_fini(&again);
		text[i] = kept;
	}
	free(text);
	pl_journal_fini(&journal);
}

/* A checksum is no lock: texts outside of sysfs are refused even in a whole journal. */
static void test_paths_outside_of_sysfs(void **state)
{
	static const char *const paths[] = {"etc/passwd", "sys/../etc/passwd", "/sys/x"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct pl_journal journal = {.boot_id = "b"}, again = {.pid = 0};
		struct pl_journal_text text = {.path = paths[i], .value = "on"};
		char *out;
		size_t length;

		pl_journal_add_text(&journal, &text);
		assert_int_equal(pl_journal_format(&journal, &out, &length), 0);
		assert_int_equal(pl_journal_parse(&again, out, NULL), -EINVAL);
		free(out);
		pl_journal_fini(&journal);
		pl_journal_fini(&again);
	}
}

/* A run that set a state and is gone without a trace of its guard. */
static void leave_journal(struct world *w)
{
	struct pl_journal journal = {.pid = 99};

	world_open(w);
	assert_int_equal(world_set(w, FAKE_SLOT_DIRECT, "off"), 0);
	assert_int_equal(pl_journal_read(&journal, &w->fake.root, NULL), 0);
	assert_int_equal(world_shut(w), 0);
	assert_int_equal(pl_journal_write(&journal, &w->fake.root, NULL), 0);
	pl_journal_fini(&journal);
	w->fake.state->log_count = 0;
}

static void test_earlier_boot(void **state)
{
	struct pl_link_repair repair;
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	leave_journal(&w);
	memcpy(w.fake.boot_id, "boot-two\n", 9);
	assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), 0);
	assert_true(repair.is_stale && !repair.found);
	assert_int_equal(w.fake.state->log_count, 0);
	assert_false(fake_has_journal(&w.fake));
	world_free(&w);
}

static void test_another_device_in_its_place(void **state)
{
	struct pl_link_repair repair;
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	leave_journal(&w);
	fake_put16(w.fake.function[1].config, 2, 0x1234);
	fake_put16(w.fake.function[1].config, FAKE_LNKCTL, 0);
	assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), 0);
	assert_true(repair.found);
	assert_int_equal(repair.restored, 0);
	assert_non_null(strstr(repair.text, "no longer there"));
	assert_int_equal(w.fake.state->log_count, 0);
	world_free(&w);
}

static void test_repair_says_what_it_did(void **state)
{
	struct pl_link_repair repair;
	struct world w;

	(void)state;
	world_make(&w, FAKE_FULL);
	assert_int_equal(pl_link_repair(&w.fake.root, &w.fake.io, &repair, &w.err), 0);
	assert_string_equal(repair.text, "nothing to restore");
	leave_journal(&w);
	fake_put16(w.fake.function[1].config, FAKE_LNKCTL,
		   (uint16_t)(fake_get16(w.fake.function[1].config, FAKE_LNKCTL) & ~3));
	world_open(&w); /* the check at start */
	assert_true(world_has_warning(&w, "W-ASPM-REPAIRED"));
	world_end_clean(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_paths_outside_of_sysfs),
		cmocka_unit_test(test_earlier_boot),
		cmocka_unit_test(test_another_device_in_its_place),
		cmocka_unit_test(test_repair_says_what_it_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
