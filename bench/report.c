/* Ten million samples: results written, read back, and made into the page again. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/rng.h"
#include "model/summary.h"
#include "report/report.h"

#define SLOTS 5
#define STATES 4
#define GAPS 15
#define BLOCKS 16
#define PER_BLOCK 2084 /* 5 * 4 * 15 * 16 * 2084 = 10.0 million */

static const char *const states[STATES] = {"as_found", "off", "l1", "l1_2"};

static void add_slots(struct pl_run *run)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		struct pl_slot *slot = pl_run_add_slot(run);
		struct pl_device *device = pl_arena_alloc(&run->arena, sizeof(*device));

		device->bdf.bus = (uint8_t)(i + 1);
		device->kind = PL_DEVICE_NVME;
		device->name = device->model = "Example SSD";
		slot->key = pl_arena_printf(&run->arena, "0000:00:%02x.1/00.0", i);
		slot->label = pl_arena_printf(&run->arena, "M2_%u", i + 1);
		slot->origin = PL_ORIGIN_CPU;
		slot->attachment = PL_ATTACH_CPU_DIRECT;
		slot->device = device;
		slot->path = &device->bdf;
		slot->path_count = 1;
	}
}

static void add_series(struct pl_run *run, const struct pl_slot *slot, unsigned state, unsigned gap,
		       struct pl_rng *rng)
{
	struct pl_measurement *m = pl_run_add_measurement(run);
	double exit_ns = state >= 2 && gap > 7 ? 31000.0 : 0.0;

	m->slot = slot;
	m->device = slot->device->bdf;
	m->has_device = m->is_valid = true;
	m->probe = PL_PROBE_NVME;
	m->metric = "read_4k";
	m->outcome = PL_OUTCOME_MEASURED;
	m->conditions.state = states[state];
	m->conditions.gap_ns = gap ? (uint64_t)(1000.0 * pow(10.0, gap / 3.0)) : 0;
	m->conditions.size_bytes = 4096;
	m->conditions.queue_depth = 1;
	m->ns_per_tick = 0.25;
	m->blocks = m->blocks_done = BLOCKS;
	m->n = BLOCKS * PER_BLOCK;
	m->ticks = pl_arena_array(&run->arena, m->n, sizeof(*m->ticks));
	m->block_start = pl_arena_array(&run->arena, BLOCKS + 1, sizeof(*m->block_start));
	for (unsigned b = 0; b <= BLOCKS; b++)
		m->block_start[b] = b * PER_BLOCK;
	for (size_t i = 0; i < m->n; i++)
		m->ticks[i] =
			(uint64_t)(4.0 * (52000.0 * exp(0.03 * pl_rng_normal(rng)) + exit_ns));
	pl_measurement_summarise(m);
}

static int write_results(const char *dir)
{
	struct pl_run run;
	struct pl_rng rng;
	uint64_t begin;
	int code;

	pl_run_init(&run);
	pl_rng_init(&rng, 1);
	run.machine.board_name = "Example";
	run.machine.is_live = run.is_complete = true;
	add_slots(&run);
	for (unsigned i = 0; i < SLOTS * STATES * GAPS; i++)
		add_series(&run, &run.slots[i % SLOTS], i / SLOTS % STATES, i / SLOTS / STATES,
			   &rng);
	begin = pl_raw_ns();
	code = pl_report_write_dir(&run, dir, NULL, NULL);
	printf("all files of a run from ticks: %.2f s\n", (double)(pl_raw_ns() - begin) / 1e9);
	fflush(stdout);
	return code;
}

/* What `pcielat report results.json` does. */
static int make_again(const char *json, const char *page)
{
	struct pl_run run;
	FILE *out = fopen(page, "w");
	int code;

	pl_run_init(&run);
	code = out ? pl_report_read(&run, &json, 1, NULL) : -1;
	run.effect_count = 0;
	if (!code)
		code = pl_report_attribute(&run, NULL);
	if (!code)
		code = pl_report_write_html(&run, NULL, out, NULL);
	if (out && fclose(out))
		code = -1;
	return code;
}

/* Runs in a child, so that its memory is its own. */
static int in_child(int (*job)(const char *, const char *), const char *a, const char *b,
		    double *seconds, long *peak_kib)
{
	uint64_t begin = pl_raw_ns();
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(job(a, b) != 0);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return -1;
	*seconds = (double)(pl_raw_ns() - begin) / 1e9;
	*peak_kib = usage.ru_maxrss;
	return status;
}

static int write_job(const char *dir, const char *unused)
{
	(void)unused;
	return write_results(dir);
}

static long long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long long)st.st_size;
}

int main(void)
{
	char dir[] = "/tmp/pcielat-bench-XXXXXX", json[64], page[64], command[96];
	double write_s = 0.0, report_s = 0.0;
	long write_kib = 0, report_kib = 0;
	int code;

	if (!mkdtemp(dir))
		return 1;
	snprintf(json, sizeof(json), "%s/results.json", dir);
	snprintf(page, sizeof(page), "%s/again.html", dir);
	code = in_child(write_job, dir, NULL, &write_s, &write_kib);
	if (!code)
		code = in_child(make_again, json, page, &report_s, &report_kib);
	printf("{\"samples\": %d, \"series\": %d, \"report_s\": %.2f, \"peak_mb\": %.0f, "
	       "\"html_bytes\": %lld, \"json_bytes\": %lld, \"make_and_write_s\": %.2f}\n",
	       SLOTS * STATES * GAPS * BLOCKS * PER_BLOCK, SLOTS * STATES * GAPS, report_s,
	       (double)report_kib / 1024.0, size_of(page), size_of(json), write_s);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) || code;
}
