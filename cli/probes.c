#include "cli/probes.h"

#include <errno.h>
#include <string.h>

#include "path_probe/path_probe.h"

static int open_config(void *ctx, struct pl_run *run, struct pl_measurement *m,
		       const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	(void)ctx;
	return pl_path_open_config(run, m, clock, sampler, err);
}

static int open_bar(void *ctx, struct pl_run *run, struct pl_measurement *m,
		    const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	(void)ctx;
	return pl_path_open_bar(run, m, clock, sampler, err);
}

static int open_nvme(void *ctx, struct pl_run *run, struct pl_measurement *m,
		     const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	const struct pl_probes *probes = ctx;
	struct pl_nvme_options options = probes->nvme;

	if (m->slot)
		options.file = NULL;
	return pl_nvme_open(&options, run, m, clock, sampler, err);
}

static int open_gpu(void *ctx, struct pl_run *run, struct pl_measurement *m,
		    const struct pl_clock *clock, struct pl_sampler *sampler, struct pl_err *err)
{
	const struct pl_probes *probes = ctx;

	return pl_gpu_open(probes->gpu, run, m, clock, sampler, err);
}

static int open_control(void *ctx, struct pl_run *run, struct pl_measurement *m,
			const struct pl_clock *clock, struct pl_sampler *sampler,
			struct pl_err *err)
{
	(void)ctx;
	return pl_path_open_control(run, m, clock, sampler, err);
}

void pl_probes_init(struct pl_probes *probes, const struct pl_options *options,
		    const struct pl_sysroot *root, uint64_t seed)
{
	memset(probes, 0, sizeof(*probes));
	probes->nvme = (struct pl_nvme_options){
		.file = options->file, .path = options->nvme_path, .seed = seed};
	probes->gpu_options = (struct pl_gpu_options){
		.seed = seed, .chase_memory = options->chase_memory, .sysroot = root};
	probes->gpu = pl_gpu_probe_new(&probes->gpu_options);
	probes->table[0] = (struct pl_session_probe){PL_PROBE_CONFIG, open_config, probes};
	probes->table[1] = (struct pl_session_probe){PL_PROBE_BAR, open_bar, probes};
	probes->table[2] = (struct pl_session_probe){PL_PROBE_NVME, open_nvme, probes};
	probes->table[3] = (struct pl_session_probe){PL_PROBE_GPU, open_gpu, probes};
	probes->table[4] = (struct pl_session_probe){PL_PROBE_HOST, open_control, probes};
}

void pl_probes_fini(struct pl_probes *probes)
{
	pl_gpu_probe_free(probes->gpu);
	probes->gpu = NULL;
}

int pl_probes_parse(const struct pl_texts *names, unsigned *bits, struct pl_err *err)
{
	static const enum pl_probe known[] = {PL_PROBE_CONFIG, PL_PROBE_BAR, PL_PROBE_NVME,
					      PL_PROBE_GPU};

	*bits = 0;
	for (size_t n = 0; n < names->count; n++) {
		unsigned bit = 0;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(pl_probe_name(known[i]), names->items[n]))
				bit = 1u << known[i];
		if (!bit)
			return pl_fail(
				err, -EINVAL,
				"--probe %s: no such probe; there is: config, bar, nvme, gpu",
				names->items[n]);
		*bits |= bit;
	}
	return 0;
}
