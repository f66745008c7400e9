#ifndef PL_LINK_REGS_H
#define PL_LINK_REGS_H

#include "link/io.h"
#include "model/aspm_link.h"

/*
 * Reads the registers of one function and decodes them. What this user may not read is left out
 * (is_readable, has_l1ss, has_ltr false). -ENODEV when the device answers with all ones or is gone,
 * other -errno when not even its id could be read.
 */
int pl_link_read_function(const struct pl_sysroot *root, struct pl_bdf bdf,
			  struct pl_aspm_function *function);
/* Whether it reads as all ones, or has no files any more. */
bool pl_link_is_function_gone(const struct pl_sysroot *root, struct pl_bdf bdf);
/* Reads both ends of a link again (bdf of every function is given) and decodes it. */
int pl_link_read_link(const struct pl_sysroot *root, struct pl_aspm_link *link);
/* The kernel's seven files: 1, 0, -1. */
void pl_link_read_attrs(const struct pl_sysroot *root, struct pl_bdf child,
			int attr[PL_ATTR_COUNT]);

#endif
