#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "link/act.h"
#include "link/control.h"

/* power/control and pm_qos_latency_tolerance_us: journalled, written, read back. */

static const struct pl_aspm_function *find_function(const struct pl_run *run, struct pl_bdf bdf)
{
	for (size_t i = 0; i < run->aspm_link_count; i++) {
		const struct pl_aspm_link *link = &run->aspm_links[i];

		if (pl_bdf_is_equal(link->up.bdf, bdf))
			return &link->up;
		for (size_t f = 0; f < link->down_count; f++)
			if (pl_bdf_is_equal(link->down[f].bdf, bdf))
				return &link->down[f];
	}
	return NULL;
}

/* The ids must be known: the journal puts nothing back into a device it cannot recognise. */
static int describe(struct pl_link_control *control, struct pl_bdf bdf,
		    struct pl_journal_text *text, struct pl_err *err)
{
	const struct pl_aspm_function *f = find_function(control->run, bdf);
	char name[PL_BDF_TEXT];

	if (!f)
		return pl_fail(err, -ENODEV, "%s is at no link", pl_bdf_format(bdf, name));
	text->bdf = bdf;
	text->vendor_id = f->vendor_id;
	text->device_id = f->device_id;
	return 0;
}

/*
 * Reads what the file of text says now. 1: it may and must be changed to value; 0: it says so
 * already; -errno when it cannot be changed.
 */
static int must_change(struct pl_link_control *control, struct pl_journal_text *text,
		       const char *value, struct pl_err *err)
{
	int rc = pl_link_read_line(&control->root, text->path, text->value, sizeof(text->value));

	if (rc)
		return pl_fail(err, rc, "/%s: %s", text->path, strerror(-rc));
	if (!strcmp(text->value, value))
		return 0;
	if (control->why_not)
		return pl_fail(err, -EPERM, "/%s stays %s: %s", text->path, text->value,
			       control->why_not);
	rc = pl_link_can_write(&control->root, text->path);
	if (rc)
		return pl_fail(err, rc, "cannot write /%s: %s: %s", text->path, strerror(-rc),
			       pl_link_cause(-rc));
	return 1;
}

/* One journal for all of them, then the writes. */
static int hold_texts(struct pl_link_control *control, const struct pl_journal_text *texts,
		      size_t count, const char *value, struct pl_err *err)
{
	int rc = count ? pl_link_arm(control, texts, count, NULL, err) : 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = pl_link_put_text(control->io, &control->root, texts[i].path, value, err);
	return rc;
}

struct texts {
	struct pl_journal_text *items;
	size_t count, capacity;
};

static int add_function(struct pl_link_control *control, const struct pl_aspm_function *f,
			struct texts *texts, struct pl_err *err)
{
	struct pl_journal_text text = {.kind = PL_TEXT_POWER};
	struct pl_arena *arena = &control->run->arena;
	char path[PL_LINK_PATH_BYTES];
	void *items = texts->items;
	int rc = describe(control, f->bdf, &text, err);

	pl_link_device_path(path, f->bdf, "power/control");
	if (rc || !pl_sysroot_exists(&control->root, path))
		return rc; /* a kernel without runtime power management holds it anyway */
	text.path = pl_arena_strdup(arena, path);
	rc = must_change(control, &text, "on", err);
	if (rc <= 0)
		return rc;
	*(struct pl_journal_text *)pl_arena_push(arena, &items, &texts->count, &texts->capacity,
						 sizeof(text)) = text;
	texts->items = items;
	return 0;
}

int pl_link_hold_power(struct pl_link_control *control, const struct pl_link_path *path,
		       struct pl_err *err)
{
	struct texts texts = {NULL, 0, 0};
	int rc = 0;

