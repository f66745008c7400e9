#ifndef PL_TESTS_REPORT_FIXTURE_H
#define PL_TESTS_REPORT_FIXTURE_H

#include <stdio.h>

#include "model/run.h"

/*
 * Runs made by hand: machines that nobody owns, so every number is made up and says so. They have
 * what a document must cope with: two chained chips, an empty slot, skipped series, claims.
 */

/* An AM5 board with two chained PROM21: GPU and NVMe series, hops, a link exit. */
void fx_am5(struct pl_run *run);
/* Intel client board: the DMI link cannot be read; the claim must say so. */
void fx_intel(struct pl_run *run);
/* Firmware left ASPM off, different drives: nothing could be resolved. */
void fx_nothing(struct pl_run *run);
/* Every string that hardware or a user can set is hostile. */
void fx_hostile(struct pl_run *run);
/* No slot, no series. */
void fx_empty(struct pl_run *run);

/* The texts that fx_hostile uses. */
extern unsigned fx_hostile_first; /* index of the text that the first field gets */
extern const char *const fx_hostile_texts[];
extern const unsigned fx_hostile_count;

/*
 * A measured series of blocks * per_block samples around median_ns with a tail, seeded; summarised.
 */
struct pl_measurement *fx_series(struct pl_run *run, const struct pl_slot *slot,
				 enum pl_probe probe, const char *metric, double median_ns,
				 unsigned blocks, size_t per_block);

/* What --thorough finds out about the drive of this slot. */
void fx_drive(struct pl_run *run, const struct pl_slot *slot);

/* The record of a watch of the run's first drive: three phases in virtual time. 0 or -errno. */
int fx_watch(const struct pl_run *run, FILE *out);

/* A claim that was not made or not resolved. */
void fx_unclaimed(struct pl_run *run, enum pl_effect_kind kind, unsigned slot,
		  enum pl_claim_status status, const char *reason);

#endif
