#include "tests/t.h"

#include <math.h>

#include "core/rng.h"
#include "model/summary.h"
#include "report/attribute.h"
#include "report/report.h"

#define BLOCKS 12
#define SAMPLES 60

/* A small board: CPU slot, chipset slot, one run. Latencies are drawn around what a test asks. */
struct board {
	struct pl_run run;
	struct pl_rng rng;
	struct pl_device devices[3];
	struct pl_via via;
	struct pl_bdf paths[3][3];
};

static struct pl_bdf bdf_of(const char *text)
{
	struct pl_bdf bdf;

	assert_int_equal(pl_bdf_parse(text, &bdf), 0);
	return bdf;
}

static void init_device(struct pl_device *device, const char *bdf, const char *hash)
{
	*device = (struct pl_device){.bdf = bdf_of(bdf),
				     .vendor_id = 0x144d,
				     .device_id = 0xa80a,
				     .kind = PL_DEVICE_NVME,
				     .model = "Drive 1",
				     .unit_hash = hash};
}

static void init(struct board *board)
{
	struct pl_slot *slot;

	memset(board, 0, sizeof(*board));
	pl_run_init(&board->run);
	pl_rng_init(&board->rng, 7);
	board->run.machine.is_live = true;
	board->run.is_complete = true;
	init_device(&board->devices[0], "01:00.0", "unit-a");
	init_device(&board->devices[1], "04:00.0", "unit-a");
	board->via = (struct pl_via){.kind = PL_VIA_CHIPSET,
				     .name = "PROM21",
				     .vendor_id = 0x1022,
				     .bdf = bdf_of("02:00.0")};
	board->paths[0][0] = bdf_of("00:01.1");
	board->paths[0][1] = board->devices[0].bdf;
	board->paths[1][0] = bdf_of("00:02.1");
	board->paths[1][1] = board->via.bdf;
	board->paths[1][2] = board->devices[1].bdf;
	slot = pl_run_add_slot(&board->run);
	*slot = (struct pl_slot){.key = "0000:00:01.1/00.0",
				 .label = "M2_1",
				 .attachment = PL_ATTACH_CPU_DIRECT,
				 .device = &board->devices[0],
				 .path = board->paths[0],
				 .path_count = 2};
	slot->link = (struct pl_link){.is_present = true, .speed_mts = 16000, .width = 4};
	slot = pl_run_add_slot(&board->run);
	*slot = (struct pl_slot){.key = "0000:00:02.1/00.0/00.0",
				 .label = "M2_2",
				 .attachment = PL_ATTACH_CHIPSET,
				 .chipset_hops = 1,
				 .chipset = "PROM21",
				 .via = &board->via,
				 .via_count = 1,
				 .device = &board->devices[1],
				 .path = board->paths[1],
				 .path_count = 3};
	slot->link = (struct pl_link){.is_present = true, .speed_mts = 8000, .width = 4};
}

static struct pl_measurement *add(struct board *board, size_t slot, enum pl_probe probe,
				  const char *metric, const char *state, double ns)
{
	struct pl_measurement *m = pl_run_add_measurement(&board->run);
	struct pl_arena *arena = &board->run.arena;

	m->slot = &board->run.slots[slot];
	m->device = m->slot->device->bdf;
	m->has_device = true;
	m->probe = probe;
	m->metric = metric;
	m->conditions.state = state;
	m->conditions.size_bytes = probe == PL_PROBE_NVME ? 4096 : 4;
	m->outcome = PL_OUTCOME_MEASURED;
	m->is_valid = true;
	m->ns_per_tick = 0.5;
	m->blocks = m->blocks_done = BLOCKS;
	m->samples_per_block = SAMPLES;
	m->n = (size_t)BLOCKS * SAMPLES;
	m->ticks = pl_arena_array(arena, m->n, sizeof(m->ticks[0]));
	m->block_start = pl_arena_array(arena, BLOCKS + 1, sizeof(m->block_start[0]));
	for (size_t b = 0; b <= BLOCKS; b++)
		m->block_start[b] = b * SAMPLES;
	for (size_t i = 0; i < m->n; i++)
		m->ticks[i] = (uint64_t)((ns + 20.0 * pl_rng_normal(&board->rng)) / 0.5);
	pl_measurement_summarise(m);
	return m;
}

