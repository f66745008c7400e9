#include "report/read.h"

#include <math.h>

const char *pl_read_text(struct pl_run *run, const json_t *object, const char *key)
{
	return pl_arena_strdup(&run->arena, json_string_value(json_object_get(object, key)));
}

double pl_read_real(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	double real = json_is_number(value) ? json_number_value(value) : (double)NAN;

	return fabs(real) <= PL_READ_REAL_MAX ? real : (double)NAN;
}

double pl_read_latency_ns(const json_t *value)
{
	double ns = json_is_number(value) ? json_number_value(value) : (double)NAN;

	return ns >= 0.0 && ns <= PL_READ_REAL_MAX ? ns : (double)NAN;
}

int64_t pl_read_i64(const json_t *object, const char *key, int64_t missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : missing;
}

uint64_t pl_read_u64(const json_t *object, const char *key, uint64_t missing)
{
	int64_t value = pl_read_i64(object, key, -1);

	return value < 0 ? missing : (uint64_t)value;
}

int pl_read_maybe(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : -1;
}

bool pl_read_bool(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

bool pl_read_bdf(const json_t *value, struct pl_bdf *bdf)
{
	const char *text = json_string_value(value);

	return text && !pl_bdf_parse(text, bdf);
}

const char *const *pl_read_texts(struct pl_run *run, const json_t *object, const char *key,
				 size_t *count)
{
	const json_t *array = json_object_get(object, key);
	size_t size = json_array_size(array);
	const char **texts = pl_arena_array(&run->arena, size, sizeof(*texts));

	*count = 0;
	for (size_t i = 0; i < size; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (text)
			texts[(*count)++] = pl_arena_strdup(&run->arena, text);
	}
	return texts;
}
