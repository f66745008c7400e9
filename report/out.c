#include "report/out.h"

#include <errno.h>
#include <string.h>

#include "core/fmt.h"

/*
 * A stream that failed before keeps failing, each time with the cause in errno, so that the last
 * write of the document says why; only a stream without an error starts with a clean errno.
 */
int pl_out_finish(FILE *out, struct pl_err *err)
{
	int code;

	if (!ferror(out))
		errno = 0;
	if (!fflush(out) && !ferror(out))
		return 0;
	code = errno ? -errno : -EIO;
	return pl_fail(err, code, "the output could not be written: %s", strerror(-code));
}

const char *pl_out_clean(struct pl_arena *arena, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;

	return text ? pl_fmt_printable(pl_arena_alloc(arena, size), size, text) : NULL;
}

const char *pl_out_cut(struct pl_arena *arena, const char *text, size_t bytes)
{
	char *out;

	if (!text || strlen(text) <= bytes)
		return pl_out_clean(arena, text);
	out = pl_fmt_printable(pl_arena_alloc(arena, bytes + 1), bytes + 1, text);
	return pl_arena_printf(arena, "%s…", out);
}

const char *pl_out_short(struct pl_arena *arena, const char *text, const char *fallback)
{
	return text ? pl_out_cut(arena, text, PL_OUT_TEXT_BYTES) : fallback;
}