static const struct pl_effect *only(struct board *board, enum pl_effect_kind kind)
{
	const struct pl_effect *found = NULL;

	assert_int_equal(pl_report_attribute(&board->run, NULL), 0);
	for (size_t i = 0; i < board->run.effect_count; i++) {
		if (board->run.effects[i].kind != kind)
			continue;
		assert_null(found);
		found = &board->run.effects[i];
	}
	assert_non_null(found);
	return found;
}

static void add_register_reads(struct board *board, double cpu_ns, double chipset_ns)
{
	add(board, 0, PL_PROBE_BAR, "bar_read", "as_found", cpu_ns);
	add(board, 1, PL_PROBE_BAR, "bar_read", "as_found", chipset_ns);
}

static void same_unit_gives_the_sentence(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 1221.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_RESOLVED);
	assert_int_equal(hop->reference_class, PL_REF_SAME_UNIT);
	assert_true(hop->low_ns < 570.0 && 570.0 < hop->high_ns);
	assert_true(hop->high_ns - hop->low_ns < 12.0);
	assert_int_equal(hop->n, BLOCKS);
	assert_string_equal(hop->unit_of_n, "blocks");
	assert_null(hop->reason);
	assert_non_null(strstr(hop->sentence, "The chipset adds 5"));
	assert_non_null(strstr(hop->sentence, "a register read (same drive: M2_2, one PROM21, "));
	assert_non_null(strstr(hop->sentence, "M2_1, CPU, "));
	assert_non_null(strstr(hop->sentence, "No readable link of either path has ASPM enabled"));
	pl_run_fini(&board.run);
}

static void other_units_of_the_model_are_named(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	board.devices[1].unit_hash = "unit-b";
	add_register_reads(&board, 651.0, 1221.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->reference_class, PL_REF_SAME_MODEL);
	assert_non_null(strstr(hop->sentence, "different units of one model"));
	pl_run_fini(&board.run);
}

static void different_drives_are_not_attributable(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	board.devices[1].unit_hash = "unit-b";
	board.devices[1].model = "Drive 2";
	add(&board, 0, PL_PROBE_NVME, "read_4k", "as_found", 60000.0);
	add(&board, 1, PL_PROBE_NVME, "read_4k", "as_found", 61000.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_int_equal(hop->reference_class, PL_REF_NONE);
	assert_string_equal(hop->reason, "different drives: not attributable");
	assert_true(isnan(hop->estimate_ns) && isnan(hop->p_value));
	pl_run_fini(&board.run);
}

static void nothing_there_prints_the_limit(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 651.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_NOT_RESOLVED);
	assert_true(hop->detection_limit_ns > 1.0 && hop->detection_limit_ns < 20.0);
	assert_non_null(strstr(hop->reason, "would have seen"));
	assert_non_null(strstr(hop->sentence, "No hop seen"));
	pl_run_fini(&board.run);
}

static void l0s_as_found_forbids_the_claim(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 1221.0);
	board.run.slots[1].link.aspm_enabled = PL_ASPM_L0S;
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(hop->reason, "L0s is enabled on the path of M2_2"));
	board.run.slots[1].link.aspm_enabled = PL_ASPM_UNKNOWN;
	hop = only(&board, PL_EFFECT_HOP);
	assert_non_null(strstr(hop->reason, "cannot be read"));
	board.run.slots[1].link.aspm_enabled = PL_ASPM_L1;
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_RESOLVED);
	assert_non_null(strstr(hop->sentence, "Continuous traffic, links as found."));
	pl_run_fini(&board.run);
}

static void l0s_on_the_uplink_counts_too(void **state)
{
	struct board board;
	struct pl_aspm_link link = {.down_count = 1, .enabled = PL_ASPM_L0S};
	struct pl_aspm_function down = {.is_readable = true};
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 1221.0);
	down.bdf = board.via.bdf;
	link.down = &down;
	board.run.aspm_links = &link;
	board.run.aspm_link_count = 1;
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(hop->reason, "L0s is enabled on the path of M2_2"));
	pl_run_fini(&board.run);
}

