/*
 * nvme_read FILE PATH READS [LATENCIES]: the reads of `pcielat run --file FILE` and nothing else
 * (no statistics, so that its instructions can be counted), for bench/nvme_vs_fio. PATH is a
 * software path by its name. LATENCIES gets one latency in ns a line.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvme_probe/nvme_probe.h"

static int measure(char **argv, enum pl_clock_choice choice, uint64_t *ticks, size_t reads,
		   double *ns_per_tick)
{
	struct pl_nvme_options options = {.file = argv[1], .path = argv[2]};
	struct pl_measurement m = {.id = 1, .metric = "read_4k"};
	struct pl_sampler sampler = {NULL, NULL, NULL, NULL};
	struct pl_err err = {0, ""};
	struct pl_clock clock;
	struct pl_run run;
	ssize_t got = 0;
	int rc = pl_clock_open(&clock, choice, &err);

	pl_run_init(&run);
	run.machine.is_live = true;
	m.conditions.size_bytes = 4096;
	if (!rc)
		rc = pl_nvme_open(&options, &run, &m, &clock, &sampler, &err);
	if (!rc)
		got = sampler.sample(sampler.self, ticks, reads, &err);
	*ns_per_tick = m.ns_per_tick;
	if (rc || got != (ssize_t)reads)
		fprintf(stderr, "nvme_read: %s\n", err.text);
	pl_sampler_close(&sampler);
	pl_run_fini(&run);
	return rc || got != (ssize_t)reads;
}

static int write_latencies(const char *path, const uint64_t *ticks, size_t reads,
			   double ns_per_tick)
{
	FILE *out = fopen(path, "w");

	for (size_t i = 0; out && i < reads; i++)
		fprintf(out, "%.0f\n", (double)ticks[i] * ns_per_tick);
	return !out || fclose(out);
}

int main(int argc, char **argv)
{
	size_t reads = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t *ticks = calloc(reads ? reads : 1, sizeof(*ticks));
	double ns_per_tick;
	int rc;

	if (!reads || !ticks) {
		fprintf(stderr, "usage: nvme_read FILE PATH READS [LATENCIES]\n");
		free(ticks);
		return 64;
	}
	memset(ticks, 0, reads * sizeof(*ticks));
	/* Calibrating the TSC takes a different number of instructions each time. */
	rc = measure(argv, argc > 4 ? PL_CLOCK_AUTO : PL_CLOCK_RAW, ticks, reads, &ns_per_tick);
	if (!rc && argc > 4)
		rc = write_latencies(argv[4], ticks, reads, ns_per_tick);
	if (!rc)
		printf("{\"reads\": %zu, \"path\": \"%s\", \"last_ns\": %.0f}\n", reads, argv[2],
		       (double)ticks[reads - 1] * ns_per_tick);
	free(ticks);
	return rc;
}
