#include "session/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sysroot.h"
#include "session/store_text.h"

#define JOURNAL "journal"
#define BOOTS_DEFAULT 3
#define FIELDS_MOST 5

/* ---- reading ---- */

static struct pl_store_slot *slot_of(struct pl_store *store, const char *key)
{
	for (size_t i = 0; key && i < store->slot_count; i++)
		if (store->slots[i].key && !strcmp(store->slots[i].key, key))
			return &store->slots[i];
	return NULL;
}

static struct pl_store_slot *slot_named(struct pl_store *store, const char *label)
{
	for (size_t i = 0; label && i < store->slot_count; i++)
		if (!strcmp(store->slots[i].label, label))
			return &store->slots[i];
	return NULL;
}

static void add_slot(struct pl_store *store, const char *key, const char *label)
{
	void *items = store->slots;
	struct pl_store_slot *slot;

	if ((!key && !label) || slot_of(store, key) || (!key && slot_named(store, label)))
		return;
	slot = pl_arena_push(&store->arena, &items, &store->slot_count, &store->slot_capacity,
			     sizeof(*slot));
	store->slots = items;
	slot->key = key;
	slot->label = label ? label : key;
}

static void place(struct pl_store *store, const char *key, const char *label)
{
	struct pl_store_slot *slot = slot_named(store, label);

	if (slot && !slot->key && key && !slot_of(store, key))
		slot->key = key;
}

static void add_done(struct pl_store *store, const char *number, const char *key,
		     const char *boot_id)
{
	struct pl_store_slot *slot = slot_of(store, key);
	unsigned long run = strtoul(number ? number : "", NULL, 10);
	void *items = store->done;
	struct pl_store_done *done;

	if (!slot || !run || run > 9999)
		return;
	done = pl_arena_push(&store->arena, &items, &store->done_count, &store->done_capacity,
			     sizeof(*done));
	store->done = items;
	done->slot = (size_t)(slot - store->slots);
	done->boot_id = boot_id ? boot_id : "unknown";
	done->run_dir = pl_arena_printf(&store->arena, "%s/runs/%04lu", store->dir, run);
	slot->done++;
	store->run_count = (unsigned)run > store->run_count ? (unsigned)run : store->run_count;
}

static void read_line(struct pl_store *store, char *line)
{
	char *raw[FIELDS_MOST] = {NULL};
	const char *fields[FIELDS_MOST] = {NULL};
	size_t count = pl_store_split(line, raw, FIELDS_MOST);

	for (size_t i = 0; i < count; i++)
		fields[i] = pl_store_unescape(&store->arena, raw[i]);
	if (!fields[0])
		return;
	for (unsigned k = 0; k < PL_FP_COUNT; k++)
		if (!strcmp(fields[0], "fingerprint") && fields[1] &&
		    !strcmp(fields[1], pl_fingerprint_name(k)))
			store->fingerprint[k] = fields[2];
	if (!strcmp(fields[0], "card")) {
		store->card_unit = fields[1];
		store->card_ids = fields[2];
		store->card_name = fields[3];
	} else if (!strcmp(fields[0], "boots")) {
		store->boots = (unsigned)strtoul(fields[1] ? fields[1] : "", NULL, 10);
	} else if (!strcmp(fields[0], "slot")) {
		add_slot(store, fields[1], fields[2]);
	} else if (!strcmp(fields[0], "place")) {
		place(store, fields[1], fields[2]);
	} else if (!strcmp(fields[0], "done")) {
		add_done(store, fields[1], fields[2], fields[3]);
	}
}

/* Only whole lines: what follows the last newline was never finished. */
static void read_lines(struct pl_store *store, char *text)
{
	char *end;

	for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		*end = '\0';
		read_line(store, text);
	}
}

static int check_head(const char *dir, char **text, struct pl_err *err)
{
	unsigned version = 0;

	if (sscanf(*text, "pcielat-session %u", &version) != 1 || !strchr(*text, '\n'))
		return pl_fail(err, -EINVAL, "%s/" JOURNAL " is not a session of pcielat", dir);
	if (version > PL_STORE_VERSION)
		return pl_fail(err, -ENOTSUP,
			       "%s is a session of a newer pcielat (version %u, this one reads up "
			       "to %u)",
			       dir, version, PL_STORE_VERSION);
	*text = strchr(*text, '\n') + 1;
	return 0;
}

int pl_store_open(struct pl_store *store, const char *dir, struct pl_err *err)
{
	struct pl_sysroot root;
	char *text = NULL;
	int code;

	*store = (struct pl_store){.dir = NULL};
	code = pl_sysroot_open(&root, dir, err);
	if (code)
		return code;
	store->dir = pl_arena_strdup(&store->arena, dir);
	code = pl_sysroot_read(&root, JOURNAL, &store->arena, &text, NULL);
	pl_sysroot_close(&root);
	if (code)
		code = pl_fail(err, code, "there is no session in %s: %s", dir, strerror(-code));
	else
		code = check_head(dir, &text, err);
	if (code) {
		pl_store_close(store);
		return code;
	}
	read_lines(store, text);
	return 0;
}

void pl_store_close(struct pl_store *store)
{
	pl_arena_fini(&store->arena);
	*store = (struct pl_store){.dir = NULL};
}

/* ---- writing ---- */

static int fail_at(struct pl_err *err, const char *path, int code)
{
	return pl_fail(err, code, "%s: %s", path, strerror(-code));
}

static int sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code;

	if (fd < 0)
		return -errno;
	code = fsync(fd) ? -errno : 0;
	close(fd);
	return code;
}

