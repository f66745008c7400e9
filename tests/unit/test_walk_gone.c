/* The walk while a device vanishes: its slot ends with what it has, the others are measured whole.
 */
#include "tests/t.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session.h"
#include "tests/fake/world.h"

#define BLOCKS 12
#define PER_BLOCK 4

/* When the device vanishes. */
enum moment {
	AT_SAMPLE,   /* while it is read: sample number `at` of its slot */
	AT_WRITE,    /* at the kernel's write number `at` */
	AT_ROUND,    /* between two rounds */
	AT_REGISTER, /* its registers read as all ones, configuration space answers */
	AT_KNOB,     /* it stays: the file of its power states cannot be written any more */
};

struct bench {
	struct world w;
	enum moment moment;
	size_t at;
	unsigned what; /* FAKE_BIT */
	enum fake_removal how;
	size_t victim; /* slot; its samples count */
	size_t samples, after_loss, rounds;
	unsigned wrong_state; /* samples in another state than they say */
	bool is_lost;
};

struct one {
	struct bench *bench;
	const struct pl_measurement *m;
};

static const struct pl_slot *victim(const struct bench *b)
{
	return &b->w.run.slots[b->victim];
}

static bool is_victim(const struct bench *b, const struct pl_measurement *m)
{
	return m->slot == victim(b);
}

static void lose(struct bench *b)
{
	if (!b->is_lost)
		fake_remove(&b->w.fake, &b->w.fake.root, b->what, b->how);
	b->is_lost = true;
}

#define KNOB "sys/bus/pci/devices/0000:07:00.0/nvme/nvme1/power/pm_qos_latency_tolerance_us"

static void break_knob(struct bench *b)
{
	assert_int_equal(unlinkat(b->w.fake.root.fd, KNOB, 0), 0);
	assert_int_equal(mkdirat(b->w.fake.root.fd, KNOB, 0755), 0);
	b->is_lost = true;
}

/* The uplink that both slots behind the switch share is off only where the state says so. */
static void look_at_state(struct bench *b, const struct pl_measurement *m)
{
	bool is_off = world_aspm(&b->w, "0000:02:00.0") == 0;
	bool is_shared = m->slot != &b->w.run.slots[FAKE_SLOT_DIRECT];

	if (b->what & FAKE_BIT(FAKE_UP1) && b->is_lost)
		return;
	b->wrong_state += is_off != (is_shared && !strcmp(m->conditions.state, "off"));
}

static bool is_register_gone(const struct bench *b)
{
	return b->w.fake.state->gone || (b->moment == AT_REGISTER && b->samples >= b->at);
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct one *one = self;
	struct bench *b = one->bench;

	look_at_state(b, one->m);
	if (is_victim(b, one->m)) {
		b->samples++;
		if (b->moment == AT_SAMPLE && b->samples == b->at)
			lose(b);
		if (b->moment == AT_KNOB && !b->is_lost && b->w.fake.latency[0] == '0')
			break_knob(b);
		b->after_loss += b->is_lost;
		if (one->m->probe == PL_PROBE_BAR && is_register_gone(b))
			return pl_fail(err, -ENODEV, "the register reads 0xFFFFFFFF");
	}
	for (size_t i = 0; i < count; i++)
		ticks[i] = 100 + i % 7;
	return (ssize_t)count;
}

static int open_sample(void *ctx, struct pl_run *run, struct pl_measurement *m,
		       const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	struct one *one = pl_arena_alloc(&run->arena, sizeof(*one));

	(void)clock;
	(void)err;
	*one = (struct one){ctx, m};
	*sampler = (struct pl_sampler){.sample = sample, .self = one};
	return 0;
}

static bool end_of_round(void *ctx)
{
	struct bench *b = ctx;

	b->rounds++;
	if (b->moment == AT_ROUND && b->rounds == b->at)
		lose(b);
	return false;
}

