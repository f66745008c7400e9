/*
 * gpu_series [--memory FILE] [--seed N] METRIC:REGION:GAP_NS:N[:CLASS]...: measures series with the
 * GPU probe alone, on the first device, and prints one JSON object for each. --memory is pcielat's
 * --chase-memory, CLASS a class of memory ("vram"). For machines where nothing else is wanted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "gpu_probe/gpu_probe.h"

#define SAMPLES_MAX ((size_t)20000)

static int take(struct pl_sampler *sampler, uint64_t *ticks, size_t n, struct pl_err *err)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = sampler->sample(sampler->self, ticks + done, n - done, err);

		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

static void print_series(const struct pl_measurement *m, uint64_t *ticks, size_t n)
{
	static const double ps[] = {0.25, 0.5, 0.9};

	pl_stats_sort(ticks, n);
	printf("{\"metric\": \"%s\", \"memory\": \"%s\", \"region_bytes\": %" PRIu64
	       ", \"gap_ns\": %" PRIu64 ", \"n\": %zu, \"min_ns\": %.3f",
	       m->metric, m->conditions.memory, m->conditions.region_bytes, m->conditions.gap_ns, n,
	       (double)ticks[0] * m->ns_per_tick);
	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++)
		printf(", \"p%.0f_ns\": %.3f", ps[i] * 100,
		       (double)pl_stats_quantile(ticks, n, ps[i]) * m->ns_per_tick);
	for (size_t i = 0; i < m->fact_count; i++)
		if (!m->facts[i].text)
			printf(", \"%s\": %.3f", m->facts[i].name, m->facts[i].value);
	printf(", \"off_path\": %s, \"warnings\": %zu}\n", m->is_off_path ? "true" : "false",
	       m->warning_count);
	fflush(stdout);
}

static int measure(struct pl_gpu_probe *probe, struct pl_run *run, const struct pl_clock *clock,
		   char *text, struct pl_err *err)
{
	struct pl_measurement *m = pl_run_add_measurement(run);
	struct pl_sampler sampler = {NULL, NULL, NULL};
	static uint64_t ticks[SAMPLES_MAX];
	char *save = NULL;
	size_t n;
	int rc;

	m->subject = "gpu0";
	m->metric = strtok_r(text, ":", &save);
	m->conditions.region_bytes = strtoull(strtok_r(NULL, ":", &save), NULL, 0);
	m->conditions.gap_ns = strtoull(strtok_r(NULL, ":", &save), NULL, 0);
	n = strtoull(strtok_r(NULL, ":", &save), NULL, 0);
	m->conditions.memory = strtok_r(NULL, ":", &save);
	if (!n || n > SAMPLES_MAX)
		return pl_fail(err, -1, "1 to %zu samples", SAMPLES_MAX);
	rc = pl_gpu_open(probe, run, m, clock, &sampler, err);
	if (!rc)
		rc = take(&sampler, ticks, n, err);
	if (!rc)
		print_series(m, ticks, n);
	pl_sampler_close(&sampler);
	return rc;
}

int main(int argc, char **argv)
{
	struct pl_gpu_options options = {.seed = 1};
	struct pl_gpu_probe *probe;
	struct pl_err err = {0, ""};
	struct pl_clock clock;
	struct pl_run run;
	int i = 1, rc;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--memory"))
			options.chase_memory = argv[i + 1];
		else
			options.seed = strtoull(argv[i + 1], NULL, 0);
	}
	pl_run_init(&run);
	probe = pl_gpu_probe_new(&options);
	rc = pl_clock_open(&clock, PL_CLOCK_AUTO, &err);
	if (!rc)
		rc = pl_gpu_list(probe, &run, &err);
	for (; i < argc && !rc; i++)
		rc = measure(probe, &run, &clock, argv[i], &err);
	if (rc)
		fprintf(stderr, "gpu_series: %s\n", err.text);
	pl_gpu_probe_free(probe);
	pl_run_fini(&run);
	return rc ? 1 : 0;
}
