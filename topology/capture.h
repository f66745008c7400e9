#ifndef PL_TOPOLOGY_CAPTURE_H
#define PL_TOPOLOGY_CAPTURE_H

#include "core/err.h"
#include "core/sysroot.h"
#include "model/run.h"

/*
 * Writes what `list` needs of a machine into one tar.zst: configuration space of every function,
 * the sysfs texts beside it, DMI board and slot tables, NUMA and CPU folders, ASPM policy. Serial
 * numbers, UUIDs, network addresses and host names stay out: the SMBIOS table keeps only its slot
 * records (type 9), device serial number capabilities are zeroed, and of the kernel's arguments
 * only those about PCI, power and timing are kept. `list --sysroot` on the unpacked folder gives
 * the same answer.
 *
 * What the user may not read becomes run->skipped. Errors: -EIO and what the file system says, with
 * the sentence; a half-written file is removed.
 */
int pl_capture_write(const struct pl_sysroot *root, const char *file, struct pl_run *run,
		     struct pl_err *err);

#endif
