#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "link/act.h"
#include "link/regs.h"

/* The kernel may hold a stale idea of a link; going through 0 once more makes it write again. */
#define ATTEMPTS 2

static bool has_same_ids(const struct pl_aspm_function *now, const struct pl_aspm_function *found)
{
	return now->vendor_id == found->vendor_id && now->device_id == found->device_id;
}

static bool is_same_hardware(const struct pl_aspm_link *now, const struct pl_aspm_link *found)
{
	if (!has_same_ids(&now->up, &found->up))
		return false;
	for (size_t i = 0; i < found->down_count; i++)
		if (!has_same_ids(&now->down[i], &found->down[i]))
			return false;
	return true;
}

/* Reads the link with its files into now, whose down array the caller lends. */
static int read_now(const struct pl_sysroot *root, struct pl_aspm_link *now)
{
	int rc = pl_link_read_link(root, now);

	pl_link_read_attrs(root, now->down[0].bdf, now->attr);
	return rc;
}

static bool is_back(const struct pl_aspm_link *now, const struct pl_aspm_link *found)
{
	return pl_link_is_as_found(now, found) &&
	       !memcmp(now->attr, found->attr, sizeof(now->attr));
}

static int fail_gone(struct pl_err *err, const struct pl_aspm_link *found, const char *what)
{
	char bdf[PL_BDF_TEXT];

	return pl_fail(err, -ENODEV, "%s: %s; its link is left alone",
		       pl_bdf_format(found->down[0].bdf, bdf), what);
}

/*
 * A device that does not answer and still has its files may only be in reset. The kernel is told
 * what was found all the same: that puts back the port above, and the device too once it answers.
 */
static int restore_blind(struct pl_aspm_link *now, const struct pl_aspm_link *found,
			 const struct pl_sysroot *root, const struct pl_link_io *io)
{
	if (pl_link_is_function_gone(root, found->up.bdf) ||
	    pl_link_apply(io, root, found, pl_link_found_states(found->attr), NULL))
		return -ENODEV;
	io->settle(io->ctx);
	return read_now(root, now);
}

static int restore_into(struct pl_aspm_link *now, const struct pl_aspm_link *found,
			const struct pl_sysroot *root, const struct pl_link_io *io,
			struct pl_err *err)
{
	char bdf[PL_BDF_TEXT];
	int rc = read_now(root, now);

	if (rc == -ENODEV)
		rc = restore_blind(now, found, root, io);
	if (rc == -ENODEV)
		return fail_gone(err, found, "the device is gone");
	if (!rc && !is_same_hardware(now, found))
		return fail_gone(err, found, "another device is in its place");
	for (int i = 0; !rc && i < ATTEMPTS && !is_back(now, found); i++) {
		rc = pl_link_apply(io, root, found, pl_link_found_states(found->attr), err);
		if (rc && read_now(root, now) == -ENODEV) /* it left just now */
			return fail_gone(err, found, "the device is gone");
		if (rc)
			return rc;
		io->settle(io->ctx);
		rc = read_now(root, now);
	}
	pl_bdf_format(found->down[0].bdf, bdf);
	if (rc)
		return pl_fail(err, rc, "%s: registers cannot be read: %s", bdf, strerror(-rc));
	if (!is_back(now, found))
		return pl_fail(err, -EIO,
			       "%s: the link is not as it was found (LnkCtl %04x / %04x, "
			       "found %04x / %04x)",
			       bdf, now->up.lnkctl, now->down[0].lnkctl, found->up.lnkctl,
			       found->down[0].lnkctl);
	return 0;
}

/*
 * Without the functions that vanished: the others still share the link. Not without the first one,
 * which has the files.
 */
static void keep_what_answers(struct pl_aspm_link *left, const struct pl_aspm_link *found,
			      const struct pl_sysroot *root)
{
	left->down_count = 0;
	for (size_t i = 0; i < found->down_count; i++)
		if (i == 0 || !pl_link_is_function_gone(root, found->down[i].bdf))
			left->down[left->down_count++] = found->down[i];
}

