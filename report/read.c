#include "report/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/pack.h"
#include "report/report.h"
#include "report/samples.h"

#define PACKED_START "<script type=\"text/plain\" id=\"pcielat-result-gz\">"
#define RECORD_START "<script type=\"application/json\" id=\"pcielat-result\">"
#define RECORD_END "</script>"
#define MAX_BYTES ((off_t)1 << 30)

/* ---- files ---- */

static int load(const char *path, char **text, struct pl_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a fifo is no reason to wait */
	struct stat st;
	off_t got = 0;

	if (fd < 0 || fstat(fd, &st))
		return pl_fail(err, -errno, "%s cannot be read: %s", path, strerror(errno));
	*text = S_ISREG(st.st_mode) && st.st_size < MAX_BYTES ? malloc((size_t)st.st_size + 1)
							      : NULL;
	while (*text && got < st.st_size) {
		ssize_t part = read(fd, *text + got, (size_t)(st.st_size - got));

		if (part <= 0)
			break;
		got += part;
	}
	close(fd);
	if (!*text)
		return pl_fail(err, -EINVAL, "%s is not a results file (or larger than 1 GiB)",
			       path);
	(*text)[got] = '\0';
	return 0;
}

/* What stands between a start and the end of its element; NULL when it is not there. */
static char *inside(char *text, const char *start)
{
	char *at = strstr(text, start), *end;

	if (!at)
		return NULL;
	at += strlen(start);
	end = strstr(at, RECORD_END);
	if (end)
		*end = '\0';
	return at;
}

/*
 * The record inside report.html (packed, or plain in the first pages), or the whole text when it
 * is JSON already. NULL: packed and torn.
 */
static json_t *record_of(char *text, json_error_t *error)
{
	char *packed = inside(text, PACKED_START), *plain;
	json_t *root;

	if (!packed) {
		plain = inside(text, RECORD_START);
		return json_loads(plain ? plain : text, 0, error);
	}
	plain = pl_unpack(packed, strlen(packed), (size_t)MAX_BYTES);
	*error = (json_error_t){.line = 0, .text = "the embedded record is not whole"};
	root = plain ? json_loads(plain, 0, error) : NULL;
	free(plain);
	return root;
}

static int check_version(const char *path, const json_t *root, struct pl_err *err)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const char *version = json_string_value(json_object_get(root, "schema_version"));
	long major = version ? strtol(version, NULL, 10) : 0;

	if (!schema || strcmp(schema, PL_SCHEMA) || major < 1)
		return pl_fail(err, -EINVAL, "%s is not a results file of pcielat", path);
	if (major > strtol(PL_SCHEMA_VERSION, NULL, 10))
		return pl_fail(err, -ENOTSUP,
			       "%s was written by a newer pcielat (schema version %.20s; this one "
			       "reads up to " PL_SCHEMA_VERSION ")",
			       path, version);
	return 0;
}

/* Whether text begins with the record of a watch; a watch with phases writes several in one file.
 */
static bool is_watch(const char *text)
{
	json_t *first = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	const char *schema = json_string_value(json_object_get(first, "schema"));
	bool is_one = schema && !strcmp(schema, "pcielat.watch");

	json_decref(first);
	return is_one;
}

static int parse(const char *path, json_t **root, struct pl_err *err)
{
	char *text = NULL;
	json_error_t error;
	int code = load(path, &text, err);

	if (code)
		return code;
	*root = record_of(text, &error);
	if (!*root)
		code = pl_fail(err, -EINVAL, "%s is not a results file: line %d: %s", path,
			       error.line, error.text);
	else
		code = check_version(path, *root, err);
	if (code && is_watch(text))
		code = pl_fail(err, -EINVAL,
			       "%s is the record of a watch (pcielat monitor), not the results of "
			       "a run",
			       path);
	free(text);
	return code;
}

/* samples.bin stands in the same folder; its name must not lead anywhere else. */
static void open_samples(struct pl_run *run, struct pl_read_file *file)
{
	const char *name =
		json_string_value(json_object_get(json_object_get(file->root, "samples"), "file"));
	const char *slash = strrchr(file->path, '/');
	char magic[8] = {0}, *path;

	if (!name || strchr(name, '/'))
		return;
	path = pl_arena_printf(&run->arena, "%.*s%s", slash ? (int)(slash - file->path + 1) : 0,
			       file->path, name);
	file->samples_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->samples_fd < 0)
		return;
	if (pread(file->samples_fd, magic, 8, 0) == 8 && !memcmp(magic, PL_SAMPLES_MAGIC, 8))
		return;
	pl_run_warn(run, "W-SAMPLES", "warning", name,
		    "the samples file is not one: the stored numbers are used");
	close(file->samples_fd);
	file->samples_fd = -1;
}

/* ---- one document into the run ---- */

static bool is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool is_same_device(const struct pl_device *a, const struct pl_device *b)
{
	return a->vendor_id == b->vendor_id && a->device_id == b->device_id &&
	       is_same_text(a->unit_hash, b->unit_hash) && is_same_text(a->model, b->model);
}

