#ifndef PL_MODEL_BDF_H
#define PL_MODEL_BDF_H

#include <stdbool.h>
#include <stdint.h>

/* The address of one PCI function: domain, bus, device, function. */
struct pl_bdf {
	uint32_t domain;
	uint8_t bus, dev, fn;
};

#define PL_BDF_TEXT 24

/* "0000:01:00.0", as sysfs writes it (five and more digits for large domains). Returns out. */
char *pl_bdf_format(struct pl_bdf bdf, char out[PL_BDF_TEXT]);
/* Accepts "0000:01:00.0" and "01:00.0"; the whole text must match. 0 or -EINVAL. */
int pl_bdf_parse(const char *text, struct pl_bdf *bdf);
bool pl_bdf_is_equal(struct pl_bdf a, struct pl_bdf b);
/* Order by domain, bus, device, function: <0, 0, >0. */
int pl_bdf_compare(struct pl_bdf a, struct pl_bdf b);

#endif
