#include "session/walk.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/stats.h"

#define WARM_UP_MAX ((size_t)32)
#define FAILED_BLOCKS_MAX 3u

void pl_track_give_up(struct pl_walk *walk, struct pl_track *track, const char *why)
{
	struct pl_measurement *m = track->m;

	track->is_live = false;
	m->is_valid = false;
	m->outcome = m->n ? PL_OUTCOME_PARTIAL : PL_OUTCOME_FAILED;
	m->why = pl_arena_strdup(&walk->run->arena, why);
}

static bool is_slept(const struct pl_measurement *m)
{
	return m->conditions.idle && !strcmp(m->conditions.idle, "slept");
}

/* The idle gap before one access: spun, or slept in the sleeping arm. */
static void idle(const struct pl_clock *clock, const struct pl_measurement *m)
{
	uint64_t gap_ns = m->conditions.gap_ns;
	const struct timespec gap = {(time_t)(gap_ns / 1000000000u), (long)(gap_ns % 1000000000u)};

	if (is_slept(m) && !clock->idle_until)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &gap, NULL);
	else
		pl_clock_idle_until(clock,
				    pl_clock_now(clock) + pl_clock_ticks(clock, (double)gap_ns));
}

static const struct pl_sampler *sampler_of(const struct pl_track *track)
{
	return track->owner ? &track->owner->sampler : &track->sampler;
}

/* What the gap really was, with the software in between; the first of a block has none before it.
 */
static void note_idle(struct pl_track *track, uint64_t now)
{
	if (track->ended && track->idle_count < track->m->samples_per_block)
		track->idles[track->idle_count++] = now - track->ended;
}

/* The median gap of the block that just ended. */
static void note_block_idle(struct pl_track *track)
{
	uint64_t median;

	if (!track->idle_count)
		return;
	pl_stats_sort(track->idles, track->idle_count);
	median = pl_stats_quantile(track->idles, track->idle_count, 0.5);
	if (!track->most_idle || median < track->least_idle)
		track->least_idle = median;
	if (median > track->most_idle)
		track->most_idle = median;
}

/* Idle, wake the link where that is asked for, and only then the timed access. */
static ssize_t take_after_gap(const struct pl_clock *clock, struct pl_track *track, uint64_t *ticks,
			      struct pl_err *err)
{
	const struct pl_sampler *sampler = sampler_of(track);
	uint64_t untimed;
	ssize_t got = 1;

	idle(clock, track->m);
	if (track->waker) {
		const struct pl_sampler *waker = sampler_of(track->waker);

		got = waker->sample(waker->self, &untimed, 1, err);
	}
	if (got < 1)
		return got;
	note_idle(track, pl_clock_now(clock));
	got = sampler->sample(sampler->self, ticks, 1, err);
	track->ended = pl_clock_now(clock);
	return got;
}

/* Accesses that follow each other, as fast as the sampler goes. */
static ssize_t take_at_once(const struct pl_clock *clock, struct pl_track *track, uint64_t *ticks,
			    size_t count, struct pl_err *err)
{
	const struct pl_sampler *sampler = sampler_of(track);
	uint64_t begin = pl_clock_now(clock);
	ssize_t got = sampler->sample(sampler->self, ticks, count, err);

	if (got > 0) {
		track->accesses += (size_t)got;
		track->busy += pl_clock_now(clock) - begin;
	}
	return got;
}

/*
 * `count` accesses, each after its idle gap; without a gap, or when the probe makes the gap itself
 * (inside a GPU kernel), the sampler does all at once.
 */
static ssize_t take(const struct pl_clock *clock, struct pl_track *track, uint64_t *ticks,
		    size_t count, struct pl_err *err)
{
	const struct pl_measurement *m = track->m;

	if (!m->conditions.gap_ns || m->probe == PL_PROBE_GPU)
		return take_at_once(clock, track, ticks, count, err);
	for (size_t n = 0; n < count; n++) {
		ssize_t got = take_after_gap(clock, track, ticks + n, err);

		if (got < 1)
			return got;
	}
	return (ssize_t)count;
}

static int fill(const struct pl_clock *clock, struct pl_track *track, uint64_t *ticks, size_t count,
		struct pl_err *err)
{
	size_t n = 0;

	while (n < count) {
		ssize_t got = take(clock, track, ticks + n, count - n, err);

		if (got < 0)
			return (int)got;
		if (got == 0)
			return pl_fail(err, -EIO, "the probe returned no sample");
		n += (size_t)got;
	}
	return 0;
}

static int take_block(const struct pl_clock *clock, struct pl_track *track, struct pl_err *err)
{
	struct pl_measurement *m = track->m;
	uint64_t scratch[WARM_UP_MAX];
	size_t warm = m->samples_per_block / 8;
	int rc;

	track->ended = 0;
	track->idle_count = 0;
	if (warm > WARM_UP_MAX)
		warm = WARM_UP_MAX;
	rc = warm ? fill(clock, track, scratch, warm, err) : 0;
	if (!rc)
		rc = fill(clock, track, m->ticks + m->n, m->samples_per_block, err);
	return rc;
}

static void end_block(struct pl_track *track)
{
	struct pl_measurement *m = track->m;

	m->blocks_done++;
	m->block_start[m->blocks_done] = m->n;
}

void pl_track_run_block(struct pl_walk *walk, struct pl_track *track)
{
	struct pl_measurement *m = track->m;
	struct pl_err err = {0, ""};
	int rc;

	if (is_slept(m))
		pl_env_allow_idle(&walk->env, true);
	rc = take_block(walk->options->clock, track, &err);
	if (is_slept(m))
		pl_env_allow_idle(&walk->env, false);

	if (rc)
		m->failed++;
	else
		m->n += m->samples_per_block;
	note_block_idle(track);
	end_block(track);
	if (rc && (rc == -ENODEV || ++track->failed_blocks >= FAILED_BLOCKS_MAX))
		pl_track_give_up(walk, track, err.text);
	else if (rc)
		pl_measurement_warn(walk->run, m, "W-READ-ERROR: %s", err.text);
}

void pl_track_skip_block(struct pl_walk *walk, struct pl_track *track, const char *why)
{
	struct pl_measurement *m = track->m;

	m->failed++;
	end_block(track);
	if (++track->failed_blocks >= FAILED_BLOCKS_MAX)
		pl_track_give_up(walk, track, why);
	else
		pl_measurement_warn(walk->run, m, "W-STATE: %s", why);
}
