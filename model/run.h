#ifndef PL_MODEL_RUN_H
#define PL_MODEL_RUN_H

/*
 * READ THIS FIRST. A run is one record that fills up: discover -> plan -> measure -> attribute ->
 * write. Facts (machine, slots, measurements) are stored; claims (effects) are derived from them.
 * If a field cannot be written to JSON it does not belong here: no descriptors, no handles.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "model/aspm_link.h"
#include "model/bdf.h"
#include "model/drive.h"
#include "model/slot.h"

#define PL_SCHEMA "pcielat.result"
#define PL_SCHEMA_VERSION "1.0"

/* What the numbers were taken on. NULL text: not known. */
struct pl_machine {
	const char *board_vendor, *board_name, *board_version;
	const char *bios_vendor, *bios_version, *bios_date;
	const char *cpu, *microcode, *os, *kernel, *kernel_cmdline, *architecture;
	const char *aspm_policy; /* the bracketed word of the kernel's policy file */
	bool aspm_is_disabled; /* pcie_aspm=off: firmware's setting stays, the kernel does not touch
				  it */
	const char *lockdown;  /* "none", "integrity", … */
	const char *iommu;     /* "on: DMA-FQ", "off", NULL */
	const char *governor;
	const char *hypervisor; /* its name, or "unknown hypervisor"; NULL on bare metal */
	bool is_live;           /* false: a capture or a dump, nothing can be measured */
	const char *source;     /* "live", "sysroot DIR", "dump FILE" */
	bool is_root;           /* configuration space beyond 64 bytes was readable */
	unsigned numa_nodes;
	uint64_t boot_time_s;
	const char *boot_id;
};

/* HOST is the control: the same gap, then no PCIe access at all. */
enum pl_probe {
	PL_PROBE_CONFIG,
	PL_PROBE_BAR,
	PL_PROBE_NVME,
	PL_PROBE_GPU,
	PL_PROBE_NET,
	PL_PROBE_HOST
};

/* Conditions under which a series was taken. 0 / NULL: does not apply. */
struct pl_conditions {
	const char *state;   /* link state of the path: "as_found", "off", "l1", … */
	uint64_t gap_ns;     /* idle gap before each access; 0: continuous traffic */
	const char *idle;    /* how the gap passed: "spun" (also NULL), "slept" */
	const char *prewake; /* an access between gap and sample that wakes the link and not the
				drive: "config"; NULL: none */
	/*
	 * Reads of one burst: after each gap so many follow each other, all of them timed, and
	 * sample i of a block is at place i % burst. 0: one access after each gap.
	 */
	unsigned burst;
	const char *apst; /* power states of the drive: "off" (held off), "as_found"; NULL: n/a */
	uint32_t size_bytes; /* of one access */
	unsigned queue_depth;
	const char *path; /* the software path that ran: "ecam", "io_uring-iopoll", "vulkan" */
	const char *path_reason; /* why the better ones did not; NULL when the best ran */
	const char *clock;
	const char *pattern;    /* "random", "same_lba", NULL */
	uint32_t config_offset; /* of a configuration read */
	uint64_t region_bytes;  /* of a GPU chase */
	const char *memory;     /* "host cached", "host write-combined", "vram", … */
};

enum pl_outcome {
	PL_OUTCOME_PENDING,
	PL_OUTCOME_MEASURED,
	PL_OUTCOME_PARTIAL,
	PL_OUTCOME_FAILED,
	PL_OUTCOME_SKIPPED
};

/* Statistics of one series, in ns. NAN where the data do not carry the number. */
struct pl_summary {
	size_t n;
	double min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, mean_ns;
	double p50_low_ns, p50_high_ns; /* 95 % from block medians */
};

/*
 * A number or a text that a probe records beside its samples ("loads_issued", "real_gap_min_ns").
 * Units are in the name. text NULL: it is a number.
 */
struct pl_fact {
	const char *name;
	double value;
	const char *text;
};

/* A stored distribution: samples in [low_ns, high_ns). */
struct pl_bin {
	double low_ns, high_ns;
	uint64_t count;
};

/* The numbers of one block. NAN where the block does not carry them. */
struct pl_block_summary {
	size_t n;
	double p50_ns, mean_ns, p99_ns, max_ns;
	double centre_ns; /* pl_measurement_block_centres: what differences are made of */
	int64_t others;   /* operations of others on the device meanwhile; -1: nobody counted */
};

/* One place in the bursts of a series: the first read after the gap, the second, … */
struct pl_burst_place {
	size_t n;
	double p50_ns, p50_low_ns, p50_high_ns, p99_ns; /* as in struct pl_summary */
	const double *centres_ns;                       /* of each block, blocks_done entries */
};

