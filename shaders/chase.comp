#version 450
// Dependent loads by one lane. 64 lanes are there so that the index is not known to be uniform;
// software devices, which run lanes one after another, specialise to 1.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) PL_VOLATILE buffer Chain
{
	uint chain[];
};

void main()
{
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint p = push.start + PL_LANE_TERM;
	uint turns = 0;

	p = chain[p]; // fetches the descriptor, which would else be fetched in every turn
	for (; turns < push.count / PL_CHASE_UNROLL; turns++) {
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
		p = chain[p];
	}
	result[PL_RESULT_END] = p;
	result[PL_RESULT_COUNT] = 1 + turns * PL_CHASE_UNROLL;
}
