/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the frequency of this machine's time stamp counter in kHz. A guest
 * under TCG sees the same counter and, on a busy host, calibrates it wrongly
 * by factors; the launcher tells it instead (tsc_early_khz=).
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define MEASURE_NS 50000000u
#define TRIES 5

struct instant {
	uint64_t ns;
	uint64_t ticks;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Both clocks as close together as a few tries make it. */
static struct instant read_both(void)
{
	struct instant best = {0};
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t a = now_ns(), ticks = __rdtsc(), b = now_ns();

		if (b - a >= narrowest)
			continue;
		narrowest = b - a;
		best.ns = a + (b - a) / 2;
		best.ticks = ticks;
	}
	return best;
}

int main(void)
{
	struct instant a = read_both(), b;

	while (now_ns() - a.ns < MEASURE_NS)
		;
	b = read_both();
	printf("%lu\n", (b.ticks - a.ticks) * 1000000u / (b.ns - a.ns));
	return 0;
}