/* A slot is the same when its key is, unless another device sits in it now. */
static struct pl_slot *known_slot(struct pl_run *run, const struct pl_slot *fresh)
{
	for (size_t i = 0; i < run->slot_count; i++) {
		struct pl_slot *slot = &run->slots[i];

		if (!is_same_text(slot->key, fresh->key))
			continue;
		if (!slot->device || !fresh->device || is_same_device(slot->device, fresh->device))
			return slot;
	}
	return NULL;
}

/* run->slots has room for all: see reserve(). */
static void read_slots(struct pl_run *run, struct pl_read_file *file)
{
	const json_t *array = json_object_get(file->root, "slots");
	size_t count = json_array_size(array);

	file->slots = pl_arena_array(&run->arena, count, sizeof(struct pl_slot *));
	for (size_t i = 0; i < count; i++) {
		struct pl_slot fresh = {0}, *slot;

		pl_read_slot(run, json_array_get(array, i), &fresh);
		slot = known_slot(run, &fresh);
		if (!slot)
			slot = pl_run_add_slot(run);
		if (!slot->key || (!slot->device && fresh.device))
			*slot = fresh;
		file->slots[i] = slot;
	}
}

static bool has_function(const struct pl_slot *slot, struct pl_bdf bdf)
{
	for (size_t i = 0; slot->device && i < slot->device->function_count; i++)
		if (pl_bdf_is_equal(slot->device->functions[i], bdf))
			return true;
	return slot->device && pl_bdf_is_equal(slot->device->bdf, bdf);
}

struct pl_slot *pl_read_find_slot(const struct pl_read_file *file, const char *key,
				  const char *device)
{
	size_t count = json_array_size(json_object_get(file->root, "slots"));
	struct pl_slot *found = NULL;
	struct pl_bdf bdf = {0, 0, 0, 0};
	bool has_bdf = device && !pl_bdf_parse(device, &bdf);

	for (size_t i = 0; key && i < count; i++) {
		if (strcmp(file->slots[i]->key, key))
			continue;
		if (!found || (has_bdf && has_function(file->slots[i], bdf)))
			found = file->slots[i];
	}
	return found;
}

static unsigned boot_number(struct pl_run *run, const char *id)
{
	const char **ids = (const char **)run->boot_ids;

	for (size_t i = 0; id && i < run->boot_count; i++)
		if (ids[i] && !strcmp(ids[i], id))
			return (unsigned)i;
	ids[run->boot_count] = pl_arena_strdup(&run->arena, id);
	return (unsigned)run->boot_count++;
}

/* A document without boot ids is one boot of its own. */
static void read_boots(struct pl_run *run, struct pl_read_file *file)
{
	const json_t *array = json_object_get(json_object_get(file->root, "session"), "boots");

	file->boot_count = json_array_size(array) ? json_array_size(array) : 1;
	file->boots = pl_arena_array(&run->arena, file->boot_count, sizeof(*file->boots));
	for (size_t i = 0; i < file->boot_count; i++)
		file->boots[i] = boot_number(run, json_string_value(json_array_get(array, i)));
}

static void read_notes(struct pl_run *run, const json_t *root)
{
	const json_t *warnings = json_object_get(root, "warnings");
	const json_t *skipped = json_object_get(root, "skipped");

	for (size_t i = 0; i < json_array_size(warnings); i++) {
		const json_t *w = json_array_get(warnings, i);
		const char *message = pl_read_text(run, w, "message");

		if (message)
			pl_run_warn(run, pl_read_text(run, w, "code"),
				    pl_read_text(run, w, "severity"),
				    pl_read_text(run, w, "subject"), "%s", message);
	}
	for (size_t i = 0; i < json_array_size(skipped); i++) {
		const json_t *s = json_array_get(skipped, i);
		const char *what = pl_read_text(run, s, "what");

		/* Entries with ids say why numbers are null: the writer derives them again. */
		if (what && !json_object_get(s, "measurements"))
			pl_run_skip(run, what, pl_read_text(run, s, "why"),
				    pl_read_text(run, s, "remedy"));
	}
}

static void read_gpus(struct pl_run *run, const json_t *array)
{
	run->gpu_count = json_array_size(array);
	run->gpus = pl_arena_array(&run->arena, run->gpu_count, sizeof(*run->gpus));
	for (size_t i = 0; i < run->gpu_count; i++) {
		const json_t *g = json_array_get(array, i);
		struct pl_gpu *gpu = &run->gpus[i];

		gpu->index = (unsigned)pl_read_u64(g, "index", 0);
		PL_READ_ENUM(gpu->kind, g, "kind", pl_gpu_kind_name, PL_GPU_SOFTWARE + 1);
		gpu->name = pl_read_text(run, g, "name");
		gpu->driver = pl_read_text(run, g, "driver");
		gpu->api_version = pl_read_text(run, g, "api_version");
		gpu->has_bdf = pl_read_bdf(json_object_get(g, "bdf"), &gpu->bdf);
		gpu->no_path_reason = pl_read_text(run, g, "no_path_reason");
	}
}

