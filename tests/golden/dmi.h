#ifndef PL_TESTS_GOLDEN_DMI_H
#define PL_TESTS_GOLDEN_DMI_H

#include <stddef.h>
#include <stdint.h>

/*
 * Turns the System Slot records of a dmidecode text back into a DMI table (DSP0134 §7.10). Returns
 * malloc'd bytes and their count.
 */
uint8_t *t_dmi_table(const char *text_file, size_t *size_bytes);
/*
 * A machine as a folder made in a temporary place: the functions of a dump as sysfs config files,
 * and a DMI table (NULL: none). Returns the malloc'd path; t_sysroot_remove deletes and frees it.
 */
char *t_sysroot_make(const char *dump, const uint8_t *table, size_t size_bytes);
void t_sysroot_remove(char *dir);

#endif
