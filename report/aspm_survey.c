#include <inttypes.h>
#include <string.h>

#include "core/fmt.h"
#include "report/out.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

/* `list --aspm`: one paragraph per link, facts first, doubts last. */

/* Upper bounds that Linux calculates with where the class has none (code 7). */
#define L0S_OPEN_NS 5000
#define L1_OPEN_NS 65000

struct page {
	const struct pl_run *run;
	const struct pl_text_style *style;
	FILE *out;
	struct pl_arena arena;
};

static const char *states(struct page *page, unsigned bits)
{
	char text[96];

	return pl_arena_strdup(&page->arena, pl_aspm_format(bits, text, sizeof(text)));
}

static const char *ns(struct page *page, int64_t value)
{
	char text[32];

	if (value == INT64_MAX)
		return "no limit";
	return pl_arena_strdup(&page->arena, pl_fmt_ns(text, sizeof(text), (double)value));
}

static void line(struct page *page, const char *name, const char *text)
{
	fprintf(page->out, "  %-10s %s\n", name, text);
}

static void print_head(struct page *page, const struct pl_aspm_link *link)
{
	struct pl_bdf device = link->down[0].bdf;
	const struct pl_slot *slot = pl_run_find_slot(page->run, device);
	char up[PL_BDF_TEXT], down[PL_BDF_TEXT];
	/* A switch port is on the path of slots, not the device of one. */
	bool is_device = slot && slot->device && pl_bdf_is_equal(slot->device->bdf, device);

	fprintf(page->out, "\n%s%s -> %s%s", pl_text_ink(page->style, PL_INK_BOLD),
		pl_bdf_format(link->up.bdf, up), pl_bdf_format(device, down),
		pl_text_ink(page->style, PL_INK_PLAIN));
	if (link->down_count > 1)
		fprintf(page->out, " (%zu functions)", link->down_count);
	if (is_device)
		fprintf(page->out, "  %s: %s", pl_row_label(&page->arena, slot),
			pl_row_device(&page->arena, slot));
	else
		fprintf(page->out, "  switch");
	fputc('\n', page->out);
}

static void print_states(struct page *page, const struct pl_aspm_link *link)
{
	const struct pl_aspm_function *down = link->down;

	line(page, "supported", states(page, link->supported));
	/* The clock bit of the port has no meaning. */
	if (((link->up.enabled ^ down->enabled) & ~PL_ASPM_CLKPM) == 0 ||
	    link->enabled == PL_ASPM_UNKNOWN)
		line(page, "enabled", states(page, link->enabled));
	else
		line(page, "enabled",
		     pl_arena_printf(&page->arena, "%s (port: %s; device: %s)",
				     states(page, link->enabled), states(page, link->up.enabled),
				     states(page, down->enabled)));
}

/* "L1 up to 16.0 µs", "L1 more than 64.0 µs"; empty when the link has no such state. */
static const char *exit_text(struct page *page, const char *state, int64_t value, int64_t open_ns,
			     int64_t floor_ns)
{
	if (value < 0)
		return "";
	if (value == open_ns)
		return pl_arena_printf(&page->arena, "%s more than %s", state, ns(page, floor_ns));
	return pl_arena_printf(&page->arena, "%s up to %s", state, ns(page, value));
}

static void print_latencies(struct page *page, const struct pl_aspm_link *link)
{
	const char *l0s = exit_text(page, "L0s", link->l0s_exit_ns, L0S_OPEN_NS, 4000);
	const char *l1 = exit_text(page, "L1", link->l1_exit_ns, L1_OPEN_NS, 64000);

	if (*l0s || *l1)
		line(page, "wakes in",
		     pl_arena_printf(&page->arena, "%s%s%s (advertised, larger of both ends)", l0s,
				     *l0s && *l1 ? ", " : "", l1));
	if (link->l0s_acceptable_ns >= 0)
		line(page, "accepts",
		     pl_arena_printf(&page->arena, "L0s %s, L1 %s (the device)",
				     ns(page, link->l0s_acceptable_ns),
				     ns(page, link->l1_acceptable_ns)));
}

static void print_substates(struct page *page, const struct pl_aspm_link *link)
{
	if (link->power_on_us >= 0)
		line(page, "L1.2 set",
		     pl_arena_printf(
			     &page->arena,
			     "common mode restore %d µs, power on %d µs, entered above an "
			     "LTR of %s (needs %d and %d µs)",
			     link->common_mode_set_us, link->power_on_set_us,
			     link->l1_2_threshold_ns < 0 ? "?" : ns(page, link->l1_2_threshold_ns),
			     link->common_mode_restore_us, link->power_on_us));
	if (link->ltr_enabled < 0)
		return;
	line(page, "LTR",
	     link->ltr_max_snoop_ns < 0
		     ? (link->ltr_enabled ? "on" : "off")
		     : pl_arena_printf(&page->arena, "%s, at most %s (no snoop: %s)",
				       link->ltr_enabled ? "on" : "off",
				       ns(page, link->ltr_max_snoop_ns),
				       ns(page, link->ltr_max_no_snoop_ns)));
}

static void print_kernel(struct page *page, const struct pl_aspm_link *link)
{
	char text[160] = "";
	size_t used = 0;

	for (int i = 0; i < PL_ATTR_COUNT; i++)
		if (link->attr[i] >= 0 && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%d",
						 used ? " " : "", pl_aspm_attr_name(i),
						 link->attr[i]);
	line(page, "owner",
	     pl_arena_printf(&page->arena, "%s%s%s", pl_aspm_owner_name(link->owner),
			     used ? ": " : ", no files for this link", text));
}

static void print_link(struct page *page, const struct pl_aspm_link *link)
{
	print_head(page, link);
	print_states(page, link);
	print_latencies(page, link);
	print_substates(page, link);
	print_kernel(page, link);
	for (size_t i = 0; i < link->flag_count; i++)
		pl_text_wrap(page->style, "  ! ", 4, link->flags[i], page->out);
}

int pl_report_write_aspm(const struct pl_run *run, const struct pl_text_style *style, FILE *out,
			 struct pl_err *err)
{
	struct page page = {run, style, out, {NULL}};
	const char *stamp;
	char text[256];

	stamp = pl_run_stamp(run, text, sizeof(text));
	if (stamp)
		pl_text_stamp(style, stamp, out);
	fprintf(out, "ASPM policy %s%s, %zu links\n",
		pl_out_short(&page.arena, run->machine.aspm_policy, "unknown"),
		run->machine.aspm_is_disabled ? " (pcie_aspm=off)" : "", run->aspm_link_count);
	for (size_t i = 0; i < run->aspm_link_count; i++)
		print_link(&page, &run->aspm_links[i]);
	if (!run->aspm_link_count)
		fprintf(out, "No port of this machine has a PCIe link below it.\n");
	pl_arena_fini(&page.arena);
	return pl_out_finish(out, err);
}
