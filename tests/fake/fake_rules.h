#ifndef PL_TESTS_FAKE_RULES_H
#define PL_TESTS_FAKE_RULES_H

/* The kernel's side of the fake machine: what a write to a file does to registers and files. */

#include "tests/fake/fake_kernel.h"

/* Reads the registers as the kernel does at enumeration; may_mark: drivers may have set marks. */
void fake_boot_link(struct fake_kernel *fake, size_t index, struct pl_rng *rng, bool may_mark);
bool fake_attr_exists(const struct fake_kernel *fake, size_t index, enum pl_aspm_attr attr);
void fake_show_attrs(struct fake_kernel *fake, size_t index);
void fake_show_policy(struct fake_kernel *fake);
/* One write by the tool: checks the rules of writing, then does what the kernel would. */
int fake_write(struct fake_kernel *fake, const struct pl_sysroot *root, const char *path,
	       const char *text);

#endif