/* One series: one slot, one device, one probe, one metric, one set of conditions. */
struct pl_measurement {
	unsigned id;
	const struct pl_slot *slot; /* NULL: not of a slot (a file, a software GPU) */
	const char *subject;        /* what was measured when there is no slot */
	struct pl_bdf device;
	bool has_device;
	enum pl_probe probe;
	const char *metric; /* "config_read", "bar_read", "read_4k", "chase", … */
	struct pl_conditions conditions;
	enum pl_outcome outcome;
	const char *why;  /* one sentence unless measured */
	int why_errno;    /* the errno behind why; 0: none */
	bool is_valid;    /* may enter a claim */
	bool is_off_path; /* "no PCIe path": never enters a slot claim */
	double ns_per_tick;
	/* Raw samples in the order taken; room for blocks * samples_per_block. */
	uint64_t *ticks;
	size_t n;
	unsigned blocks; /* planned */
	size_t samples_per_block;
	/*
	 * Block b is ticks[block_start[b]] … ticks[block_start[b + 1] - 1]; blocks_done + 1 entries
	 * are valid. Block b of every series was taken in round b of the walk, so differences are
	 * paired by index; a block that failed is empty, not left out.
	 */
	size_t *block_start;
	unsigned blocks_done;
	int64_t *others; /* of each block, as in struct pl_block_summary; NULL: nobody counted */
	size_t failed;   /* operations that failed; never in ticks */
	unsigned boot; /* merged runs number their boots; series of one boot are paired by block */
	/* Of a series read back from results, whose ticks are elsewhere; NULL while ticks are here.
	 */
	const struct pl_bin *stored_bins;
	size_t stored_bin_count;
	const struct pl_block_summary *stored_blocks; /* blocks_done entries */
	const struct pl_burst_place *stored_places;   /* conditions.burst entries */
	struct pl_summary summary;
	const char **warnings; /* "W-…: sentence" */
	size_t warning_count, warning_capacity;
	struct pl_fact *facts;
	size_t fact_count, fact_capacity;
};

enum pl_effect_kind {
	PL_EFFECT_HOP,
	PL_EFFECT_EXIT,
	PL_EFFECT_EXIT_IN_COMMAND,
	PL_EFFECT_ENTRY_TIMER,
	PL_EFFECT_TAIL,
	PL_EFFECT_CONFIG_STEP,
	PL_EFFECT_CHAIN,    /* what waking the uplink too adds to waking the link of the device */
	PL_EFFECT_PREWOKEN, /* what a state still adds when the link was woken before the command */
	PL_EFFECT_APST      /* what the drive's own power states add, links off */
};
#define PL_EFFECT_LAST PL_EFFECT_APST

enum pl_reference_class { PL_REF_NONE, PL_REF_SAME_SLOT, PL_REF_SAME_MODEL, PL_REF_SAME_UNIT };
enum pl_claim_status { PL_CLAIM_NOT_MADE, PL_CLAIM_NOT_RESOLVED, PL_CLAIM_RESOLVED };

/* A claim, or the reason why there is none. NAN numbers are null in JSON. */
struct pl_effect {
	enum pl_effect_kind kind;
	const struct pl_slot *slot, *reference_slot;
	struct pl_bdf function,
		reference_function; /* of a config step: the rung and the one before */
	enum pl_probe probe;
	const char *metric; /* of the series it comes from */
	const char *state;
	/* Of that series; gap_ns is the one that the claim is given for. NULL: not recorded. */
	const struct pl_conditions *conditions;
	double estimate_ns, low_ns, high_ns, detection_limit_ns;
	double p_value;      /* two-sided, before Holm; NAN: none */
	const char *verdict; /* advertised against measured: "within", "exceeds", …; NULL: none */
	int64_t advertised_low_ns, advertised_high_ns; /* with a verdict; -1: no such bound */
	size_t n;
	const char *unit_of_n; /* "blocks" or "boots" */
	enum pl_reference_class reference_class;
	enum pl_claim_status status;
	const char *reason;   /* NULL when resolved */
	const char *sentence; /* for print */
};

/* severity: "info", "warning", "error". code: stable, "W-…". */
struct pl_warning {
	const char *code, *severity, *message, *subject;
};

/* Something that was not done, and why, and what to do about it (may be NULL). */
struct pl_skip {
	const char *what, *why, *remedy;
};

enum pl_gpu_kind { PL_GPU_OTHER, PL_GPU_DISCRETE, PL_GPU_INTEGRATED, PL_GPU_SOFTWARE };

/*
 * A series that a probe can measure on a device. The plan makes a pending measurement of each whose
 * effort is not above the chosen one: metric, conditions.memory, region_bytes and gap_ns are
 * copied.
 */
