#ifndef PL_CORE_ERR_H
#define PL_CORE_ERR_H

#include <stdarg.h>

/*
 * Why a call failed, in one sentence for a person. Every function that takes a `struct pl_err *`
 * returns 0 (or a count) on success and -errno on failure; the sentence is written once, where
 * the cause is known, and passed up unchanged. `err` may be NULL where nobody wants the sentence.
 */
struct pl_err {
	int code; /* the -errno that goes with text; 0 when nothing failed */
	char text[512];
};

/* Writes the sentence and returns code (a negative errno), so that `return pl_fail(…)` works. */
int pl_fail(struct pl_err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
