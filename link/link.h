#ifndef PL_LINK_LINK_H
#define PL_LINK_LINK_H

/*
 * Link states: survey, set, read back, restore. The only folder that changes hardware state.
 *
 * What is promised: only the kernel's own sysfs files are written (link/ *_aspm of the device below
 * a link, power/control, pm_qos_latency_tolerance_us, and in raise mode the ASPM policy); registers
 * are only read. Before the first write the found state is on disk (journal) and a guard process
 * stands by that puts it back when this process dies. By default states are only taken away from
 * what the firmware enabled, never added.
 *
 * Order of calls: open (early, before threads are started) -> find_path per slot -> set_state,
 * samples, verify … -> restore -> close. All pointers handed out live in run->arena.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/sysroot.h"
#include "model/run.h"

#define PL_LINK_PATH_MAX 16 /* links between a root port and a device */

enum pl_link_mode {
	PL_LINK_AUTO,    /* lower only: as found, and subsets of it (default) */
	PL_LINK_OBSERVE, /* --aspm off: change nothing, read as found */
	PL_LINK_RAISE,   /* --aspm raise: also what both ends support and firmware left off */
};

struct pl_link_io; /* the seam to the machine: link/io.h */

struct pl_link_options {
	enum pl_link_mode mode;
	bool allow_vmd;              /* also touch links behind an Intel VMD */
	bool is_dry_run;             /* take no lock, write nothing, not even the journal folder */
	const struct pl_link_io *io; /* NULL: the files of the root */
};

enum pl_link_state_kind {
	PL_LINK_STATE_OFF,      /* every link of the path in L0: the reference arm */
	PL_LINK_STATE_AS_FOUND, /* as firmware and kernel left it */
	PL_LINK_STATE_SUBSET,   /* fewer power states than found, on every link of the path */
	PL_LINK_STATE_PARTIAL,  /* as found on the lower links, off on the links above them */
	PL_LINK_STATE_CONTROL,  /* device link off, links above as found: must equal OFF */
	PL_LINK_STATE_RAISED,   /* more than was found (raise mode) */
};

/* One state of all links of a path. */
struct pl_link_state {
	const char *name; /* model/state.h: "off", "as_found", "l1", "device_only", … */
	const char *text; /* "L1 on the device link, links above off" */
	enum pl_link_state_kind kind;
	const unsigned *targets; /* per link of the path, root port first: enum pl_aspm bits */
	bool is_settable;
	const char *why_not; /* one sentence when it is not */
};

/* The links of one slot's path, root port first, device last. */
struct pl_link_path {
	const struct pl_slot *slot;
	const struct pl_aspm_link *links[PL_LINK_PATH_MAX]; /* as found, of run->aspm_links */
	size_t link_count;
	const struct pl_link_state *states; /* off first, then as_found; off is as_found when
					       nothing was enabled: then there is one state */
	size_t state_count;
	const char *why_fixed; /* why nothing can be set here; NULL when states can be set */
	const char
		*hidden_link; /* a link of the path without registers (DMI), for the claim; NULL */
	bool is_control_meaningful; /* a switch is on the path: the control state exists */
};

/* What the registers of both ends said, and whether to go on. */
struct pl_link_check {
	enum pl_aspm_verdict verdict;                /* the worst of the links */
	enum pl_aspm_verdict link[PL_LINK_PATH_MAX]; /* per link of the path */
	unsigned enabled[PL_LINK_PATH_MAX];          /* seen at both ends, enum pl_aspm bits */
	bool must_stop; /* error counters: all is restored already, the run ends */
	/* A device of this path vanished, or the path was given up before: what of it still answers
	 * is as found again, and nothing is set on it any more. Other paths go on. */
	bool is_gone;
	bool has_surprise_down;              /* the port above what is gone counted that it went */
	uint64_t correctable, uncorrectable; /* AER errors of the path since open */
	unsigned speed_mts, width;           /* trained now, of the device link; 0: not known */
	char why[512];                       /* one sentence unless confirmed */
};

struct pl_link_control;

/*
 * Takes the lock of the machine, repairs what a dead run left behind (a warning in run says so),
 * surveys all links (run->aspm_links) and notes the error counters. Never fails because states
 * cannot be set: that is data in the paths. Errors: -EIO when a dead run could not be repaired.
 */
int pl_link_open(struct pl_run *run, const struct pl_sysroot *root,
		 const struct pl_link_options *options, struct pl_link_control **control,
		 struct pl_err *err);

/* The links and states of one slot; the same pointer for the same slot. Never NULL. */
const struct pl_link_path *pl_link_find_path(struct pl_link_control *control,
					     const struct pl_slot *slot);
