#version 450
// The same chase in the memory of the workgroup: what a load costs that leaves the core nowhere.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) PL_VOLATILE buffer Chain
{
	uint chain[];
};
shared uint words[PL_ON_CHIP_WORDS];

void main()
{
	for (uint i = gl_LocalInvocationIndex; i < PL_ON_CHIP_WORDS; i += gl_WorkGroupSize.x)
		words[i] = chain[i];
	barrier();
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint p = push.start + PL_LANE_TERM;
	uint turns = 0;

	p = words[p]; // as in chase.comp
	for (; turns < push.count / PL_CHASE_UNROLL; turns++) {
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
		p = words[p];
	}
	result[PL_RESULT_END] = p;
	result[PL_RESULT_COUNT] = 1 + turns * PL_CHASE_UNROLL;
}
