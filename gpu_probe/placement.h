#ifndef PL_GPU_PROBE_PLACEMENT_H
#define PL_GPU_PROBE_PLACEMENT_H

#include "model/run.h"

/*
 * Looks at the finished measurements of a run: on a discrete GPU a chase in host memory must take
 * clearly longer than one in VRAM of the same region size. Where it does not, the memory was not
 * where the driver said, and the host measurement gets "W-PLACEMENT: …" and loses is_valid. Pure:
 * model in, model out. Returns how many were suspect.
 */
size_t pl_gpu_check_placement(struct pl_run *run);

#endif
