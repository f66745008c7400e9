#ifndef PL_REPORT_ATTRIBUTE_H
#define PL_REPORT_ATTRIBUTE_H

/*
 * Facts -> claims, inside report/. Each kind of claim has a file that looks through the
 * measurements and adds its planned claims, made or not; then the family of all p-values is
 * corrected together and the sentences are written. Pure: the same facts give the same claims.
 */

#include "core/stats_infer.h"
#include "core/stats_step.h"
#include "model/access.h"
#include "model/run.h"

/*
 * Probability that a report in which nothing is there claims anything (Holm over all claims of
 * the report). Intervals are 95 % each, as is usual; a claim is worth more caution than a width.
 */
#define PL_CLAIM_ALPHA 0.01

/* One line each in the table of sentences. */
enum pl_words {
	PL_WORDS_HOP_CHIPSET, /* chipset slot against CPU slot */
	PL_WORDS_HOP,         /* any other two slots */
	PL_WORDS_CONFIG_STEP,
	PL_WORDS_EXIT,
	PL_WORDS_EXIT_IN_COMMAND,
	PL_WORDS_ENTRY_TIMER,
	PL_WORDS_TAIL,
	PL_WORDS_CHAIN,
	PL_WORDS_PREWOKEN,
	PL_WORDS_APST,
	PL_WORDS_COUNT
};

/* A claim on its way. Text and the arrays live in the arena of the run. */
struct pl_claim {
	struct pl_effect effect;
	double error, df; /* of the estimate: for the detection limit */
	bool is_tested;   /* has a p-value that counts in the family */
	double searches;  /* places that were tried for it; 0 is 1 */
	int gate;         /* index of the claim that must be resolved first; -1: none */
	const struct pl_measurement *arm, *reference; /* what was compared */
	uint64_t gap_ns;                              /* an exit: idle time it is given for */
	const char *note;    /* what else a reader must know; one or more sentences; NULL */
	enum pl_words words; /* which sentence */
};

struct pl_attribution {
	struct pl_run *run;
	struct pl_claim *claims;
	size_t count, capacity;
	uint64_t seed; /* of permutations: the run's, so that a report can be made again */
};

/* A new claim with NAN numbers, status not made; the pointer is good until the next is added. */
struct pl_claim *pl_claim_add(struct pl_attribution *a, enum pl_effect_kind kind,
			      const struct pl_measurement *arm,
			      const struct pl_measurement *reference);