/* The links of the first document: registers of later boots are not merged. */
static void read_links(struct pl_run *run, const json_t *array)
{
	if (run->aspm_link_count)
		return;
	run->aspm_link_count = json_array_size(array);
	run->aspm_links =
		pl_arena_array(&run->arena, run->aspm_link_count, sizeof(*run->aspm_links));
	for (size_t i = 0; i < run->aspm_link_count; i++)
		pl_read_link(run, json_array_get(array, i), &run->aspm_links[i]);
}

/* Likewise: what the drives said about themselves is of the first document. */
static void read_drives(struct pl_run *run, const json_t *array)
{
	if (run->drive_count)
		return;
	run->drive_count = run->drive_capacity = json_array_size(array);
	run->drives = pl_arena_array(&run->arena, run->drive_count, sizeof(*run->drives));
	for (size_t i = 0; i < run->drive_count; i++)
		pl_read_drive(run, json_array_get(array, i), &run->drives[i]);
}

static void read_document(struct pl_run *run, struct pl_read_file *file, bool with_effects)
{
	const json_t *series = json_object_get(file->root, "measurements");
	const json_t *effects = json_object_get(file->root, "effects");

	open_samples(run, file);
	read_slots(run, file);
	read_boots(run, file);
	read_links(run, json_object_get(file->root, "links"));
	read_drives(run, json_object_get(file->root, "drives"));
	for (size_t i = 0; i < json_array_size(series); i++)
		pl_read_measurement(run, file, json_array_get(series, i));
	for (size_t i = 0; with_effects && i < json_array_size(effects); i++)
		pl_read_effect(run, file, json_array_get(effects, i));
	read_notes(run, file->root);
	if (file->samples_fd >= 0)
		close(file->samples_fd);
}

/* ---- several documents ---- */

/* A stamp of any file is a stamp of the whole; partial is partial. */
static int read_head(struct pl_run *run, const struct pl_read_file *file, bool is_first,
		     struct pl_err *err)
{
	const json_t *environment = json_object_get(file->root, "environment");
	struct pl_run other = {.arena = {NULL}};
	int code = 0;

	if (is_first) {
		pl_read_environment(run, environment);
		pl_read_session(run, json_object_get(file->root, "session"));
		read_gpus(run, json_object_get(file->root, "gpus"));
		return 0;
	}
	pl_read_environment(&other, environment);
	if (!is_same_text(other.machine.board_name, run->machine.board_name) ||
	    !is_same_text(other.machine.board_vendor, run->machine.board_vendor))
		code = pl_fail(err, -EXDEV,
			       "%s is of another board (%.60s, not %.60s): use compare for boards",
			       file->path,
			       other.machine.board_name ? other.machine.board_name : "unknown",
			       run->machine.board_name ? run->machine.board_name : "unknown");
	if (other.machine.hypervisor && !run->machine.hypervisor)
		run->machine.hypervisor = pl_arena_strdup(&run->arena, other.machine.hypervisor);
	run->machine.is_live &= other.machine.is_live;
	run->is_complete &= pl_read_bool(json_object_get(file->root, "session"), "complete");
	pl_run_fini(&other);
	return code;
}

/* Slots must not move while series point at them, so the room for all is made first. */
static void reserve(struct pl_run *run, const struct pl_read_file *files, size_t count)
{
	size_t slots = 0, boots = 0;

	for (size_t i = 0; i < count; i++) {
		const json_t *session = json_object_get(files[i].root, "session");

		slots += json_array_size(json_object_get(files[i].root, "slots"));
		boots += json_array_size(json_object_get(session, "boots")) + 1;
	}
	run->slots = pl_arena_array(&run->arena, slots, sizeof(*run->slots));
	run->slot_capacity = slots;
	run->boot_ids = pl_arena_array(&run->arena, boots, sizeof(*run->boot_ids));
}

/* The folder of a run stands for the results in it. */
static const char *file_of(struct pl_run *run, const char *path)
{
	size_t length = strlen(path);
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return path;
	return pl_arena_printf(&run->arena, "%s%sresults.json", path,
			       length && path[length - 1] == '/' ? "" : "/");
}

int pl_report_read(struct pl_run *run, const char *const *paths, size_t count, struct pl_err *err)
{
	struct pl_read_file *files = pl_arena_array(&run->arena, count, sizeof(*files));
	int code = 0;

	for (size_t i = 0; i < count && !code; i++) {
		files[i] = (struct pl_read_file){.path = file_of(run, paths[i]), .samples_fd = -1};
		code = parse(files[i].path, &files[i].root, err);
	}
	if (!code)
		reserve(run, files, count);
	for (size_t i = 0; i < count && !code; i++) {
		code = read_head(run, &files[i], i == 0, err);
		if (!code)
			read_document(run, &files[i], count == 1);
	}
	for (size_t i = 0; i < count; i++)
		json_decref(files[i].root);
	return code;
}
