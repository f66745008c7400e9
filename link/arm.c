#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "link/act.h"
#include "link/control.h"

static bool add_links(struct pl_journal *journal, const struct path_control *path)
{
	bool is_new = false;

	for (size_t i = 0; path && i < path->path.link_count; i++) {
		if (pl_journal_find_link(journal, path->path.links[i]->up.bdf))
			continue;
		pl_journal_add_link(journal, path->path.links[i], (unsigned)i);
		is_new = true;
	}
	return is_new;
}

static bool add_texts(struct pl_journal *journal, const struct pl_journal_text *texts, size_t count)
{
	bool is_new = false;

	for (size_t i = 0; i < count; i++) {
		if (pl_journal_find_text(journal, texts[i].path))
			continue;
		pl_journal_add_text(journal, &texts[i]);
		is_new = true;
	}
	return is_new;
}

int pl_link_arm(struct pl_link_control *control, const struct pl_journal_text *texts,
		size_t text_count, struct path_control *path, struct pl_err *err)
{
	struct pl_journal *journal = &control->journal;
	bool is_new = !control->is_armed;
	int rc = 0;

	is_new |= add_links(journal, path);
	is_new |= add_texts(journal, texts, text_count);
	/* The guard first: from the moment the journal exists somebody will act on it. */
	if (!pl_link_guard_is_alive(&control->guard))
		rc = pl_link_guard_start(&control->guard, &control->root, control->io,
					 control->lock_fd, err);
	if (!rc && is_new)
		rc = pl_journal_write(journal, &control->root, err);
	if (!rc)
		control->is_armed = true;
	return rc;
}

static void forget_changes(struct pl_link_control *control)
{
	for (size_t i = 0; i < control->run->aspm_link_count; i++) {
		control->status[i].is_changed = false;
		control->status[i].is_raised = false;
	}
	for (struct path_control *p = control->paths; p; p = p->next)
		p->now = NULL;
	control->raised = NULL;
}

int pl_link_restore(struct pl_link_control *control, struct pl_err *err)
{
	struct pl_link_restored result;
	char boot_id[PL_JOURNAL_BOOT_BYTES];
	int rc;

	if (!control->is_armed)
		return 0;
	pl_link_restore_journal(&control->journal, &control->root, control->io, &result);
	forget_changes(control);
	if (result.gone)
		pl_run_warn(control->run, "W-GONE", "warning", NULL,
			    "%zu setting%s belonged to devices that are no longer there: nothing "
			    "to put back",
			    result.gone, result.gone == 1 ? "" : "s");
	if (result.failed)
		return pl_fail(err, -EIO,
			       "%zu setting%s could not be put back: %s; run `pcielat "
			       "restore` as root, or reboot",
			       result.failed, result.failed > 1 ? "s" : "", result.first.text);
	rc = pl_journal_remove(&control->root, PL_JOURNAL_FILE);
	if (rc)
		return pl_fail(err, rc, "/%s: %s", PL_JOURNAL_FILE, strerror(-rc));
	control->is_armed = false;
	snprintf(boot_id, sizeof(boot_id), "%s", control->journal.boot_id);
	pl_journal_fini(&control->journal);
	snprintf(control->journal.boot_id, sizeof(control->journal.boot_id), "%s", boot_id);
	control->journal.pid = (long)getpid();
	return 0;
}
