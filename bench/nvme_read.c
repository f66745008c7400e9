/*
 * nvme_read FILE[,FILE…] PATH READS [LATENCIES [TURNS]]: the reads of `pcielat run --file FILE` and
 * nothing else (no statistics, so that its instructions can be counted), for bench/nvme_vs_fio.
 * PATH is a software path by its name. LATENCIES gets one latency in ns a line.
 *
 * With TURNS each file gets that many blocks of READS reads, in turns: all files are read within a
 * few milliseconds of each other, the order is another one in each turn, and WARM_UP reads before
 * each block are not kept. Then a line is "FILE-NUMBER TURN NS".
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvme_probe/nvme_probe.h"

#define FILES_MAX 8
#define WARM_UP 5

struct target {
	struct pl_nvme_options options;
	struct pl_measurement m;
	struct pl_sampler sampler;
};

struct bench {
	struct pl_run run;
	struct pl_clock clock;
	struct target targets[FILES_MAX];
	size_t count, reads, turns;
	uint64_t *ticks; /* by turn, target, read */
};

static int open_all(struct bench *b, char *files, const char *path, enum pl_clock_choice choice,
		    struct pl_err *err)
{
	int rc = pl_clock_open(&b->clock, choice, err);
	char *rest = NULL;

	pl_run_init(&b->run);
	b->run.machine.is_live = true;
	for (char *file = strtok_r(files, ",", &rest); !rc && file && b->count < FILES_MAX;
	     file = strtok_r(NULL, ",", &rest)) {
		struct target *t = &b->targets[b->count];

		t->options = (struct pl_nvme_options){.file = file, .path = path};
		t->m = (struct pl_measurement){.id = (unsigned)b->count + 1, .metric = "read_4k"};
		t->m.conditions.size_bytes = 4096;
		rc = pl_nvme_open(&t->options, &b->run, &t->m, &b->clock, &t->sampler, err);
		b->count += !rc;
	}
	return rc;
}

static void close_all(struct bench *b)
{
	for (size_t i = 0; i < b->count; i++)
		pl_sampler_close(&b->targets[i].sampler);
	pl_run_fini(&b->run);
}

static uint64_t *block(struct bench *b, size_t turn, size_t target)
{
	return b->ticks + (turn * b->count + target) * b->reads;
}

static int read_block(struct bench *b, size_t turn, size_t target, struct pl_err *err)
{
	const struct pl_sampler *sampler = &b->targets[target].sampler;
	uint64_t scratch[WARM_UP];

	if (b->turns && sampler->sample(sampler->self, scratch, WARM_UP, err) != WARM_UP)
		return -1;
	return sampler->sample(sampler->self, block(b, turn, target), b->reads, err) ==
			       (ssize_t)b->reads
		       ? 0
		       : -1;
}

/* Another one begins each turn, and every other turn goes round the other way. */
static int read_all(struct bench *b, struct pl_err *err)
{
	size_t turns = b->turns ? b->turns : 1;
	int rc = 0;

	b->ticks = calloc(turns * b->count * b->reads, sizeof(*b->ticks));
	if (!b->ticks)
		return pl_fail(err, -1, "out of memory");
	memset(b->ticks, 0, turns * b->count * b->reads * sizeof(*b->ticks));
	for (size_t turn = 0; turn < turns; turn++)
		for (size_t i = 0; !rc && i < b->count; i++) {
			size_t at = (turn / 2 + i) % b->count;

			rc = read_block(b, turn, turn % 2 ? b->count - 1 - at : at, err);
		}
	return rc;
}

static int write_latencies(struct bench *b, const char *path)
{
	FILE *out = fopen(path, "w");

	for (size_t turn = 0; out && turn < (b->turns ? b->turns : 1); turn++)
		for (size_t t = 0; t < b->count; t++)
			for (size_t i = 0; i < b->reads; i++) {
				double ns =
					(double)block(b, turn, t)[i] * b->targets[t].m.ns_per_tick;

				if (b->turns)
					fprintf(out, "%zu %zu ", t, turn);
				fprintf(out, "%.0f\n", ns);
			}
	return !out || fclose(out);
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct pl_err err = {0, ""};
	int rc;

	b.reads = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	b.turns = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
	if (!b.reads) {
		fprintf(stderr, "usage: nvme_read FILE[,FILE] PATH READS [LATENCIES [TURNS]]\n");
		return 64;
	}
	/* Calibrating the TSC takes a different number of instructions each time. */
	rc = open_all(&b, argv[1], argv[2], argc > 4 ? PL_CLOCK_AUTO : PL_CLOCK_RAW, &err);
	if (!rc)
		rc = read_all(&b, &err);
	if (rc)
		fprintf(stderr, "nvme_read: %s\n", err.text);
	if (!rc && argc > 4)
		rc = write_latencies(&b, argv[4]);
	if (!rc)
		printf("{\"reads\": %zu, \"path\": \"%s\", \"last_ns\": %.0f}\n", b.reads,
		       b.targets[0].m.conditions.path,
		       (double)block(&b, 0, 0)[b.reads - 1] * b.targets[0].m.ns_per_tick);
	close_all(&b);
	free(b.ticks);
	return rc != 0;
}
