#ifndef PL_REPORT_READ_H
#define PL_REPORT_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/err.h"
#include "model/run.h"

/*
 * Inside report/ only: JSON values back into the nouns. Readers are tolerant: a key that is not
 * there, is null or has another type gives "not known"; text is copied into the arena of the run.
 */

const char *pl_read_text(struct pl_run *run, const json_t *object, const char *key);
/* Beyond it nothing is believed: 1e18 ns are thirty years. */
#define PL_READ_REAL_MAX 1e18
double pl_read_real(const json_t *object, const char *key); /* NAN when missing */
double pl_read_latency_ns(const json_t *value); /* NAN when it is none: negative, not a number */
uint64_t pl_read_u64(const json_t *object, const char *key, uint64_t missing);
int64_t pl_read_i64(const json_t *object, const char *key, int64_t missing);
int pl_read_maybe(const json_t *object, const char *key); /* 1, 0, -1 */
bool pl_read_bool(const json_t *object, const char *key);
bool pl_read_bdf(const json_t *value, struct pl_bdf *bdf);
/*
 * Sets out to the value of 0 … count - 1 whose name_of() is the text at key; left alone when there
 * is none, so that a name of a later version reads as "unknown".
 */
#define PL_READ_ENUM(out, object, key, name_of, count)                                             \
	do {                                                                                       \
		const char *text_ = json_string_value(json_object_get(object, key));               \
		for (unsigned i_ = 0; text_ && i_ < (unsigned)(count); i_++)                       \
			if (!strcmp(text_, name_of(i_)))                                           \
				(out) = i_;                                                        \
	} while (0)
/* enum pl_aspm bits; PL_ASPM_UNKNOWN when it is not an array. */
unsigned pl_read_states(const json_t *object, const char *key);
/* An array of texts into the arena; *count is how many. */
const char *const *pl_read_texts(struct pl_run *run, const json_t *object, const char *key,
				 size_t *count);

/* One results document and what it adds to a run. */
struct pl_read_file {
	const char *path;
	json_t *root;
	int samples_fd;         /* -1: none */
	struct pl_slot **slots; /* of the run, in the order of the document's slots[] */
	unsigned *boots;        /* number in the run of each boot of the document */
	size_t boot_count;
};

void pl_read_environment(struct pl_run *run, const json_t *environment);
void pl_read_session(struct pl_run *run, const json_t *session);
/* Fills a slot from its object. */
void pl_read_slot(struct pl_run *run, const json_t *object, struct pl_slot *slot);
void pl_read_drive(struct pl_run *run, const json_t *object, struct pl_drive *drive);
void pl_read_link(struct pl_run *run, const json_t *object, struct pl_aspm_link *link);
/* The slot of this file with this key and, where several have it, this device; NULL. */
struct pl_slot *pl_read_find_slot(const struct pl_read_file *file, const char *key,
				  const char *device);
void pl_read_measurement(struct pl_run *run, const struct pl_read_file *file, const json_t *object);
void pl_read_effect(struct pl_run *run, const struct pl_read_file *file, const json_t *object);
/* Samples of one series from samples.bin; false: the series keeps its stored numbers. */
bool pl_read_samples(struct pl_run *run, const struct pl_read_file *file, const json_t *object,
		     struct pl_measurement *m);

#endif