struct pl_offer {
	const char *metric; /* "chase", "load", "load_after_gap", "read", "copy_to_vram", … */
	const char *memory; /* "host cached", "vram", …; NULL: does not apply */
	uint64_t region_bytes, gap_ns;
	unsigned effort; /* 0 quick, 1 default, 2 thorough: the least effort that takes it */
	size_t samples_per_block;
	double block_s; /* estimate of one block, for planned_s */
};

/* A Vulkan device as the driver shows it, mapped to a PCI function where it says which. */
struct pl_gpu {
	unsigned index; /* order of vkEnumeratePhysicalDevices */
	enum pl_gpu_kind kind;
	const char *name, *driver, *api_version;
	bool has_bdf;
	struct pl_bdf bdf;
	const char *no_path_reason; /* why it is not "a GPU in a slot"; NULL when it is one */
	const struct pl_offer *offers;
	size_t offer_count;
};

struct pl_clock_facts {
	const char *name, *reason;
	double ns_per_tick, cost_ns, cost_p999_ns;
};

struct pl_run {
	struct pl_arena arena; /* owns everything a pointer here leads to */
	struct pl_machine machine;
	struct pl_slot *slots;
	size_t slot_count, slot_capacity;
	/* An array of pointers, so that a measurement keeps its address while others are added. */
	struct pl_measurement **measurements;
	size_t measurement_count, measurement_capacity;
	struct pl_gpu *gpus;
	size_t gpu_count;
	struct pl_drive *drives; /* filled by pl_nvme_survey */
	size_t drive_count, drive_capacity;
	struct pl_aspm_link *aspm_links; /* every link of the machine; filled by pl_link_survey */
	size_t aspm_link_count, aspm_link_capacity;
	struct pl_effect *effects;
	size_t effect_count, effect_capacity;
	struct pl_warning *warnings;
	size_t warning_count, warning_capacity;
	struct pl_skip *skipped;
	size_t skip_count, skip_capacity;
	struct pl_clock_facts clock;
	const char *const *argv;
	size_t argc;
	const char *session_id, *started_utc, *finished_utc;
	const char *const
		*boot_ids; /* of merged runs: m->boot is an index; NULL: machine.boot_id */
	size_t boot_count;
	uint64_t seed;
	bool is_complete;        /* false: interrupted, partial */
	bool allow_virtual;      /* --allow-virtual: verdicts in a VM, stamped */
	int cpu;                 /* the measuring CPU; -1: not pinned */
	const char *cstates;     /* "held: …" or why not; NULL: nothing measured */
	const char *memory_lock; /* "locked" or why not */
	double planned_s, actual_s;
};

void pl_run_init(struct pl_run *run);
void pl_run_fini(struct pl_run *run);

/* Each adds a zeroed element and returns it. Slots may move while slots are still being added. */
struct pl_slot *pl_run_add_slot(struct pl_run *run);
struct pl_measurement *pl_run_add_measurement(struct pl_run *run);
struct pl_effect *pl_run_add_effect(struct pl_run *run);
/* subject may be NULL; message is formatted into the arena. The same code+subject+message is kept
 * once. */
void pl_run_warn(struct pl_run *run, const char *code, const char *severity, const char *subject,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));
void pl_run_skip(struct pl_run *run, const char *what, const char *why, const char *remedy);
/* "W-…: sentence" onto one measurement, once. */
void pl_measurement_warn(struct pl_run *run, struct pl_measurement *m, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets a fact of a measurement; the name is borrowed, the last value counts, text is copied. */
void pl_measurement_set_number(struct pl_run *run, struct pl_measurement *m, const char *name,
			       double value);
void pl_measurement_set_text(struct pl_run *run, struct pl_measurement *m, const char *name,
			     const char *text);
/* The fact of this name, or NULL. */
const struct pl_fact *pl_measurement_find_fact(const struct pl_measurement *m, const char *name);

/* The slot whose device has this function (any function of it), or whose path holds it; or NULL. */
struct pl_slot *pl_run_find_slot(const struct pl_run *run, struct pl_bdf bdf);

/* "VIRTUAL MACHINE (QEMU)" / "NOT LIVE: …" or NULL on a live bare-metal machine: stamps every
 * output. */
const char *pl_run_stamp(const struct pl_run *run, char *out, size_t size);

const char *pl_probe_name(enum pl_probe probe);
const char *pl_gpu_kind_name(enum pl_gpu_kind kind);
const char *pl_outcome_name(enum pl_outcome outcome);
const char *pl_effect_kind_name(enum pl_effect_kind kind);
const char *pl_reference_class_name(enum pl_reference_class reference_class);
const char *pl_claim_status_name(enum pl_claim_status status);

#endif
