#ifndef PL_SESSION_WALK_H
#define PL_SESSION_WALK_H

/* Inside session/ only: what lives while measuring. */

#include "core/env.h"
#include "core/rng.h"
#include "link/link.h"
#include "session/precision.h"
#include "session/session.h"

/* The handle of one series; runs beside run->measurements, index by index. */
struct pl_track {
	struct pl_measurement *m;
	struct pl_sampler sampler;
	struct pl_track *owner;  /* series of one operation share a sampler; NULL: it is its own */
	const char *wanted_path; /* conditions.path as planned; opening a sampler fills it in */
	struct pl_track *waker;  /* its sampler wakes the link before each sample; NULL */
	/*
	 * Idle times as they were, in ticks: from the end of an access to the start of the next.
	 * least and most are over the medians of the blocks: one preempted gap is not the gap.
	 */
	uint64_t *idles, ended, least_idle, most_idle;
	uint64_t accesses, busy; /* without a gap: how many were done, in how many ticks */
	/*
	 * Access and software around it, between the stamps that bound the idle time: the wire was
	 * quiet for a part of it. most_span is over the medians of the blocks.
	 */
	uint64_t *spans, most_span;
	size_t idle_count, span_count;
	unsigned failed_blocks;
	bool is_live;
	bool is_due;  /* takes part in this round */
	bool is_lost; /* given up: registers of the device read as all ones */
};

/*
 * The series that share a slot and a link state: the state is set once a round for all of them.
 * path NULL: no link state belongs to them (a file, a software GPU, links that cannot be set); what
 * can be read of the links is watched all the same.
 */
struct pl_group {
	const struct pl_slot *slot; /* NULL: of no slot */
	const struct pl_link_path *path, *watched;
	const struct pl_link_state *state;
	const char *name; /* of the state: off and off_again set the same, apart */
	bool is_apst_off; /* the drive may not use its own power states */
	size_t *tracks;   /* indices */
	size_t count;
};

struct pl_walk {
	struct pl_run *run;
	const struct pl_session_options *options;
	struct pl_track *tracks;
	size_t track_count;
	struct pl_group *groups;
	size_t *group_order;
	size_t group_count;
	const struct pl_group *entered;  /* whose link state is set now; NULL: as found */
	const struct pl_slot *held_apst; /* whose drive may not use its power states; NULL */
	size_t done, total;              /* blocks */
	struct pl_stopping stopping;     /* which series need another round */
	struct pl_rng rng;
	struct pl_env env;
	int wanted_cpu;         /* --cpu; -1: any that is local */
	const char *local_cpus; /* of the device that env is pinned near */
	bool must_stop;         /* error counters, or links that cannot be put back */
};

/* The track gives no more samples; what it has stays. why is copied. */
void pl_track_give_up(struct pl_walk *walk, struct pl_track *track, const char *why);
/*
 * One block into the track: whole, or empty when anything failed, so that failed operations never
 * enter a statistic. Counts the round in either case.
 */
void pl_track_run_block(struct pl_walk *walk, struct pl_track *track);
/* An empty block, with the reason as a warning: the link state of this round was not what it says.
 */
void pl_track_skip_block(struct pl_walk *walk, struct pl_track *track, const char *why);

/* Pins near the device, locks memory, holds idle states; again when the device is elsewhere. */
int pl_walk_hold(struct pl_walk *walk, const struct pl_slot *slot, struct pl_err *err);

/*
 * The device of this slot is lost: its links go back to as found, and its series that are not done
 * end with what they have and this reason. The other slots go on.
 */
void pl_walk_lose_slot(struct pl_walk *walk, const struct pl_slot *slot, const char *why);

/* Sorts the tracks into groups. */
void pl_walk_group(struct pl_walk *walk);
/* Has the series of this moment saved when the caller wants it. */
void pl_walk_save(struct pl_walk *walk);
/* All rounds; false when it was stopped before the end. */
bool pl_walk_rounds(struct pl_walk *walk);

#endif
