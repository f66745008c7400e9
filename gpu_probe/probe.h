#ifndef PL_GPU_PROBE_PROBE_H
#define PL_GPU_PROBE_PROBE_H

#include "gpu_probe/gpu_probe.h"
#include "gpu_probe/instance.h"

/* What the samplers of this folder share. */
struct pl_gpu_probe {
	struct pl_gpu_options options;
	struct pl_gpu_instance instance;
	bool is_open;
};

/* Opens the loader if that was not done. Errors as pl_gpu_instance_open. */
int pl_gpu_probe_need(struct pl_gpu_probe *probe, struct pl_err *err);

/* One planned measurement on its way to a sampler. */
struct pl_gpu_job {
	struct pl_gpu_probe *probe;
	struct pl_gpu_device *device;
	enum pl_gpu_memory memory;
	struct pl_run *run;
	struct pl_measurement *m;
	const struct pl_clock *clock;
};

/* One opener per family of metrics; each fills m->ns_per_tick and conditions. */
int pl_gpu_chase_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
int pl_gpu_load_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
int pl_gpu_gap_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
int pl_gpu_read_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
int pl_gpu_copy_open(const struct pl_gpu_job *job, struct pl_sampler *sampler, struct pl_err *err);
int pl_gpu_cpu_read_open(const struct pl_gpu_job *job, struct pl_sampler *sampler,
			 struct pl_err *err);
int pl_gpu_ping_pong_open(const struct pl_gpu_job *job, struct pl_sampler *sampler,
			  struct pl_err *err);

/*
 * Keeps every core of a GPU busy with arithmetic: 250 ms the first time, briefly after a pause, so
 * that its clocks are up before a measurement. Does nothing on a software device.
 */
int pl_gpu_warm(struct pl_gpu_device *d, struct pl_err *err);

/*
 * Wraps a sampler: warms the GPU up before each batch, reads link speed and clocks before and
 * after, drops and counts a batch during which the link retrained. Takes inner over, also when it
 * fails.
 */
int pl_gpu_watch(const struct pl_gpu_job *job, struct pl_sampler *inner, struct pl_sampler *sampler,
		 struct pl_err *err);

/* The series a device offers, in the arena of the run; what it cannot do becomes a skip entry. */
void pl_gpu_offers(const struct pl_gpu_probe *probe, const struct pl_gpu_device *d,
		   struct pl_run *run, struct pl_gpu *gpu);

#endif
