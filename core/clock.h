#ifndef PL_CORE_CLOCK_H
#define PL_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/err.h"
#include "core/tsc.h"

/* --clock auto|tsc|raw: auto takes the TSC only when CPUID says it is invariant. */
enum pl_clock_choice { PL_CLOCK_AUTO, PL_CLOCK_TSC, PL_CLOCK_RAW };

/*
 * A clock: real (TSC or CLOCK_MONOTONIC_RAW) or virtual (tests). Samplers take their two stamps
 * with pl_clock_begin/pl_clock_end; everything else uses now and idle_until.
 */
struct pl_clock {
	bool use_tsc;
	double ns_per_tick;  /* 1.0 for CLOCK_MONOTONIC_RAW */
	double cost_ns;      /* median of an empty begin/end pair, measured by open */
	double cost_p999_ns; /* its 99.9th percentile */
	const char *name;    /* "tsc" or "clock_monotonic_raw" or "virtual" */
	char reason[160];    /* why this one: "invariant TSC, 2.300 GHz against …" */
	/* Virtual clocks set these; NULL means the real ones. */
	uint64_t (*now)(void *self);
	void (*idle_until)(void *self, uint64_t ticks);
	void *self;
};

/*
 * Chooses and calibrates (about 200 ms against CLOCK_MONOTONIC_RAW for the TSC), then measures the
 * cost of an empty pair. Errors: -ENOTSUP when the TSC is asked for and there is none.
 */
int pl_clock_open(struct pl_clock *clock, enum pl_clock_choice choice, struct pl_err *err);

/* Spins (never sleeps) until the tick count is reached; gaps before an access use this. */
void pl_clock_idle_until(const struct pl_clock *clock, uint64_t ticks);
/* The present tick count, outside timed sections. */
uint64_t pl_clock_now(const struct pl_clock *clock);

static inline double pl_clock_ns(const struct pl_clock *clock, uint64_t ticks)
{
	return (double)ticks * clock->ns_per_tick;
}

static inline uint64_t pl_clock_ticks(const struct pl_clock *clock, double ns)
{
	return (uint64_t)(ns / clock->ns_per_tick + 0.5);
}

static inline uint64_t pl_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static inline uint64_t pl_clock_begin(const struct pl_clock *clock)
{
	return clock->use_tsc ? pl_tsc_begin() : pl_raw_ns();
}

static inline uint64_t pl_clock_end(const struct pl_clock *clock)
{
	return clock->use_tsc ? pl_tsc_end() : pl_raw_ns();
}

#endif
