#include "session/session.h"

#include <errno.h>
#include <string.h>

#include "model/summary.h"
#include "session/walk.h"

static const struct pl_session_probe *probe_of(const struct pl_session_options *options,
					       enum pl_probe probe)
{
	for (size_t i = 0; i < options->probe_count; i++)
		if (options->probes[i].probe == probe)
			return &options->probes[i];
	return NULL;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * The same operation on the same thing: only link state, gap and idling differ. The path that was
 * asked for counts, not the one that an open sampler took.
 */
static bool is_same_operation(const struct pl_track *s, const struct pl_track *t)
{
	const struct pl_measurement *a = s->m, *b = t->m;
	const struct pl_conditions *x = &a->conditions, *y = &b->conditions;

	return is_same_text(s->wanted_path, t->wanted_path) && a->probe == b->probe &&
	       a->probe != PL_PROBE_GPU && a->slot == b->slot &&
	       pl_bdf_is_equal(a->device, b->device) && is_same_text(a->subject, b->subject) &&
	       is_same_text(a->metric, b->metric) && x->size_bytes == y->size_bytes &&
	       x->queue_depth == y->queue_depth && x->config_offset == y->config_offset &&
	       is_same_text(x->pattern, y->pattern) && is_same_text(x->memory, y->memory);
}

static struct pl_track *find_owner(struct pl_walk *walk, const struct pl_track *track)
{
	for (struct pl_track *other = walk->tracks; other < track; other++)
		if (!other->owner && is_same_operation(other, track))
			return other;
	return NULL;
}

static int open_sampler(struct pl_walk *walk, struct pl_track *track, struct pl_err *err)
{
	const struct pl_session_probe *probe = probe_of(walk->options, track->m->probe);

	if (!probe)
		return pl_fail(err, -ENOTSUP, "this build has no %s probe",
			       pl_probe_name(track->m->probe));
	return probe->open(probe->ctx, walk->run, track->m, walk->options->clock, &track->sampler,
			   err);
}

/* What could be asked for and went wrong is a failure; what this machine does not offer is not. */
static void refuse(struct pl_measurement *m, int why_errno, const char *why)
{
	m->outcome = why_errno == EIO ? PL_OUTCOME_FAILED : PL_OUTCOME_SKIPPED;
	m->why_errno = why_errno;
	m->why = why;
}

/* Rides on the sampler of an earlier series, or shares its refusal. */
static void join_track(struct pl_track *track, struct pl_track *owner)
{
	struct pl_measurement *m = track->m;

	track->owner = owner;
	m->ns_per_tick = owner->m->ns_per_tick;
	m->conditions.path = owner->m->conditions.path;
	m->conditions.path_reason = owner->m->conditions.path_reason;
	m->conditions.clock = owner->m->conditions.clock;
	if (owner->is_live)
		track->is_live = true;
	else
		refuse(m, owner->m->why_errno, owner->m->why);
}

/* The configuration read of the same device that wakes its link. */
static struct pl_track *find_waker(struct pl_walk *walk, const struct pl_measurement *m)
{
	for (size_t i = 0; i < walk->track_count; i++) {
		struct pl_track *track = &walk->tracks[i];

		if (track->is_live && track->m->probe == PL_PROBE_CONFIG &&
		    track->m->slot == m->slot && pl_bdf_is_equal(track->m->device, m->device))
			return track;
	}
	return NULL;
}

static void join_wakers(struct pl_walk *walk)
{
	for (size_t i = 0; i < walk->track_count; i++) {
		struct pl_track *track = &walk->tracks[i];

		if (!track->is_live || !track->m->conditions.prewake)
			continue;
		track->waker = find_waker(walk, track->m);
		if (track->waker)
			continue;
		track->is_live = false;
		refuse(track->m, ENOTSUP, "no configuration read of this device to wake its link");
	}
}

static void open_track(struct pl_walk *walk, struct pl_track *track)
{
	struct pl_track *owner = find_owner(walk, track);
	struct pl_err err = {0, ""};
	int rc;

	if (owner) {
		join_track(track, owner);
		return;
	}
	rc = open_sampler(walk, track, &err);
	if (rc)
		refuse(track->m, -rc, pl_arena_strdup(&walk->run->arena, err.text));
	else
		track->is_live = true;
}

static void make_room_for_gaps(struct pl_walk *walk, struct pl_track *track)
{
	size_t count = track->m->samples_per_block;

	track->idles = pl_arena_array(&walk->run->arena, count, sizeof(track->idles[0]));
	track->spans = pl_arena_array(&walk->run->arena, count, sizeof(track->spans[0]));
}

/* Room for what others do, where somebody counts it. */
static void make_room_for_others(struct pl_walk *walk, struct pl_track *track)
{
	const struct pl_track *owner = track->owner ? track->owner : track;

	if (track->is_live && owner->sampler.others)
		track->m->others = pl_arena_array(&walk->run->arena, track->m->blocks,
						  sizeof(track->m->others[0]));
}

static int open_tracks(struct pl_walk *walk, struct pl_err *err)
{
	const struct pl_measurement *refused = NULL;
	size_t live = 0;

	for (size_t i = 0; i < walk->track_count; i++) {
		struct pl_track *track = &walk->tracks[i];

		track->m = walk->run->measurements[i];
		track->wanted_path = track->m->conditions.path;
		if (track->m->conditions.gap_ns)
			make_room_for_gaps(walk, track);
		if (track->m->outcome == PL_OUTCOME_PENDING)
			open_track(walk, track);
		make_room_for_others(walk, track);
		live += track->is_live;
		if (!track->is_live && !refused)
			refused = track->m;
	}
	join_wakers(walk);
	if (live)
		return 0;
	return pl_fail(err, refused && refused->why_errno ? -refused->why_errno : -ENODATA,
		       "nothing could be measured: %s",
		       refused && refused->why ? refused->why : "no series was planned");
}

/* All its blocks, or as many as the precision asked for. */
static bool is_done(const struct pl_walk *walk, const struct pl_track *track)
{
	const struct pl_measurement *m = track->m;

	return m->blocks_done == m->blocks ||
	       (m->blocks_done >= PL_SEQUENCE_MIN_ROUNDS && walk->run->is_complete);
}

/* The entry timer is bracketed by what the gaps were, not by what was asked for. */
static void note_gaps(const struct pl_walk *walk, const struct pl_track *track)
{
	const struct pl_clock *clock = walk->options->clock;

	if (!track->most_idle)
		return;
	pl_measurement_set_number(walk->run, track->m, "real_gap_min_ns",
				  pl_clock_ns(clock, track->least_idle));
	pl_measurement_set_number(walk->run, track->m, "real_gap_max_ns",
				  pl_clock_ns(clock, track->most_idle));
	pl_measurement_set_number(walk->run, track->m, "access_span_ns",
				  pl_clock_ns(clock, track->most_span));
}

/* What one closed loop of reads did, for as long as it ran. */
static void note_rate(const struct pl_walk *walk, const struct pl_track *track)
{
	if (track->m->probe == PL_PROBE_NVME && track->busy)
		pl_measurement_set_number(walk->run, track->m, "iops",
					  (double)track->accesses * 1e9 /
						  pl_clock_ns(walk->options->clock, track->busy));
}

/* What others did meanwhile, and in how many of the blocks. */
static void note_others(const struct pl_walk *walk, const struct pl_track *track)
{
	struct pl_measurement *m = track->m;
	unsigned counted = 0, busy = 0;
	int64_t sum = 0;

	for (unsigned b = 0; m->others && b < m->blocks_done; b++) {
		counted += m->others[b] >= 0;
		busy += m->others[b] > 0;
		sum += m->others[b] > 0 ? m->others[b] : 0;
	}
	if (counted)
		pl_measurement_set_number(walk->run, m, "background_ios", (double)sum);
	if (busy)
		pl_measurement_warn(walk->run, m,
				    "W-BUSY: others did %lld reads or writes on %s during %u of %u "
				    "blocks",
				    (long long)sum, m->subject ? m->subject : "the drive", busy,
				    m->blocks_done);
}

/* What a series is worth with the blocks it has; why is for one that is not done. */
static void present_track(struct pl_walk *walk, struct pl_track *track, bool is_enough,
			  const char *why)
{
	struct pl_measurement *m = track->m;

	if (track->is_live && is_enough) {
		m->outcome = PL_OUTCOME_MEASURED;
		m->is_valid = !m->failed;
	} else if (track->is_live) {
		m->outcome = m->n ? PL_OUTCOME_PARTIAL : PL_OUTCOME_SKIPPED;
		m->why = why;
	}
	if (m->failed && !m->why)
		m->why = pl_arena_printf(&walk->run->arena, "%zu of %u blocks failed", m->failed,
					 m->blocks);
	note_gaps(walk, track);
	note_rate(walk, track);
	note_others(walk, track);
	pl_measurement_summarise(m);
}

static void close_track(struct pl_walk *walk, struct pl_track *track)
{
	pl_sampler_close(&track->sampler);
	present_track(walk, track, is_done(walk, track),
		      "interrupted before all its blocks were taken");
}

/* A series that has the least number of rounds may enter claims, widened as one that was stopped.
 */
static void show_track(struct pl_walk *walk, struct pl_track *track)
{
	struct pl_measurement *m = track->m;
	bool is_enough = m->blocks_done >= PL_SEQUENCE_MIN_ROUNDS;

	present_track(walk, track, is_enough, "saved before all its blocks were taken");
	if (is_enough && m->blocks_done < m->blocks)
		pl_measurement_set_number(walk->run, m, PL_SEQUENCE_FACT, 1.0);
}

void pl_walk_save(struct pl_walk *walk)
{
	const struct pl_session_hooks *hooks = walk->options->hooks;
	struct pl_arena scratch = {NULL};
	struct pl_measurement *before;

	if (!hooks || !hooks->is_save_due || !hooks->is_save_due(hooks->ctx))
		return;
	before = pl_arena_array(&scratch, walk->track_count, sizeof(*before));
	for (size_t i = 0; i < walk->track_count; i++) {
		before[i] = *walk->tracks[i].m;
		show_track(walk, &walk->tracks[i]);
	}
	hooks->save(hooks->ctx, walk->run);
	for (size_t i = 0; i < walk->track_count; i++)
		*walk->tracks[i].m = before[i];
	pl_arena_fini(&scratch);
}

static void note_environment(struct pl_walk *walk)
{
	struct pl_run *run = walk->run;

	run->cstates = pl_arena_strdup(&run->arena, walk->env.cstates);
	run->memory_lock = pl_arena_strdup(&run->arena, walk->env.memory_lock);
}

int pl_session_measure(struct pl_run *run, const struct pl_session_options *options,
		       struct pl_err *err)
{
	struct pl_walk walk = {.run = run, .options = options, .wanted_cpu = run->cpu};
	uint64_t begin_ns = pl_raw_ns();
	int rc;

	walk.track_count = run->measurement_count;
	walk.tracks = pl_arena_array(&run->arena, walk.track_count, sizeof(walk.tracks[0]));
	pl_rng_init(&walk.rng, run->seed);
	rc = open_tracks(&walk, err);
	if (!rc)
		rc = pl_walk_hold(&walk, run->measurements[0]->slot, err);
	if (!rc) {
		note_environment(&walk);
		pl_stopping_open(&walk.stopping, run, options->hop, options->exit);
		pl_walk_group(&walk);
		run->is_complete = pl_walk_rounds(&walk);
		pl_stopping_close(&walk.stopping);
	}
	for (size_t i = 0; i < walk.track_count; i++)
		close_track(&walk, &walk.tracks[i]);
	pl_env_release(&walk.env);
	run->actual_s = (double)(pl_raw_ns() - begin_ns) / 1e9;
	return rc;
}
