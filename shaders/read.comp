#version 450
// The whole GPU reads the region, 16 bytes per lane and turn; caches are welcome. The sum of all
// words is the proof that everything was read.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) readonly buffer Data
{
	uvec4 data[];
};

void main()
{
	uint lanes = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
	uint quads = push.words / 4;
	uint at = gl_GlobalInvocationID.x % quads;
	uint sum = 0;
	uint turns = 0;

	for (; turns < push.count; turns++) {
		uvec4 v = data[at + (turns & push.zero)];

		sum += v.x + v.y + v.z + v.w;
		at = (at + lanes) % quads;
	}
	atomicAdd(result[PL_RESULT_END], sum);
	atomicAdd(result[PL_RESULT_COUNT], turns);
}
