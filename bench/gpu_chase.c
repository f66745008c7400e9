/*
 * gpu_chase [PAIRS]: a Vulkan device's chase against the CPU's walk of the very same chain, per
 * region size. On lavapipe, which runs on the CPU, the ratio says what the kernel itself costs; it
 * must not change from run to run. Interleaved; the median of the pairs. Run it with
 * VK_DRIVER_FILES pointing at one driver.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "gpu_probe/buffer.h"
#include "gpu_probe/instance.h"
#include "gpu_probe/placed_chain.h"

#define PAIRS_MAX ((size_t)1001)
#define HOPS (16u * 8192u)

struct row {
	uint64_t region_bytes;
	double gpu_ns, cpu_ns, ratio;
};

/* One chase and one walk of each length; every least time is kept. */
struct least {
	double gpu_brief, gpu_extended, cpu_brief, cpu_extended;
};

static void keep(double *least, double ns)
{
	if (*least == 0.0 || ns < *least)
		*least = ns;
}

static int gpu_chase(struct pl_placed_chain *placed, uint32_t hops, double *least,
		     struct pl_err *err)
{
	struct pl_push push = {.count = hops};
	struct pl_gpu_timing timing;
	int rc = pl_placed_chain_run(placed, PL_KERNEL_CHASE, &push, 1 + hops, &timing, err);

	if (!rc)
		keep(least, timing.device_ns);
	return rc;
}

/* The CPU ends where the GPU would: the same words, the same number of hops. */
static int cpu_chase(const struct pl_placed_chain *placed, const volatile uint32_t *words,
		     uint32_t hops, double *least, struct pl_err *err)
{
	uint32_t start = placed->chain.order[placed->at];
	uint64_t from = pl_raw_ns();
	uint32_t end = pl_chain_walk(words, start, 1 + hops);

	keep(least, (double)(pl_raw_ns() - from));
	if (end != pl_chain_end(&placed->chain, placed->at, 1 + hops))
		return pl_fail(err, -1, "the CPU's walk ended on a wrong node");
	return 0;
}

static int measure(struct pl_gpu_device *d, size_t pairs, struct row *row, struct pl_err *err)
{
	enum pl_gpu_memory memory = pl_gpu_host_class(d);
	struct least least = {0, 0, 0, 0};
	struct pl_placed_chain placed;
	int rc = pl_placed_chain_open(&placed, d, memory, row->region_bytes, 1, err);

	for (size_t i = 0; i < pairs && !rc; i++) {
		const volatile uint32_t *words = d->chains[memory].words;

		rc = gpu_chase(&placed, HOPS / 4, &least.gpu_brief, err);
		if (!rc)
			rc = gpu_chase(&placed, HOPS, &least.gpu_extended, err);
		if (!rc)
			rc = cpu_chase(&placed, words, HOPS / 4, &least.cpu_brief, err);
		if (!rc)
			rc = cpu_chase(&placed, words, HOPS, &least.cpu_extended, err);
	}
	row->gpu_ns = (least.gpu_extended - least.gpu_brief) / (HOPS - HOPS / 4);
	row->cpu_ns = (least.cpu_extended - least.cpu_brief) / (HOPS - HOPS / 4);
	row->ratio = row->gpu_ns / row->cpu_ns;
	pl_placed_chain_close(&placed);
	return rc;
}

int main(int argc, char **argv)
{
	size_t pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 21, count = 0;
	struct pl_gpu_instance instance;
	struct pl_err err = {0, ""};
	struct row rows[16];

	if (pairs < 1 || pairs > PAIRS_MAX)
		pairs = 21;
	if (pl_gpu_instance_open(&instance, NULL, &err) ||
	    pl_gpu_device_open(&instance.devices[0], &err)) {
		fprintf(stderr, "gpu_chase: %s\n", err.text);
		return 1;
	}
	printf("%s, %zu pairs\n%12s %10s %10s %8s\n", instance.devices[0].properties.deviceName,
	       pairs, "region", "GPU ns", "CPU ns", "ratio");
	for (uint64_t bytes = 4096; bytes <= 64u << 20; bytes *= 4, count++) {
		rows[count] = (struct row){.region_bytes = bytes};
		if (measure(&instance.devices[0], pairs, &rows[count], &err)) {
			fprintf(stderr, "gpu_chase: %s\n", err.text);
			return 1;
		}
		printf("%12" PRIu64 " %10.2f %10.2f %8.3f\n", bytes, rows[count].gpu_ns,
		       rows[count].cpu_ns, rows[count].ratio);
	}
	printf("{\"pairs\": %zu, \"final_pointer\": \"equal\", \"ratio\": {", pairs);
	for (size_t i = 0; i < count; i++)
		printf("%s\"%" PRIu64 "\": %.3f", i ? ", " : "", rows[i].region_bytes,
		       rows[i].ratio);
	printf("}}\n");
	pl_gpu_instance_close(&instance);
	return 0;
}
