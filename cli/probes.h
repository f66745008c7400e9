#ifndef PL_CLI_PROBES_H
#define PL_CLI_PROBES_H

#include "cli/options.h"
#include "core/err.h"
#include "gpu_probe/gpu_probe.h"
#include "nvme_probe/nvme_probe.h"
#include "session/session.h"

#define PL_PROBES_COUNT 5

/* The table that joins the session with the probes; the only place that knows them all. */
struct pl_probes {
	struct pl_nvme_options nvme;
	struct pl_gpu_options gpu_options;
	struct pl_gpu_probe *gpu;
	struct pl_session_probe table[PL_PROBES_COUNT];
};

/* root is borrowed until pl_probes_fini. */
void pl_probes_init(struct pl_probes *probes, const struct pl_options *options,
		    const struct pl_sysroot *root, uint64_t seed);
void pl_probes_fini(struct pl_probes *probes);
/* "config", "bar", "nvme", "gpu" to a bit set of 1u << enum pl_probe. 0 or -EINVAL. */
int pl_probes_parse(const struct pl_texts *names, unsigned *bits, struct pl_err *err);

#endif
