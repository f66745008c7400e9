#version 450
// Arithmetic on every core and no memory traffic: one busy lane looks idle to a GPU, and its clocks
// stay low.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(local_size_x_id = 0) in;

void main()
{
	float a = float(gl_GlobalInvocationID.x);
	float b = float(push.zero) + 1.0000001;

	for (uint i = 0; i < push.count; i++)
		a = fma(a, b, 0.5);
	if (a == -1.0)
		result[PL_RESULT_END] = 1;
	if (gl_GlobalInvocationID.x == 0)
		result[PL_RESULT_COUNT] = push.count;
}
