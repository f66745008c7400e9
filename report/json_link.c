#include "report/json.h"

/* One link with its registers: `links[]`. Raw registers stay numbers, decoded ones have units. */

static json_t *function_of(const struct pl_aspm_function *f)
{
	if (!f->is_readable)
		return json_pack("{s:o, s:b}", "bdf", pl_json_bdf(f->bdf), "readable", 0);
	return json_pack("{s:o, s:b, s:I, s:i, s:i, s:I, s:I, s:I, s:o, s:o}", "bdf",
			 pl_json_bdf(f->bdf), "readable", 1, "lnkcap", (json_int_t)f->lnkcap,
			 "lnkctl", (int)f->lnkctl, "lnksta", (int)f->lnksta, "l1ss_cap",
			 (json_int_t)f->l1ss_cap, "l1ss_ctl1", (json_int_t)f->l1ss_ctl1,
			 "l1ss_ctl2", (json_int_t)f->l1ss_ctl2, "supported",
			 pl_json_states(f->supported), "enabled", pl_json_states(f->enabled));
}

static json_t *below(const struct pl_aspm_link *link)
{
	json_t *array = json_array();

	for (size_t i = 0; i < link->down_count; i++)
		json_array_append_new(array, function_of(&link->down[i]));
	return array;
}

static json_t *flags_of(const struct pl_aspm_link *link)
{
	json_t *array = json_array();

	for (size_t i = 0; i < link->flag_count; i++)
		json_array_append_new(array, pl_json_text(link->flags[i]));
	return array;
}

json_t *pl_json_link(const struct pl_aspm_link *link)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "up",
		function_of(&link->up), "down", below(link), "supported",
		pl_json_states(link->supported), "enabled", pl_json_states(link->enabled), "owner",
		pl_aspm_owner_name(link->owner), "l0s_exit_ns", pl_json_known_ns(link->l0s_exit_ns),
		"l1_exit_ns", pl_json_known_ns(link->l1_exit_ns), "l0s_acceptable_ns",
		pl_json_known_ns(link->l0s_acceptable_ns), "l1_acceptable_ns",
		pl_json_known_ns(link->l1_acceptable_ns), "common_mode_restore_us",
		pl_json_known_ns(link->common_mode_restore_us), "power_on_us",
		pl_json_known_ns(link->power_on_us), "l1_2_threshold_ns",
		pl_json_known_ns(link->l1_2_threshold_ns), "ltr_enabled",
		pl_json_maybe(link->ltr_enabled), "clkpm_enabled",
		pl_json_maybe(link->clkpm_enabled), "flags", flags_of(link));
}