static void plan(struct bench *b, size_t slot, enum pl_probe probe, const char *state,
		 const char *apst)
{
	struct pl_run *run = &b->w.run;
	struct pl_measurement *m = pl_run_add_measurement(run);

	m->slot = &run->slots[slot];
	m->device = m->slot->device->bdf;
	m->has_device = true;
	m->probe = probe;
	m->metric = "read";
	m->conditions.state = state;
	m->conditions.apst = apst;
	m->conditions.size_bytes = 512 + (uint32_t)run->measurement_count;
	m->outcome = PL_OUTCOME_PENDING;
	m->ns_per_tick = 1.0;
	m->blocks = BLOCKS;
	m->samples_per_block = PER_BLOCK;
	m->ticks = pl_arena_array(&run->arena, BLOCKS * PER_BLOCK, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(&run->arena, BLOCKS + 1, sizeof(m->block_start[0]));
}

static void plan_slot(struct bench *b, size_t slot)
{
	plan(b, slot, PL_PROBE_BAR, "off", NULL);
	plan(b, slot, PL_PROBE_NVME, "off", NULL);
	plan(b, slot, PL_PROBE_NVME, "as_found", NULL);
	if (slot == FAKE_SLOT_TWO_SWITCHES)
		plan(b, slot, PL_PROBE_NVME, "as_found", "off");
}

static void measure(struct bench *b)
{
	const struct pl_session_probe probes[] = {{PL_PROBE_NVME, open_sample, b},
						  {PL_PROBE_BAR, open_sample, b}};
	const struct pl_clock clock = {.ns_per_tick = 1.0};
	const struct pl_session_hooks hooks = {.is_save_due = end_of_round, .ctx = b};
	const struct pl_session_options options = {.clock = &clock,
						   .probes = probes,
						   .probe_count = 2,
						   .hooks = &hooks,
						   .links = b->w.control};

	if (pl_session_measure(&b->w.run, &options, &b->w.err))
		fail_msg("%s", b->w.err.text);
}

/* Whole blocks only, none of them after the device was lost. */
static void assert_hurt(const struct pl_measurement *m)
{
	unsigned empty = 0;

	assert_true(m->outcome == PL_OUTCOME_PARTIAL || m->outcome == PL_OUTCOME_FAILED);
	assert_int_equal(m->outcome == PL_OUTCOME_PARTIAL, m->n > 0);
	assert_false(m->is_valid);
	assert_non_null(m->why);
	for (unsigned i = 0; i < m->blocks_done; i++) {
		size_t got = m->block_start[i + 1] - m->block_start[i];

		assert_true(got == 0 || got == PER_BLOCK);
		empty += got == 0;
	}
	assert_int_equal(m->block_start[m->blocks_done], m->n);
	assert_int_equal(empty, m->failed);
	assert_true(empty <= 1);
}

static void assert_whole(const struct pl_measurement *m)
{
	if (m->outcome != PL_OUTCOME_MEASURED)
		fail_msg("%s %s: %s", m->slot->label, m->conditions.state, m->why);
	assert_true(m->is_valid);
	assert_int_equal(m->failed, 0);
	assert_int_equal(m->n, BLOCKS * PER_BLOCK);
	assert_int_equal(m->warning_count, 0);
}

static const char *say(const struct bench *b, const char *code)
{
	for (size_t i = 0; i < b->w.run.warning_count; i++)
		if (!strcmp(b->w.run.warnings[i].code, code))
			return b->w.run.warnings[i].message;
	return NULL;
}

static void start(struct bench *b, size_t victim_slot)
{
	static const size_t slots[] = {FAKE_SLOT_TWO_SWITCHES, FAKE_SLOT_ONE_SWITCH,
				       FAKE_SLOT_DIRECT};

	b->victim = victim_slot;
	b->w.run.seed = 11;
	for (size_t i = 0; i < 3; i++)
		plan_slot(b, slots[i]);
}

/* One run: what the victim lost, and that the others lost nothing. */
static void lose_one(struct bench *b, const char *words)
{
	bool is_hurt = false;

	start(b, FAKE_SLOT_TWO_SWITCHES);
	measure(b);
	assert_true(b->w.run.is_complete);
	assert_int_equal(b->wrong_state, 0);
	for (size_t i = 0; i < b->w.run.measurement_count; i++) {
		const struct pl_measurement *m = b->w.run.measurements[i];

		if (!is_victim(b, m) || m->outcome == PL_OUTCOME_MEASURED) {
			assert_whole(m);
			continue;
		}
		is_hurt = true;
		assert_hurt(m);
		if (m->probe == PL_PROBE_BAR && strstr(m->why, "0xFFFFFFFF"))
			continue; /* it saw that itself */
		if (!strstr(m->why, words))
			fail_msg("\"%s\" is not in \"%s\"", words, m->why);
	}
	assert_true(is_hurt);
	assert_non_null(say(b, "W-GONE"));
	assert_null(say(b, "W-ASPM-STOP"));
	/* At most the visit that it vanished in. */
	assert_true(b->after_loss <= 4 * 2);
	world_end_clean(&b->w);
}

static struct bench *begin(enum moment moment, size_t at, enum fake_removal how)
{
	static struct bench bench;

	memset(&bench, 0, sizeof(bench));
	bench.moment = moment;
	bench.at = at;
	bench.how = how;
	bench.what = FAKE_BIT(FAKE_DRIVE2);
	world_make(&bench.w, FAKE_FULL);
	world_open(&bench.w);
	return &bench;
}

static void gone_while_it_is_read(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 40; at += 3)
		for (int how = 0; how < 2; how++)
			lose_one(begin(AT_SAMPLE, at, how), "0000:07:00.0: the device is gone");
}

/* Whatever the write is for: its state, that of another slot, as found, power states. */
static void gone_while_something_is_set(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 220; at += 3) {
		struct bench *b = begin(AT_WRITE, at, at % 2);

		b->w.fake.state->remove_at = at;
		b->w.fake.state->removal = at % 2;
		lose_one(b, "0000:07:00.0: the device is gone");
	}
}

