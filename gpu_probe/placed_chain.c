#include "gpu_probe/placed_chain.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "gpu_probe/buffer.h"

int pl_placed_chain_open(struct pl_placed_chain *placed, struct pl_gpu_device *d,
			 enum pl_gpu_memory memory, uint64_t region_bytes, uint64_t seed,
			 struct pl_err *err)
{
	int rc = pl_gpu_device_open(d, err);

	*placed = (struct pl_placed_chain){.device = d, .memory = memory};
	if (!rc)
		rc = pl_gpu_buffer_need(d, memory, region_bytes, err);
	if (!rc)
		rc = pl_chain_init(&placed->chain, region_bytes, seed, err);
	return rc;
}

void pl_placed_chain_close(struct pl_placed_chain *placed)
{
	if (placed->device && placed->device->chains[placed->memory].laid_by == placed)
		placed->device->chains[placed->memory].laid_by = NULL;
	pl_chain_fini(&placed->chain);
}

int pl_placed_chain_lay(struct pl_placed_chain *placed, struct pl_err *err)
{
	struct pl_gpu_device *d = placed->device;
	struct pl_gpu_buffer *to = &d->chains[placed->memory], *through = to;
	struct pl_gpu_timing timing;
	int rc = 0;

	if (to->laid_by == placed)
		return 0;
	if (!to->words)
		rc = pl_gpu_buffer_staging(d, placed->chain.region_bytes, &through, err);
	if (rc)
		return rc;
	to->laid_by = NULL;
	pl_chain_lay(&placed->chain, through->words);
	if (through != to)
		rc = pl_gpu_copy(d, through, to, placed->chain.region_bytes, &timing, err);
	if (!rc)
		to->laid_by = placed;
	return rc;
}

/* What was removed answers loads all the same, with ones or zeros. */
static bool is_gone(const struct pl_placed_chain *placed)
{
	const char *file = placed->device->import_file;

	return placed->memory == PL_GPU_HOST_FILE && file && access(file, F_OK);
}

static int check_walk(struct pl_placed_chain *placed, uint64_t loads, uint32_t done,
		      struct pl_err *err)
{
	const struct pl_gpu_device *d = placed->device;
	uint32_t end = d->result.words[PL_RESULT_END];
	uint32_t want = pl_chain_end(&placed->chain, placed->at, loads);

	if (end != want && is_gone(placed))
		return pl_fail(err, -ENODEV,
			       "%s: %s went away while the chain lay in it: the device was removed",
			       d->name, d->import_file);
	if (done != loads)
		return pl_fail(err, -EIO,
			       "%s: the kernel ended after %u of %" PRIu64
			       " loads; the driver cut its loop short",
			       d->name, done, loads);
	if (end != want)
		return pl_fail(err, -EIO,
			       "%s: after %" PRIu64
			       " loads the chase ended at word 0x%x instead of "
			       "0x%x; its time means nothing",
			       d->name, loads, end, want);
	return 0;
}

int pl_placed_chain_run(struct pl_placed_chain *placed, enum pl_gpu_kernel kernel,
			struct pl_push *push, uint64_t loads, struct pl_gpu_timing *timing,
			struct pl_err *err)
{
	struct pl_gpu_device *d = placed->device;
	int rc = pl_placed_chain_lay(placed, err);

	if (rc)
		return rc;
	push->start = placed->chain.order[placed->at];
	push->zero = 0;
	rc = pl_gpu_dispatch(d, kernel, &d->chains[placed->memory], push, 1, timing, err);
	if (rc)
		return rc;
	placed->loads_total += loads;
	rc = check_walk(placed, loads, d->result.words[PL_RESULT_COUNT], err);
	placed->at = (placed->at + loads) % placed->chain.count;
	return rc;
}
