#include "report/read.h"

/* The mirror of json_link.c. */

static void read_function(const json_t *object, struct pl_aspm_function *f)
{
	pl_read_bdf(json_object_get(object, "bdf"), &f->bdf);
	f->is_readable = pl_read_bool(object, "readable");
	f->lnkcap = (uint32_t)pl_read_u64(object, "lnkcap", 0);
	f->lnkctl = (uint16_t)pl_read_u64(object, "lnkctl", 0);
	f->lnksta = (uint16_t)pl_read_u64(object, "lnksta", 0);
	f->l1ss_cap = (uint32_t)pl_read_u64(object, "l1ss_cap", 0);
	f->l1ss_ctl1 = (uint32_t)pl_read_u64(object, "l1ss_ctl1", 0);
	f->l1ss_ctl2 = (uint32_t)pl_read_u64(object, "l1ss_ctl2", 0);
	f->supported = pl_read_states(object, "supported");
	f->enabled = pl_read_states(object, "enabled");
}

static void read_below(struct pl_run *run, const json_t *array, struct pl_aspm_link *link)
{
	link->down_count = json_array_size(array);
	link->down = pl_arena_array(&run->arena, link->down_count, sizeof(*link->down));
	for (size_t i = 0; i < link->down_count; i++)
		read_function(json_array_get(array, i), &link->down[i]);
}

void pl_read_link(struct pl_run *run, const json_t *object, struct pl_aspm_link *link)
{
	read_function(json_object_get(object, "up"), &link->up);
	read_below(run, json_object_get(object, "down"), link);
	link->supported = pl_read_states(object, "supported");
	link->enabled = pl_read_states(object, "enabled");
	PL_READ_ENUM(link->owner, object, "owner", pl_aspm_owner_name, PL_OWNER_KERNEL_WITHOUT + 1);
	link->l0s_exit_ns = pl_read_i64(object, "l0s_exit_ns", -1);
	link->l1_exit_ns = pl_read_i64(object, "l1_exit_ns", -1);
	link->l0s_acceptable_ns = pl_read_i64(object, "l0s_acceptable_ns", -1);
	link->l1_acceptable_ns = pl_read_i64(object, "l1_acceptable_ns", -1);
	link->common_mode_restore_us = (int)pl_read_i64(object, "common_mode_restore_us", -1);
	link->power_on_us = (int)pl_read_i64(object, "power_on_us", -1);
	link->l1_2_threshold_ns = pl_read_i64(object, "l1_2_threshold_ns", -1);
	link->ltr_enabled = pl_read_maybe(object, "ltr_enabled");
	link->clkpm_enabled = pl_read_maybe(object, "clkpm_enabled");
	link->flags = pl_read_texts(run, object, "flags", &link->flag_count);
}