	for (size_t i = 0; !rc && i < path->link_count; i++) {
		const struct pl_aspm_link *link = path->links[i];

		rc = add_function(control, &link->up, &texts, err);
		for (size_t f = 0; !rc && f < link->down_count; f++)
			rc = add_function(control, &link->down[f], &texts, err);
	}
	return rc ? rc : hold_texts(control, texts.items, texts.count, "on", err);
}

/* ".../0000:01:00.0/nvme/nvme0/power/pm_qos_latency_tolerance_us" of the slot's drive. */
static int find_latency_file(struct pl_link_control *control, const struct pl_slot *slot,
			     char path[PL_LINK_PATH_BYTES], struct pl_err *err)
{
	struct pl_arena arena = {NULL};
	char folder[PL_LINK_PATH_BYTES], name[128], **names = NULL;
	int count = 0;

	if (slot->device) {
		pl_link_device_path(folder, slot->device->bdf, "nvme");
		count = pl_sysroot_list(&control->root, folder, &arena, &names);
	}
	if (count > 0) {
		snprintf(name, sizeof(name), "nvme/%.32s/power/pm_qos_latency_tolerance_us",
			 names[0]);
		pl_link_device_path(path, slot->device->bdf, name);
	}
	pl_arena_fini(&arena);
	if (count <= 0)
		return pl_fail(err, -ENOTSUP, "%s: not an NVMe drive with a driver",
			       slot->label ? slot->label : slot->key);
	if (!pl_sysroot_exists(&control->root, path))
		return pl_fail(err, -ENOTSUP,
			       "%s: the drive has no autonomous power state transitions, or the "
			       "kernel does not offer to hold them off",
			       slot->label ? slot->label : slot->key);
	return 0;
}

bool pl_link_has_apst(struct pl_link_control *control, const struct pl_slot *slot)
{
	char path[PL_LINK_PATH_BYTES];

	return !control->why_not && find_latency_file(control, slot, path, NULL) == 0 &&
	       pl_link_can_write(&control->root, path) == 0;
}

/* What the journal has of the slot's drive; NULL: its power states were not held off. */
static const struct pl_journal_text *find_held(const struct pl_link_control *control,
					       const struct pl_slot *slot)
{
	const struct pl_journal *journal = &control->journal;

	for (size_t i = 0; slot->device && i < journal->text_count; i++)
		if (journal->texts[i].kind == PL_TEXT_LATENCY &&
		    pl_bdf_is_equal(journal->texts[i].bdf, slot->device->bdf))
			return &journal->texts[i];
	return NULL;
}

static int give_back_apst(struct pl_link_control *control, const struct pl_slot *slot,
			  struct pl_err *err)
{
	const struct pl_journal_text *held = find_held(control, slot);
	int rc = held ? pl_link_put_text(control->io, &control->root, held->path, held->value, err)
		      : 0;

	if (!rc || !pl_link_is_text_gone(&control->root, held))
		return rc;
	pl_run_warn(control->run, "W-GONE", "warning", slot->label,
		    "the controller of the drive is gone, and the setting of its power states with "
		    "it: nothing to put back");
	pl_journal_forget_text(&control->journal, held->path);
	/* When this fails the journal on disk says too much, which restoring finds to be gone. */
	pl_journal_write(&control->journal, &control->root, NULL);
	return 0;
}

int pl_link_set_apst(struct pl_link_control *control, const struct pl_slot *slot,
		     enum pl_link_apst apst, struct pl_err *err)
{
	struct pl_journal_text text = {.kind = PL_TEXT_LATENCY};
	char path[PL_LINK_PATH_BYTES];
	int rc;

	if (apst == PL_LINK_APST_AS_FOUND)
		return give_back_apst(control, slot, err);
	rc = find_latency_file(control, slot, path, err);
	if (rc)
		return rc;
	text.path = path;
	rc = describe(control, slot->device->bdf, &text, err);
	if (!rc)
		rc = must_change(control, &text, "0", err);
	return rc <= 0 ? rc : hold_texts(control, &text, 1, "0", err);
}