int pl_link_restore_link(const struct pl_aspm_link *found, const struct pl_sysroot *root,
			 const struct pl_link_io *io, struct pl_err *err)
{
	size_t count = found->down_count;
	struct pl_aspm_function *room = calloc(2 * count, sizeof(*room));
	struct pl_aspm_link left = *found, now;
	int rc;

	if (!room)
		return pl_fail(err, -ENOMEM, "out of memory");
	left.down = room;
	keep_what_answers(&left, found, root);
	now = left;
	now.down = room + count;
	memcpy(now.down, left.down, left.down_count * sizeof(*left.down));
	rc = restore_into(&now, &left, root, io, err);
	free(room);
	return rc;
}

static void count(struct pl_link_restored *result, int rc, const struct pl_err *err)
{
	if (rc == 0) {
		result->restored++;
	} else if (rc == -ENODEV) {
		result->gone++;
	} else {
		if (!result->failed)
			result->first = *err;
		result->failed++;
	}
}

static int compare_depth(const void *a, const void *b)
{
	const struct pl_journal_link *const *x = a, *const *y = b;

	if ((*x)->depth != (*y)->depth)
		return (*x)->depth > (*y)->depth ? -1 : 1;
	return pl_bdf_compare((*x)->found.up.bdf, (*y)->found.up.bdf);
}

static void restore_links(const struct pl_journal *journal, const struct pl_sysroot *root,
			  const struct pl_link_io *io, struct pl_link_restored *result)
{
	const struct pl_journal_link **order = calloc(journal->link_count + 1, sizeof(*order));
	struct pl_err err = {0, ""};

	if (!order) {
		count(result, pl_fail(&err, -ENOMEM, "out of memory"), &err);
		return;
	}
	for (size_t i = 0; i < journal->link_count; i++)
		order[i] = &journal->links[i];
	qsort(order, journal->link_count, sizeof(*order), compare_depth);
	for (size_t i = 0; i < journal->link_count; i++)
		count(result, pl_link_restore_link(&order[i]->found, root, io, &err), &err);
	free(order);
}

bool pl_link_is_text_gone(const struct pl_sysroot *root, const struct pl_journal_text *text)
{
	struct pl_aspm_function f;
	int rc = pl_link_read_function(root, text->bdf, &f);

	if (rc == -ENODEV ||
	    (!rc && (f.vendor_id != text->vendor_id || f.device_id != text->device_id)))
		return true;
	return text->kind == PL_TEXT_LATENCY && !pl_sysroot_exists(root, text->path);
}

static int restore_text(const struct pl_journal_text *text, const struct pl_sysroot *root,
			const struct pl_link_io *io, struct pl_err *err)
{
	char now[PL_JOURNAL_VALUE_BYTES];
	int rc;

	if (pl_link_is_text_gone(root, text))
		return -ENODEV;
	if (pl_link_read_line(root, text->path, now, sizeof(now)) == 0 && !strcmp(now, text->value))
		return 0;
	rc = pl_link_put_text(io, root, text->path, text->value, err);
	return rc && pl_link_is_text_gone(root, text) ? -ENODEV : rc;
}

static void restore_texts(const struct pl_journal *journal, enum pl_journal_text_kind kind,
			  const struct pl_sysroot *root, const struct pl_link_io *io,
			  struct pl_link_restored *result)
{
	struct pl_err err = {0, ""};

	for (size_t i = 0; i < journal->text_count; i++)
		if (journal->texts[i].kind == kind)
			count(result, restore_text(&journal->texts[i], root, io, &err), &err);
}

static void restore_policy(const struct pl_journal *journal, const struct pl_sysroot *root,
			   const struct pl_link_io *io, struct pl_link_restored *result)
{
	char now[PL_JOURNAL_VALUE_BYTES];
	struct pl_err err = {0, ""};
	int rc = 0;

	if (!journal->policy[0])
		return;
	if (pl_link_read_policy(root, now, sizeof(now)) || strcmp(now, journal->policy))
		rc = pl_link_put_policy(io, root, journal->policy, &err);
	count(result, rc, &err);
}

void pl_link_restore_journal(const struct pl_journal *journal, const struct pl_sysroot *root,
			     const struct pl_link_io *io, struct pl_link_restored *result)
{
	*result = (struct pl_link_restored){.restored = 0};
	restore_policy(journal, root, io, result);
	restore_links(journal, root, io, result);
	restore_texts(journal, PL_TEXT_LATENCY, root, io, result);
	restore_texts(journal, PL_TEXT_POWER, root, io, result);
}
