#ifndef PL_LINK_JOURNAL_H
#define PL_LINK_JOURNAL_H

/*
 * What has to be put back, on disk before anything is changed. A text file, one setting per line,
 * replaced as a whole (temporary name, fsync, rename) whenever something is added; the last line
 * carries a checksum. It lies in run/pcielat/ below the root, which is gone after a reboot, and it
 * names the boot it belongs to: firmware sets links up anew.
 *
 *   pcielat-journal 1
 *   boot ID
 *   pid N
 *   policy TEXT                                 only when the policy was changed
 *   link DEPTH UP DOWN FUNCTIONS A0 … A6        the seven files: 1, 0, -1
 *   function BDF VENDOR DEVICE READABLE LNKCTL HAS_L1SS L1SS_CTL1     the port, then FUNCTIONS
 *   text KIND BDF VENDOR DEVICE PATH VALUE      power/control, pm_qos_latency_tolerance_us
 *   end CHECKSUM
 */

#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/err.h"
#include "core/sysroot.h"
#include "model/aspm_link.h"

#define PL_JOURNAL_DIR "run/pcielat"
#define PL_JOURNAL_FILE PL_JOURNAL_DIR "/journal"
#define PL_JOURNAL_LOCK PL_JOURNAL_DIR "/lock"
#define PL_JOURNAL_NOTE PL_JOURNAL_DIR "/restored-by-guard"
#define PL_JOURNAL_BOOT_BYTES 64
#define PL_JOURNAL_VALUE_BYTES 64

struct pl_journal_link {
	unsigned depth;            /* links above it: deeper ones are put back first */
	struct pl_aspm_link found; /* functions in the journal's arena */
};

/* In the order of restoring: drives' power states before runtime power management. */
enum pl_journal_text_kind { PL_TEXT_LATENCY, PL_TEXT_POWER };

struct pl_journal_text {
	enum pl_journal_text_kind kind;
	struct pl_bdf bdf; /* of the device it belongs to */
	uint16_t vendor_id, device_id;
	const char *path;
	char value[PL_JOURNAL_VALUE_BYTES];
};

struct pl_journal {
	struct pl_arena arena;
	char boot_id[PL_JOURNAL_BOOT_BYTES];
	long pid;
	char policy[PL_JOURNAL_VALUE_BYTES]; /* empty: not changed */
	struct pl_journal_link *links;
	size_t link_count, link_capacity;
	struct pl_journal_text *texts;
	size_t text_count, text_capacity;
};

void pl_journal_fini(struct pl_journal *journal);

/* Adds a copy; nothing is written yet. */
void pl_journal_add_link(struct pl_journal *journal, const struct pl_aspm_link *found,
			 unsigned depth);
/* NULL when it is not in there. */
const struct pl_journal_link *pl_journal_find_link(const struct pl_journal *journal,
						   struct pl_bdf up);
void pl_journal_add_text(struct pl_journal *journal, const struct pl_journal_text *text);
const struct pl_journal_text *pl_journal_find_text(const struct pl_journal *journal,
						   const char *path);
/* Takes one out: what it belonged to is gone. */
void pl_journal_forget_link(struct pl_journal *journal, struct pl_bdf up);
void pl_journal_forget_text(struct pl_journal *journal, const char *path);

/* "-" when the root does not say. */
void pl_journal_read_boot_id(const struct pl_sysroot *root, char out[PL_JOURNAL_BOOT_BYTES]);

/* Text of a journal, malloced; the pure half of write and read. */
int pl_journal_format(const struct pl_journal *journal, char **text, size_t *length);
/* journal is initialised; pl_journal_fini it in any case. -EINVAL with the line number. */
int pl_journal_parse(struct pl_journal *journal, const char *text, struct pl_err *err);

/* Makes run/pcielat (0700) when it is missing. 0 or -errno. */
int pl_journal_make_dir(const struct pl_sysroot *root);
/* On disk when it returns 0. -errno with the sentence. */
int pl_journal_write(const struct pl_journal *journal, const struct pl_sysroot *root,
		     struct pl_err *err);
/* -ENOENT: there is none; -EINVAL: damaged; -EACCES. */
int pl_journal_read(struct pl_journal *journal, const struct pl_sysroot *root, struct pl_err *err);
/* Removes it for good. 0 also when there was none. */
int pl_journal_remove(const struct pl_sysroot *root, const char *path);

#endif