static void gone_between_rounds(void **state)
{
	(void)state;
	for (size_t at = 1; at < BLOCKS; at++)
		lose_one(begin(AT_ROUND, at, at % 2), "0000:07:00.0: the device is gone");
}

static void both_ends_gone(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 40; at += 7) {
		struct bench *b = begin(AT_SAMPLE, at, at % 2);

		b->what |= FAKE_BIT(FAKE_DOWN3);
		lose_one(b, "0000:06:00.0: the bridge above the device is gone");
	}
}

static void its_registers_read_as_all_ones(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 40; at += 5)
		lose_one(begin(AT_REGISTER, at, FAKE_ONES), "the register reads 0xFFFFFFFF");
}

/* The two slots behind it; the third is measured whole. */
static void a_bridge_with_two_slots(void **state)
{
	(void)state;
	for (size_t at = 1; at <= 40; at += 7) {
		struct bench *b = begin(AT_SAMPLE, at, at % 2);

		b->what = FAKE_BIT(FAKE_UP1) | FAKE_BIT(FAKE_DOWN1) | FAKE_BIT(FAKE_DOWN2) |
			  FAKE_BIT(FAKE_DRIVE1) | FAKE_BIT(FAKE_UP2) | FAKE_BIT(FAKE_DOWN3) |
			  FAKE_BIT(FAKE_DRIVE2);
		start(b, FAKE_SLOT_TWO_SWITCHES);
		measure(b);
		assert_true(b->w.run.is_complete);
		for (size_t i = 0; i < b->w.run.measurement_count; i++) {
			const struct pl_measurement *m = b->w.run.measurements[i];

			if (m->slot == &b->w.run.slots[FAKE_SLOT_DIRECT]) {
				assert_whole(m);
				continue;
			}
			assert_hurt(m);
			assert_true(strstr(m->why, "0000:02:00.0: the bridge above") ||
				    strstr(m->why, "0xFFFFFFFF"));
		}
		assert_int_equal(b->wrong_state, 0);
		world_end_clean(&b->w);
	}
}

/* A setting that cannot be given back is an error in the end, and nothing to the other slots. */
static void a_knob_that_breaks(void **state)
{
	struct bench *b = begin(AT_KNOB, 0, FAKE_ONES);

	(void)state;
	start(b, FAKE_SLOT_TWO_SWITCHES);
	measure(b);
	assert_true(b->is_lost);
	for (size_t i = 0; i < b->w.run.measurement_count; i++)
		if (!is_victim(b, b->w.run.measurements[i]))
			assert_whole(b->w.run.measurements[i]);
	assert_int_not_equal(world_shut(&b->w), 0);
	assert_true(fake_has_journal(&b->w.fake));
	world_free(&b->w);
}

/* In the very last block of its slot: the series of the visits before that are done. */
static void gone_in_its_last_block(void **state)
{
	struct bench *b = begin(AT_SAMPLE, (size_t)4 * BLOCKS, FAKE_UNPLUGGED);
	unsigned measured = 0, hurt = 0;

	(void)state;
	start(b, FAKE_SLOT_TWO_SWITCHES);
	measure(b);
	for (size_t i = 0; i < b->w.run.measurement_count; i++) {
		const struct pl_measurement *m = b->w.run.measurements[i];

		if (!is_victim(b, m) || m->outcome == PL_OUTCOME_MEASURED)
			assert_whole(m);
		else
			assert_hurt(m);
		measured += is_victim(b, m) && m->outcome == PL_OUTCOME_MEASURED;
		hurt += m->outcome != PL_OUTCOME_MEASURED;
	}
	assert_true(hurt > 0 && measured > 0);
	assert_int_equal(hurt + measured, 4);
	world_end_clean(&b->w);
}

/* What was done with its blocks does not miss the device. */
static void gone_after_its_last_block(void **state)
{
	struct bench *b = begin(AT_ROUND, BLOCKS, FAKE_UNPLUGGED);

	(void)state;
	start(b, FAKE_SLOT_TWO_SWITCHES);
	measure(b);
	for (size_t i = 0; i < b->w.run.measurement_count; i++)
		assert_whole(b->w.run.measurements[i]);
	assert_int_equal(pl_link_restore(b->w.control, &b->w.err), 0);
	assert_non_null(say(b, "W-GONE"));
	world_end_clean(&b->w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gone_while_it_is_read),
		cmocka_unit_test(gone_while_something_is_set),
		cmocka_unit_test(gone_between_rounds),
		cmocka_unit_test(both_ends_gone),
		cmocka_unit_test(its_registers_read_as_all_ones),
		cmocka_unit_test(a_bridge_with_two_slots),
		cmocka_unit_test(a_knob_that_breaks),
		cmocka_unit_test(gone_in_its_last_block),
		cmocka_unit_test(gone_after_its_last_block),
	};

	return cmocka_run_group_tests_name("walk_gone", tests, NULL, NULL);
}
