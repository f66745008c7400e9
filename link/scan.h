#ifndef PL_LINK_SCAN_H
#define PL_LINK_SCAN_H

#include "core/err.h"
#include "core/sysroot.h"
#include "model/run.h"

/*
 * Fills run->aspm_links (emptied first): every port that owns a link and has something below it,
 * in the order of the ports. Virtual functions are left out: their link registers are not theirs.
 */
int pl_link_scan(struct pl_run *run, const struct pl_sysroot *root, struct pl_err *err);
/* Adds the flags of one link: what is suspicious about it. */
void pl_link_flag(struct pl_run *run, struct pl_aspm_link *link);

#endif
