// Common to all kernels: bindings, push constants, and the two protections of the chase.
//
// A load from the chain must be a vector load that no cache near the core may serve. Two things
// see to it, each alone sufficient against a scalar load on AMD: the volatile qualifier, and an
// index with a per-lane term that is always zero. The compiler gate (tests/gpu) builds every
// kernel with one of them taken away and looks at the machine code.
//
// Only lane 0 works, and the test for it must not tell the compiler so: after `index != 0` it puts
// 0 for the index, and the lane term is gone. Hence `index > push.zero`.
#extension GL_GOOGLE_include_directive : require
#include "layout.h"

#ifndef PL_VOLATILE
#define PL_VOLATILE volatile
#endif
#ifndef PL_LANE_TERM
#define PL_LANE_TERM (gl_LocalInvocationIndex * push.zero)
#endif

layout(push_constant) uniform Push
{
	pl_push push;
};
layout(set = 0, binding = PL_BINDING_RESULT, std430) buffer Result
{
	uint result[];
};
