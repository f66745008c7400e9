/* The walk over a machine of files: which state is set while what is measured. */
#include "tests/t.h"

#include <math.h>

#include "report/report.h"
#include "session/session.h"
#include "tests/fake/world.h"

#define PER_STATE 3 /* series of one state */
#define LOG_MAX 65536

/* What the registers were at every sample, in order. */
struct seen {
	const struct pl_measurement *m;
	unsigned device, uplink; /* ASPM bits of LnkCtl: last link, first link */
	char latency;            /* of the drive's file: '0' when APST is held off */
};

struct bench {
	struct world w;
	struct seen seen[LOG_MAX];
	size_t count;
	uint16_t change_speed_at; /* sample from which the link is slower; 0: never */
	size_t fail_aer_at;       /* sample from which errors are counted; 0: never */
};

struct one {
	struct bench *bench;
	const struct pl_measurement *m;
};

static unsigned aspm_of(struct bench *b, size_t link)
{
	const struct fake_link *l = &b->w.fake.link[link];
	unsigned up = fake_get16(b->w.fake.function[l->up].config, FAKE_LNKCTL) & 3u;

	return up & fake_get16(b->w.fake.function[l->down[0]].config, FAKE_LNKCTL);
}

static ssize_t look(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct one *one = self;
	struct bench *b = one->bench;
	size_t last = b->w.fake.link_count - 1;
	uint8_t *config = b->w.fake.function[b->w.fake.link[last].down[0]].config;

	(void)err;
	for (size_t i = 0; i < count; i++)
		ticks[i] = 100 + i % 7;
	assert_true(b->count < LOG_MAX);
	b->seen[b->count++] =
		(struct seen){one->m, aspm_of(b, last), aspm_of(b, 1), b->w.fake.latency[0]};
	if (b->change_speed_at && b->count >= b->change_speed_at)
		fake_put16(config, FAKE_LNKSTA, 0x0041);
	if (b->fail_aer_at && b->count >= b->fail_aer_at)
		memcpy(b->w.fake.aer, "RxErr 9\nTOTAL_ERR_COR 00099\n", 28);
	return (ssize_t)count;
}

static int open_look(void *ctx, struct pl_run *run, struct pl_measurement *m,
		     const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	struct one *one = pl_arena_alloc(&run->arena, sizeof(*one));

	(void)clock;
	(void)err;
	*one = (struct one){ctx, m};
	*sampler = (struct pl_sampler){look, NULL, one, NULL};
	return 0;
}

/* Different sizes, so that no two series share a sampler. */
static void plan(struct bench *b, const char *state, const char *apst)
{
	static uint32_t size = 512;

	for (size_t i = 0; i < PER_STATE; i++) {
		struct pl_measurement *m = pl_run_add_measurement(&b->w.run);

		m->slot = &b->w.run.slots[FAKE_SLOT_TWO_SWITCHES];
		m->device = m->slot->device->bdf;
		m->has_device = true;
		m->probe = PL_PROBE_NVME;
		m->metric = "read_4k";
		m->conditions.state = state;
		m->conditions.apst = apst;
		m->conditions.size_bytes = size++;
		m->outcome = PL_OUTCOME_PENDING;
		m->ns_per_tick = 1.0;
		m->blocks = 12;
		m->samples_per_block = 4;
		m->ticks = pl_arena_array(&b->w.run.arena, 48, sizeof(m->ticks[0]));
		m->block_start = pl_arena_array(&b->w.run.arena, 13, sizeof(m->block_start[0]));
	}
}

static struct bench *begin(enum fake_start start)
{
	static struct bench bench;

	memset(&bench, 0, sizeof(bench));
	world_make(&bench.w, start);
	world_open(&bench.w);
	return &bench;
}

static void measure(struct bench *b)
{
	const struct pl_session_probe probe = {PL_PROBE_NVME, open_look, b};
	const struct pl_clock clock = {.ns_per_tick = 1.0};
	const struct pl_session_options options = {
		.clock = &clock, .probes = &probe, .probe_count = 1, .links = b->w.control};

	if (pl_session_measure(&b->w.run, &options, &b->w.err))
		fail_msg("%s", b->w.err.text);
	assert_true(b->count > 0);
}

