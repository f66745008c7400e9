/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The board's own prober, so that the board can be judged without pcielat.
 *   vbprobe bar|cfg|cfg0|nvme N PATH,PATH... GAP_US...
 * Every sample: spin the gap, then time one access. Paths and gaps come in random
 * order, so that drift of the host hits all alike. Prints one JSON object for each
 * path and gap; VBPROBE_TAG of the environment goes into it.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define NVME_REGISTER 2u /* word 2: version */
#define WARM_UP 20u
#define MAX_GAPS 32u
#define MAX_PATHS 4u
#define MAX_CELLS (MAX_GAPS * MAX_PATHS)
#define BLOCKS 100000u

struct probe {
	const char *kind;
	const char *path;
	int fd;
	off_t offset; /* of a configuration read */
	volatile uint32_t *bar;
	struct io_uring ring;
	void *buffer;
	unsigned errors;
};

static unsigned seed = 1;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int open_probe(struct probe *p, const char *kind, const char *path)
{
	bool nvme = !strcmp(kind, "nvme"), bar = !strcmp(kind, "bar");
	int err;

	p->kind = kind;
	p->path = path;
	p->offset = !strcmp(kind, "cfg") ? 0x100 : 0;
	p->fd = open(path, (bar ? O_RDWR : O_RDONLY) | (nvme ? O_DIRECT : 0) | O_CLOEXEC);
	if (p->fd < 0)
		return -errno;
	if (bar) {
		void *m = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, p->fd, 0);

		if (m == MAP_FAILED)
			return -errno;
		p->bar = m;
	}
	if (!nvme)
		return 0;
	err = posix_memalign(&p->buffer, PAGE, PAGE);
	if (err)
		return -err;
	memset(p->buffer, 0, PAGE);
	return io_uring_queue_init(8, &p->ring, IORING_SETUP_IOPOLL);
}

static void read_block(struct probe *p, uint64_t block)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&p->ring);
	struct io_uring_cqe *cqe = NULL;

	io_uring_prep_read(sqe, p->fd, p->buffer, PAGE, block * PAGE);
	io_uring_submit(&p->ring);
	while (io_uring_wait_cqe(&p->ring, &cqe))
		;
	p->errors += cqe->res != (int)PAGE;
	io_uring_cqe_seen(&p->ring, cqe);
}

/* One access; its duration. */
static uint64_t sample(struct probe *p, uint64_t *end_ns)
{
	uint64_t block = (uint64_t)rand_r(&seed) % BLOCKS;
	uint64_t start = now_ns();

	if (p->bar) {
		uint32_t v = p->bar[NVME_REGISTER];

		p->errors += v == UINT32_MAX;
	} else if (p->buffer) {
		read_block(p, block);
	} else {
		uint32_t v;

		p->errors += pread(p->fd, &v, sizeof(v), p->offset) != sizeof(v);
	}
	*end_ns = now_ns();
	return *end_ns - start;
}

/* One path at one gap, and its samples. */
struct cell {
	struct probe *probe;
	long gap_us;
	uint64_t *ns;
	unsigned n;
};

static void print_cell(const struct cell *c)
{
	const char *tag = getenv("VBPROBE_TAG");
	uint64_t sum = 0, *v = c->ns;
	unsigned n = c->n;

	qsort(v, n, sizeof(*v), by_value);
	for (unsigned i = 0; i < n; i++)
		sum += v[i];
	printf("{\"tag\":\"%s\",\"kind\":\"%s\",\"path\":\"%s\",\"gap_us\":%ld,\"n\":%u,"
	       "\"min_ns\":%lu,\"p25_ns\":%lu,\"p50_ns\":%lu,\"p90_ns\":%lu,\"mean_ns\":%lu,"
	       "\"max_ns\":%lu,\"errors\":%u}\n",
	       tag ? tag : "", c->probe->kind, c->probe->path, c->gap_us, n, v[0], v[n / 4],
	       v[n / 2], v[n * 9 / 10], sum / n, v[n - 1], c->probe->errors);
}

static void measure(struct cell *cells, unsigned count, unsigned n)
{
	uint64_t end = now_ns();

	for (unsigned i = 0; i < WARM_UP; i++)
		sample(cells[i % count].probe, &end);
	for (unsigned left = n * count; left; left--) {
		unsigned k = (unsigned)rand_r(&seed) % count;
		uint64_t until;

		while (cells[k].n == n)
			k = (k + 1) % count;
		until = end + (uint64_t)cells[k].gap_us * 1000u;
		while (now_ns() < until)
			;
		cells[k].ns[cells[k].n++] = sample(cells[k].probe, &end);
	}
}

/* Open every path of a list; how many, or -errno. */
static int open_all(struct probe *probes, const char *kind, char *paths)
{
	char *save = NULL;
	int n = 0;

	for (char *p = strtok_r(paths, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
		int err = n == (int)MAX_PATHS ? -E2BIG : open_probe(&probes[n++], kind, p);

		if (err) {
			fprintf(stderr, "vbprobe: %s: %s\n", p, strerror(-err));
			return err;
		}
	}
	return n;
}

static int run(struct probe *probes, unsigned paths, unsigned n, char **gaps, unsigned gaps_n)
{
	uint64_t *all = calloc((size_t)n * paths * gaps_n, sizeof(*all));
	struct cell cells[MAX_CELLS] = {0};
	unsigned count = paths * gaps_n;

	if (!all)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		cells[i].probe = &probes[i / gaps_n];
		cells[i].gap_us = atol(gaps[i % gaps_n]);
		cells[i].ns = all + (size_t)i * n;
	}
	measure(cells, count, n);
	for (unsigned i = 0; i < count; i++)
		print_cell(&cells[i]);
	free(all);
	return 0;
}

int main(int argc, char **argv)
{
	struct probe probes[MAX_PATHS] = {0};
	int paths;

	if (argc < 5 || argc - 4 > (int)MAX_GAPS) {
		fprintf(stderr, "usage: vbprobe bar|cfg|cfg0|nvme N PATH,PATH... GAP_US...\n");
		return 2;
	}
	mlockall(MCL_CURRENT | MCL_FUTURE);
	paths = open_all(probes, argv[1], argv[3]);
	if (paths <= 0)
		return 1;
	return run(probes, (unsigned)paths, (unsigned)atoi(argv[2]), argv + 4, (unsigned)argc - 4);
}
