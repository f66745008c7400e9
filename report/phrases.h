#ifndef PL_REPORT_PHRASES_H
#define PL_REPORT_PHRASES_H

#include "core/arena.h"
#include "report/strings.h"

/*
 * A reason, a note or a word of the attribution in the language of the page; the text itself when
 * the language is English or no phrase fits. NULL stays NULL. Borrowed or in the arena.
 */
const char *pl_phrase(struct pl_arena *arena, const char *text, enum pl_lang lang);
/* A text of several sentences, each translated by itself. */
const char *pl_phrase_sentences(struct pl_arena *arena, const char *text, enum pl_lang lang);
/* The notes behind the first sentence of a claim, translated, without a blank before; "" if none.
 */
const char *pl_phrase_notes(struct pl_arena *arena, const char *sentence, enum pl_lang lang);

#endif
