#include "report/drive_link.h"

#include <math.h>
#include <string.h>

#include "core/fmt.h"
#include "model/state.h"
#include "report/attribute.h"
#include "report/drive.h"
#include "report/out.h"

#define MS UINT64_C(1000000)

const char *pl_coupling_name(enum pl_coupling coupling)
{
	static const char *const names[] = {"not_measured", "not_resolved", "coupled"};

	return names[coupling];
}

static bool is_known(const struct pl_drive_link *d)
{
	return !d->why;
}

static bool is_enabled(const struct pl_drive_link *d, unsigned bit)
{
	return is_known(d) && (d->link->aspm_enabled & bit);
}

static const char *unreadable_text(struct pl_arena *arena, const struct pl_run *run,
				   const struct pl_link *link)
{
	const struct pl_link_end *end = link->down.is_readable ? &link->up : &link->down;
	char bdf[PL_BDF_TEXT];

	if (!run->machine.is_root)
		return "its registers are for root: run pcielat as root";
	return pl_arena_printf(arena, "the registers of %s could not be read",
			       pl_bdf_format(end->bdf, bdf));
}

static const char *find_why(struct pl_arena *arena, const struct pl_run *run,
			    const struct pl_slot *slot)
{
	const struct pl_link *link = slot ? &slot->link : NULL;

	if (!link)
		return "the drive sits in no slot that is known";
	if (!link->is_present)
		return "the drive has no link of its own to be seen";
	if (link->aspm_supported == PL_ASPM_UNKNOWN || link->aspm_enabled == PL_ASPM_UNKNOWN)
		return unreadable_text(arena, run, link);
	return NULL;
}

/* ---- rows ---- */

/* Which end does not have it: a link has only what both have. */
static const char *lacking_text(const struct pl_link *link, unsigned bit)
{
	bool is_set = (link->aspm_enabled & bit) && !(link->aspm_supported & bit);
	bool up = link->up.is_readable && (link->up.aspm_supported & bit);
	bool down = link->down.is_readable && (link->down.aspm_supported & bit);

	if (is_set)
		return "set, though not both ends have it";
	if (bit == PL_ASPM_CLKPM || (!link->up.is_readable && !link->down.is_readable))
		return NULL;
	return up && !down   ? "the drive does not have it"
	       : down && !up ? "the port does not have it"
			     : NULL;
}

/* How long L1.2 takes to be left, as it is set. */
static const char *timing_text(struct pl_arena *arena, const struct pl_drive_link *d)
{
	const struct pl_aspm_link *r = d->registers;

	if (!r || r->power_on_us < 0 || !is_enabled(d, PL_ASPM_L1_2))
		return NULL;
	return pl_arena_printf(arena, "power on %d µs, common mode %d µs", r->power_on_set_us,
			       r->common_mode_set_us);
}

static const char *ltr_text(struct pl_arena *arena, const struct pl_drive_link *d)
{
	const struct pl_aspm_link *r = d->registers;
	char threshold[32];

	if (!is_enabled(d, PL_ASPM_L1_2))
		return NULL;
	if (d->link->ltr_enabled == 0)
		return "L1.2 without knowing what the drive can bear";
	if (!r || r->l1_2_threshold_ns < 0)
		return NULL;
	return pl_arena_printf(
		arena, "L1.2 when the drive can bear %s",
		pl_fmt_ns(threshold, sizeof(threshold), (double)r->l1_2_threshold_ns));
}

void pl_drive_link_rows(struct pl_arena *arena, const struct pl_drive_link *d,
			struct pl_drive_link_row rows[PL_DRIVE_LINK_ROWS])
{
	static const struct {
		const char *key, *name;
		unsigned bit;
	} features[] = {{"l1", "L1", PL_ASPM_L1},
			{"l1_1", "L1.1", PL_ASPM_L1_1},
			{"l1_2", "L1.2", PL_ASPM_L1_2},
			{"clock_pm", "Clock PM (CLKREQ#)", PL_ASPM_CLKPM}};
	size_t i = 0;

	for (; i < sizeof(features) / sizeof(features[0]); i++) {
		unsigned bit = features[i].bit;

		rows[i] =
			(struct pl_drive_link_row){features[i].key, features[i].name, -1, -1, NULL};
		if (!is_known(d))
			continue;
		rows[i].supported = (d->link->aspm_supported & bit) != 0;
		rows[i].enabled = (d->link->aspm_enabled & bit) != 0;
		rows[i].note = lacking_text(d->link, bit);
	}
	rows[2].note = rows[2].note ? rows[2].note : timing_text(arena, d);
	rows[i] = (struct pl_drive_link_row){"ltr", "LTR", -1, d->link ? d->link->ltr_enabled : -1,
					     ltr_text(arena, d)};
}

/* ---- what follows ---- */

/* "PS3, PS4": the states in which the drive does not work. */
static const char *sleeping_states(struct pl_arena *arena, const struct pl_drive *drive)
{
	const char *text = NULL;

	for (size_t i = 0; i < drive->state_count; i++)
		if (!drive->states[i].is_operational)
			text = pl_arena_printf(arena, "%s%sPS%zu", text ? text : "",
					       text ? ", " : "", i);
	return text;
}

