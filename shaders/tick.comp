#version 450
// Reads the clock of loads all the time and adds up its ticks: two lengths of this, against the
// timestamps of the queue, say how long a tick is.
#extension GL_GOOGLE_include_directive : require
#include "clock.glsl"
#include "kernel.glsl"

layout(local_size_x_id = 0) in;

uint last, ticks;

void tick()
{
	uint now = PL_LOAD_CLOCK();

	ticks += (now - last) & push.load_mask;
	last = now;
}

void main()
{
	if (gl_LocalInvocationIndex > push.zero)
		return;
	uint turns = 0;

	ticks = 0;
	last = PL_LOAD_CLOCK();
	for (; turns < push.count; turns++) {
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
	result[PL_RESULT_COUNT] = turns;
	result[PL_RESULT_TICKS] = ticks;
}
