#include "session/session.h"

#include <errno.h>

#include "core/rng.h"
#include "model/summary.h"

#define WARM_UP_MAX ((size_t)32)
#define FAILED_BLOCKS_MAX 3u

/* What only lives while measuring; runs beside run->measurements, index by index. */
struct track {
	struct pl_measurement *m;
	struct pl_sampler sampler;
	unsigned failed_blocks;
	bool is_live;
};

struct walk {
	struct pl_run *run;
	const struct pl_clock *clock;
	const struct pl_session_hooks *hooks;
	struct track *tracks;
	size_t *order;
	size_t count, done, total;
	struct pl_rng rng;
};

static const struct pl_session_probe *probe_of(const struct pl_session_probe *probes, size_t count,
					       enum pl_probe probe)
{
	for (size_t i = 0; i < count; i++)
		if (probes[i].probe == probe)
			return &probes[i];
	return NULL;
}

static void give_up(struct walk *walk, struct track *track, const char *why)
{
	struct pl_measurement *m = track->m;

	track->is_live = false;
	m->is_valid = false;
	m->outcome = m->n ? PL_OUTCOME_PARTIAL : PL_OUTCOME_FAILED;
	m->why = pl_arena_strdup(&walk->run->arena, why);
}

static void open_track(struct walk *walk, struct track *track, const struct pl_session_probe *probe)
{
	struct pl_err err = {0, ""};
	int rc = -ENOTSUP;

	if (probe)
		rc = probe->open(probe->ctx, walk->run, track->m, walk->clock, &track->sampler,
				 &err);
	else
		pl_fail(&err, rc, "this build has no %s probe", pl_probe_name(track->m->probe));
	if (!rc) {
		track->is_live = true;
		walk->total += track->m->blocks;
		return;
	}
	track->m->outcome = PL_OUTCOME_SKIPPED;
	track->m->why_errno = -rc;
	track->m->why = pl_arena_strdup(&walk->run->arena, err.text);
}

/*
 * One access after its idle gap, `count` times; without a gap, or when the probe makes the gap
 * itself (inside a GPU kernel), the sampler does all at once.
 */
static ssize_t take(const struct walk *walk, struct track *track, uint64_t *ticks, size_t count,
		    struct pl_err *err)
{
	uint64_t gap = track->m->probe == PL_PROBE_GPU
			       ? 0
			       : pl_clock_ticks(walk->clock, (double)track->m->conditions.gap_ns);
	size_t n;

	if (!gap)
		return track->sampler.sample(track->sampler.self, ticks, count, err);
	for (n = 0; n < count; n++) {
		ssize_t got;

		pl_clock_idle_until(walk->clock, pl_clock_now(walk->clock) + gap);
		got = track->sampler.sample(track->sampler.self, ticks + n, 1, err);
		if (got < 1)
			return got;
	}
	return (ssize_t)n;
}

static int fill(const struct walk *walk, struct track *track, uint64_t *ticks, size_t count,
		struct pl_err *err)
{
	size_t n = 0;

	while (n < count) {
		ssize_t got = take(walk, track, ticks + n, count - n, err);

		if (got < 0)
			return (int)got;
		if (got == 0)
			return pl_fail(err, -EIO, "the probe returned no sample");
		n += (size_t)got;
	}
	return 0;
}

static int take_block(const struct walk *walk, struct track *track, struct pl_err *err)
{
	struct pl_measurement *m = track->m;
	uint64_t scratch[WARM_UP_MAX];
	size_t warm = m->samples_per_block / 8;
	int rc;

	if (warm > WARM_UP_MAX)
		warm = WARM_UP_MAX;
	rc = warm ? fill(walk, track, scratch, warm, err) : 0;
	if (!rc)
		rc = fill(walk, track, m->ticks + m->n, m->samples_per_block, err);
	return rc;
}

/* A block is whole or empty: failed operations never enter a statistic. */
static void run_block(struct walk *walk, struct track *track)
{
	struct pl_measurement *m = track->m;
	struct pl_err err = {0, ""};
	int rc = take_block(walk, track, &err);

	if (!rc)
		m->n += m->samples_per_block;
	else
		m->failed++;
	m->blocks_done++;
	m->block_start[m->blocks_done] = m->n;
	if (rc && (rc == -ENODEV || ++track->failed_blocks >= FAILED_BLOCKS_MAX))
		give_up(walk, track, err.text);
	else if (rc)
		pl_measurement_warn(walk->run, m, "W-READ-ERROR: %s", err.text);
}

