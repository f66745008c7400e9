#ifndef PL_REPORT_PACK_H
#define PL_REPORT_PACK_H

#include <stddef.h>
#include <stdio.h>

/* What a page carries but nobody reads in it: base64 (RFC 4648) of gzip (RFC 1952), one line. */

/* Errors: -ENOMEM; what `out` could not take is the caller's to find. */
int pl_pack(const char *text, size_t size, FILE *out);
/*
 * The text again, NUL-terminated, for the caller to free. NULL: not base64, not gzip, torn, or more
 * than `most` bytes.
 */
char *pl_unpack(const char *packed, size_t length, size_t most);

#endif
