#ifndef PL_TOPOLOGY_CAPTURE_CLEAN_H
#define PL_TOPOLOGY_CAPTURE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* What leaves a machine in a capture, and what of it is blanked first. */

/*
 * The System Slots records (type 9) of an SMBIOS table and an end record, for out of at least
 * size_bytes + 16; returns their bytes. Boards, chassis and memory records carry serial numbers.
 */
size_t pl_capture_slot_records(const unsigned char *table, size_t size_bytes, unsigned char *out);
/* Zeroes Device Serial Number capabilities (PCIe §7.9.3), which hold network addresses. */
void pl_capture_clean_config(unsigned char *config, size_t size_bytes);
/* Keeps the arguments of a kernel command line that say something about PCI, power and timing. */
void pl_capture_clean_cmdline(char *text);
/* Blanks the serial numbers that some processors show. */
void pl_capture_clean_cpuinfo(char *text);
/* Which folders and files below sys/devices/system/{cpu,node} hwloc reads. */
bool pl_capture_wants_folder(const char *name);
bool pl_capture_wants_file(const char *name);

#endif
