/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The link model by itself: no guest, time is an argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "link_model.h"

#define US 1000u
#define L1 2u

/* port 0 - drive 1; port 2 - switch 3 - { port 4 - drive 5, port 6 - drive 7, port 8 empty } */
enum { PORT, DRIVE, UPLINK, UP, DOWN_A, DRIVE_A, DOWN_B, DRIVE_B, DOWN_EMPTY, NODES };

static struct vb_shared page;
static struct vb_private priv;
static struct vb_model m;

static void node(unsigned i, unsigned parent, unsigned type)
{
	page.nodes[i].parent = (uint16_t)parent;
	page.nodes[i].type = (uint16_t)type;
	page.nodes[i].present = 1;
}

static int setup(void **state)
{
	(void)state;
	memset(&page, 0, sizeof(page));
	memset(&priv, 0, sizeof(priv));
	memset(&m, 0, sizeof(m));
	m.shared = &page;
	m.priv = &priv;
	page.nodes_n = NODES;
	node(PORT, VB_NO_PARENT, VB_TYPE_ROOT_PORT);
	node(DRIVE, PORT, 0);
	node(UPLINK, VB_NO_PARENT, VB_TYPE_ROOT_PORT);
	node(UP, UPLINK, VB_TYPE_UPSTREAM);
	node(DOWN_A, UP, VB_TYPE_DOWNSTREAM);
	node(DRIVE_A, DOWN_A, 0);
	node(DOWN_B, UP, VB_TYPE_DOWNSTREAM);
	node(DRIVE_B, DOWN_B, 0);
	node(DOWN_EMPTY, UP, VB_TYPE_DOWNSTREAM);
	priv.overlap = priv.usp_rule = 1;
	priv.crossings = 2;
	for (unsigned i = 0; i < NODES; i++) {
		priv.link[i].l1_entry_ns = 40 * US;
		priv.link[i].l1_exit_ns = 30 * US;
	}
	return 0;
}

static void set_l1(unsigned a, unsigned b)
{
	page.nodes[a].lnkctl = page.nodes[b].lnkctl = L1;
}

static void all_l1(void)
{
	set_l1(PORT, DRIVE);
	set_l1(UPLINK, UP);
	set_l1(DOWN_A, DRIVE_A);
	set_l1(DOWN_B, DRIVE_B);
}

static void hops_add_up_along_the_path(void **state)
{
	(void)state;
	priv.link[PORT].hop_ns = 500;
	priv.link[UPLINK].hop_ns = 5000;
	priv.link[DOWN_A].hop_ns = 700;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1), 500);
	assert_int_equal(vb_model_access(&m, DRIVE_A, VB_BAR, 1), 5700);
	/* The port that ends a link does not cross it. */
	assert_int_equal(vb_model_access(&m, UPLINK, VB_CONFIG, 1), 0);
	assert_int_equal(vb_model_access(&m, DOWN_A, VB_CONFIG, 1), 5000);
	assert_int_equal(priv.link_count[UPLINK][VB_BAR].sum_ns, 5000);
	assert_int_equal(priv.device_count[DRIVE_A][VB_BAR].sum_ns, 5700);
}

static void a_command_crosses_twice_and_waits_for_media(void **state)
{
	(void)state;
	priv.link[PORT].hop_ns = 600;
	priv.device[DRIVE].media_ns = 50 * US;
	assert_int_equal(vb_model_command(&m, DRIVE, 1), 50 * US + 1200);
}

static void l1_needs_both_ends_and_the_idle_time(void **state)
{
	(void)state;
	page.nodes[PORT].lnkctl = L1;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1000 * US), 0);
	page.nodes[DRIVE].lnkctl = L1;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1039 * US), 0);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1079 * US), 30 * US);
	assert_int_equal(priv.link_count[PORT][VB_BAR].exits, 1);
}

static void an_access_during_a_wake_pays_the_rest(void **state)
{
	(void)state;
	all_l1();
	vb_model_post(&m, DRIVE, 1000 * US);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1010 * US), 20 * US);
}

static void exits_in_series_overlap(void **state)
{
	(void)state;
	all_l1();
	assert_int_equal(vb_model_access(&m, DRIVE_A, VB_BAR, 1000 * US), 31 * US);
	assert_int_equal(priv.link_count[UPLINK][VB_BAR].exit_ns, 30 * US);
	assert_int_equal(priv.link_count[DOWN_A][VB_BAR].exit_ns, 1 * US);
	priv.overlap = 0;
	assert_int_equal(vb_model_access(&m, DRIVE_A, VB_BAR, 2000 * US), 60 * US);
}

static void an_uplink_waits_for_all_below_it(void **state)
{
	(void)state;
	set_l1(UPLINK, UP);
	/* DOWN_A and DOWN_B stay awake: so does the uplink. The empty port does not count. */
	assert_int_equal(vb_model_access(&m, DRIVE_A, VB_BAR, 1000 * US), 0);
	all_l1();
	vb_model_access(&m, DRIVE_B, VB_BAR, 2000 * US);
	/* DOWN_B woke until 2031 us and sleeps from 2071 us, the uplink 40 us later. */
	assert_int_equal(vb_model_access(&m, UP, VB_CONFIG, 2110 * US), 0);
	assert_int_equal(vb_model_access(&m, UP, VB_CONFIG, 2151 * US), 30 * US);
	priv.usp_rule = 0;
	set_l1(UPLINK, UP);
	page.nodes[DOWN_A].lnkctl = 0;
	assert_int_equal(vb_model_access(&m, UP, VB_CONFIG, 3000 * US), 30 * US);
}

