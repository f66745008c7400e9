#include "gpu_probe/tick_rate.h"

/* By time: a preempted run has more ticks too, and would look the best per tick. */
static const struct pl_tick_run *least(const struct pl_tick_run *runs, size_t count)
{
	const struct pl_tick_run *best = runs;

	for (size_t i = 1; i < count; i++)
		if (runs[i].ns < best->ns)
			best = &runs[i];
	return best;
}

int pl_tick_rate(const struct pl_tick_run *brief, const struct pl_tick_run *extended, size_t count,
		 double *ns_per_tick)
{
	const struct pl_tick_run *a = least(brief, count), *b = least(extended, count);

	if (b->ticks <= a->ticks || b->ns <= a->ns)
		return -1;
	*ns_per_tick = (b->ns - a->ns) / (b->ticks - a->ticks);
	return 0;
}