static void links_held_off_need_no_excuse(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	board.run.slots[1].link.aspm_enabled = PL_ASPM_L0S | PL_ASPM_L1;
	add_register_reads(&board, 651.0, 1500.0);
	add(&board, 0, PL_PROBE_BAR, "bar_read", "off", 651.0);
	add(&board, 1, PL_PROBE_BAR, "bar_read", "off", 1221.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_RESOLVED);
	assert_string_equal(hop->state, "off");
	assert_true(fabs(hop->estimate_ns - 570.0) < 12.0);
	assert_null(strstr(hop->sentence, "as found"));
	pl_run_fini(&board.run);
}

static void hidden_links_are_named(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	board.via.vendor_id = 0x8086;
	board.via.bdf = bdf_of("00:1f.0");
	add_register_reads(&board, 651.0, 1221.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_non_null(strstr(hop->sentence, "DMI has no readable registers"));
	pl_run_fini(&board.run);
}

static void serialisation_is_bounded(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	/* 4 KiB in 16 packets: (4096 + 384) / 3.938 - (4096 + 384) / 7.877 bytes per ns. */
	assert_true(fabs(pl_link_serialisation_ns(&board.run.slots[1], 4096) -
			 pl_link_serialisation_ns(&board.run.slots[0], 4096) - 568.8) < 0.5);
	assert_true(pl_link_serialisation_ns(&board.run.slots[0], 0) == 0.0);
	add(&board, 0, PL_PROBE_NVME, "read_4k", "off", 9000.0);
	add(&board, 1, PL_PROBE_NVME, "read_4k", "off", 10500.0);
	hop = only(&board, PL_EFFECT_HOP);
	assert_non_null(strstr(hop->sentence, "Up to 569 ns of it is the narrower or slower link"));
	pl_run_fini(&board.run);
}

static void virtual_machines_get_no_verdict(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 1221.0);
	board.run.machine.hypervisor = "QEMU";
	hop = only(&board, PL_EFFECT_HOP);
	assert_int_equal(hop->status, PL_CLAIM_NOT_MADE);
	assert_non_null(strstr(hop->reason, "--allow-virtual"));
	assert_true(isnan(hop->estimate_ns) && isnan(hop->low_ns) && hop->n == 0);
	board.run.allow_virtual = true;
	assert_int_equal(only(&board, PL_EFFECT_HOP)->status, PL_CLAIM_RESOLVED);
	board.run.machine.is_live = false;
	assert_int_equal(only(&board, PL_EFFECT_HOP)->status, PL_CLAIM_NOT_MADE);
	pl_run_fini(&board.run);
}

static void invalid_series_enter_no_claim(void **state)
{
	struct board board;
	struct pl_measurement *m;

	(void)state;
	init(&board);
	add(&board, 0, PL_PROBE_BAR, "bar_read", "as_found", 651.0);
	m = add(&board, 1, PL_PROBE_BAR, "bar_read", "as_found", 1221.0);
	m->is_valid = false;
	m->why = "2 of 12 blocks failed";
	assert_string_equal(only(&board, PL_EFFECT_HOP)->reason,
			    "the series is not valid: 2 of 12 blocks failed");
	m->is_valid = true;
	m->outcome = PL_OUTCOME_SKIPPED;
	assert_non_null(strstr(only(&board, PL_EFFECT_HOP)->reason, "not measured"));
	pl_run_fini(&board.run);
}

static void too_few_rounds_make_no_claim(void **state)
{
	struct board board;

	(void)state;
	init(&board);
	add_register_reads(&board, 651.0, 1221.0);
	board.run.measurements[1]->blocks_done = 2;
	assert_non_null(strstr(only(&board, PL_EFFECT_HOP)->reason, "fewer than 3 rounds"));
	pl_run_fini(&board.run);
}

