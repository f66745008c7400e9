#ifndef PL_SESSION_PRECISION_H
#define PL_SESSION_PRECISION_H

#include "core/sequence.h"
#include "model/run.h"

/*
 * Which series need another round: time goes where the uncertainty is. Asked between rounds; pure
 * apart from marking series. Usage in a walk:
 *
 *   pl_stopping_open(&stopping, run, hop, exit);
 *   each round: take a block of every series that pl_stopping_wants; pl_stopping_update(&stopping)
 *   pl_stopping_close(&stopping): marks series that were stopped before their planned blocks
 *
 * A claim is a pair of series (hop, exit inside a command) or a curve of gaps in one link state
 * against off. Every series gets PL_SEQUENCE_MIN_ROUNDS; after that only series of claims that are
 * not yet as precise as asked for, and not out of reach within the planned blocks, go on. Of a
 * curve with a step only the gaps on its two plateaus go on, and the shortest ones of those.
 */

struct pl_stopping_claim;

struct pl_stopping {
	struct pl_run *run;
	struct pl_precision hop, exit;
	struct pl_stopping_claim *claims;
	size_t claim_count, claim_capacity;
	double **centres; /* per measurement: the centre of each block taken so far */
	unsigned *known;  /* per measurement: how many */
};

/* Finds the claims of the planned series. hop, exit NULL: the defaults. */
void pl_stopping_open(struct pl_stopping *stopping, struct pl_run *run,
		      const struct pl_precision *hop, const struct pl_precision *exit);
/* After a round. */
void pl_stopping_update(struct pl_stopping *stopping);
/* Whether this series (index in the run) takes part in the next round. */
bool pl_stopping_wants(const struct pl_stopping *stopping, size_t index);
/*
 * Sets the fact PL_SEQUENCE_FACT on every series that was stopped early, so that its claims are
 * widened. Returns the number of claims that stayed out of reach.
 */
size_t pl_stopping_close(struct pl_stopping *stopping);
/* Claims in all, and how many are as precise as asked for: for the progress line. */
size_t pl_stopping_count(const struct pl_stopping *stopping, size_t *resolved);

#endif
