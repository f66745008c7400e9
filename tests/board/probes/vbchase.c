/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointer chase through a BAR that holds memory, as a GPU kernel would do it:
 *   vbchase RESOURCE BYTES STRIDE LOADS      (LOADS is rounded down to 50s)
 * Writes one cycle over all nodes (node words only: a store to a BAR is slow),
 * follows it, and prints one JSON object. Every load is one register read. The
 * chase is timed in chunks and their lower quartile given beside the mean: what
 * the host's other programs add has one sign.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 50u

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Sattolo's algorithm: a random permutation that is one cycle. */
static void make_cycle(uint32_t *next, uint32_t nodes)
{
	unsigned seed = 1;

	for (uint32_t i = 0; i < nodes; i++)
		next[i] = i;
	for (uint32_t i = nodes - 1; i > 0; i--) {
		uint32_t j = (uint32_t)rand_r(&seed) % i;
		uint32_t t = next[i];

		next[i] = next[j];
		next[j] = t;
	}
}

static uint32_t follow(const uint32_t *next, uint32_t loads)
{
	uint32_t at = 0;

	while (loads--)
		at = next[at];
	return at;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Follow the cycle in the BAR; the time of each chunk. Returns where it ends. */
static uint32_t timed_chase(volatile const uint32_t *bar, uint64_t *chunk_ns, uint32_t chunks)
{
	uint32_t at = 0;

	for (uint32_t c = 0; c < chunks; c++) {
		uint64_t start = now_ns();

		for (uint32_t i = 0; i < CHUNK; i++)
			at = bar[at];
		chunk_ns[c] = now_ns() - start;
	}
	return at;
}

static bool chase(volatile uint32_t *bar, uint32_t *next, uint32_t nodes, uint32_t words,
		  uint32_t chunks, uint64_t *chunk_ns)
{
	uint32_t loads = chunks * CHUNK;
	uint64_t sum = 0;
	bool right;

	make_cycle(next, nodes);
	for (uint32_t i = 0; i < nodes; i++)
		bar[(size_t)i * words] = next[i] * words;
	right = timed_chase(bar, chunk_ns, chunks) == follow(next, loads) * words;
	qsort(chunk_ns, chunks, sizeof(*chunk_ns), by_value);
	for (uint32_t c = 0; c < chunks; c++)
		sum += chunk_ns[c];
	printf("{\"loads\":%u,\"mean_ns\":%.1f,\"low_ns\":%.1f,\"end\":\"%s\"}\n", loads,
	       (double)sum / loads, (double)chunk_ns[chunks / 4] / CHUNK,
	       right ? "right" : "wrong");
	return right;
}

int main(int argc, char **argv)
{
	size_t bytes, stride, chunks;
	uint64_t *chunk_ns;
	uint32_t *next;
	void *bar;
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: vbchase RESOURCE BYTES STRIDE LOADS\n");
		return 2;
	}
	bytes = strtoul(argv[2], NULL, 0);
	stride = strtoul(argv[3], NULL, 0);
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0 || !stride || stride % 4 || bytes < 2 * stride) {
		perror(argv[1]);
		return 1;
	}
	bar = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bar == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	chunks = strtoul(argv[4], NULL, 0) / CHUNK;
	next = calloc(bytes / stride, sizeof(*next));
	chunk_ns = calloc(chunks, sizeof(*chunk_ns));
	if (!next || !chunk_ns || !chunks)
		return 1;
	return !chase(bar, next, (uint32_t)(bytes / stride), (uint32_t)(stride / 4),
		      (uint32_t)chunks, chunk_ns);
}