/* Puts estimate, interval, n and p in; status becomes not resolved until the family is known. */
void pl_claim_set(struct pl_claim *claim, const struct pl_estimate *estimate);
/* Not made, for this reason (arena text or a literal). */
void pl_claim_refuse(struct pl_claim *claim, const char *reason);
/* Appends a sentence to the note. */
void pl_claim_note(struct pl_attribution *a, struct pl_claim *claim, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- series ---- */

/* NULL when the series may enter a claim, else why not, in one sentence. */
const char *pl_series_refusal(struct pl_attribution *a, const struct pl_measurement *m);
/* First measurement of the same access and boot as `like`, of this slot, state and gap; NULL. */
const struct pl_measurement *pl_series_find(const struct pl_run *run,
					    const struct pl_measurement *like,
					    const struct pl_slot *slot, const char *state,
					    uint64_t gap_ns);
/*
 * arm minus reference. Within one boot: paired by block. Across boots (a moved card): all boots of
 * both, one value per boot when there are at least 3 on each side, else their blocks, unpaired.
 * *unit is set to "blocks" or "boots".
 */
struct pl_estimate pl_series_difference(const struct pl_run *run, const struct pl_measurement *arm,
					const struct pl_measurement *reference, const char **unit);
/* What one block value of the difference cannot resolve, in ns. */
double pl_series_floor_ns(const struct pl_measurement *a, const struct pl_measurement *b);
/* "a 4 KiB read", "a register read", "a GPU read of host memory": after "adds 570 ns to …". */
const char *pl_series_access(struct pl_attribution *a, const struct pl_measurement *m);

/*
 * Whether the entry timer is read from this series: no probe with less software between the gap
 * and the access was measured in this slot and state.
 */
bool pl_series_is_timer_probe(const struct pl_run *run, const struct pl_measurement *m);

/* ---- curves ---- */

/* One state minus another over the idle gap: values[block * positions + gap]. */
struct pl_curve {
	const struct pl_measurement *like;              /* the series it was asked for */
	const struct pl_measurement **arm, **reference; /* per position, gaps ascending */
	size_t positions, blocks;
	double *values;
	double floor_ns; /* resolution of one value */
};

/*
 * All gaps at which the access, slot, function, state and boot of `like` and the same in
 * reference_state were measured. false: there is none.
 */
bool pl_curve_build(struct pl_attribution *a, const struct pl_measurement *like,
		    const char *reference_state, struct pl_curve *curve);
/* Mean of positions high … minus mean of positions … low - 1. */
struct pl_estimate pl_curve_contrast(const struct pl_curve *curve, size_t low, size_t high);
struct pl_estimate pl_curve_at(const struct pl_curve *curve, size_t position);
/* The most that the state adds at any gap. */
double pl_curve_largest(const struct pl_curve *curve);

/* ---- links ---- */

/* The link above this function, from the survey of all links; NULL when it is not there. */
const struct pl_aspm_link *pl_links_above(const struct pl_run *run, struct pl_bdf bdf);
/* Why there is no exit to separate in a slot without an arm that holds the links off. */
const char *pl_links_no_exit_reason(struct pl_attribution *a, const struct pl_measurement *m);

/* "L1 (as found)": what the state means on this path, for a sentence. */
const char *pl_links_state_text(struct pl_attribution *a, const struct pl_slot *slot,
				const char *state);
/* Why continuous traffic of this series may have met a sleeping link; NULL when it cannot. */
const char *pl_links_refusal(struct pl_attribution *a, const struct pl_measurement *m);
/* Notes in which state the links were, and which link has no registers. */
void pl_links_note(struct pl_attribution *a, struct pl_claim *claim);
/* The link to a chipset that shows no registers ("DMI"); NULL when all are readable. */
const char *pl_links_hidden(struct pl_attribution *a, const struct pl_slot *slot);
/*
 * What the slowest link of the path takes to carry the data of one access, in ns (packets of 256
 * bytes): the difference of two slots bounds what the narrower or slower link adds. 0: not known.
 */
double pl_link_serialisation_ns(const struct pl_slot *slot, uint32_t size_bytes);

/* ---- kinds of claims ---- */

void pl_attribute_config_steps(struct pl_attribution *a);
void pl_attribute_hops(struct pl_attribution *a);
/* Exits, with their entry timers, tails and chains. */
void pl_attribute_exits(struct pl_attribution *a);
void pl_attribute_tails(struct pl_attribution *a, const struct pl_curve *curve);
void pl_attribute_chain(struct pl_attribution *a, const struct pl_measurement *m);
/* Says on the exit what the arm with slept gaps shows beside it. */
void pl_claim_note_slept(struct pl_attribution *a, struct pl_claim *claim,
			 const struct pl_curve *curve);
/*
 * How much the exit of the link as found changes when the drive may use its power states: m is the
 * series with links off and APST as found, the other three cells of the factorial are looked up.
 * Paired by block. false: one is missing or not valid, or there are fewer than 3 rounds.
 */
bool pl_apst_interaction(const struct pl_run *run, const struct pl_measurement *m,
			 struct pl_estimate *e);
/* Link or drive: the read with the link woken before it, and the drive's own power states. */
void pl_attribute_drives(struct pl_attribution *a);
/* Advertised against measured, once it is known what is resolved. */
void pl_claim_judge(struct pl_attribution *a, struct pl_claim *claim);
/*
 * Why nothing of effect_ns may be claimed from this access in this slot: the run's own control,
 * links off against links off, shows a difference that matters beside it; a warning of the run says
 * it too. NULL when there is no control or it holds.
 */
const char *pl_control_refusal(struct pl_attribution *a, const struct pl_measurement *m,
			       double effect_ns);
/* Warns when the negative control (device link off, links above as found) differs from off. */
void pl_control_check_uplink(struct pl_attribution *a);

/* ---- the end ---- */

/* Holm over the family: resolved or not, with detection limits. */
void pl_claims_resolve(struct pl_attribution *a);
/* Under a hypervisor or off the live machine: every would-be claim becomes not made. */
void pl_claims_withhold(struct pl_attribution *a);
/* Why no verdict is given of this run at all; NULL: verdicts are given. */
const char *pl_claims_withheld(const struct pl_run *run);
/* Writes reason and sentence of every claim. */
void pl_claims_word(struct pl_attribution *a);

#endif
