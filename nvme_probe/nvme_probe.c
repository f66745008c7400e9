#include "nvme_probe/nvme_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvme_probe/read.h"

#define PAGE_BYTES 4096u

const char *pl_nvme_path_name(size_t index)
{
	return index < PL_READ_PATHS ? pl_read_path_name((enum pl_read_path)index) : NULL;
}

static int find_pattern(const char *name, enum pl_read_pattern *pattern, struct pl_err *err)
{
	*pattern = PL_READ_RANDOM;
	for (int i = 0; name && i < PL_READ_PATTERNS; i++)
		if (!strcmp(name, pl_read_pattern_name((enum pl_read_pattern)i))) {
			*pattern = (enum pl_read_pattern)i;
			return 0;
		}
	return name ? pl_fail(err, -EINVAL, "no read pattern is called %s", name) : 0;
}

/* The file that was asked for, or the namespace of the slot. */
static int find_file(const struct pl_nvme_options *options, const struct pl_measurement *m,
		     char *out, size_t size, struct pl_err *err)
{
	const char *dir = options->dev_dir ? options->dev_dir : "/dev";
	const struct pl_device *device = m->slot ? m->slot->device : NULL;
	const char *name = m->subject;

	if (!m->slot && options->file)
		name = options->file;
	else if (!name && device && device->namespace_count)
		name = device->namespaces[0].name;
	if (!name)
		return pl_fail(err, -ENODEV, "the drive shows no namespace as a block device");
	if (m->slot && !strchr(name, '/'))
		snprintf(out, size, "%s/%s", dir, name);
	else
		snprintf(out, size, "%s", name);
	return 0;
}

static int new_reader(const char *file, const struct pl_measurement *m, uint64_t seed,
		      struct pl_reader **out, struct pl_err *err)
{
	struct pl_reader *reader = calloc(1, sizeof(*reader));
	uint32_t size_bytes = m->conditions.size_bytes;
	int rc;

	if (!reader)
		return pl_fail(err, -ENOMEM, "out of memory");
	*out = reader;
	rc = find_pattern(m->conditions.pattern, &reader->pattern, err);
	if (!rc)
		rc = pl_target_open(file, &reader->target, err);
	if (!rc)
		rc = pl_target_check_size(&reader->target, size_bytes, err);
	if (rc)
		return rc;
	reader->size_bytes = size_bytes;
	reader->places = reader->target.size_bytes / size_bytes;
	pl_rng_init(&reader->rng, seed + m->id);
	if (posix_memalign(&reader->buffer, PAGE_BYTES,
			   size_bytes < PAGE_BYTES ? PAGE_BYTES : size_bytes))
		return pl_fail(err, -ENOMEM, "out of memory");
	memset(reader->buffer, 0, size_bytes);
	return 0;
}

static bool is_wanted(enum pl_read_path path, const struct pl_nvme_options *options,
		      const char *only)
{
	if (only)
		return !strcmp(only, pl_read_path_name(path));
	if (path == PL_READ_WAIT)
		return false;
	return path == PL_READ_PREAD || !options->no_io_uring;
}

/* Walks down the ladder; *why collects the reason of each rung that did not work. */
static int choose_path(struct pl_reader *reader, const struct pl_nvme_options *options,
		       const char *only, struct pl_arena *arena, const char **why,
		       struct pl_err *err)
{
	int rc = pl_fail(err, -EINVAL, "no path is called %s", only ? only : "\"\"");

	*why = !only && options->no_io_uring ? "io_uring: not tried, as asked" : NULL;
	for (int i = 0; i < PL_READ_PATHS; i++) {
		enum pl_read_path path = (enum pl_read_path)i;
		struct pl_err reason = {0, ""};

		if (!is_wanted(path, options, only))
			continue;
		rc = pl_reader_try(reader, path, &reason);
		if (!rc)
			return 0;
		pl_fail(err, rc, "%s", reason.text);
		*why = pl_arena_printf(arena, "%s%s%s: %s", *why ? *why : "", *why ? "; " : "",
				       pl_read_path_name(path), reason.text);
	}
	return rc;
}

static void note(struct pl_run *run, struct pl_measurement *m, const struct pl_reader *reader,
		 const char *why)
{
	m->ns_per_tick = reader->clock->ns_per_tick;
	m->conditions.clock = pl_arena_strdup(&run->arena, reader->clock->name);
	m->conditions.path = pl_read_path_name(reader->path);
	m->conditions.path_reason = why;
	m->conditions.pattern = pl_read_pattern_name(reader->pattern);
	m->conditions.queue_depth = 1;
	if (!reader->target.is_direct)
		pl_measurement_warn(run, m,
				    "W-CACHED: the file system of %s refuses O_DIRECT: this is the "
				    "page cache, not the drive",
				    reader->target.path);
}

int pl_nvme_open(const struct pl_nvme_options *options, struct pl_run *run,
		 struct pl_measurement *m, const struct pl_clock *clock, struct pl_sampler *sampler,
		 struct pl_err *err)
{
	const char *only = m->conditions.path ? m->conditions.path : options->path;
	struct pl_reader *reader = NULL;
	const char *why = NULL;
	char file[160];
	int rc;

	if (!run->machine.is_live && !options->file)
		return pl_fail(err, -ENOTSUP, "%s is not this machine: nothing can be timed",
			       run->machine.source ? run->machine.source : "the capture");
	rc = find_file(options, m, file, sizeof(file), err);
	if (!rc)
		rc = new_reader(file, m, options->seed, &reader, err);
	if (!rc) {
		reader->clock = clock;
		rc = choose_path(reader, options, only, &run->arena, &why, err);
	}
	if (rc) {
		pl_reader_free(reader);
		return rc;
	}
	note(run, m, reader, why);
	*sampler = pl_reader_sampler(reader);
	return 0;
}
