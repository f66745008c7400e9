#ifndef PL_SESSION_STORE_H
#define PL_SESSION_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/err.h"
#include "model/run.h"

/*
 * A session follows one card from slot to slot over reboots. It is a folder:
 *
 *   journal      what was planned and what is done; lines are only ever appended, each synced
 *   runs/NNNN/   the results of one slot in one boot, written before their line in the journal
 *
 * A line that a power cut left unfinished is no line, so at most the running step is lost.
 */

#define PL_STORE_VERSION 1

/* What must not change under a session. */
enum pl_fingerprint {
	PL_FP_BOARD,
	PL_FP_BIOS,
	PL_FP_CPU,
	PL_FP_MICROCODE,
	PL_FP_KERNEL,
	PL_FP_CMDLINE,
	PL_FP_POLICY,
	PL_FP_IOMMU,
	PL_FP_GOVERNOR,
	PL_FP_DRIVER, /* of the card */
	PL_FP_COUNT
};

struct pl_store_slot {
	const char
		*key; /* NULL: named by the user, its place is not known before the card is there */
	const char *label;
	unsigned done; /* boots measured */
};

/* One slot in one boot, measured. */
struct pl_store_done {
	size_t slot; /* index */
	const char *boot_id, *run_dir;
};

struct pl_store {
	struct pl_arena arena;
	const char *dir;
	const char *fingerprint[PL_FP_COUNT]; /* NULL: not known then */
	const char *card_unit, *card_ids, *card_name;
	unsigned boots; /* wanted per slot */
	struct pl_store_slot *slots;
	size_t slot_count, slot_capacity;
	unsigned run_count; /* runs/0001 … */
	struct pl_store_done *done;
	size_t done_count, done_capacity;
};

/* Slots to visit, in order, and the card; boots 0 means 3, below that boots cannot be the unit. */
struct pl_store_plan {
	const struct pl_slot *const *slots; /* NULL entries: only the name is known */
	const char *const *names;           /* of those entries; may be NULL when there is none */
	size_t slot_count;
	const struct pl_device *card;
	unsigned boots;
};

/*
 * Makes dir (which must not exist, or be empty) and its journal. Errors: -EEXIST when there is a
 * session already, -EINVAL for an empty plan, and those of the file system.
 */
int pl_store_create(struct pl_store *store, const char *dir, const struct pl_run *run,
		    const struct pl_store_plan *plan, struct pl_err *err);
/* Errors: -ENOENT (no session there), -EINVAL (not a journal of ours), -ENOTSUP (newer version). */
int pl_store_open(struct pl_store *store, const char *dir, struct pl_err *err);
void pl_store_close(struct pl_store *store);

/* The values of a machine with this card (may be NULL), borrowed. */
void pl_store_fingerprint(const struct pl_run *run, const struct pl_device *card,
			  const char *fields[PL_FP_COUNT]);
/*
 * Whether the machine is still the one of the session. A difference that is not in `allowed` (bits
 * 1u << enum pl_fingerprint) is -ESTALE, with what changed from what to what in the sentence; an
 * allowed one marks the run with W-CHANGED. A value that is not known on either side is no
 * difference.
 */
int pl_store_check(const struct pl_store *store, struct pl_run *run, unsigned allowed,
		   struct pl_err *err);
/* "bios,kernel" -> bits; -EINVAL with the names there are. */
int pl_store_parse_allowed(const char *text, unsigned *allowed, struct pl_err *err);

/* The slot in which the card of the session sits now: by its hash, else by its ids when only one
 * device has them; NULL. */
const struct pl_slot *pl_store_find_card(const struct pl_store *store, const struct pl_run *run);

enum pl_store_action {
	PL_STORE_MEASURE, /* the card is where it is wanted: measure */
	PL_STORE_REBOOT,  /* this slot wants another boot */
	PL_STORE_MOVE,    /* power off and move the card */
	PL_STORE_ASK,     /* the card is in a slot that has no name yet: which one is it? */
	PL_STORE_DONE,    /* everything planned is there */
};

struct pl_store_step {
	enum pl_store_action action;
	const struct pl_store_slot
		*slot;            /* to measure, to boot again in, or to move to; NULL: done, ask */
	const struct pl_slot *at; /* where the card is now; NULL: nowhere */
	const char *sentence;     /* for the user; arena of the store */
};

/* What comes next, from where the card is now and this boot's id. */
void pl_store_next(struct pl_store *store, const struct pl_run *run, struct pl_store_step *step);

/*
 * Says which of the planned names the slot with this key has: appended to the journal. Errors:
 * -ENOENT (no planned slot of that name), -EEXIST (its place is known, and it is another one).
 */
int pl_store_place(struct pl_store *store, const char *label, const char *slot_key,
		   struct pl_err *err);
/* The results of done[index] cannot be read: its boot counts as not measured. */
void pl_store_forget(struct pl_store *store, size_t index);

/* "DIR/runs/0001": where the results of the next step go. Arena of the store. */
const char *pl_store_run_dir(struct pl_store *store);
/* Appends that the results of a slot are there (in the folder pl_store_run_dir named). */
int pl_store_finish(struct pl_store *store, const char *slot_key, const char *boot_id,
		    struct pl_err *err);

/* "board", "bios", … as in --allow-change. */
const char *pl_fingerprint_name(enum pl_fingerprint field);

#endif
