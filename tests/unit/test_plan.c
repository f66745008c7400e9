#include "tests/t.h"

#include <errno.h>

#include "session/plan.h"

/* Two slots: an NVMe drive at 01:00.0 below 00:01.1, an empty one whose path ends at 00:01.2. */
static const struct pl_bdf nvme_path[] = {{0, 0, 1, 1}, {0, 1, 0, 0}};
static const struct pl_bdf empty_path[] = {{0, 0, 1, 2}};
static const struct pl_namespace spaces[] = {{"nvme0n1", 1 << 30, 512}};

static bool can_read_zero(void *ctx, struct pl_bdf bdf, unsigned offset)
{
	(void)ctx;
	(void)bdf;
	return offset == 0;
}

static void make_run(struct pl_run *run, struct pl_device *device)
{
	struct pl_slot *slot;

	pl_run_init(run);
	*device = (struct pl_device){.bdf = {0, 1, 0, 0},
				     .kind = PL_DEVICE_NVME,
				     .functions = &nvme_path[1],
				     .function_count = 1,
				     .namespaces = spaces,
				     .namespace_count = 1};
	slot = pl_run_add_slot(run);
	slot->key = "0000:00:01.1/00.0";
	slot->label = "M2_1";
	slot->device = device;
	slot->path = nvme_path;
	slot->path_count = 2;
	slot->link.is_present = true;
	slot = pl_run_add_slot(run);
	slot->key = "0000:00:01.2";
	slot->label = "M2_2";
	slot->path = empty_path;
	slot->path_count = 1;
	slot->link.is_present = true;
}

static size_t count(const struct pl_run *run, enum pl_probe probe)
{
	size_t n = 0;

	for (size_t i = 0; i < run->measurement_count; i++)
		n += run->measurements[i]->probe == probe;
	return n;
}

static void every_slot_gets_its_probes(void **state)
{
	struct pl_plan_options options = {.no_gaps = true, .can_read_config = can_read_zero};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(count(&run, PL_PROBE_CONFIG), 3); /* two rungs and the empty port */
	assert_int_equal(count(&run, PL_PROBE_BAR), 1);
	assert_int_equal(count(&run, PL_PROBE_NVME), 3);
	assert_int_equal(count(&run, PL_PROBE_GPU), 0);
	for (size_t i = 0; i < run.measurement_count; i++) {
		assert_int_equal(run.measurements[i]->outcome, PL_OUTCOME_PENDING);
		assert_true(run.measurements[i]->blocks >= 12);
		assert_non_null(run.measurements[i]->ticks);
	}
	assert_true(run.planned_s > 0.0);
	pl_run_fini(&run);
}

static void selection_is_obeyed(void **state)
{
	const char *const slots[] = {"M2_2"}, *const devices[] = {"nvme0n1"};
	struct pl_plan_options options = {
		.slots = slots, .slot_count = 1, .can_read_config = can_read_zero};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(run.measurement_count, 1);
	assert_ptr_equal(run.measurements[0]->slot, &run.slots[1]);
	pl_run_fini(&run);

	make_run(&run, &device);
	options = (struct pl_plan_options){.devices = devices,
					   .device_count = 1,
					   .probes = 1u << PL_PROBE_BAR,
					   .no_gaps = true,
					   .can_read_config = can_read_zero};
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(run.measurement_count, 1);
	assert_int_equal(run.measurements[0]->probe, PL_PROBE_BAR);
	pl_run_fini(&run);
}

static void a_name_that_is_not_there_is_an_error(void **state)
{
	const char *const slots[] = {"PCIEX16_9"};
	struct pl_plan_options options = {
		.slots = slots, .slot_count = 1, .can_read_config = can_read_zero};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), -ENOENT);
	assert_non_null(strstr(err.text, "PCIEX16_9"));
	assert_non_null(strstr(err.text, "M2_1, M2_2"));
	pl_run_fini(&run);
}

static void an_empty_machine_has_nothing_to_measure(void **state)
{
	struct pl_plan_options options = {.no_gaps = true, .can_read_config = can_read_zero};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	pl_run_init(&run);
	assert_int_equal(pl_plan_build(&run, &options, &err), -ENODATA);
	assert_non_null(strstr(err.text, "no device behind a PCIe link"));
	pl_run_fini(&run);
}