static void a_moved_card_counts_boots(void **state)
{
	struct board board;
	const struct pl_effect *hop;

	(void)state;
	init(&board);
	for (unsigned boot = 0; boot < 6; boot++) {
		double spread = boot % 3 == 0 ? 0.0 : boot % 3 == 1 ? 8.0 : -8.0;

		add(&board, boot % 2, PL_PROBE_BAR, "bar_read", "off",
		    (boot % 2 ? 1221.0 : 651.0) + spread)
			->boot = boot;
	}
	hop = only(&board, PL_EFFECT_HOP);
	assert_string_equal(hop->unit_of_n, "boots");
	assert_int_equal(hop->n, 6);
	assert_int_equal(hop->status, PL_CLAIM_RESOLVED);
	/* Two boots on one side are not enough: blocks, and the claim says so. */
	board.run.measurements[5]->is_valid = false;
	hop = only(&board, PL_EFFECT_HOP);
	assert_string_equal(hop->unit_of_n, "blocks");
	assert_non_null(strstr(hop->sentence, "Within one boot"));
	pl_run_fini(&board.run);
}

static void add_rung(struct board *board, size_t slot, size_t rung, unsigned offset, double ns)
{
	struct pl_measurement *m = add(board, slot, PL_PROBE_CONFIG, "config_read", "as_found", ns);

	m->device = board->paths[slot][rung];
	m->conditions.config_offset = offset;
}

static void ladders_give_config_steps(void **state)
{
	struct board board;
	const struct pl_effect *steps[8];
	size_t count = 0;

	(void)state;
	init(&board);
	for (size_t rung = 0; rung < 3; rung++)
		add_rung(&board, 1, rung, 0x100, 400.0 + 300.0 * (double)rung);
	add_rung(&board, 1, 0, 0, 900.0);
	add_rung(&board, 1, 2, 0, 1500.0); /* a gap in this ladder */
	assert_int_equal(pl_report_attribute(&board.run, NULL), 0);
	for (size_t i = 0; i < board.run.effect_count; i++) {
		const struct pl_effect *effect = &board.run.effects[i];

		if (effect->kind != PL_EFFECT_CONFIG_STEP)
			continue;
		assert_int_equal(effect->status, PL_CLAIM_RESOLVED);
		assert_null(strstr(effect->sentence, "chipset adds"));
		assert_null(strstr(effect->sentence, "hop"));
		steps[count++] = effect;
	}
	assert_int_equal(count, 3);
	assert_true(fabs(steps[0]->estimate_ns - 300.0) < 15.0);
	assert_true(pl_bdf_is_equal(steps[1]->reference_function, board.via.bdf));
	assert_non_null(strstr(steps[2]->sentence, "1 function between them"));
	pl_run_fini(&board.run);
}

static void shared_rungs_are_told_once(void **state)
{
	struct board board;

	(void)state;
	init(&board);
	board.paths[0][0] = board.paths[1][0];
	board.paths[0][1] = board.via.bdf;
	for (size_t slot = 0; slot < 2; slot++)
		for (size_t rung = 0; rung < 2; rung++)
			add_rung(&board, slot, rung, 0, 400.0 + 300.0 * (double)rung);
	only(&board, PL_EFFECT_CONFIG_STEP);
	pl_run_fini(&board.run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_unit_gives_the_sentence),
		cmocka_unit_test(other_units_of_the_model_are_named),
		cmocka_unit_test(different_drives_are_not_attributable),
		cmocka_unit_test(nothing_there_prints_the_limit),
		cmocka_unit_test(l0s_as_found_forbids_the_claim),
		cmocka_unit_test(l0s_on_the_uplink_counts_too),
		cmocka_unit_test(links_held_off_need_no_excuse),
		cmocka_unit_test(hidden_links_are_named),
		cmocka_unit_test(serialisation_is_bounded),
		cmocka_unit_test(virtual_machines_get_no_verdict),
		cmocka_unit_test(invalid_series_enter_no_claim),
		cmocka_unit_test(too_few_rounds_make_no_claim),
		cmocka_unit_test(a_moved_card_counts_boots),
		cmocka_unit_test(ladders_give_config_steps),
		cmocka_unit_test(shared_rungs_are_told_once),
	};

	return cmocka_run_group_tests_name("attribute", tests, NULL, NULL);
}
