/*
 * gpu_series [--memory FILE [--memory FILE]] [--seed N] METRIC:REGION:GAP_NS:N[:CLASS]...: measures
 * series with the GPU probe alone, on the first device, and prints one JSON object for each.
 * --memory is pcielat's --chase-memory, CLASS a class of memory ("vram"). Two memories are measured
 * in short turns, A B B A, so that what the machine does meanwhile is in both. For machines where
 * nothing else is wanted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "gpu_probe/gpu_probe.h"

#define SAMPLES_MAX ((size_t)20000)
#define MEMORIES_MAX 2
#define TURNS_MAX ((size_t)50)

/* One series in one memory. */
struct arm {
	struct pl_gpu_probe *probe;
	struct pl_run run;
	struct pl_measurement *m;
	struct pl_sampler sampler;
	uint64_t ticks[SAMPLES_MAX];
	uint64_t turns[TURNS_MAX]; /* the least of each */
	size_t turn_count, n;
};

struct spec {
	const char *metric, *memory; /* memory NULL: the first host class */
	uint64_t region_bytes, gap_ns;
	size_t n;
};

static int take_turn(struct arm *arm, size_t count, struct pl_err *err)
{
	size_t end = arm->n + count, begin = arm->n;

	while (arm->n < end) {
		ssize_t got = arm->sampler.sample(arm->sampler.self, arm->ticks + arm->n,
						  end - arm->n, err);

		if (got <= 0)
			return -1;
		arm->n += (size_t)got;
	}
	arm->turns[arm->turn_count] = arm->ticks[begin];
	for (size_t i = begin; i < end; i++)
		if (arm->ticks[i] < arm->turns[arm->turn_count])
			arm->turns[arm->turn_count] = arm->ticks[i];
	arm->turn_count++;
	return 0;
}

/* Each turn takes its share of the samples in every arm; every second turn in reverse order. */
static int take(struct arm *arms, size_t arm_count, size_t n, struct pl_err *err)
{
	size_t share = (n + TURNS_MAX - 1) / TURNS_MAX;
	int rc = 0;

	for (size_t turn = 0; turn * share < n && !rc; turn++)
		for (size_t k = 0; k < arm_count && !rc; k++) {
			size_t at = turn % 2 ? arm_count - 1 - k : k, left = n - turn * share;

			rc = take_turn(&arms[at], left < share ? left : share, err);
		}
	return rc;
}

static void print_turns(const struct arm *arm)
{
	printf(", \"turns_ns\": [");
	for (size_t i = 0; i < arm->turn_count; i++)
		printf("%s%.3f", i ? ", " : "", (double)arm->turns[i] * arm->m->ns_per_tick);
	printf("]");
}

static void print_series(struct arm *arm)
{
	static const double ps[] = {0.25, 0.5, 0.9};
	const struct pl_measurement *m = arm->m;

	pl_stats_sort(arm->ticks, arm->n);
	printf("{\"metric\": \"%s\", \"memory\": \"%s\", \"region_bytes\": %" PRIu64
	       ", \"gap_ns\": %" PRIu64 ", \"n\": %zu, \"min_ns\": %.3f",
	       m->metric, m->conditions.memory, m->conditions.region_bytes, m->conditions.gap_ns,
	       arm->n, (double)arm->ticks[0] * m->ns_per_tick);
	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++)
		printf(", \"p%.0f_ns\": %.3f", ps[i] * 100,
		       (double)pl_stats_quantile(arm->ticks, arm->n, ps[i]) * m->ns_per_tick);
	for (size_t i = 0; i < m->fact_count; i++)
		if (!m->facts[i].text)
			printf(", \"%s\": %.3f", m->facts[i].name, m->facts[i].value);
	print_turns(arm);
	printf(", \"off_path\": %s, \"warnings\": %zu}\n", m->is_off_path ? "true" : "false",
	       m->warning_count);
	fflush(stdout);
}

static int open_arm(struct arm *arm, const struct spec *spec, const struct pl_clock *clock,
		    struct pl_err *err)
{
	struct pl_measurement *m = pl_run_add_measurement(&arm->run);