static void software_gpus_are_measured_only_when_asked(void **state)
{
	struct pl_plan_options options = {.no_gaps = true, .can_read_config = can_read_zero};
	const struct pl_offer offers[] = {
		{.metric = "chase", .region_bytes = 65536, .samples_per_block = 2, .block_s = 0.1},
		{.metric = "read", .region_bytes = 65536, .effort = 2, .samples_per_block = 2}};
	struct pl_gpu gpu = {.kind = PL_GPU_SOFTWARE,
			     .no_path_reason = "software device",
			     .offers = offers,
			     .offer_count = 2};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	pl_run_init(&run);
	run.gpus = &gpu;
	run.gpu_count = 1;
	assert_int_equal(pl_plan_build(&run, &options, &err), -ENODATA);
	options.probes = 1u << PL_PROBE_GPU;
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(run.measurement_count, 1); /* the other one is --thorough */
	assert_true(run.measurements[0]->is_off_path);
	assert_null(run.measurements[0]->slot);
	pl_run_fini(&run);
}

/* In no slot of this machine, as far as sysfs says: named by its address it is measured all the
 * same. */
static void a_gpu_is_found_by_its_address(void **state)
{
	const char *names[] = {"0000:03:00.0", "0000:04:00.0"};
	struct pl_plan_options options = {.probes = 1u << PL_PROBE_GPU,
					  .device_count = 1,
					  .no_gaps = true,
					  .can_read_config = can_read_zero};
	const struct pl_offer offer = {
		.metric = "chase", .region_bytes = 65536, .samples_per_block = 2, .block_s = 0.1};
	struct pl_gpu gpu = {.kind = PL_GPU_DISCRETE,
			     .has_bdf = true,
			     .bdf = {.bus = 3},
			     .offers = &offer,
			     .offer_count = 1};
	struct pl_run run;
	struct pl_err err;

	(void)state;
	pl_run_init(&run);
	run.gpus = &gpu;
	run.gpu_count = 1;
	options.devices = &names[0];
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(run.measurement_count, 1);
	assert_null(run.measurements[0]->slot);
	options.devices = &names[1];
	assert_true(pl_plan_build(&run, &options, &err) < 0);
	pl_run_fini(&run);
}

static void a_file_is_a_series_of_its_own(void **state)
{
	struct pl_plan_options options = {.file = "/some/file", .can_read_config = can_read_zero};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(run.measurement_count, 1);
	assert_string_equal(run.measurements[0]->subject, "/some/file");
	assert_null(run.measurements[0]->slot);
	pl_run_fini(&run);
}

static const unsigned no_targets[] = {0, 0};
static const struct pl_link_state states_of_path[] = {
	{"off", "", PL_LINK_STATE_OFF, no_targets, true, NULL},
	{"as_found", "", PL_LINK_STATE_AS_FOUND, no_targets, true, NULL},
	{"device_off_uplink_as_found", "", PL_LINK_STATE_CONTROL, no_targets, true, NULL},
	{"l1", "", PL_LINK_STATE_SUBSET, no_targets, false, "not allowed"},
};
static const struct pl_link_path path_with_states = {
	.link_count = 2, .states = states_of_path, .state_count = 4};

static const struct pl_link_path *find_path(void *ctx, const struct pl_slot *slot)
{
	(void)ctx;
	return slot->device ? &path_with_states : NULL;
}

static size_t count_state(const struct pl_run *run, const char *name, uint64_t gap_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < run->measurement_count; i++)
		n += run->measurements[i]->slot &&
		     !strcmp(run->measurements[i]->conditions.state, name) &&
		     run->measurements[i]->conditions.gap_ns == gap_ns;
	return n;
}

static bool is_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static size_t count_arm(const struct pl_run *run, const char *name, uint64_t gap_ns,
			const char *idle, const char *prewake, const char *apst)
{
	size_t n = 0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		const struct pl_conditions *c = &m->conditions;

		n += m->probe != PL_PROBE_HOST && is_text(c->state, name) && c->gap_ns == gap_ns &&
		     is_text(c->idle, idle) && is_text(c->prewake, prewake) &&
		     is_text(c->apst, apst);
	}
	return n;
}

