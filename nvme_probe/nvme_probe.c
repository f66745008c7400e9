#include "nvme_probe/nvme_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvme_probe/admin.h"
#include "nvme_probe/fast.h"
#include "nvme_probe/proof.h"
#include "nvme_probe/read.h"

#define PAGE_BYTES 4096u

/* What the ladder found out on its way down. */
struct ladder {
	const char *why; /* why the better rungs did not work */
	char proof[96];
};

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

static int set_sizes(struct pl_reader *reader, const struct pl_measurement *m, struct pl_err *err)
{
	uint32_t size_bytes = m->conditions.size_bytes;
	size_t bytes;

	reader->depth = m->conditions.queue_depth ? m->conditions.queue_depth : 1;
	if (reader->depth > PL_READ_DEPTH_MAX)
		return pl_fail(err, -EINVAL, "queue depth %u: at most %u", reader->depth,
			       PL_READ_DEPTH_MAX);
	reader->size_bytes = size_bytes;
	reader->places = reader->target.size_bytes / size_bytes;
	bytes = (size_t)size_bytes * reader->depth;
	if (posix_memalign(&reader->buffer, PAGE_BYTES, bytes < PAGE_BYTES ? PAGE_BYTES : bytes))
		return pl_fail(err, -ENOMEM, "out of memory");
	memset(reader->buffer, 0, bytes);
	return 0;
}

static int new_reader(const char *file, const struct pl_measurement *m, uint64_t seed,
		      struct pl_reader **out, struct pl_err *err)
{
	struct pl_reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return pl_fail(err, -ENOMEM, "out of memory");
	*out = reader;
	pl_rng_init(&reader->rng, seed + m->id);
	rc = find_pattern(m->conditions.pattern, &reader->pattern, err);
	if (!rc)
		rc = pl_target_open(file, &reader->target, err);
	if (!rc)
		rc = pl_target_check_size(&reader->target, m->conditions.size_bytes, err);
	return rc ? rc : set_sizes(reader, m, err);
}

/* What a path must be called to be taken, or the automatic choice. */
static bool is_wanted(enum pl_read_path path, const struct pl_nvme_options *options,
		      const char *only)
{
	if (only)
		return !strcmp(only, pl_read_path_name(path));
	if (path == PL_READ_PREAD)
		return true;
	return !options->no_io_uring && (path == PL_READ_IOPOLL || path == PL_READ_SPIN);
}

static int try_path(struct pl_reader *reader, enum pl_read_path path, struct ladder *ladder,
		    struct pl_err *err)
{
	int rc = pl_reader_try(reader, path, err);

	ladder->proof[0] = 0;
	if (!rc && pl_read_path_is_polled(path))
		rc = pl_proof_of_polling(reader, ladder->proof, sizeof(ladder->proof), err);
	if (rc)
		pl_ring_close(&reader->ring);
	return rc;
}

/* That no path is called so, and what they are called. */
static int refuse_name(const char *name, struct pl_err *err)
{
	char names[160] = "";
	size_t used = 0;

	for (int i = 0; i < PL_READ_PATHS && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 pl_read_path_name((enum pl_read_path)i));
	return pl_fail(err, -EINVAL, "no path is called %s; there are: %s", name ? name : "\"\"",
		       names);
}

/* Walks down the ladder, collecting the reason of each rung that did not work. */
static int choose_path(struct pl_reader *reader, const struct pl_nvme_options *options,
		       const char *only, struct pl_arena *arena, struct ladder *ladder,
		       struct pl_err *err)
{
	int rc = refuse_name(only, err);

	ladder->why = !only && options->no_io_uring ? "io_uring: not tried, as asked" : NULL;
	for (int i = 0; i < PL_READ_PATHS; i++) {
		enum pl_read_path path = (enum pl_read_path)i;
		struct pl_err reason = {0, ""};
		const char *before = ladder->why;

		if (!is_wanted(path, options, only))
			continue;
		rc = try_path(reader, path, ladder, &reason);
		if (!rc)
			return 0;
		pl_fail(err, rc, "%s", reason.text);
		ladder->why =
			pl_arena_printf(arena, "%s%s%s: %s", before ? before : "",
					before ? "; " : "", pl_read_path_name(path), reason.text);
	}
	return rc;
}

static int use_fast_place(struct pl_run *run, struct pl_measurement *m, struct pl_reader *reader,
			  struct pl_err *err)
{
	struct pl_fast_place fast;
	int rc;

	if (reader->pattern != PL_READ_FAST_LBA)
		return 0;
	rc = pl_fast_find(reader, &fast, err);
	if (rc)
		return rc;
	pl_measurement_set_number(run, m, "fast_lba_offset_bytes", (double)fast.offset_bytes);
	pl_measurement_set_number(run, m, "fast_lba_scanned", (double)fast.scanned);
	pl_measurement_set_text(run, m, "fast_lba_data",
				fast.is_zero
					? "all zero: probably deallocated; such a read may skip "
					  "the media and even the transfer"
					: "not zero: written, from the drive's cache at best");
	return 0;
}