	m->subject = "gpu0";
	m->metric = spec->metric;
	m->conditions.region_bytes = spec->region_bytes;
	m->conditions.gap_ns = spec->gap_ns;
	m->conditions.memory = spec->memory;
	arm->m = m;
	arm->n = arm->turn_count = 0;
	arm->sampler = (struct pl_sampler){NULL, NULL, NULL, NULL};
	return pl_gpu_open(arm->probe, &arm->run, m, clock, &arm->sampler, err);
}

static int measure(struct arm *arms, size_t arm_count, const struct spec *spec,
		   const struct pl_clock *clock, struct pl_err *err)
{
	int rc = 0;

	for (size_t k = 0; k < arm_count; k++)
		arms[k].sampler = (struct pl_sampler){NULL, NULL, NULL, NULL};
	for (size_t k = 0; k < arm_count && !rc; k++)
		rc = open_arm(&arms[k], spec, clock, err);
	if (!rc)
		rc = take(arms, arm_count, spec->n, err);
	for (size_t k = 0; k < arm_count; k++) {
		if (!rc)
			print_series(&arms[k]);
		pl_sampler_close(&arms[k].sampler);
	}
	return rc;
}

static int parse(char *text, struct spec *spec, struct pl_err *err)
{
	char *save = NULL, *fields[5];

	for (size_t i = 0; i < 5; i++)
		fields[i] = strtok_r(i ? NULL : text, ":", &save);
	if (!fields[3])
		return pl_fail(err, -1, "METRIC:REGION:GAP_NS:N[:CLASS], not \"%s\"", text);
	*spec = (struct spec){.metric = fields[0],
			      .memory = fields[4],
			      .region_bytes = strtoull(fields[1], NULL, 0),
			      .gap_ns = strtoull(fields[2], NULL, 0),
			      .n = strtoull(fields[3], NULL, 0)};
	if (!spec->n || spec->n > SAMPLES_MAX)
		return pl_fail(err, -1, "1 to %zu samples", SAMPLES_MAX);
	return 0;
}

static int open_probe(struct arm *arm, const struct pl_gpu_options *options, struct pl_err *err)
{
	pl_run_init(&arm->run);
	arm->probe = pl_gpu_probe_new(options);
	return pl_gpu_list(arm->probe, &arm->run, err);
}

/* Options to arms; the index of the first argument that is a series. */
static int parse_options(int argc, char **argv, struct pl_gpu_options *options, size_t *arm_count)
{
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--memory"))
			options[0].seed = strtoull(argv[i + 1], NULL, 0);
		else if (*arm_count < MEMORIES_MAX)
			options[(*arm_count)++].chase_memory = argv[i + 1];
	}
	for (size_t k = 0; k < MEMORIES_MAX; k++)
		options[k].seed = options[0].seed;
	if (!*arm_count)
		*arm_count = 1;
	return i;
}

int main(int argc, char **argv)
{
	static struct arm arms[MEMORIES_MAX];
	struct pl_gpu_options options[MEMORIES_MAX] = {{.seed = 1}};
	struct pl_err err = {0, ""};
	struct pl_clock clock;
	struct spec spec = {.n = 0};
	size_t arm_count = 0;
	int i = parse_options(argc, argv, options, &arm_count);
	int rc = pl_clock_open(&clock, PL_CLOCK_AUTO, &err);

	for (size_t k = 0; k < arm_count && !rc; k++)
		rc = open_probe(&arms[k], &options[k], &err);
	for (; i < argc && !rc; i++) {
		rc = parse(argv[i], &spec, &err);
		if (!rc)
			rc = measure(arms, arm_count, &spec, &clock, &err);
	}
	if (rc)
		fprintf(stderr, "gpu_series: %s\n", err.text);
	for (size_t k = 0; k < arm_count; k++) {
		pl_gpu_probe_free(arms[k].probe);
		if (arms[k].probe)
			pl_run_fini(&arms[k].run);
	}
	return rc ? 1 : 0;
}
