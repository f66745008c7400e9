#include <math.h>

#include "core/clock.h"
#include "gpu_probe/kernel.h"
#include "gpu_probe/probe.h"

#define GROUPS 2048u
#define FIRST_TURNS 1024u
#define MAX_TURNS (UINT32_C(1) << 24)
#define SLICE_NS 20e6
#define FIRST_WARM_NS 250e6
#define AGAIN_WARM_NS 30e6
#define PAUSE_NS UINT64_C(50000000) /* GPUs lower their clocks after tens of ms */

static int run_slice(struct pl_gpu_device *d, double *ns, struct pl_err *err)
{
	struct pl_push push = {.count = d->warm_turns};
	struct pl_gpu_timing timing;
	int rc = pl_gpu_dispatch(d, PL_KERNEL_WARM, &d->result, &push, GROUPS, &timing, err);

	*ns = timing.host_ns;
	if (!rc && *ns < SLICE_NS && d->warm_turns < MAX_TURNS)
		d->warm_turns *= 2;
	return rc;
}

int pl_gpu_warm(struct pl_gpu_device *d, struct pl_err *err)
{
	bool is_first = !d->warm_turns;
	double target_ns = is_first ? FIRST_WARM_NS : AGAIN_WARM_NS, sum_ns = 0, ns = 0;
	int rc = 0;

	if (d->kind == PL_GPU_SOFTWARE || (!is_first && pl_raw_ns() - d->busy_until_ns < PAUSE_NS))
		return 0;
	if (is_first)
		d->warm_turns = FIRST_TURNS;
	for (; sum_ns < target_ns && !rc; sum_ns += ns)
		rc = run_slice(d, &ns, err);
	return rc;
}
