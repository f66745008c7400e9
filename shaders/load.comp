#version 450
// Dependent loads, each between two reads of the clock. The address depends on the first read, and
// the second stands behind a branch on the loaded value: a compiler may otherwise put it before the
// wait for the load, and all loads look as fast as the clock. No node holds all ones.
#extension GL_GOOGLE_include_directive : require
#include "clock.glsl"
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) PL_VOLATILE buffer Chain
{
	uint chain[];
};
shared uint record[PL_RECORD_LOADS];
shared uint bins[PL_BINS];

void keep(uint i, uint ticks)
{
	uint shift = max(findMSB(ticks), PL_BINS_SHIFT) - PL_BINS_SHIFT;

	bins[shift * PL_BINS_OCTAVE + (ticks >> shift)]++;
	if (i < PL_RECORD_LOADS)
		record[i] = ticks;
}

void main()
{
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint p = push.start + PL_LANE_TERM;
	uint empty = 0xffffffffu;
	uint i = 0;

	for (uint k = 0; k < PL_BINS; k++)
		bins[k] = 0;
	p = chain[p]; // fetches code and descriptor, which would else be fetched inside the loop
	if (p == 0xffffffffu)
		return; // waits for it: its time is no sample
	for (; i < push.count; i++) {
		uint t0 = PL_LOAD_CLOCK();
		uint q = chain[p + (t0 & push.zero)];
		if (q == 0xffffffffu)
			break;
		uint t1 = PL_LOAD_CLOCK();
		uint t2 = PL_LOAD_CLOCK();

		keep(i, (t1 - t0) & push.load_mask);
		empty = min(empty, (t2 - t1) & push.load_mask);
		p = q;
	}
	result[PL_RESULT_END] = p;
	result[PL_RESULT_COUNT] = 1 + i;
	result[PL_RESULT_EMPTY] = empty;
	for (uint k = 0; k < min(push.count, PL_RECORD_LOADS); k++)
		result[PL_RESULT_RECORD + k] = record[k];
	for (uint k = 0; k < PL_BINS; k++)
		result[PL_RESULT_BINS + k] = bins[k];
}
