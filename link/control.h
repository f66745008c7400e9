#ifndef PL_LINK_CONTROL_H
#define PL_LINK_CONTROL_H

/* What the files of link/ share about a control; nobody else includes this. */

#include "link/aer.h"
#include "link/guard.h"
#include "link/io.h"
#include "link/journal.h"
#include "link/link.h"

/* One slot's path: what callers see, and what we keep about it. */
struct path_control {
	struct pl_link_path path; /* first: the pointer handed out */
	struct path_control *next;
	size_t link_index[PL_LINK_PATH_MAX]; /* into run->aspm_links */
	const char *why_not[PL_LINK_PATH_MAX];
	const struct pl_link_state *now; /* set last; NULL: as found */
	bool was_confirmed;              /* now has been seen in the registers */
	const char *why_lost;            /* given up for good, with the sentence; NULL */
	bool is_absent;                  /* and registers of it did not answer any more */
};

/* What has happened to one link of run->aspm_links. */
struct link_status {
	bool is_changed;           /* files were written since the last restore */
	struct pl_aer_counts *aer; /* at the start: the port above, then the functions below */
	bool is_announced;         /* the mark it keeps has been said */
	const char *broken;        /* a write failed: not tried again, with the sentence */
	/* Its files when it was raised for the first time: what read 1 had no mark of a driver, so
	 * a mark there is ours and may be lifted again. */
	int raised[PL_ATTR_COUNT];
	bool was_raised, is_raised;
};

struct pl_link_control {
	struct pl_run *run;
	struct pl_sysroot root; /* a descriptor of our own */
	struct pl_link_options options;
	const struct pl_link_io *io;
	struct pl_journal journal;
	bool is_armed; /* the journal is on disk */
	struct pl_link_guard guard;
	int lock_fd;         /* -1: not held */
	const char *why_not; /* nothing can be changed at all, with the sentence; NULL */
	char policy[PL_JOURNAL_VALUE_BYTES]; /* at the start; empty: no file */
	struct link_status *status;          /* one per run->aspm_links */
	struct path_control *paths;
	struct path_control *raised; /* the path that the policy was changed for; NULL */
	bool is_stopped;             /* by the error counters: nothing is set any more */
};

/* Why one link cannot be changed, as a sentence in the arena; NULL when it can. */
const char *pl_link_find_obstacle(struct pl_link_control *control, const struct pl_slot *slot,
				  const struct pl_aspm_link *link);

/*
 * Guard standing by and journal on disk, with these texts, the links of this path (both may be
 * none) and everything that was in it. Called before every first write.
 */
int pl_link_arm(struct pl_link_control *control, const struct pl_journal_text *texts,
		size_t text_count, struct path_control *path, struct pl_err *err);

/* The path handed out is the first member of ours. */
static inline struct path_control *pl_link_own(const struct pl_link_path *path)
{
	return (struct path_control *)(void *)path;
}

/* Reads back every link of the path against the state set last, the policy, the error counters. */
void pl_link_check_path(struct pl_link_control *control, struct path_control *path,
			struct pl_link_check *check);
/* Notes the error counters of the path that are not noted yet. */
void pl_link_note_errors(struct pl_link_control *control, const struct path_control *path);
/* Judges what was counted since: must_stop, or the Surprise Down of what is gone. */
void pl_link_check_errors(struct pl_link_control *control, const struct path_control *path,
			  struct pl_link_check *check);
/*
 * must_stop: puts everything back and sets nothing from then on. is_gone: gives up this path. 0, or
 * -EIO when something could not be put back.
 */
int pl_link_act_on_check(struct pl_link_control *control, struct path_control *path,
			 struct pl_link_check *check, struct pl_err *err);
/* Fills check for a path that was given up before. */
void pl_link_tell_lost(const struct path_control *path, struct pl_link_check *check);

/* Says in check that bdf, which is on the path, does not answer any more. */
void pl_link_mark_gone(struct pl_link_control *control, const struct path_control *path,
		       struct pl_bdf bdf, struct pl_link_check *check);
/* Whether a function of the link does not answer any more: that one in *bdf (may be NULL). */
bool pl_link_has_gone(const struct pl_sysroot *root, const struct pl_aspm_link *link,
		      struct pl_bdf *bdf);

/* Raise mode: pins all other links, then changes the policy. Nothing when path is raised. */
int pl_link_raise(struct pl_link_control *control, struct path_control *path, struct pl_err *err);
/* The policy and the raised path back to as found. Nothing when none is raised. -EIO */
int pl_link_unraise(struct pl_link_control *control, struct pl_err *err);
/* Why this path cannot be raised; NULL when it can. */
const char *pl_link_find_raise_obstacle(struct pl_link_control *control,
					const struct path_control *path);

#endif
