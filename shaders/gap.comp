#version 450
// An idle gap without memory traffic, one timed load, and at once a second one: their difference is
// what the gap cost. The gap counts from right after the last load. Its turns go into the next
// address, because a loop whose result nobody uses is deleted, and its real length is recorded.
#extension GL_GOOGLE_include_directive : require
#include "clock.glsl"
#include "kernel.glsl"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = PL_BINDING_CHAIN, std430) PL_VOLATILE buffer Chain
{
	uint chain[];
};
shared uint record[PL_RECORD_GAPS * PL_GAP_WORDS];

uint last, waited, reads;

void tick()
{
	uint now = PL_GAP_CLOCK();

	waited += (now - last) & push.clock_mask;
	last = now;
	reads++;
}

void wait_for_the_gap()
{
	uint turns = 0;

	waited = 0;
	for (; waited + push.coarse < push.gap && turns < push.polls; turns++) {
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
		tick();
	}
	for (; waited < push.gap && turns < push.polls; turns++)
		tick();
	tick();
}

void main()
{
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint p = push.start + PL_LANE_TERM;
	uint empty = 0xffffffffu;
	uint i = 0;

	p = chain[p]; // fetches the code and the descriptors of what follows
	p = chain[p];
	if (p == 0xffffffffu)
		return; // waits for them
	reads = p & push.zero;
	last = PL_GAP_CLOCK();
	for (; i < push.count; i++) {
		wait_for_the_gap();
		p += reads & push.zero;
		uint t0 = PL_LOAD_CLOCK();
		uint q = chain[p + (t0 & push.zero)];
		if (q == 0xffffffffu)
			break;
		uint t1 = PL_LOAD_CLOCK();
		uint r = chain[q + (t1 & push.zero)];
		if (r == 0xffffffffu)
			break;
		uint t2 = PL_LOAD_CLOCK();
		uint t3 = PL_LOAD_CLOCK();

		last = PL_GAP_CLOCK();
		record[i * PL_GAP_WORDS + PL_GAP_REAL] = waited;
		record[i * PL_GAP_WORDS + PL_GAP_FIRST] = (t1 - t0) & push.load_mask;
		record[i * PL_GAP_WORDS + PL_GAP_SECOND] = (t2 - t1) & push.load_mask;
		empty = min(empty, (t3 - t2) & push.load_mask);
		p = r;
	}
	result[PL_RESULT_END] = p;
	result[PL_RESULT_COUNT] = 2 + 2 * i;
	result[PL_RESULT_EMPTY] = empty;
	for (uint k = 0; k < push.count * PL_GAP_WORDS; k++)
		result[PL_RESULT_RECORD + k] = record[k];
}
