#ifndef PL_TESTS_REPORT_FIXTURE_SLOTS_H
#define PL_TESTS_REPORT_FIXTURE_SLOTS_H

#include "model/slot.h"

/* The slots of the made-up machines, one line of facts each. */
struct fx_slot {
	const char *key, *label, *chipset;
	enum pl_attachment attachment;
	enum pl_origin origin;
	int hops;
	unsigned speed_mts, width, max_speed_mts, max_width;
	const char *device;
	enum pl_device_kind kind;
	uint32_t class_code;
	struct pl_bdf path[6];
	size_t path_count;
	const char *unit;
};

extern const struct fx_slot fx_am5_slots[];
extern const size_t fx_am5_slot_count;
extern const struct fx_slot fx_intel_slots[];
extern const size_t fx_intel_slot_count;
extern const struct fx_slot fx_nothing_slots[];
extern const size_t fx_nothing_slot_count;

#endif
