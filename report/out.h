#ifndef PL_REPORT_OUT_H
#define PL_REPORT_OUT_H

#include <stdio.h>

#include "core/arena.h"
#include "core/err.h"

/* Flushes; 0, or -errno (-EIO when the stream does not say) with the sentence, e.g. a full disk. */
int pl_out_finish(FILE *out, struct pl_err *err);

/* The longest piece of hardware's or a user's text that documents for people show, in bytes. */
#define PL_OUT_TEXT_BYTES 200

/* Text of hardware or a user made printable (see pl_fmt_printable), whole; NULL stays NULL. */
const char *pl_out_clean(struct pl_arena *arena, const char *text);
/* The same, cut to at most bytes with "…". */
const char *pl_out_cut(struct pl_arena *arena, const char *text, size_t bytes);
/* The same, cut to PL_OUT_TEXT_BYTES with "…"; NULL gives fallback. */
const char *pl_out_short(struct pl_arena *arena, const char *text, const char *fallback);

#endif