static void the_grid_crosses_states_and_gaps(void **state)
{
	static const uint64_t gaps[] = {20000, 100000};
	struct pl_plan_options options = {.effort = PL_EFFORT_DEFAULT,
					  .gaps_ns = gaps,
					  .gap_count = 2,
					  .can_read_config = can_read_zero,
					  .find_path = find_path};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	/* Two rungs, BAR, three NVMe series at gap 0; one NVMe series after a gap. */
	assert_int_equal(count_state(&run, "off", 0), 6);
	assert_int_equal(count_arm(&run, "off", 20000, NULL, NULL, NULL), 4);
	assert_int_equal(count_arm(&run, "off", 100000, NULL, NULL, NULL), 4);
	/* Beside the grid: gaps slept (rung, BAR, NVMe), the link woken first, links off again. */
	for (int i = 0; i < 2; i++) {
		const char *pair = i ? "as_found" : "off";

		assert_int_equal(count_arm(&run, pair, 20000, "slept", NULL, NULL), 3);
		assert_int_equal(count_arm(&run, pair, 100000, NULL, "config", NULL), 1);
	}
	assert_int_equal(count_arm(&run, "off_again", 0, NULL, NULL, NULL), 3);
	assert_int_equal(count_arm(&run, "off_again", 20000, NULL, NULL, NULL), 3);
	assert_int_equal(count_arm(&run, "device_off_uplink_as_found", 20000, "slept", NULL, NULL),
			 0);
	assert_int_equal(count_state(&run, "device_off_uplink_as_found", 20000), 4);
	assert_int_equal(count_state(&run, "l1", 0), 0); /* cannot be set */
	assert_int_equal(count(&run, PL_PROBE_HOST), 3);
	pl_run_fini(&run);

	make_run(&run, &device);
	options.effort = PL_EFFORT_QUICK;
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	assert_int_equal(count_state(&run, "device_off_uplink_as_found", 20000), 0);
	assert_int_equal(count_arm(&run, "off", 20000, NULL, NULL, NULL), 4);
	assert_int_equal(count_arm(&run, "off", 20000, NULL, "config", NULL), 0);
	pl_run_fini(&run);
}

static const struct pl_link_path fixed_path = {.why_fixed = "sysfs is read-only"};
static const struct pl_link_state off_is_stuck[] = {
	{"off", "", PL_LINK_STATE_OFF, no_targets, false, "the port is not ours"},
	{"as_found", "", PL_LINK_STATE_AS_FOUND, no_targets, true, NULL},
};
static const struct pl_link_path half_fixed_path = {
	.link_count = 2, .states = off_is_stuck, .state_count = 2};

static const struct pl_link_path *find_given_path(void *ctx, const struct pl_slot *slot)
{
	(void)slot;
	return ctx;
}