/* Why the numbers may not be those of a drive. */
static void note_doubts(struct pl_run *run, struct pl_measurement *m,
			const struct pl_target *target)
{
	uint64_t holes = pl_target_hole_bytes(target);

	if (!target->is_direct)
		pl_measurement_warn(run, m,
				    "W-CACHED: the file system of %s refuses O_DIRECT: this is the "
				    "page cache, not the drive",
				    target->path);
	if (holes)
		pl_measurement_warn(run, m,
				    "W-SPARSE: %.3g %% of %s was never written: there the kernel "
				    "answers without the drive",
				    100.0 * (double)holes / (double)target->size_bytes,
				    target->path);
}

static void note_path(struct pl_run *run, struct pl_measurement *m, const struct pl_reader *reader,
		      const struct ladder *ladder)
{
	m->ns_per_tick = reader->clock->ns_per_tick;
	m->conditions.clock = pl_arena_strdup(&run->arena, reader->clock->name);
	m->conditions.path = pl_read_path_name(reader->path);
	m->conditions.path_reason = ladder->why;
	m->conditions.pattern = pl_read_pattern_name(reader->pattern);
	m->conditions.queue_depth = reader->depth;
	if (ladder->proof[0])
		pl_measurement_set_text(run, m, "polling_proof", ladder->proof);
	if (reader->ring.uring)
		pl_measurement_set_text(run, m, "ring_flags", reader->ring.flags);
	pl_measurement_set_text(
		run, m, "write_guarantee",
		pl_read_path_is_passthru(reader->path) ? "this program: its command list has Read "
							 "only, the ring accepts nothing else"
		: reader->ring.uring
			? "the kernel: opened read-only, the ring is restricted to reads"
			: "the kernel: opened read-only");
	note_doubts(run, m, &reader->target);
}

static int open_reader(const struct pl_nvme_options *options, struct pl_run *run,
		       struct pl_measurement *m, const struct pl_clock *clock,
		       struct pl_reader **out, struct pl_err *err)
{
	const char *only = m->conditions.path ? m->conditions.path : options->path;
	struct ladder ladder = {NULL, ""};
	char file[160];
	int rc = find_file(options, m, file, sizeof(file), err);

	if (!rc)
		rc = new_reader(file, m, options->seed, out, err);
	if (rc)
		return rc;
	(*out)->clock = clock;
	(*out)->run = run;
	(*out)->m = m;
	rc = choose_path(*out, options, only, &run->arena, &ladder, err);
	if (!rc)
		rc = use_fast_place(run, m, *out, err);
	if (rc)
		return rc;
	note_path(run, m, *out, &ladder);
	if ((*out)->target.is_block)
		pl_background_open(&(*out)->background, (*out)->target.device);
	return 0;
}

/* "identify" and "get_features" go to the controller, not to a namespace. */
static int open_admin(const struct pl_nvme_options *options, struct pl_run *run,
		      struct pl_measurement *m, const struct pl_clock *clock,
		      struct pl_sampler *sampler, struct pl_err *err)
{
	char dir[96], name[PL_BDF_TEXT], path[160];
	struct pl_sysroot root;
	char **controllers = NULL;
	int rc, count;

	if (!m->has_device)
		return pl_fail(err, -EINVAL, "%s needs an NVMe controller", m->metric);
	rc = pl_sysroot_open(&root, NULL, err);
	if (rc)
		return rc;
	snprintf(dir, sizeof(dir), "sys/bus/pci/devices/%s/nvme", pl_bdf_format(m->device, name));
	count = pl_sysroot_list(&root, dir, &run->arena, &controllers);
	pl_sysroot_close(&root);
	if (count < 1)
		return pl_fail(err, -ENODEV, "%s is not held by the nvme driver", name);
	snprintf(path, sizeof(path), "%s/%s", options->dev_dir ? options->dev_dir : "/dev",
		 controllers[0]);
	rc = pl_admin_sampler_open(path, m->metric, clock, sampler, err);
	if (rc)
		return rc;
	m->ns_per_tick = clock->ns_per_tick;
	m->conditions.clock = pl_arena_strdup(&run->arena, clock->name);
	m->conditions.path = "ioctl";
	return 0;
}

int pl_nvme_open(const struct pl_nvme_options *options, struct pl_run *run,
		 struct pl_measurement *m, const struct pl_clock *clock, struct pl_sampler *sampler,
		 struct pl_err *err)
{
	struct pl_reader *reader = NULL;
	int rc;

	if (!run->machine.is_live && !options->file)
		return pl_fail(err, -ENOTSUP, "%s is not this machine: nothing can be timed",
			       run->machine.source ? run->machine.source : "the capture");
	if (m->metric && (!strcmp(m->metric, "identify") || !strcmp(m->metric, "get_features")))
		return open_admin(options, run, m, clock, sampler, err);
	rc = open_reader(options, run, m, clock, &reader, err);
	if (rc) {
		pl_reader_free(reader);
		return rc;
	}
	*sampler = pl_reader_sampler(reader);
	return 0;
}
