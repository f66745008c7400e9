#include "cli/progress.h"

#include <stdio.h>

#include "core/clock.h"
#include "core/fmt.h"

#define REDRAW_NS UINT64_C(100000000)

void pl_progress_init(struct pl_progress *progress, bool is_on)
{
	*progress = (struct pl_progress){is_on, pl_raw_ns(), 0};
}

void pl_progress_draw(struct pl_progress *progress, const struct pl_measurement *m, size_t done,
		      size_t total)
{
	uint64_t now = pl_raw_ns();
	double elapsed = (double)(now - progress->begin_ns) / 1e9;
	char where[48], left[32] = "";

	if (!progress->is_on || now - progress->drawn_ns < REDRAW_NS)
		return;
	progress->drawn_ns = now;
	pl_fmt_printable(where, sizeof(where),
			 m->slot      ? m->slot->label
			 : m->subject ? m->subject
				      : "");
	if (done)
		pl_fmt_duration(left, sizeof(left),
				elapsed * (double)(total - done) / (double)done);
	fprintf(stderr, "\r\x1b[K[%zu/%zu blocks] %s %s %s", done, total, where,
		pl_probe_name(m->probe), m->conditions.state ? m->conditions.state : "");
	if (done)
		fprintf(stderr, "   %s left", left);
	fflush(stderr);
}

void pl_progress_clear(const struct pl_progress *progress)
{
	if (progress->is_on)
		fprintf(stderr, "\r\x1b[K");
}
