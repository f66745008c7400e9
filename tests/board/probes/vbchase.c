/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointer chase through a BAR that holds memory, as a GPU kernel would do it:
 *   vbchase RESOURCE BYTES STRIDE LOADS
 * Writes one cycle over all nodes (node words only: a store to a BAR is slow),
 * follows it, and prints one JSON object. Every load is one register read.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

static int chase(volatile uint32_t *bar, uint32_t nodes, uint32_t words, uint32_t loads)
{
	uint32_t *next = malloc(nodes * sizeof(*next));
	uint64_t start;
	uint32_t at = 0;
	bool ok;

	if (!next)
		return 1;
	make_cycle(next, nodes);
	for (uint32_t i = 0; i < nodes; i++)
		bar[(size_t)i * words] = next[i] * words;
	start = now_ns();
	for (uint32_t i = 0; i < loads; i++)
		at = bar[at];
	start = now_ns() - start;
	ok = at == follow(next, loads) * words;
	printf("{\"loads\":%u,\"ns_per_load\":%.1f,\"end\":\"%s\"}\n", loads, (double)start / loads,
	       ok ? "right" : "wrong");
	free(next);
	return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
	size_t bytes, stride;
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
	return chase(bar, (uint32_t)(bytes / stride), (uint32_t)(stride / 4),
		     (uint32_t)strtoul(argv[4], NULL, 0));
}
