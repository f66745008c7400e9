#include "report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fmt.h"

json_t *pl_json_text(const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	char small[512], *clean = size > sizeof(small) ? malloc(size) : small;
	json_t *value;

	if (!text)
		return json_null();
	if (!clean)
		return NULL;
	value = json_string(pl_fmt_printable(clean, size, text));
	if (clean != small)
		free(clean);
	return value;
}

json_t *pl_json_ns(double ns)
{
	return isfinite(ns) ? json_real(round(ns * 1e3) / 1e3) : json_null();
}

json_t *pl_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *pl_json_maybe(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

json_t *pl_json_bdf(struct pl_bdf bdf)
{
	char text[PL_BDF_TEXT];

	return json_string(pl_bdf_format(bdf, text));
}

json_t *pl_json_positive(uint64_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

void pl_json_escape_html(const char *json, FILE *out)
{
	for (; *json; json++)
		if (*json == '<' || *json == '>' || *json == '&')
			fprintf(out, "\\u%04x", (unsigned)*json);
		else
			fputc(*json, out);
}
