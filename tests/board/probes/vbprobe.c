/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The board's own prober, so that the board can be judged without pcielat.
 *   vbprobe bar|cfg|cfg0|nvme PATH N GAP_US...
 * Every sample: spin the gap, then time one access. Gaps come in random order.
 * Prints one JSON object a gap.
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
#define BLOCKS 100000u

struct probe {
	const char *kind;
	int fd;
	off_t offset; /* of a configuration read */
	volatile uint32_t *bar;
	struct io_uring ring;
	void *buffer;
	unsigned seed;
	unsigned errors;
};

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
	p->seed = 1;
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
	uint64_t block = (uint64_t)rand_r(&p->seed) % BLOCKS;
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

static void print_gap(const struct probe *p, long gap_us, uint64_t *v, unsigned n)
{
	uint64_t sum = 0;

	qsort(v, n, sizeof(*v), by_value);
	for (unsigned i = 0; i < n; i++)
		sum += v[i];
	printf("{\"kind\":\"%s\",\"gap_us\":%ld,\"n\":%u,\"min_ns\":%lu,\"p25_ns\":%lu,"
	       "\"p50_ns\":%lu,\"p90_ns\":%lu,\"mean_ns\":%lu,\"errors\":%u}\n",
	       p->kind, gap_us, n, v[0], v[n / 4], v[n / 2], v[n * 9 / 10], sum / n, p->errors);
}

static int measure(struct probe *p, unsigned n, const long *gap_us, unsigned gaps)
{
	uint64_t *v = calloc((size_t)n * gaps, sizeof(*v));
	unsigned done[MAX_GAPS] = {0};
	uint64_t end;

	if (!v)
		return -ENOMEM;
	for (unsigned i = 0; i < WARM_UP; i++)
		sample(p, &end);
	for (unsigned left = n * gaps; left; left--) {
		unsigned k = (unsigned)rand_r(&p->seed) % gaps;
		uint64_t until;

		while (done[k] == n)
			k = (k + 1) % gaps;
		until = end + (uint64_t)gap_us[k] * 1000u;
		while (now_ns() < until)
			;
		v[(size_t)k * n + done[k]++] = sample(p, &end);
	}
	for (unsigned k = 0; k < gaps; k++)
		print_gap(p, gap_us[k], v + (size_t)k * n, n);
	free(v);
	return 0;
}

int main(int argc, char **argv)
{
	struct probe p = {0};
	long gap_us[MAX_GAPS] = {0};
	unsigned gaps = 0;
	int err;

	if (argc < 5 || argc - 4 > (int)MAX_GAPS) {
		fprintf(stderr, "usage: vbprobe bar|cfg|cfg0|nvme PATH N GAP_US...\n");
		return 2;
	}
	for (int i = 4; i < argc; i++)
		gap_us[gaps++] = atol(argv[i]);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	err = open_probe(&p, argv[1], argv[2]);
	if (!err)
		err = measure(&p, (unsigned)atoi(argv[3]), gap_us, gaps);
	if (err)
		fprintf(stderr, "vbprobe: %s: %s\n", argv[2], strerror(-err));
	return err ? 1 : 0;
}
