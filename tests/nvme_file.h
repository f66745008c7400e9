#ifndef PL_TESTS_NVME_FILE_H
#define PL_TESTS_NVME_FILE_H

#include "tests/t.h"

#include <fcntl.h>
#include <liburing.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvme_probe/nvme_probe.h"

/* A file of known bytes, and one planned series on it: what the tests of nvme_probe share. */

#define FILE_BYTES ((size_t)1 << 20)
#define DATA 0x5a

static const struct pl_clock raw = {.ns_per_tick = 1.0, .name = "clock_monotonic_raw"};

static char dir[64], file[96];

static inline int make_file(void **state)
{
	static unsigned char bytes[FILE_BYTES];
	int fd;

	(void)state;
	strcpy(dir, "/var/tmp/pl-nvme-XXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0755))
		return -1;
	snprintf(file, sizeof(file), "%s/data", dir);
	memset(bytes, DATA, sizeof(bytes));
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return -1;
	return close(fd);
}

static inline int remove_file(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* One planned series on the file, and everything a probe needs to open it. */
struct series {
	struct pl_run run;
	struct pl_measurement m;
	struct pl_nvme_options options;
	struct pl_sampler sampler;
	struct pl_err err;
	unsigned depth;
};

static inline int open_series(struct series *s, const char *path, const char *pattern,
			      uint32_t bytes)
{
	pl_run_init(&s->run);
	s->run.machine.is_live = true;
	s->m = (struct pl_measurement){.id = 1, .probe = PL_PROBE_NVME};
	s->m.conditions.pattern = pattern;
	s->m.conditions.size_bytes = bytes;
	s->m.conditions.queue_depth = s->depth;
	s->options.file = s->options.file ? s->options.file : file;
	s->options.path = path;
	s->sampler = (struct pl_sampler){NULL, NULL, NULL, NULL};
	return pl_nvme_open(&s->options, &s->run, &s->m, &raw, &s->sampler, &s->err);
}

static inline void close_series(struct series *s)
{
	pl_sampler_close(&s->sampler);
	pl_run_fini(&s->run);
}

static inline bool has_io_uring(void)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(1, &ring, IORING_SETUP_R_DISABLED);

	if (!rc)
		io_uring_queue_exit(&ring);
	return !rc;
}

#endif
