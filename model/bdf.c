#include "model/bdf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *pl_bdf_format(struct pl_bdf bdf, char out[PL_BDF_TEXT])
{
	snprintf(out, PL_BDF_TEXT, "%04x:%02x:%02x.%x", bdf.domain, bdf.bus, bdf.dev, bdf.fn);
	return out;
}

int pl_bdf_parse(const char *text, struct pl_bdf *bdf)
{
	unsigned domain = 0, bus, dev, fn;
	int used = -1;

	if (!text)
		return -EINVAL;
	sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &dev, &fn, &used);
	if (used < 0) {
		domain = 0;
		sscanf(text, "%2x:%2x.%1x%n", &bus, &dev, &fn, &used);
	}
	if (used < 0 || text[used] || dev > 31 || fn > 7 || strpbrk(text, "+-xX \t"))
		return -EINVAL;
	*bdf = (struct pl_bdf){domain, (uint8_t)bus, (uint8_t)dev, (uint8_t)fn};
	return 0;
}

int pl_bdf_compare(struct pl_bdf a, struct pl_bdf b)
{
	if (a.domain != b.domain)
		return a.domain < b.domain ? -1 : 1;
	if (a.bus != b.bus)
		return a.bus < b.bus ? -1 : 1;
	if (a.dev != b.dev)
		return a.dev < b.dev ? -1 : 1;
	return (a.fn > b.fn) - (a.fn < b.fn);
}

bool pl_bdf_is_equal(struct pl_bdf a, struct pl_bdf b)
{
	return pl_bdf_compare(a, b) == 0;
}
