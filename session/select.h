#ifndef PL_SESSION_SELECT_H
#define PL_SESSION_SELECT_H

#include "core/err.h"
#include "model/run.h"

/* What a name on the command line means: slots by label, key, neutral name or BDF … */
bool pl_select_slot_matches(const struct pl_slot *slot, const char *name);
/* … devices by the BDF of any function, nvme0n1, a network interface or DRM node … */
bool pl_select_device_matches(const struct pl_slot *slot, const char *name);
/* … and GPUs as gpu0. */
bool pl_select_gpu_matches(const struct pl_gpu *gpu, const char *name);
/* The GPU that sits in this slot, or NULL. */
const struct pl_gpu *pl_select_gpu_of(const struct pl_run *run, const struct pl_slot *slot);

/*
 * A wish that names nothing is a mistake worth an error: -ENOENT, and the sentence shows what there
 * is. option is "--slot" or "--device".
 */
int pl_select_check_slots(const struct pl_run *run, const char *option, const char *const *names,
			  size_t count, struct pl_err *err);
int pl_select_check_devices(const struct pl_run *run, const char *option, const char *const *names,
			    size_t count, struct pl_err *err);

#endif
