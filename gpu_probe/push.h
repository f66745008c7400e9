#ifndef PL_GPU_PROBE_PUSH_H
#define PL_GPU_PROBE_PUSH_H

/* The layout shared with the kernels, for C: `uint` must exist before it is included. */
#include <sys/types.h>

#include "shaders/layout.h"

#endif
