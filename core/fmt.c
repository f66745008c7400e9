#include "core/fmt.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double scale;
};

static const struct unit time_units[] = {
	{"ns", 1.0}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0.0}};

/* The unit in which |ns| has one to three digits before the point. */
static const struct unit *unit_for(double ns)
{
	const struct unit *unit = time_units;

	while (unit[1].name && fabs(ns) >= unit->scale * 999.5)
		unit++;
	return unit;
}

static int decimals_for(double value)
{
	double magnitude = fabs(value);

	if (magnitude >= 99.95)
		return 0;
	return magnitude >= 9.995 ? 1 : 2;
}

char *pl_fmt_ns(char *out, size_t size, double ns)
{
	const struct unit *unit = unit_for(ns);
	double value = ns / unit->scale;

	if (!isfinite(ns))
		snprintf(out, size, "n/a");
	else if (unit == time_units && fabs(ns) >= 9.995)
		snprintf(out, size, "%.0f ns", ns);
	else
		snprintf(out, size, "%.*f %s", decimals_for(value), value, unit->name);
	return out;
}

char *pl_fmt_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	unsigned i = 0;

	while (i < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, size, "%llu %s", (unsigned long long)bytes, names[i]);
	return out;
}

/* Decimals that show half to one significant digit, two when that digit would be a 1. */
static int decimals_of_half(double half)
{
	int exponent;

	if (!(half > 0.0))
		return 2;
	exponent = (int)floor(log10(half));
	if (half / pow(10.0, exponent) < 2.0)
		exponent--;
	return exponent >= 0 ? 0 : -exponent;
}

char *pl_fmt_ns_pm(char *out, size_t size, double ns, double half_width_ns)
{
	const struct unit *unit = unit_for(fmax(fabs(ns), half_width_ns));
	int decimals;

	if (!isfinite(ns) || !isfinite(half_width_ns)) {
		snprintf(out, size, "n/a");
		return out;
	}
	decimals = decimals_of_half(half_width_ns / unit->scale);
	if (decimals > 3)
		decimals = 3;
	snprintf(out, size, "%.*f ± %.*f %s", decimals, ns / unit->scale, decimals,
		 half_width_ns / unit->scale, unit->name);
	return out;
}

char *pl_fmt_duration(char *out, size_t size, double seconds)
{
	unsigned long whole = seconds > 0.0 ? (unsigned long)(seconds + 0.5) : 0;

	if (whole >= 3600)
		snprintf(out, size, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
	else if (whole >= 60)
		snprintf(out, size, "%lu min %02lu s", whole / 60, whole % 60);
	else
		snprintf(out, size, "%lu s", whole);
	return out;
}

/* Length of the UTF-8 sequence at text and its code point; 0 when it is not valid (RFC 3629). */
static size_t utf8_decode(const unsigned char *text, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length;

	if (text[0] < 0x80) {
		*point = text[0];
		return 1;
	}
	length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	*point = text[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*point = (*point << 6) | (text[i] & 0x3f);
	}
	if (*point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return length;
}

/* Controls, and the marks that reorder text on a screen (Unicode bidirectional formatting). */
static bool is_dangerous(uint32_t p)
{
	return p < 0x20 || (p >= 0x7f && p < 0xa0) || p == 0x061c || p == 0x200e || p == 0x200f ||
	       (p >= 0x2028 && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069) || p == 0xfeff;
}

char *pl_fmt_printable(char *out, size_t size, const char *text)
{
	const unsigned char *in = (const unsigned char *)text;
	size_t used = 0;

	while (size && *in) {
		uint32_t point = 0;
		size_t length = utf8_decode(in, &point);
		bool bad = !length || is_dangerous(point);
		size_t put = bad ? 1 : length;

		if (used + put >= size)
			break;
		if (bad)
			out[used] = '?';
		else
			memcpy(out + used, in, length);
		used += put;
		in += length ? length : 1;
	}
	if (size)
		out[used] = '\0';
	return out;
}

static int parse_scaled(const char *text, const struct unit *units, uint64_t *value)
{
	char *end = NULL;
	double number;

	if (!text || !(isdigit((unsigned char)*text) || *text == '.'))
		return -EINVAL;
	errno = 0;
	number = strtod(text, &end);
	if (errno || end == text)
		return -EINVAL;
	while (isspace((unsigned char)*end))
		end++;
	for (; units->name; units++) {
		if (strcasecmp(end, units->name))
			continue;
		if (!(number * units->scale < 9e18))
			return -ERANGE;
		*value = (uint64_t)(number * units->scale + 0.5);
		return 0;
	}
	return -EINVAL;
}

int pl_fmt_parse_ns(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {{"", 1.0},     {"ns", 1.0}, {"us", 1e3},   {"µs", 1e3},
					    {"ms", 1e6},   {"s", 1e9},  {"min", 60e9}, {"m", 60e9},
					    {"h", 3600e9}, {NULL, 0.0}};

	return parse_scaled(text, units, ns);
}

int pl_fmt_parse_bytes(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {
		{"", 1.0},        {"B", 1.0},         {"K", 1024.0},       {"KiB", 1024.0},
		{"M", 1048576.0}, {"MiB", 1048576.0}, {"G", 1073741824.0}, {"GiB", 1073741824.0},
		{NULL, 0.0}};

	return parse_scaled(text, units, bytes);
}

int pl_fmt_parse_u64(const char *text, uint64_t limit, uint64_t *value)
{
	char *end = NULL;

	if (!text || !isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	if (errno || *value > limit)
		return -ERANGE;
	return *end ? -EINVAL : 0;
}