/* Ends at the last newline, so that the next line does not continue a torn one. */
static int cut_torn_line(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char c = '\n';

	while (end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n')
		end--;
	return ftruncate(fd, end) ? -errno : 0;
}

static int append(const char *path, const char *line)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	size_t length = strlen(line);
	int code = fd < 0 ? -errno : cut_torn_line(fd);

	if (!code) {
		ssize_t written = write(fd, line, length);

		code = written == (ssize_t)length ? 0 : written < 0 ? -errno : -ENOSPC;
	}
	if (!code && fsync(fd))
		code = -errno;
	if (fd >= 0)
		close(fd);
	return code;
}

static const char *plan_text(struct pl_store *store, const struct pl_run *run,
			     const struct pl_store_plan *plan)
{
	struct pl_arena *arena = &store->arena;
	const struct pl_device *card = plan->card;
	const char *text = pl_arena_printf(arena, "pcielat-session %d\n", PL_STORE_VERSION);

	for (unsigned k = 0; k < PL_FP_COUNT; k++)
		text = pl_arena_printf(arena, "%sfingerprint %s %s\n", text, pl_fingerprint_name(k),
				       pl_store_escape(arena, store->fingerprint[k]));
	text = pl_arena_printf(arena, "%screated %s\ncard %s %04x:%04x %s\nboots %u\n", text,
			       pl_store_escape(arena, run->started_utc),
			       pl_store_escape(arena, card->unit_hash), card->vendor_id,
			       card->device_id, pl_store_escape(arena, card->name),
			       plan->boots ? plan->boots : BOOTS_DEFAULT);
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct pl_slot *slot = plan->slots[i];

		text = pl_arena_printf(arena, "%sslot %s %s\n", text,
				       pl_store_escape(arena, slot ? slot->key : NULL),
				       pl_store_escape(arena, slot ? slot->label : plan->names[i]));
	}
	return text;
}

/* The journal appears whole: a power cut while a session is made leaves none. */
static int write_journal(const char *dir, const char *text, struct pl_arena *arena)
{
	const char *temporary = pl_arena_printf(arena, "%s/." JOURNAL ".tmp", dir);
	const char *path = pl_arena_printf(arena, "%s/" JOURNAL, dir);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int code = fd < 0 ? -errno : 0;

	if (!code && write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		code = -ENOSPC;
	if (!code && fsync(fd))
		code = -errno;
	if (fd >= 0)
		close(fd);
	if (!code && link(temporary, path))
		code = -errno;
	unlink(temporary);
	return code ? code : sync_dir(dir);
}

int pl_store_create(struct pl_store *store, const char *dir, const struct pl_run *run,
		    const struct pl_store_plan *plan, struct pl_err *err)
{
	int code;

	*store = (struct pl_store){.dir = NULL};
	if (!plan->card || !plan->slot_count)
		return pl_fail(err, -EINVAL, "a session needs a card and at least one slot");
	store->dir = dir;
	pl_store_fingerprint(run, plan->card, store->fingerprint);
	if (mkdir(dir, 0755) && errno != EEXIST)
		return fail_at(err, dir, -errno);
	if (mkdir(pl_arena_printf(&store->arena, "%s/runs", dir), 0755) && errno != EEXIST)
		code = -errno;
	else
		code = write_journal(dir, plan_text(store, run, plan), &store->arena);
	pl_store_close(store);
	if (code == -EEXIST)
		return pl_fail(err, code, "there is a session in %s already: pcielat next %s", dir,
			       dir);
	return code ? fail_at(err, dir, code) : pl_store_open(store, dir, err);
}

int pl_store_place(struct pl_store *store, const char *label, const char *slot_key,
		   struct pl_err *err)
{
	const char *path = pl_arena_printf(&store->arena, "%s/" JOURNAL, store->dir);
	struct pl_store_slot *slot = slot_named(store, label);
	int code;

	if (!slot)
		return pl_fail(err, -ENOENT, "%.80s is not a slot of this session", label);
	if (slot->key && strcmp(slot->key, slot_key) != 0)
		return pl_fail(err, -EEXIST,
			       "%.80s is the slot at %.80s; the card is at %.80s, so it is not in "
			       "%.80s",
			       label, slot->key, slot_key, label);
	if (slot->key)
		return 0;
	code = append(path, pl_arena_printf(&store->arena, "place %s %s\n",
					    pl_store_escape(&store->arena, slot_key),
					    pl_store_escape(&store->arena, label)));
	if (code)
		return fail_at(err, path, code);
	place(store, pl_arena_strdup(&store->arena, slot_key), label);
	return 0;
}

void pl_store_forget(struct pl_store *store, size_t index)
{
	store->slots[store->done[index].slot].done--;
	memmove(&store->done[index], &store->done[index + 1],
		(store->done_count - index - 1) * sizeof(*store->done));
	store->done_count--;
}

const char *pl_store_run_dir(struct pl_store *store)
{
	return pl_arena_printf(&store->arena, "%s/runs/%04u", store->dir, store->run_count + 1);
}

int pl_store_finish(struct pl_store *store, const char *slot_key, const char *boot_id,
		    struct pl_err *err)
{
	const char *path = pl_arena_printf(&store->arena, "%s/" JOURNAL, store->dir);
	const char *number = pl_arena_printf(&store->arena, "%u", store->run_count + 1);
	int code;

	if (!slot_of(store, slot_key))
		return pl_fail(err, -EINVAL, "slot %s is not part of the session", slot_key);
	code = append(path, pl_arena_printf(&store->arena, "done %s %s %s\n", number,
					    pl_store_escape(&store->arena, slot_key),
					    pl_store_escape(&store->arena, boot_id)));
	if (code)
		return fail_at(err, path, code);
	add_done(store, number, slot_of(store, slot_key)->key,
		 pl_arena_strdup(&store->arena, boot_id));
	return 0;
}
