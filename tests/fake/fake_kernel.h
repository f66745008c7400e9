#ifndef PL_TESTS_FAKE_KERNEL_H
#define PL_TESTS_FAKE_KERNEL_H

/*
 * A machine made of plain files, with the rules of Linux behind its ASPM files. Each function has a
 * config file of 4096 bytes which is its register file; link/ *_aspm, the policy, power/control and
 * pm_qos_latency_tolerance_us are files too. All are mapped shared, so that what a write causes
 * costs no system call and is seen by every process: killing the tool between two system calls
 * leaves exactly the state that a real kernel would have been left with.
 *
 * Rules after drivers/pci/pcie/aspm.c as described in its comments and seen in traces of 6.1: state
 * = policy mask AND capable AND NOT disabled; a write of 1 lifts the mark, a substate's also that
 * of L1; a write of 0 sets it, L1's also those of the substates; nothing is written when the cached
 * state is the wanted one; setting goes port first, clearing device first.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "core/sysroot.h"
#include "link/io.h"
#include "model/run.h"

#define FAKE_FUNCTIONS_MAX 24
#define FAKE_LINKS_MAX 12
#define FAKE_CONFIG_BYTES 4096
#define FAKE_MAPPINGS_MAX 256
#define FAKE_LOG_MAX 4096

/* Offsets in every config file. */
#define FAKE_EXP 0x40
#define FAKE_LNKCAP (FAKE_EXP + 0x0c)
#define FAKE_LNKCTL (FAKE_EXP + 0x10)
#define FAKE_LNKSTA (FAKE_EXP + 0x12)
#define FAKE_DEVCTL2 (FAKE_EXP + 0x28)
#define FAKE_L1SS 0x140
#define FAKE_L1SS_CTL1 (FAKE_L1SS + 8)

struct fake_function {
	struct pl_bdf bdf;
	uint8_t *config;
	char *power; /* power/control, 8 bytes */
	unsigned port_type;
};

struct fake_link {
	size_t up, down[4]; /* indices of functions */
	size_t down_count;
	char *attr[PL_ATTR_COUNT]; /* NULL: no file */
};

/* How a function vanishes: it reads as all ones, or the kernel has noticed and removed its files.
 */
enum fake_removal { FAKE_ONES, FAKE_UNPLUGGED };

#define FAKE_BIT(function) (1u << (function))
/* The functions, in order; see add_devices. */
enum {
	FAKE_PORT_DIRECT,
	FAKE_GPU,
	FAKE_AUDIO,
	FAKE_PORT_SWITCH,
	FAKE_UP1,
	FAKE_DOWN1,
	FAKE_DOWN2,
	FAKE_DRIVE1,
	FAKE_UP2,
	FAKE_DOWN3,
	FAKE_DRIVE2
};

/* One write that the tool made, in order. */
struct fake_write {
	char path[128], text[24];
};

/* What the kernel knows and what tests ask of it; in shared memory. */
struct fake_state {
	struct {
		unsigned capable, enabled, defaults, disabled;
		bool clkpm_capable, clkpm_enabled, clkpm_default, clkpm_disabled;
		bool is_stuck;    /* its registers ignore writes: the lying hardware */
		bool is_undriven; /* the device below has no driver: not in D0 for the kernel */
		int start[PL_ATTR_COUNT]; /* the files at the start */
	} link[FAKE_LINKS_MAX];
	unsigned policy;           /* index in default, performance, powersave, powersupersave */
	bool is_aspm_disabled;     /* the kernel does not own ASPM: policy writes fail with EPERM */
	bool is_old;               /* before about 6.7: l1_aspm = 0 does not mark the substates */
	int fail_error;            /* writes fail with this … */
	size_t fail_from, fail_to; /* … from this number on (1: the first) to that one (0: all) */
	size_t remove_at;          /* before this write something vanishes; 0: never */
	unsigned remove;           /* what: FAKE_BIT of functions; 0: the device of the last link */
	enum fake_removal removal;
	unsigned gone; /* FAKE_BIT of functions that vanished */
	struct fake_write log[FAKE_LOG_MAX];
	size_t log_count;
	char violation[256]; /* the first broken rule; empty: none */
	bool may_pin;        /* raise mode: 0 into a file that began 0, and the policy */
};

struct fake_kernel {
	char dir[64];
	struct pl_sysroot root;
	struct pl_link_io io;
	struct fake_state *state;
	struct fake_function function[FAKE_FUNCTIONS_MAX];
	size_t function_count;
	struct fake_link link[FAKE_LINKS_MAX];
	size_t link_count;
	struct {
		void *bytes;
		size_t size;
	} mapping[FAKE_MAPPINGS_MAX]; /* every file, for fake_close */
	size_t mapping_count;
	char *policy_text, *latency, *boot_id, *aer; /* aer: correctable of the last device */
	struct pl_run *run;
};

/* How the registers begin. */
enum fake_start {
	FAKE_LEGAL,   /* both ends and all functions alike, only what both support */
	FAKE_ILLEGAL, /* anything */
	FAKE_FULL,    /* everything supported and enabled */
	FAKE_OFF,     /* everything supported, nothing enabled */
};

/*
 * Makes the machine: a root port with a device of two functions, and a root port with two switches
 * in series; an NVMe drive behind the first switch and one behind both. run gets one slot for each
 * of the three. The seed decides all registers. fake_close removes the folder.
 */
void fake_open(struct fake_kernel *fake, struct pl_run *run, struct pl_rng *rng,
	       enum fake_start start);
void fake_close(struct fake_kernel *fake);

/* The slots: two-function device, behind one switch, behind two. */
enum { FAKE_SLOT_DIRECT, FAKE_SLOT_ONE_SWITCH, FAKE_SLOT_TWO_SWITCHES, FAKE_SLOTS };

/* Whether the L1 PM Substates capability is in the list of a function. */
bool fake_has_l1ss(const uint8_t *config);

uint16_t fake_get16(const uint8_t *bytes, unsigned offset);
uint32_t fake_get32(const uint8_t *bytes, unsigned offset);
void fake_put16(uint8_t *bytes, unsigned offset, uint16_t value);
void fake_put32(uint8_t *bytes, unsigned offset, uint32_t value);

/* All bytes that matter: every config file, every sysfs file. Free it. */
uint8_t *fake_snapshot(const struct fake_kernel *fake, size_t *size);
/*
 * 0 when the machine is as in the snapshot; else prints where it differs. What vanished, and the
 * link registers of a port above it (which the kernel clears), are not compared.
 */
int fake_compare(const struct fake_kernel *fake, const uint8_t *snapshot);
/* The functions (FAKE_BIT) vanish now: a surprise, no driver is asked. root: of this process. */
void fake_remove(struct fake_kernel *fake, const struct pl_sysroot *root, unsigned functions,
		 enum fake_removal how);
/* One of them is back, as after a reset; after FAKE_ONES only. */
void fake_return(struct fake_kernel *fake, size_t function, const uint8_t *snapshot);

/* No journal and no temporary file below run/pcielat. */
bool fake_has_journal(const struct fake_kernel *fake);

#endif
