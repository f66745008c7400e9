#include "tests/report/fixture.h"

#include "report/report.h"
#include "tests/fake/watched_drive.h"

static const struct pl_measurement *drive_series(const struct pl_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (run->measurements[i]->probe == PL_PROBE_NVME)
			return run->measurements[i];
	return NULL;
}

/* A drive that stalls, whose link sleeps unless it is held, and that is gone for a while. */
static int watch_phase(bool is_held, bool has_reads, uint64_t seed)
{
	struct drive drive = clean;

	drive.stall_every_ns = 2000 * MS;
	drive.stall_ns = 20 * MS;
	drive.next_stall_ns = 1000 * MS;
	drive.entry_ns = 40000.0;
	drive.exit_ns = is_held ? 0.0 : 30000.0;
	drive.has_control = true;
	drive.wait_every = 1000;
	drive.gone_from_ns = 25000 * MS;
	drive.gone_to_ns = has_reads ? 27000 * MS : 1e15;
	drive.is_shared = true;
	return watch_drive(&drive, has_reads ? 30.0 : 0.5, seed);
}

int fx_watch(const struct pl_run *run, FILE *out)
{
	static const char *const phases[] = {"as_found", "off", "as_found"};
	const struct pl_measurement *series = drive_series(run);
	const struct pl_slot *slot = series ? series->slot : NULL;
	struct pl_watch_document document = {
		.watch = &watch,
		.subject = slot ? slot->label : "a file",
		.path = slot ? "io_uring-iopoll" : NULL,
		.series = series,
		.begun_s = 1780000000,
		.is_ended = true,
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]) && !rc; i++) {
		document.phase = phases[i];
		rc = watch_phase(i == 1, slot != NULL, i + 1);
		if (!rc)
			rc = pl_report_write_watch_json(run, &document, out, NULL);
	}
	return rc;
}
