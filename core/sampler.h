#ifndef PL_CORE_SAMPLER_H
#define PL_CORE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

/*
 * One timed operation: all that a probe has to offer, and all that a simulation has to imitate.
 *
 * sample: performs `count` operations back to back and writes the latency of each, in ticks of the
 * measurement (ns = ticks * ns_per_tick of that measurement). Returns how many succeeded (1 …
 * count) or -errno with the sentence in err. A failed operation never leaves a number behind.
 * Between the two stamps of an operation there is nothing but the operation. close: frees self; the
 * struct may be zeroed (close NULL). others: how many operations somebody else did on the same
 * device since it was asked last (or since opening), or -1 when nobody counts; NULL: never asked.
 */
struct pl_sampler {
	ssize_t (*sample)(void *self, uint64_t *ticks, size_t count, struct pl_err *err);
	void (*close)(void *self);
	void *self;
	int64_t (*others)(void *self);
};

static inline void pl_sampler_close(struct pl_sampler *sampler)
{
	if (sampler->close)
		sampler->close(sampler->self);
	*sampler = (struct pl_sampler){NULL, NULL, NULL, NULL};
}

#endif
