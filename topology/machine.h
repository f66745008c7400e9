#ifndef PL_TOPOLOGY_MACHINE_H
#define PL_TOPOLOGY_MACHINE_H

#include "core/sysroot.h"
#include "model/run.h"

/* run->machine from the live machine or a capture; what is not there stays NULL. */
void pl_machine_facts(struct pl_run *run, const struct pl_sysroot *root);

#endif
