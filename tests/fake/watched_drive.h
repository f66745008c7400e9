#ifndef PL_TESTS_WATCHED_DRIVE_H
#define PL_TESTS_WATCHED_DRIVE_H

#include <errno.h>
#include <math.h>

#include "core/rng.h"
#include "session/watch.h"

#define MS 1e6

/* What the last watch_drive or watch_every recorded. */
static struct pl_watch watch;

/* A drive in virtual time: 1 tick is 1 ns. */
struct drive {
	uint64_t now, last_end;
	struct pl_rng rng;
	double base_ns, noise_ns;
	double stall_every_ns, stall_ns, stall_jitter, next_stall_ns; /* 0: none */
	double random_stalls_per_s;                                   /* at random times */
	double entry_ns, entry_spread_ns, exit_ns;                    /* 0: none */
	double creep;   /* ns more for each ns of idle beyond 1 ms: a host that dozes off */
	double cool_ns; /* more for each doubling of the idle time beyond 20 us: caches */
	double host_ns; /* after 200 us of idle everything takes so much longer */
	double fade_ns, fade_tau_ns; /* more, exponentially after idle time: 0: none */
	bool has_control;
	double gone_from_ns, gone_to_ns;
	unsigned fail_every, reads;
	bool is_shared; /* somebody else reads twice a second */
	uint64_t asked;
	double equal_stalls_per_s;  /* at random times, 5 ms each */
	unsigned stop_every, stops; /* this program is stopped for 3 s during such a read */
	unsigned wait_every;        /* it waits for a processor for 5 ms during such a read */
	bool waits_in_stalls;       /* and 5 ms of each stall */
	int64_t waited_ns;          /* so far; -1: the kernel does not count it */
};

static uint64_t drive_now(void *self)
{
	return ((struct drive *)self)->now;
}

static void drive_idle_until(void *self, uint64_t ticks)
{
	struct drive *drive = self;

	if (ticks > drive->now)
		drive->now = ticks;
}

static double stall_left_ns(struct drive *drive)
{
	double now = (double)drive->now;

	if (drive->stall_every_ns <= 0.0)
		return 0.0;
	while (now >= drive->next_stall_ns + drive->stall_ns)
		drive->next_stall_ns +=
			drive->stall_every_ns *
			(1.0 + drive->stall_jitter * (2.0 * pl_rng_unit(&drive->rng) - 1.0));
	return now >= drive->next_stall_ns ? drive->next_stall_ns + drive->stall_ns - now : 0.0;
}

/* What the host adds after idle time, whatever is done then. */
static double idle_ns(const struct drive *drive)
{
	double idle = (double)(drive->now - drive->last_end);

	return (idle > MS ? drive->creep * (idle - MS) : 0.0) +
	       (idle > 20000.0 ? drive->cool_ns * log2(idle / 20000.0) : 0.0) +
	       (drive->fade_ns > 0.0 ? drive->fade_ns * (1.0 - exp(-idle / drive->fade_tau_ns))
				     : 0.0) +
	       (idle >= 200000.0 ? drive->host_ns : 0.0);
}

static ssize_t control_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct drive *drive = self;

	(void)err;
	*ticks = (uint64_t)(500.0 + 50.0 * exp(pl_rng_normal(&drive->rng)) + idle_ns(drive));
	drive->now += *ticks;
	drive->last_end = drive->now;
	return (ssize_t)count;
}

static ssize_t drive_sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct drive *drive = self;
	double ns, stall_ns;

	(void)count;
	if ((double)drive->now >= drive->gone_from_ns && (double)drive->now < drive->gone_to_ns)
		return pl_fail(err, -ENODEV, "the drive is gone");
	if (drive->fail_every && ++drive->reads % drive->fail_every == 0)
		return pl_fail(err, -EIO, "a read failed");
	ns = drive->base_ns + drive->noise_ns * exp(pl_rng_normal(&drive->rng));
	if (drive->exit_ns > 0.0 &&
	    (double)(drive->now - drive->last_end) >=
		    drive->entry_ns + drive->entry_spread_ns * pl_rng_unit(&drive->rng))
		ns += drive->exit_ns;
	ns += idle_ns(drive);
	if (pl_rng_unit(&drive->rng) < drive->random_stalls_per_s / 200.0)
		ns += 5.0 * MS * pl_rng_unit(&drive->rng);
	stall_ns = stall_left_ns(drive);
	ns += stall_ns;
	if (drive->waits_in_stalls && stall_ns > 5.0 * MS)
		drive->waited_ns += (int64_t)(5.0 * MS);
	if (pl_rng_unit(&drive->rng) < drive->equal_stalls_per_s / 200.0)
		ns = 5.0 * MS;
	if (drive->stop_every && ++drive->reads % drive->stop_every == 0) {
		ns += 3000.0 * MS;
		drive->stops++;
	}
	if (drive->wait_every && ++drive->reads % drive->wait_every == 0) {
		ns += 5.0 * MS;
		drive->waited_ns += drive->waited_ns >= 0 ? (int64_t)(5.0 * MS) : 0;
	}
	*ticks = (uint64_t)ns;
	drive->now += *ticks;
	drive->last_end = drive->now;
	return 1;
}

/* What somebody else did since this was asked last. */
static int64_t drive_others(void *self)
{
	struct drive *drive = self;
	uint64_t before = drive->asked / 500000000u;

	drive->asked = drive->now;
	return drive->is_shared ? (int64_t)(drive->now / 500000000u - before) : -1;
}

static int drive_reopen(void *ctx, struct pl_sampler *sampler, struct pl_err *err)
{
	struct drive *drive = ctx;

	if ((double)drive->now < drive->gone_to_ns)
		return pl_fail(err, -ENODEV, "the drive is still gone");
	*sampler = (struct pl_sampler){drive_sample, NULL, drive, NULL};
	return 0;
}

static unsigned drive_stops(void *ctx)
{
	return ((struct drive *)ctx)->stops;
}

static int64_t drive_waited_ns(void *ctx)
{
	return ((struct drive *)ctx)->waited_ns;
}

static int watch_every(struct drive *drive, double interval_s, double seconds, uint64_t run_seed)
{
	struct pl_clock clock = {.ns_per_tick = 1.0,
				 .name = "virtual",
				 .now = drive_now,
				 .idle_until = drive_idle_until,
				 .self = drive};
	struct pl_sampler sampler = {drive_sample, NULL, drive, drive_others};
	struct pl_sampler control = {control_sample, NULL, drive, NULL};
	struct pl_watch_options options = {.control = drive->has_control ? &control : NULL,
					   .interval_ns = (uint64_t)(interval_s * 1e9),
					   .stops = drive_stops,
					   .waited_ns = drive_waited_ns,
					   .duration_ns = (uint64_t)(seconds * 1e9),
					   .seed = run_seed,
					   .reopen = drive_reopen,
					   .ctx = drive};

	pl_rng_init(&drive->rng, run_seed);
	return pl_watch_run(&watch, &clock, &sampler, &options, NULL);
}

static int watch_drive(struct drive *drive, double seconds, uint64_t run_seed)
{
	return watch_every(drive, 0.01, seconds, run_seed);
}

static const struct drive clean = {
	.base_ns = 80000.0, .noise_ns = 3000.0, .random_stalls_per_s = 0.3};

#endif
