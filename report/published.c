#include "report/published.h"

/*
 * Chips and Cheese, "Microbenchmarking Chipsets for Giggles": an NVIDIA T1000 moved through the
 * slots, pointer chase over Vulkan, host-coherent memory, Windows.
 */
#define SOURCE "Chips and Cheese, Microbenchmarking Chipsets for Giggles"

const struct pl_published pl_published[] = {
	{"B650 PG Lightning", "one PROM21", 650.0, 569.7, SOURCE},
	{"X670E Aorus Master", "two PROM21", 650.0, 921.3, SOURCE},
	{"Z890", "PCH, DMI 4.0 x8", 785.0, 550.0, SOURCE},
	{"Z170 Gaming Pro Carbon", "PCH", 535.59, 338.0, SOURCE},
	{"M5A99X EVO R2.0", "990X + SB950", 769.67, 602.0, SOURCE},
};
const size_t pl_published_count = sizeof(pl_published) / sizeof(pl_published[0]);