static const char *l1_2_text(struct pl_arena *arena, const struct pl_drive *drive)
{
	const char *states = sleeping_states(arena, drive);

	return pl_arena_printf(
		arena,
		"L1.2 is enabled. The link enters it only while the drive lets go of CLKREQ#, and "
		"some drives do so only in the states in which they do not work%s%s%s. An exit "
		"that was measured with L1.2 and APST on is then that of link and drive together "
		"and is not split%s.",
		states ? " (" : "", states ? states : "", states ? ")" : "",
		drive->apst_enabled == 0 ? "; with APST off, as it is here, such a drive never "
					   "lets the link into L1.2"
					 : "");
}

static const char *follows_of(struct pl_arena *arena, const struct pl_drive *drive,
			      const struct pl_drive_link *d)
{
	const char *text = "";

	if (!is_known(d))
		return pl_arena_printf(
			arena, "Whether L1.1, L1.2 and Clock PM are on is not known: %s.", d->why);
	if (is_enabled(d, PL_ASPM_L1_2))
		text = l1_2_text(arena, drive);
	else if (d->link->aspm_supported & PL_ASPM_L1_2)
		text = "L1.2 is supported and not enabled: no exit as found holds one.";
	else
		text = "The link has no L1.2.";
	if (is_enabled(d, PL_ASPM_CLKPM))
		text = pl_arena_printf(arena,
				       "%s Clock PM is enabled: the reference clock may stop in L1 "
				       "when the drive lets go of CLKREQ#, and starting it again "
				       "is in the exit.",
				       text);
	return text;
}

/* ---- ASPM x APST ---- */

/* The cell of the factorial with links off and APST as found; NULL. */
static const struct pl_measurement *find_cell(const struct pl_run *run,
					      const struct pl_drive *drive)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *m = run->measurements[i];
		const struct pl_conditions *c = &m->conditions;

		if (m->probe == PL_PROBE_NVME && m->has_device &&
		    pl_bdf_is_equal(m->device, drive->bdf) && c->apst &&
		    !strcmp(c->apst, "as_found") && !c->prewake && pl_state_is_off(c->state))
			return m;
	}
	return NULL;
}

/* Why the change was not measured, or says nothing; NULL. */
static const char *unmeasured_text(struct pl_arena *arena, const struct pl_drive *drive,
				   const struct pl_measurement *m, const struct pl_drive_link *d)
{
	char gap[32];

	if (drive->apst_enabled == 0)
		return "the drive enters no power state by itself";
	if (!m)
		return "only --thorough does it, as root, where link states and APST can be held "
		       "off";
	if (isnan(d->change.low))
		return "an arm of link states × APST is missing or not valid";
	if (drive->apst_enabled == 1 && !pl_drive_state_after(drive, d->gap_ns / MS))
		return pl_arena_printf(arena,
				       "after %s of idle the drive is in no power state of its own",
				       pl_fmt_ns(gap, sizeof(gap), (double)d->gap_ns));
	return NULL;
}

static void judge_coupling(struct pl_arena *arena, const struct pl_run *run,
			   const struct pl_drive *drive, struct pl_drive_link *d)
{
	const double none = (double)NAN;
	const struct pl_measurement *m = find_cell(run, drive);
	const char *why;
	char text[64], gap[32];

	d->change = (struct pl_estimate){none, none, none, none, none, none, 0};
	d->gap_ns = m ? m->conditions.gap_ns : 0;
	if (m && !pl_apst_interaction(run, m, &d->change))
		d->change.low = none;
	why = unmeasured_text(arena, drive, m, d);
	if (why) {
		d->coupling_text = pl_arena_printf(arena, "not measured: %s", why);
		return;
	}
	why = pl_claims_withheld(run);
	if (why) {
		d->coupling_text = pl_arena_printf(arena, "no verdict: %s", why);
		return;
	}
	pl_fmt_ns_pm(text, sizeof(text), d->change.mean, 0.5 * (d->change.high - d->change.low));
	pl_fmt_ns(gap, sizeof(gap), (double)d->gap_ns);
	d->coupling =
		d->change.p <= PL_CLAIM_ALPHA ? PL_COUPLING_COUPLED : PL_COUPLING_NOT_RESOLVED;
	d->coupling_text = pl_arena_printf(
		arena,
		d->coupling == PL_COUPLING_COUPLED
			? "coupled: after %s of idle the exit of the link changes by %s (95 %% CI) "
			  "when the drive may sleep, so the two cannot be split"
			: "not resolved: after %s of idle the exit of the link changes by %s "
			  "(95 %% CI) when the drive may sleep",
		gap, text);
}

void pl_drive_link(struct pl_arena *arena, const struct pl_run *run, const struct pl_drive *drive,
		   struct pl_drive_link *out)
{
	const struct pl_slot *slot = pl_drive_slot(run, drive);

	*out = (struct pl_drive_link){.link = slot ? &slot->link : NULL};
	out->registers = pl_links_above(run, drive->bdf);
	out->why = find_why(arena, run, slot);
	out->follows = follows_of(arena, drive, out);
	judge_coupling(arena, run, drive, out);
}
