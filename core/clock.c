#include "core/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALIBRATE_NS UINT64_C(200000000)
#define COST_PAIRS 4000u

struct stamp {
	uint64_t tsc, raw_ns;
};

/* The TSC and the raw clock at one moment: the tightest of a few tries bounds the error. */
static struct stamp stamp_take(void)
{
	struct stamp best = {0, 0};
	uint64_t width = UINT64_MAX;

	for (unsigned i = 0; i < 32; i++) {
		uint64_t before = pl_tsc_begin(), raw = pl_raw_ns(), after = pl_tsc_end();

		if (after - before < width) {
			width = after - before;
			best = (struct stamp){before + (after - before) / 2, raw};
		}
	}
	return best;
}

static double calibrate_ns_per_tick(void)
{
	struct stamp a = stamp_take(), b;

	while (pl_raw_ns() - a.raw_ns < CALIBRATE_NS)
		pl_cpu_relax();
	b = stamp_take();
	if (b.tsc <= a.tsc)
		return 0.0;
	return (double)(b.raw_ns - a.raw_ns) / (double)(b.tsc - a.tsc);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure_cost(struct pl_clock *clock)
{
	uint64_t pairs[COST_PAIRS];

	for (unsigned i = 0; i < COST_PAIRS; i++) {
		uint64_t begin = pl_clock_begin(clock);

		pairs[i] = pl_clock_end(clock) - begin;
	}
	qsort(pairs, COST_PAIRS, sizeof(pairs[0]), compare_u64);
	clock->cost_ns = pl_clock_ns(clock, pairs[COST_PAIRS / 2]);
	clock->cost_p999_ns = pl_clock_ns(clock, pairs[COST_PAIRS - 1 - COST_PAIRS / 1000]);
}

static void use_raw(struct pl_clock *clock, const char *why)
{
	clock->use_tsc = false;
	clock->ns_per_tick = 1.0;
	clock->name = "clock_monotonic_raw";
	snprintf(clock->reason, sizeof(clock->reason), "%s", why);
}

static void use_tsc(struct pl_clock *clock, double ns_per_tick, bool invariant)
{
	clock->use_tsc = true;
	clock->ns_per_tick = ns_per_tick;
	clock->name = "tsc";
	snprintf(clock->reason, sizeof(clock->reason),
		 "%s TSC, %.4f GHz against CLOCK_MONOTONIC_RAW",
		 invariant ? "invariant" : "forced (not invariant)", 1.0 / ns_per_tick);
}

int pl_clock_open(struct pl_clock *clock, enum pl_clock_choice choice, struct pl_err *err)
{
	bool invariant = pl_tsc_is_invariant();
	double ns_per_tick = 0.0;

	memset(clock, 0, sizeof(*clock));
	if (choice == PL_CLOCK_TSC && !pl_tsc_is_built_in())
		return pl_fail(err, -ENOTSUP,
			       "--clock tsc: this processor has no time stamp counter");
	if (choice == PL_CLOCK_TSC || (choice == PL_CLOCK_AUTO && invariant))
		ns_per_tick = calibrate_ns_per_tick();
	if (ns_per_tick > 0.0)
		use_tsc(clock, ns_per_tick, invariant);
	else if (choice == PL_CLOCK_RAW)
		use_raw(clock, "asked for");
	else
		use_raw(clock, "the TSC is not invariant on this processor");
	measure_cost(clock);
	return 0;
}

uint64_t pl_clock_now(const struct pl_clock *clock)
{
	return clock->now ? clock->now(clock->self) : pl_clock_begin(clock);
}

void pl_clock_idle_until(const struct pl_clock *clock, uint64_t ticks)
{
	if (clock->idle_until) {
		clock->idle_until(clock->self, ticks);
		return;
	}
	while (pl_clock_begin(clock) < ticks)
		pl_cpu_relax();
}