/* No arm with the links off: the reason is said. */
static void links_that_stay_as_found_say_why(void **state)
{
	static const struct {
		const struct pl_link_path *path;
		const char *why;
	} cases[] = {{&path_with_states, NULL},
		     {&fixed_path, "left as found: sysfs is read-only"},
		     {&half_fixed_path, "left as found: the port is not ours"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pl_link_path path = *cases[i].path;
		const struct pl_plan_options options = {.can_read_config = can_read_zero,
							.find_path = find_given_path,
							.ctx = &path};
		struct pl_device device;
		struct pl_run run;
		struct pl_err err;

		make_run(&run, &device);
		assert_int_equal(pl_plan_build(&run, &options, &err), 0);
		assert_int_equal(run.warning_count, cases[i].why ? 1 : 0);
		if (cases[i].why) {
			assert_string_equal(run.warnings[0].code, "W-ASPM-FIXED");
			assert_non_null(strstr(run.warnings[0].message, cases[i].why));
			assert_int_equal(count_state(&run, "off", 0), 0);
		}
		pl_run_fini(&run);
	}
}

static bool has_apst(void *ctx, const struct pl_slot *slot)
{
	(void)slot;
	return *(bool *)ctx;
}

/* --thorough crosses the power states of link and drive, where the drive's can be held off. */
static void the_factorial_is_for_drives_with_power_states(void **state)
{
	static const char *const states[] = {"off", "as_found"}, *const apst[] = {"off",
										  "as_found"};
	bool can_hold = true;
	struct pl_plan_options options = {.can_read_config = can_read_zero,
					  .find_path = find_path,
					  .can_hold_apst = has_apst,
					  .ctx = &can_hold,
					  .effort = PL_EFFORT_THOROUGH};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	make_run(&run, &device);
	assert_int_equal(pl_plan_build(&run, &options, &err), 0);
	for (int i = 0; i < 4; i++)
		for (int wake = 0; wake < 2; wake++)
			assert_int_equal(count_arm(&run, states[i / 2], PL_GRID_APST_GAP_NS, NULL,
						   wake ? "config" : NULL, apst[i % 2]),
					 1);
	pl_run_fini(&run);
	for (int i = 0; i < 2; i++) {
		can_hold = i != 0;
		options.effort = can_hold ? PL_EFFORT_DEFAULT : PL_EFFORT_THOROUGH;
		make_run(&run, &device);
		assert_int_equal(pl_plan_build(&run, &options, &err), 0);
		assert_int_equal(count_arm(&run, "off", PL_GRID_APST_GAP_NS, NULL, NULL, "off"), 0);
		pl_run_fini(&run);
	}
}

static size_t count_metric(const struct pl_run *run, const char *metric, const char *link_state)
{
	size_t count = 0;

	for (size_t i = 0; i < run->measurement_count; i++)
		count += !strcmp(run->measurements[i]->metric, metric) &&
			 !strcmp(run->measurements[i]->conditions.state, link_state);
	return count;
}

/* Depth and length in every link state, the ladder and the software paths as found only. */
static void load_is_thorough_and_in_every_state(void **state)
{
	struct pl_plan_options options = {.can_read_config = can_read_zero,
					  .find_path = find_path,
					  .effort = PL_EFFORT_THOROUGH};
	struct pl_device device;
	struct pl_run run;
	struct pl_err err;

	(void)state;
	for (int thorough = 0; thorough < 2; thorough++) {
		options.effort = thorough ? PL_EFFORT_THOROUGH : PL_EFFORT_DEFAULT;
		make_run(&run, &device);
		assert_int_equal(pl_plan_build(&run, &options, &err), 0);
		assert_int_equal(count_metric(&run, "read_4k_depth", "off"), thorough ? 5 : 0);
		assert_int_equal(count_metric(&run, "read_4k_depth", "as_found"), thorough ? 5 : 0);
		assert_int_equal(count_metric(&run, "read_128k", "off"), thorough);
		for (int i = 0; i < 2; i++)
			assert_int_equal(
				count_metric(&run, "read_128k_depth", i ? "off" : "as_found"),
				thorough ? 5 : 0);
		assert_int_equal(count_metric(&run, "read_4k_depth", "off_again"), 0);
		assert_int_equal(count_metric(&run, "read_4k_path", "as_found"), thorough ? 6 : 0);
		assert_int_equal(count_metric(&run, "read_4k_path", "off"), 0);
		pl_run_fini(&run);
	}
}

static void gaps_ascend_and_keep_enough_samples(void **state)
{
	(void)state;
	for (int effort = PL_EFFORT_QUICK; effort <= PL_EFFORT_THOROUGH; effort++) {
		size_t n;
		const uint64_t *gaps = pl_grid_gaps((enum pl_effort)effort, &n);

		assert_true(n >= 5);
		for (size_t i = 0; i < n; i++) {
			assert_true(gaps[i] > (i ? gaps[i - 1] : 0));
			assert_true(pl_grid_samples((enum pl_effort)effort, gaps[i]) >= 4);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slot_gets_its_probes),
		cmocka_unit_test(selection_is_obeyed),
		cmocka_unit_test(a_name_that_is_not_there_is_an_error),
		cmocka_unit_test(an_empty_machine_has_nothing_to_measure),
		cmocka_unit_test(software_gpus_are_measured_only_when_asked),
		cmocka_unit_test(a_gpu_is_found_by_its_address),
		cmocka_unit_test(a_file_is_a_series_of_its_own),
		cmocka_unit_test(the_grid_crosses_states_and_gaps),
		cmocka_unit_test(links_that_stay_as_found_say_why),
		cmocka_unit_test(the_factorial_is_for_drives_with_power_states),
		cmocka_unit_test(load_is_thorough_and_in_every_state),
		cmocka_unit_test(gaps_ascend_and_keep_enough_samples),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
