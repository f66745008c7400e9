/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointer chase through a BAR that holds memory, as a GPU kernel would do it:
 *   vbchase RESOURCE BYTES STRIDE LOADS [jit]      (LOADS is rounded down to 50s)
 * Writes one cycle over all nodes (node words only: a store to a BAR is slow),
 * follows it, and prints one JSON object. Every load is one register read. The
 * chase is timed in chunks and their lower quartile given beside the mean: what
 * the host's other programs add has one sign. With "jit" the loads are done by
 * code made at run time, as a software Vulkan driver does.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

typedef uint32_t (*chase_fn)(volatile const uint32_t *bar, uint32_t at, uint32_t loads);

static uint32_t compiled(volatile const uint32_t *bar, uint32_t at, uint32_t loads)
{
	while (loads--)
		at = bar[at];
	return at;
}

/* The same, made at run time: mov eax,esi; 1: mov eax,[rdi+4*rax]; dec edx; jnz 1b; ret */
static chase_fn make_code(void)
{
	static const uint8_t code[] = {0x89, 0xf0, 0x8b, 0x04, 0x87, 0xff, 0xca, 0x75, 0xf9, 0xc3};
	void *p = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	chase_fn fn;

	if (p == MAP_FAILED)
		return NULL;
	memcpy(p, code, sizeof(code));
	if (mprotect(p, sizeof(code), PROT_READ | PROT_EXEC))
		return NULL;
	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

/* Follow the cycle in the BAR; the time of each chunk. Returns where it ends. */
static uint32_t timed_chase(chase_fn follow_bar, volatile const uint32_t *bar, uint64_t *chunk_ns,
			    uint32_t chunks)
{
	uint32_t at = 0;

	for (uint32_t c = 0; c < chunks; c++) {
		uint64_t start = now_ns();

		at = follow_bar(bar, at, CHUNK);
		chunk_ns[c] = now_ns() - start;
	}
	return at;
}

struct chase {
	chase_fn follow;
	volatile uint32_t *bar;
	uint32_t *next; /* the cycle, as node numbers */
	uint32_t nodes;
	uint32_t words; /* between nodes */
	uint64_t *chunk_ns;
	uint32_t chunks;
};

static bool run(struct chase *c)
{
	uint32_t loads = c->chunks * CHUNK;
	uint64_t sum = 0;
	bool right;

	make_cycle(c->next, c->nodes);
	for (uint32_t i = 0; i < c->nodes; i++)
		c->bar[(size_t)i * c->words] = c->next[i] * c->words;
	right = timed_chase(c->follow, c->bar, c->chunk_ns, c->chunks) ==
		follow(c->next, loads) * c->words;
	qsort(c->chunk_ns, c->chunks, sizeof(*c->chunk_ns), by_value);
	for (uint32_t i = 0; i < c->chunks; i++)
		sum += c->chunk_ns[i];
	printf("{\"loads\":%u,\"mean_ns\":%.1f,\"low_ns\":%.1f,\"end\":\"%s\"}\n", loads,
	       (double)sum / loads, (double)c->chunk_ns[c->chunks / 4] / CHUNK,
	       right ? "right" : "wrong");
	return right;
}

static void *map_bar(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *bar = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (bar != MAP_FAILED)
		return bar;
	perror(path);
	return NULL;
}

int main(int argc, char **argv)
{
	struct chase c = {.follow = compiled};
	size_t bytes, stride;

	if (argc < 5) {
		fprintf(stderr, "usage: vbchase RESOURCE BYTES STRIDE LOADS [jit]\n");
		return 2;
	}
	bytes = strtoul(argv[2], NULL, 0);
	stride = strtoul(argv[3], NULL, 0);
	if (!stride || stride % 4 || bytes < 2 * stride)
		return 2;
	c.nodes = (uint32_t)(bytes / stride);
	c.words = (uint32_t)(stride / 4);
	c.chunks = (uint32_t)strtoul(argv[4], NULL, 0) / CHUNK;
	c.bar = map_bar(argv[1], bytes);
	c.next = calloc(c.nodes, sizeof(*c.next));
	c.chunk_ns = calloc(c.chunks, sizeof(*c.chunk_ns));
	if (argc > 5)
		c.follow = make_code();
	if (!c.bar || !c.next || !c.chunk_ns || !c.chunks || !c.follow)
		return 1;
	return !run(&c);
}