/* NULL when there is none. "as_found" is always there on a path with states: it may be off. */
const struct pl_link_state *pl_link_find_state(const struct pl_link_path *path, const char *name);

/*
 * Journal, set every link of the path leaf to root, read back. Links of other slots keep what they
 * have: go to as_found (or call restore) before measuring another slot. Returns 0 with the verdict
 * in check (NOT_SET, KERNEL_ONLY … are data), or -errno when the machine is not as it was and
 * could not be put back (-EIO) or the journal could not be written (nothing was changed).
 */
int pl_link_set_state(struct pl_link_control *control, const struct pl_link_path *path,
		      const struct pl_link_state *state, struct pl_link_check *check,
		      struct pl_err *err);

/*
 * Reads back the state that was set last on this path and the error counters: between blocks,
 * never inside a timed gap (it wakes the links). When check->must_stop is set, everything has
 * been restored already; when check->is_gone is set, this path has.
 */
int pl_link_verify(struct pl_link_control *control, const struct pl_link_path *path,
		   struct pl_link_check *check, struct pl_err *err);

/*
 * The device of this path is lost, whatever its configuration space says (its registers read as all
 * ones): what still answers of its links goes back to as found at once, what does not leaves the
 * journal, and nothing is set on this path any more. A warning of the run (W-GONE) says so. Nothing
 * happens the second time. -EIO when a link that answers could not be put back.
 */
int pl_link_give_up(struct pl_link_control *control, const struct pl_link_path *path,
		    const char *why, struct pl_err *err);
/* Says of each device that was gone and answers again that its slot stays given up. Once each. */
void pl_link_look_for_returned(struct pl_link_control *control);

/*
 * Keeps the device and the ports above it out of runtime suspend (power/control = "on") until
 * restore. -EACCES, -EPERM, -EROFS, -ENOENT with the sentence when it cannot be held.
 */
int pl_link_hold_power(struct pl_link_control *control, const struct pl_link_path *path,
		       struct pl_err *err);

/* The NVMe drive of the slot leaves its power states alone (off) or as found (on). */
enum pl_link_apst { PL_LINK_APST_AS_FOUND, PL_LINK_APST_OFF };

/* Whether the drive of the slot has power states of its own that can be held off. */
bool pl_link_has_apst(struct pl_link_control *control, const struct pl_slot *slot);

/*
 * Through pm_qos_latency_tolerance_us: the kernel reprograms the drive. -ENOTSUP: not an NVMe
 * drive or one without APST; -EACCES, -EPERM, -EROFS with the sentence. As found is always right
 * for a controller that is gone: its setting went with it, which is said once.
 */
int pl_link_set_apst(struct pl_link_control *control, const struct pl_slot *slot,
		     enum pl_link_apst apst, struct pl_err *err);

/*
 * The files set_state would write, in order, as "path = text" lines for --dry-run. *lines lives in
 * run->arena. Returns the count.
 */
size_t pl_link_list_writes(struct pl_link_control *control, const struct pl_link_path *path,
			   const struct pl_link_state *state, const char *const **lines);

/*
 * Puts everything back, reads it back, removes the journal. -EIO with the sentence when something
 * is not as it was: the journal stays, `pcielat restore` tries again.
 */
int pl_link_restore(struct pl_link_control *control, struct pl_err *err);
/* Restores when needed, dismisses the guard, frees the lock. Accepts NULL. The value of restore. */
int pl_link_close(struct pl_link_control *control, struct pl_err *err);

/* What `pcielat restore` did. */
struct pl_link_repair {
	bool found;      /* a journal of this boot was there */
	bool is_stale;   /* a journal of an earlier boot was there and was removed */
	bool by_guard;   /* a guard had repaired already; its note was removed */
	size_t restored; /* settings put back (or found as they were) */
	size_t gone;     /* settings of devices that are no longer there: nothing to put back */
	size_t failed;
	char text[512]; /* one sentence for a person */
};

/*
 * Repairs from the journal: for `pcielat restore`, called by open too. -EBUSY when another run is
 * alive (the sentence has its process id), -EIO when something could not be put back (the journal
 * stays), -EACCES when this user may not. io NULL: the files of the root.
 */
int pl_link_repair(const struct pl_sysroot *root, const struct pl_link_io *io,
		   struct pl_link_repair *repair, struct pl_err *err);

/*
 * Reads every link of the machine into run->aspm_links, with flags for what is suspicious. Works
 * without root (less is readable) and on captures. 0, or -ENOENT when there is no PCI at all.
 */
int pl_link_survey(struct pl_run *run, const struct pl_sysroot *root, struct pl_err *err);

#endif