static void substates_cost_more_later(void **state)
{
	(void)state;
	all_l1();
	priv.link[PORT].l12_entry_ns = 10 * US;
	priv.link[PORT].l12_exit_ns = 90 * US;
	priv.link[PORT].l11_exit_ns = 45 * US;
	page.nodes[PORT].l1ssctl1 = page.nodes[DRIVE].l1ssctl1 = 0xc;
	vb_model_access(&m, DRIVE, VB_BAR, 1000 * US);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1135 * US), 45 * US);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 2000 * US), 90 * US);
	page.nodes[DRIVE].l1ssctl1 = 0;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 3000 * US), 30 * US);
}

static void l0s_alone(void **state)
{
	(void)state;
	page.nodes[PORT].lnkctl = 1;
	priv.link[PORT].l0s_entry_ns = 7 * US;
	priv.link[PORT].l0s_exit_ns = 4 * US;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1000 * US), 4 * US);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1010 * US), 0);
}

static void faults_of_a_link(void **state)
{
	(void)state;
	priv.link[PORT].flags = VB_LINK_ALWAYS_SLEEPS;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 1000 * US), 30 * US);
	all_l1();
	priv.link[PORT].flags = VB_LINK_NEVER_SLEEPS;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 2000 * US), 0);
	priv.link[PORT].flags = 0;
	priv.link[PORT].wake_period_ns = 30 * US;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 3000 * US), 0);
}

static void faults_of_a_drive(void **state)
{
	struct vb_device *d = &priv.device[DRIVE];

	(void)state;
	d->stall_once_ns = 500 * US;
	assert_int_equal(vb_model_command(&m, DRIVE, 1000 * US), 500 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 2000 * US), 0);
	d->stall_period_ns = 1000 * US;
	d->stall_ns = 70 * US;
	assert_int_equal(vb_model_command(&m, DRIVE, 3000 * US), 70 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 3500 * US), 0);
	assert_int_equal(vb_model_command(&m, DRIVE, 4000 * US), 70 * US);
	d->stall_period_ns = 0;
	d->sleep_idle_ns = 100 * US;
	d->sleep_exit_ns = 20 * US;
	vb_model_complete(&m, DRIVE, 5000 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 5050 * US), 0);
	vb_model_complete(&m, DRIVE, 5050 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 5151 * US), 20 * US);
}

static void a_second_exit_only_when_media_outlast_the_timer(void **state)
{
	(void)state;
	all_l1();
	priv.a0 = 1;
	priv.device[DRIVE].media_ns = 50 * US;
	vb_model_access(&m, DRIVE, VB_BAR, 1000 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 1031 * US), (50 + 30) * US);
	priv.device[DRIVE].media_ns = 39 * US;
	vb_model_access(&m, DRIVE, VB_BAR, 2000 * US);
	assert_int_equal(vb_model_command(&m, DRIVE, 2031 * US), 39 * US);
}

static void a_port_may_answer_late(void **state)
{
	(void)state;
	priv.device[UP].config_ns = 3 * US;
	assert_int_equal(vb_model_access(&m, UP, VB_CONFIG, 1), 3 * US);
	assert_int_equal(vb_model_access(&m, DRIVE_A, VB_CONFIG, 1), 0);
	/* A read that is under way keeps the link awake. */
	all_l1();
	priv.device[DRIVE].config_ns = 70 * US;
	assert_int_equal(vb_model_access(&m, DRIVE, VB_CONFIG, 1000 * US), 100 * US);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_CONFIG, 1110 * US), 70 * US);
}

static void a_link_without_registers_sleeps_by_itself(void **state)
{
	enum { DMI = NODES - 1 };

	(void)state;
	priv.via[PORT] = DMI + 1;
	priv.link[DMI].hop_ns = 900;
	assert_int_equal(vb_model_access(&m, PORT, VB_CONFIG, 1000 * US), 900);
	assert_int_equal(vb_model_access(&m, DRIVE, VB_BAR, 2000 * US), 900);
	assert_int_equal(vb_model_access(&m, UP, VB_CONFIG, 2000 * US), 0);
	priv.link[DMI].flags = VB_LINK_ALWAYS_SLEEPS;
	assert_int_equal(vb_model_access(&m, PORT, VB_CONFIG, 3000 * US), 30 * US + 900);
}

static void a_table_that_is_not_a_tree_ends(void **state)
{
	(void)state;
	page.nodes[UPLINK].parent = DRIVE_A;
	all_l1();
	vb_model_access(&m, DRIVE_A, VB_BAR, 1000 * US);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		T(hops_add_up_along_the_path),
		T(a_command_crosses_twice_and_waits_for_media),
		T(l1_needs_both_ends_and_the_idle_time),
		T(an_access_during_a_wake_pays_the_rest),
		T(exits_in_series_overlap),
		T(an_uplink_waits_for_all_below_it),
		T(substates_cost_more_later),
		T(l0s_alone),
		T(faults_of_a_link),
		T(faults_of_a_drive),
		T(a_second_exit_only_when_media_outlast_the_timer),
		T(a_port_may_answer_late),
		T(a_link_without_registers_sleeps_by_itself),
		T(a_table_that_is_not_a_tree_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
