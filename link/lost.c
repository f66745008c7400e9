#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link/act.h"
#include "link/control.h"
#include "link/regs.h"

/* A path whose device is lost: what answers goes back, what is gone leaves the journal. */

bool pl_link_has_gone(const struct pl_sysroot *root, const struct pl_aspm_link *link,
		      struct pl_bdf *bdf)
{
	for (size_t i = 0; i <= link->down_count; i++) {
		struct pl_bdf one = i ? link->down[i - 1].bdf : link->up.bdf;

		if (!pl_link_is_function_gone(root, one))
			continue;
		if (bdf)
			*bdf = one;
		return true;
	}
	return false;
}

void pl_link_tell_lost(const struct path_control *p, struct pl_link_check *check)
{
	*check = (struct pl_link_check){.verdict = PL_VERDICT_UNREADABLE, .is_gone = true};
	snprintf(check->why, sizeof(check->why), "%s", p->why_lost);
}

struct tally {
	size_t back; /* links put back to as found, and read back */
	size_t gone; /* settings that have nothing left to be put back into */
};

/* Leaf to root. A link that answers and is not as found is an error; the journal keeps it. */
static int put_back_links(struct pl_link_control *control, const struct path_control *p,
			  struct tally *tally, struct pl_err *err)
{
	int rc = 0;

	for (size_t i = p->path.link_count; i-- > 0;) {
		struct link_status *status = &control->status[p->link_index[i]];
		struct pl_err why = {0, ""};
		int link_rc;

		if (!status->is_changed)
			continue;
		link_rc = pl_link_restore_link(p->path.links[i], &control->root, control->io, &why);
		status->is_changed = link_rc && link_rc != -ENODEV;
		tally->back += link_rc == 0;
		if (status->is_changed)
			rc = pl_fail(err, -EIO, "%s", why.text);
	}
	return rc;
}

static void forget_link(struct pl_link_control *control, const struct pl_aspm_link *link,
			struct tally *tally)
{
	/* Both ends answer when only a further function of the device went. */
	if (!pl_journal_find_link(&control->journal, link->up.bdf) ||
	    (!pl_link_is_function_gone(&control->root, link->up.bdf) &&
	     !pl_link_is_function_gone(&control->root, link->down[0].bdf)))
		return;
	pl_journal_forget_link(&control->journal, link->up.bdf);
	tally->gone++;
}

static bool is_on_link(const struct pl_aspm_link *link, struct pl_bdf bdf)
{
	bool is_on = pl_bdf_is_equal(link->up.bdf, bdf);

	for (size_t i = 0; i < link->down_count; i++)
		is_on |= pl_bdf_is_equal(link->down[i].bdf, bdf);
	return is_on;
}

static void forget_texts(struct pl_link_control *control, const struct pl_aspm_link *link,
			 struct tally *tally)
{
	struct pl_journal *journal = &control->journal;

	for (size_t i = journal->text_count; i-- > 0;) {
		const struct pl_journal_text *text = &journal->texts[i];

		if (!is_on_link(link, text->bdf) || !pl_link_is_text_gone(&control->root, text))
			continue;
		pl_journal_forget_text(journal, text->path);
		tally->gone++;
	}
}

static void announce(struct pl_link_control *control, const struct path_control *p,
		     const struct tally *tally)
{
	char back[64] = "", gone[96] = "";

	if (tally->back)
		snprintf(back, sizeof(back), "; %zu link%s put back to as found", tally->back,
			 tally->back == 1 ? "" : "s");
	if (tally->gone)
		snprintf(gone, sizeof(gone), "; %zu setting%s went with it: nothing to put back",
			 tally->gone, tally->gone == 1 ? "" : "s");
	pl_run_warn(control->run, "W-GONE", "error", p->path.slot->label,
		    "%s; this slot is given up, the others go on%s%s", p->why_lost, back, gone);
}

int pl_link_give_up(struct pl_link_control *control, const struct pl_link_path *path,
		    const char *why, struct pl_err *err)
{
	struct path_control *p = pl_link_own(path);
	struct tally tally = {0, 0};
	int rc;

	if (p->why_lost)
		return 0;
	p->why_lost = pl_arena_strdup(&control->run->arena, why);
	rc = control->raised == p ? pl_link_unraise(control, err) : 0;
	if (!rc)
		rc = put_back_links(control, p, &tally, err);
	p->now = NULL;
	for (size_t i = 0; i < path->link_count; i++) {
		forget_link(control, path->links[i], &tally);
		forget_texts(control, path->links[i], &tally);
	}
	/* When this fails the journal on disk says too much, which restoring finds to be gone. */
	if (control->is_armed && tally.gone)
		pl_journal_write(&control->journal, &control->root, NULL);
	announce(control, p, &tally);
	return rc;
}

static bool answers(const struct pl_link_control *control, const struct path_control *p)
{
	for (size_t i = 0; i < p->path.link_count; i++)
		if (pl_link_has_gone(&control->root, p->path.links[i], NULL))
			return false;
	return true;
}

void pl_link_look_for_returned(struct pl_link_control *control)
{
	for (struct path_control *p = control->paths; p; p = p->next) {
		if (!p->is_absent || !answers(control, p))
			continue;
		p->is_absent = false;
		pl_run_warn(control->run, "W-GONE", "warning", p->path.slot->label,
			    "what was gone answers again; this slot stays given up for this run");
	}
}
