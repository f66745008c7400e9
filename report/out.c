#include "report/out.h"

#include <errno.h>
#include <string.h>

#include "core/fmt.h"

int pl_out_finish(FILE *out, struct pl_err *err)
{
	int code;

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

const char *pl_out_short(struct pl_arena *arena, const char *text, const char *fallback)
{
	char out[PL_OUT_TEXT_BYTES + 1];

	if (!text)
		return fallback;
	pl_fmt_printable(out, sizeof(out), text);
	if (strlen(text) <= PL_OUT_TEXT_BYTES)
		return pl_arena_strdup(arena, out);
	return pl_arena_printf(arena, "%s…", out);
}
