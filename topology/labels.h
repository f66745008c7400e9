#ifndef PL_TOPOLOGY_LABELS_H
#define PL_TOPOLOGY_LABELS_H

#include "core/sysroot.h"
#include "topology/entries.h"
#include "topology/slot_table.h"
#include "topology/topology.h"

/*
 * Slot names in order of trust: --label, --board-file, the label of a server's port or _SUN, the
 * SMBIOS slot table, /sys/bus/pci/slots, the name made from the path. A name that is not believed
 * becomes the slot's label_note and a warning W-SMBIOS or W-SLOT-NAME, never its label.
 *
 * Runs after all slots are there and adds slots for empty ones that only the table knows. root
 * NULL: a dump; then only texts and options name slots. -EINVAL: an option or a board file that
 * cannot be read; the sentence says where.
 */
int pl_labels_apply(struct pl_run *run, const struct pl_tree *tree, struct pl_entries *entries,
		    const struct pl_sysroot *root, const struct pl_topology_options *options,
		    struct pl_err *err);

/* What a resolved table does to the slots; apart, so that tests can bring their own table. */
void pl_labels_from_table(struct pl_run *run, const struct pl_tree *tree,
			  struct pl_entries *entries, const struct pl_slot_names *names);

/*
 * The slot that a person means: slot key with or without its domain, address of a function of the
 * device or of the port above, label or neutral name. NULL: none, or more than one.
 */
struct pl_slot *pl_labels_find(struct pl_run *run, const char *key);

/* A board file (INI): [board] name, vendor; [slots] NAME = KEY. Applies its names. */
int pl_board_file_apply(struct pl_run *run, const char *file, struct pl_err *err);
/* Sets a label that a person gave. */
void pl_label_set(struct pl_slot *slot, const char *label, enum pl_label_source source);

#endif
