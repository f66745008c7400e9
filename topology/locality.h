#ifndef PL_TOPOLOGY_LOCALITY_H
#define PL_TOPOLOGY_LOCALITY_H

#include "core/sysroot.h"
#include "model/run.h"

/*
 * NUMA node and local CPUs of each device, and the number of NUMA nodes, from hwloc. What hwloc
 * does not know stays -1 / NULL; a failure is a skip with its reason, never an error.
 */
void pl_locality(struct pl_run *run, const struct pl_sysroot *root);

#endif
