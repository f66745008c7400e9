#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_probe/card_state.h"
#include "gpu_probe/probe.h"

#define TRIES 3

struct watch {
	struct pl_gpu_job job;
	struct pl_sampler inner;
	size_t dropped;
	bool has_before;
};

static void set(const struct watch *w, const char *name, const char *text)
{
	if (*text)
		pl_measurement_set_text(w->job.run, w->job.m, name, text);
}

static void read_state(const struct watch *w, struct pl_card_state *state)
{
	*state = (struct pl_card_state){"", ""};
	if (w->job.probe->options.sysroot && w->job.device->has_bdf)
		pl_card_state_read(w->job.probe->options.sysroot, w->job.device->bdf, state);
}

static ssize_t sample(void *self, uint64_t *ticks, size_t count, struct pl_err *err)
{
	struct watch *w = self;
	struct pl_card_state before, after;

	for (unsigned i = 0; i < TRIES; i++) {
		ssize_t got = pl_gpu_warm(w->job.device, err);

		if (got)
			return got;
		read_state(w, &before);
		if (!w->has_before) {
			set(w, "link_before", before.link);
			set(w, "clocks_before", before.clocks);
			w->has_before = true;
		}
		got = w->inner.sample(w->inner.self, ticks, count, err);
		if (got < 0)
			return got;
		read_state(w, &after);
		set(w, "link_after", after.link);
		set(w, "clocks_after", after.clocks);
		if (!strcmp(before.link, after.link))
			return got;
		w->dropped += (size_t)got;
		pl_measurement_set_number(w->job.run, w->job.m, "dropped_link_retrained",
					  (double)w->dropped);
	}
	return pl_fail(err, -EAGAIN,
		       "%s: the link retrained during each of %d batches (%s, then %s)",
		       w->job.device->name, TRIES, before.link, after.link);
}

static void close_watch(void *self)
{
	struct watch *w = self;

	pl_sampler_close(&w->inner);
	free(w);
}

int pl_gpu_watch(const struct pl_gpu_job *job, struct pl_sampler *inner, struct pl_sampler *sampler,
		 struct pl_err *err)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (!w) {
		pl_sampler_close(inner);
		return pl_fail(err, -ENOMEM, "no memory for a sampler");
	}
	w->job = *job;
	w->inner = *inner;
	*sampler = (struct pl_sampler){sample, close_watch, w, NULL};
	return 0;
}