static void every_sample_has_the_state_it_says(void **state)
{
	struct bench *b = begin(FAKE_FULL);

	(void)state;
	plan(b, "off", NULL);
	plan(b, "as_found", NULL);
	plan(b, "uplink_only", NULL);
	plan(b, "off_again", NULL);
	measure(b);
	for (size_t i = 0; i < b->count; i++) {
		const char *name = b->seen[i].m->conditions.state;
		bool is_found = !strcmp(name, "as_found"), is_up = !strcmp(name, "uplink_only");

		assert_int_equal(b->seen[i].device, is_found ? 3 : 0);
		assert_int_equal(b->seen[i].uplink, is_found || is_up ? 3 : 0);
	}
	for (size_t i = 0; i < b->w.run.measurement_count; i++)
		assert_int_equal(b->w.run.measurements[i]->outcome, PL_OUTCOME_MEASURED);
	world_end_clean(&b->w);
}

/* Once more means a visit of its own: within a round the two arms are never mixed. */
static void the_control_arm_is_a_visit_of_its_own(void **state)
{
	struct bench *b = begin(FAKE_FULL);
	size_t changes = 0;

	(void)state;
	plan(b, "off", NULL);
	plan(b, "off_again", NULL);
	measure(b);
	for (size_t i = 1; i < b->count; i++)
		changes += strcmp(b->seen[i].m->conditions.state,
				  b->seen[i - 1].m->conditions.state) != 0;
	/* Two visits a round: 12 changes within rounds, at most 11 between them. */
	assert_true(changes >= 12 && changes <= 23);
	world_end_clean(&b->w);
}

static void power_states_of_the_drive_are_held_only_where_asked(void **state)
{
	struct bench *b = begin(FAKE_FULL);
	char found = b->w.fake.latency[0];

	(void)state;
	assert_int_not_equal(found, '0');
	assert_true(pl_link_has_apst(b->w.control, &b->w.run.slots[FAKE_SLOT_TWO_SWITCHES]));
	assert_false(pl_link_has_apst(b->w.control, &b->w.run.slots[FAKE_SLOT_DIRECT]));
	plan(b, "off", "as_found");
	plan(b, "off", "off");
	plan(b, "as_found", NULL);
	plan(b, "as_found", "off");
	measure(b);
	for (size_t i = 0; i < b->count; i++) {
		const char *apst = b->seen[i].m->conditions.apst;

		assert_int_equal(b->seen[i].latency, apst && !strcmp(apst, "off") ? '0' : found);
	}
	world_end_clean(&b->w);
}

static const char *find_warning(const struct pl_measurement *m, const char *code)
{
	for (size_t i = 0; i < m->warning_count; i++)
		if (!strncmp(m->warnings[i], code, strlen(code)))
			return m->warnings[i];
	return NULL;
}

static void assert_speeds(struct bench *b, bool is_changed)
{
	const struct pl_measurement *m = b->w.run.measurements[0];
	const struct pl_fact *before = pl_measurement_find_fact(m, "link_speed_before_mts");
	const struct pl_fact *after = pl_measurement_find_fact(m, "link_speed_after_mts");

	assert_non_null(before);
	assert_non_null(after);
	assert_int_equal(before->value != after->value, is_changed);
	assert_int_equal(pl_report_attribute(&b->w.run, NULL), 0);
	assert_int_equal(find_warning(m, "W-RETRAINED") != NULL, is_changed);
	assert_int_equal(m->is_valid, !is_changed);
}

/* Also where no state can be set: speed and width are read around every visit. */
static void a_link_that_trains_anew_is_noticed(void **state)
{
	static const enum fake_start starts[] = {FAKE_FULL, FAKE_OFF};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bench *b = begin(starts[i / 2]);

		fake_put16(
			b->w.fake.function[b->w.fake.link[b->w.fake.link_count - 1].down[0]].config,
			FAKE_LNKSTA, 0x0044);
		b->change_speed_at = i % 2 ? 20 : 0;
		plan(b, "as_found", NULL);
		measure(b);
		assert_speeds(b, i % 2);
		assert_int_equal(world_shut(&b->w), 0);
		world_free(&b->w);
	}
}

static void errors_stop_a_run_where_no_state_is_set_too(void **state)
{
	static const enum fake_start starts[] = {FAKE_FULL, FAKE_OFF};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench *b = begin(starts[i]);

		b->fail_aer_at = 10;
		plan(b, "as_found", NULL);
		measure(b);
		assert_true(b->count < 20);
		assert_false(b->w.run.is_complete);
		assert_true(world_has_warning(&b->w, "W-ASPM-STOP"));
		assert_int_equal(world_shut(&b->w), 0);
		world_free(&b->w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_has_the_state_it_says),
		cmocka_unit_test(the_control_arm_is_a_visit_of_its_own),
		cmocka_unit_test(power_states_of_the_drive_are_held_only_where_asked),
		cmocka_unit_test(a_link_that_trains_anew_is_noticed),
		cmocka_unit_test(errors_stop_a_run_where_no_state_is_set_too),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
