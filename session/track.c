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

/* Gaps are never shorter and a little longer, at random: else they beat with periodic load. */
#define GAP_JITTER 0.05

/* The idle gap before one access: spun, or slept in the sleeping arm. */
static void idle(struct pl_walk *walk, const struct pl_measurement *m)
{
	const struct pl_clock *clock = walk->options->clock;
	uint64_t gap_ns = (uint64_t)((double)m->conditions.gap_ns *
				     (1.0 + GAP_JITTER * pl_rng_unit(&walk->rng)));
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

static void note_end(struct pl_track *track, uint64_t began, uint64_t now)
{
	if (track->span_count < track->m->samples_per_block)
		track->spans[track->span_count++] = now - began;
	track->ended = now;
}

static uint64_t median_of(uint64_t *ticks, size_t count)
{
	pl_stats_sort(ticks, count);
	return pl_stats_quantile(ticks, count, 0.5);
}

/* The median gap and span of the block that just ended. */
static void note_block(struct pl_track *track)
{
	uint64_t idle, span;

	if (!track->idle_count || !track->span_count)
		return;
	idle = median_of(track->idles, track->idle_count);
	span = median_of(track->spans, track->span_count);
	if (!track->most_idle || idle < track->least_idle)
		track->least_idle = idle;
	if (idle > track->most_idle)
		track->most_idle = idle;
	if (span > track->most_span)
		track->most_span = span;
}

/* All of them, back to back; a sampler may give a few at a time. */
static ssize_t sample_all(const struct pl_sampler *sampler, uint64_t *ticks, size_t count,
			  struct pl_err *err)
{
	size_t n = 0;

	while (n < count) {
		ssize_t got = sampler->sample(sampler->self, ticks + n, count - n, err);

		if (got < 1)
			return got;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* Idle, wake the link where that is asked for, and only then the timed accesses: one, or a burst.
 */
static ssize_t take_after_gap(struct pl_walk *walk, struct pl_track *track, uint64_t *ticks,
			      size_t count, struct pl_err *err)
{
	const struct pl_clock *clock = walk->options->clock;
	uint64_t untimed, began;
	ssize_t got = 1;

	idle(walk, track->m);
	if (track->waker) {
		const struct pl_sampler *waker = sampler_of(track->waker);

		got = waker->sample(waker->self, &untimed, 1, err);
	}
	if (got < 1)
		return got;
	began = pl_clock_now(clock);
	note_idle(track, began);
	got = sample_all(sampler_of(track), ticks, count, err);
	note_end(track, began, pl_clock_now(clock));
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
 * `count` accesses, each (or each burst) after its idle gap; without a gap, or when the probe makes
 * the gap itself (inside a GPU kernel), the sampler does all at once.
 */
static ssize_t take(struct pl_walk *walk, struct pl_track *track, uint64_t *ticks, size_t count,
		    struct pl_err *err)
{
	const struct pl_measurement *m = track->m;
	size_t each = m->conditions.burst ? m->conditions.burst : 1, n = 0;

	if (!m->conditions.gap_ns || m->probe == PL_PROBE_GPU)
		return take_at_once(walk->options->clock, track, ticks, count, err);
	for (; n + each <= count; n += each) {
		ssize_t got = take_after_gap(walk, track, ticks + n, each, err);

		if (got < 1)
			return got;
	}
	return (ssize_t)n;
}

static int fill(struct pl_walk *walk, struct pl_track *track, uint64_t *ticks, size_t count,
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

static int take_block(struct pl_walk *walk, struct pl_track *track, struct pl_err *err)
{
	struct pl_measurement *m = track->m;
	uint64_t scratch[WARM_UP_MAX];
	size_t warm = m->conditions.burst ? m->conditions.burst : m->samples_per_block / 8;
	int rc;

	track->ended = 0;
	track->idle_count = track->span_count = 0;
	if (warm > WARM_UP_MAX)
		warm = m->conditions.burst ? 0 : WARM_UP_MAX;
	rc = warm ? fill(walk, track, scratch, warm, err) : 0;
	if (!rc)
		rc = fill(walk, track, m->ticks + m->n, m->samples_per_block, err);
	return rc;
}

static void end_block(struct pl_track *track)
{
	struct pl_measurement *m = track->m;

	m->blocks_done++;
	m->block_start[m->blocks_done] = m->n;
}

/* What others did on the device since this was asked last; the first answer is of no block. */
static int64_t count_others(const struct pl_track *track)
{
	const struct pl_sampler *sampler = sampler_of(track);

	return sampler->others ? sampler->others(sampler->self) : -1;
}

/* Then -ENODEV means all ones: more than a driver that let go of its device. */
static bool reads_registers(const struct pl_measurement *m)
{
	return m->slot && (m->probe == PL_PROBE_CONFIG || m->probe == PL_PROBE_BAR);
}

void pl_track_run_block(struct pl_walk *walk, struct pl_track *track)
{
	struct pl_measurement *m = track->m;
	struct pl_err err = {0, ""};
	int rc;

	count_others(track);
	if (is_slept(m))
		pl_env_allow_idle(&walk->env, true);
	rc = take_block(walk, track, &err);
	if (is_slept(m))
		pl_env_allow_idle(&walk->env, false);
	if (m->others)
		m->others[m->blocks_done] = count_others(track);

	if (rc)
		m->failed++;
	else
		m->n += m->samples_per_block;
	note_block(track);
	end_block(track);
	track->is_lost = rc == -ENODEV && reads_registers(m);
	if (rc && (rc == -ENODEV || ++track->failed_blocks >= FAILED_BLOCKS_MAX))
		pl_track_give_up(walk, track, err.text);
	else if (rc)
		pl_measurement_warn(walk->run, m, "W-READ-ERROR: %s", err.text);
}

void pl_track_skip_block(struct pl_walk *walk, struct pl_track *track, const char *why)
{
	struct pl_measurement *m = track->m;

	m->failed++;
	if (m->others)
		m->others[m->blocks_done] = -1;
	end_block(track);
	if (++track->failed_blocks >= FAILED_BLOCKS_MAX)
		pl_track_give_up(walk, track, why);
	else
		pl_measurement_warn(walk->run, m, "W-STATE: %s", why);
}
