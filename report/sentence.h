#ifndef PL_REPORT_SENTENCE_H
#define PL_REPORT_SENTENCE_H

#include "core/arena.h"
#include "model/run.h"
#include "report/report.h"

/*
 * A claim in a language. English is the claim's own sentence when it has one (the attribution wrote
 * it with all it knew); every other language, and claims without a sentence, are made here from the
 * claim's fields by fixed templates. Numbers are rounded to what the interval supports.
 */
const char *pl_sentence(struct pl_arena *arena, const struct pl_run *run,
			const struct pl_effect *effect, enum pl_lang lang);

/* A reason of ours in a language; text that is not in the table is returned as it is. */
const char *pl_sentence_reason(struct pl_arena *arena, const char *reason, enum pl_lang lang);

/* "32.0 µs–64.0 µs", the bounds that an exit was judged by; NULL: none are advertised. */
const char *pl_sentence_advertised(struct pl_arena *arena, const struct pl_effect *effect);

/* "570 ± 9 ns" for estimate and interval, "n/a" without. */
const char *pl_sentence_value(struct pl_arena *arena, const struct pl_effect *effect);

/* "chipset x2 PROM21" for a table, in the language of the page. */
const char *pl_sentence_path(struct pl_arena *arena, const struct pl_slot *slot, enum pl_lang lang);

/* "hop", "exit", … for a table, in the language of the page. */
const char *pl_sentence_effect(enum pl_effect_kind kind, enum pl_lang lang);
/* "NVMe read", "register read", … for a label. */
const char *pl_sentence_access(enum pl_probe probe, enum pl_lang lang);

#endif
