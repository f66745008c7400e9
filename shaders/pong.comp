#version 450
// Waits for the CPU's flag to reach the next value and answers with the same value, `count` times.
// Gives up after push.polls loop turns, so that a CPU that went away never hangs the GPU.
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) coherent PL_VOLATILE buffer Flags
{
	uint flags[];
};

void main()
{
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint lane = PL_LANE_TERM;

	lane += flags[lane] & push.zero; // fetches the descriptor before the loop
	uint polls = 0;
	uint rounds = 0;

	for (; polls < push.polls && rounds < push.count; polls++) {
		uint want = push.round + rounds + 1;

		// Sixteen polls a turn: llvmpipe counts turns.
		if (flags[lane] != want && flags[lane] != want && flags[lane] != want &&
		    flags[lane] != want && flags[lane] != want && flags[lane] != want &&
		    flags[lane] != want && flags[lane] != want && flags[lane] != want &&
		    flags[lane] != want && flags[lane] != want && flags[lane] != want &&
		    flags[lane] != want && flags[lane] != want && flags[lane] != want &&
		    flags[lane] != want)
			continue;
		flags[PL_PONG_REPLY + lane] = want;
		rounds++;
	}
	result[PL_RESULT_COUNT] = rounds;
}
