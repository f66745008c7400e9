#ifndef PL_REPORT_JSON_H
#define PL_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "model/run.h"

/* Inside report/ only: how the nouns become JSON values. Every maker returns a new reference. */

/* Numbers as they stand in files: ns to three decimals. */
#define PL_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* Text made printable; NULL is null. */
json_t *pl_json_text(const char *text);
/* ns to three decimals; NAN is null. */
json_t *pl_json_ns(double ns);
/* A real number with all its digits; NAN is null. */
json_t *pl_json_real(double value);
/* 1 true, 0 false, -1 null. */
json_t *pl_json_maybe(int value);
json_t *pl_json_bdf(struct pl_bdf bdf);
/* 0 is null. */
json_t *pl_json_positive(uint64_t value);

/* Names of enum pl_aspm bits; PL_ASPM_UNKNOWN is null. */
json_t *pl_json_states(unsigned bits);
/* Negative and INT64_MAX are null. */
json_t *pl_json_known_ns(int64_t ns);

json_t *pl_json_slot(const struct pl_slot *slot);
json_t *pl_json_link(const struct pl_aspm_link *link);
json_t *pl_json_environment(const struct pl_machine *machine);
json_t *pl_json_drive(const struct pl_run *run, const struct pl_drive *drive);
json_t *pl_json_gpu(const struct pl_gpu *gpu);
/* offset_bytes: where its samples begin in samples.bin, moved on; NULL: there is no such file. */
json_t *pl_json_measurement(const struct pl_measurement *m, uint64_t *offset_bytes);
json_t *pl_json_effect(const struct pl_effect *effect);

/* Copies JSON text so that it is inert inside <script type="application/json">. */
void pl_json_escape_html(const char *json, FILE *out);

#endif
