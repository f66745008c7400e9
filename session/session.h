#ifndef PL_SESSION_SESSION_H
#define PL_SESSION_SESSION_H

#include "core/clock.h"
#include "core/err.h"
#include "core/sampler.h"
#include "link/link.h"
#include "core/sequence.h"
#include "model/run.h"

/* How to open the sampler of a measurement: one line per probe, filled in by cli. */
struct pl_session_probe {
	enum pl_probe probe;
	int (*open)(void *ctx, struct pl_run *run, struct pl_measurement *m,
		    const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err);
	void *ctx;
};

struct pl_session_hooks {
	/* Between blocks only, never inside one; NULL: silent. done and total count blocks. */
	void (*progress)(void *ctx, const struct pl_run *run, const struct pl_measurement *m,
			 size_t done, size_t total);
	/* Asked between blocks: true stops the walk, what was measured stays and is marked. */
	bool (*is_interrupted)(void *ctx);
	/*
	 * Asked after each round: true has save called, with every series as if the run had been
	 * stopped there (run->is_complete is false). So nothing of a finished round is lost when
	 * this process dies. NULL: nothing is saved.
	 */
	bool (*is_save_due)(void *ctx);
	void (*save)(void *ctx, const struct pl_run *run);
	void *ctx;
};

struct pl_session_options {
	const struct pl_clock *clock;
	const struct pl_session_probe *probes;
	size_t probe_count;
	const struct pl_session_hooks *hooks;  /* NULL: silent */
	const struct pl_precision *hop, *exit; /* asked for; NULL: the defaults */
	struct pl_link_control *links;         /* NULL: link states are left alone and not read */
};

/*
 * Measures everything that is planned and pending: opens the samplers, then walks in rounds. A
 * round takes one block of every series, in random order (seeded by run->seed) so that no series
 * has a time of its own; series that share a slot and a link state are taken together, the state
 * set before and read back after them. From PL_SEQUENCE_MIN_ROUNDS on only series go
 * on whose claims are not yet as precise as asked for. A block whose state was not confirmed is
 * empty. What happens to a series is data in it; an error means that nothing could be started (the
 * -errno of the first refusal, or -ENODATA). Stopped early: run->is_complete = false. Restoring the
 * links is the caller's (pl_link_close).
 */
int pl_session_measure(struct pl_run *run, const struct pl_session_options *options,
		       struct pl_err *err);

#endif