static bool is_interrupted(const struct walk *walk)
{
	return walk->hooks && walk->hooks->is_interrupted &&
	       walk->hooks->is_interrupted(walk->hooks->ctx);
}

static void tell(const struct walk *walk, const struct pl_measurement *m)
{
	if (walk->hooks && walk->hooks->progress)
		walk->hooks->progress(walk->hooks->ctx, walk->run, m, walk->done, walk->total);
}

/* One round: one block of every live series that has blocks left, in random order. */
static bool run_round(struct walk *walk, unsigned round)
{
	pl_rng_shuffle(&walk->rng, walk->order, walk->count);
	for (size_t i = 0; i < walk->count; i++) {
		struct track *track = &walk->tracks[walk->order[i]];

		if (!track->is_live || round >= track->m->blocks)
			continue;
		if (is_interrupted(walk))
			return false;
		tell(walk, track->m);
		run_block(walk, track);
		walk->done++;
	}
	return true;
}

static bool run_rounds(struct walk *walk)
{
	unsigned rounds = 0;

	for (size_t i = 0; i < walk->count; i++)
		if (walk->tracks[i].is_live && walk->tracks[i].m->blocks > rounds)
			rounds = walk->tracks[i].m->blocks;
	for (unsigned round = 0; round < rounds; round++)
		if (!run_round(walk, round))
			return false;
	return true;
}

static void close_track(struct walk *walk, struct track *track)
{
	struct pl_measurement *m = track->m;

	pl_sampler_close(&track->sampler);
	if (track->is_live && m->blocks_done == m->blocks) {
		m->outcome = PL_OUTCOME_MEASURED;
		m->is_valid = !m->failed;
	} else if (track->is_live) {
		m->outcome = m->n ? PL_OUTCOME_PARTIAL : PL_OUTCOME_SKIPPED;
		m->why = "interrupted before all its blocks were taken";
	}
	if (m->failed && !m->why)
		m->why = pl_arena_printf(&walk->run->arena, "%zu of %u blocks failed", m->failed,
					 m->blocks);
	pl_measurement_summarise(m);
}

static int open_tracks(struct walk *walk, const struct pl_session_probe *probes, size_t probe_count,
		       struct pl_err *err)
{
	const char *why = NULL;
	size_t live = 0;

	for (size_t i = 0; i < walk->count; i++) {
		struct track *track = &walk->tracks[i];

		walk->order[i] = i;
		track->m = walk->run->measurements[i];
		if (track->m->outcome == PL_OUTCOME_PENDING)
			open_track(walk, track, probe_of(probes, probe_count, track->m->probe));
		live += track->is_live;
		if (!track->is_live && !why)
			why = track->m->why;
	}
	if (!live)
		return pl_fail(err, -ENODATA, "nothing could be measured: %s",
			       why ? why : "no series was planned");
	return 0;
}

int pl_session_measure(struct pl_run *run, const struct pl_clock *clock,
		       const struct pl_session_probe *probes, size_t probe_count,
		       const struct pl_session_hooks *hooks, struct pl_err *err)
{
	struct walk walk = {.run = run, .clock = clock, .hooks = hooks};
	uint64_t begin_ns = pl_raw_ns();
	int rc;

	walk.count = run->measurement_count;
	walk.tracks = pl_arena_array(&run->arena, walk.count, sizeof(walk.tracks[0]));
	walk.order = pl_arena_array(&run->arena, walk.count, sizeof(walk.order[0]));
	pl_rng_init(&walk.rng, run->seed);
	rc = open_tracks(&walk, probes, probe_count, err);
	if (!rc)
		run->is_complete = run_rounds(&walk);
	for (size_t i = 0; i < walk.count; i++)
		close_track(&walk, &walk.tracks[i]);
	run->actual_s = (double)(pl_raw_ns() - begin_ns) / 1e9;
	return rc;
}
