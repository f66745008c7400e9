#include "gpu_probe/placement.h"

#include <math.h>
#include <string.h>

/* Links add hundreds of ns to some hundred ns of VRAM; a tenth more is not a link. */
#define HOST_OVER_VRAM 1.1

static bool is_chase(const struct pl_measurement *m)
{
	return m->probe == PL_PROBE_GPU && m->metric && !strcmp(m->metric, "chase") && m->n &&
	       m->conditions.memory && m->subject && !m->is_off_path && !isnan(m->summary.p50_ns);
}

static bool is_control(const struct pl_measurement *m, const struct pl_measurement *host)
{
	return is_chase(m) && !strcmp(m->conditions.memory, "vram") &&
	       !strcmp(m->subject, host->subject) &&
	       m->conditions.region_bytes == host->conditions.region_bytes;
}

static bool check(struct pl_run *run, struct pl_measurement *host)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct pl_measurement *vram = run->measurements[i];

		if (!is_control(vram, host) ||
		    host->summary.p50_ns >= HOST_OVER_VRAM * vram->summary.p50_ns)
			continue;
		pl_measurement_warn(
			run, host,
			"W-PLACEMENT: %.0f ns in \"%s\" memory against %.0f ns in VRAM: "
			"the memory may not be where the driver says",
			host->summary.p50_ns, host->conditions.memory, vram->summary.p50_ns);
		host->is_valid = false;
		return true;
	}
	return false;
}

size_t pl_gpu_check_placement(struct pl_run *run)
{
	size_t suspect = 0;

	for (size_t i = 0; i < run->measurement_count; i++) {
		struct pl_measurement *m = run->measurements[i];

		if (is_chase(m) && !strncmp(m->conditions.memory, "host", 4))
			suspect += check(run, m);
	}
	return suspect;
}
