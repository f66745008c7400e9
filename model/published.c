#include "model/published.h"

#include <math.h>

#define T1000                                                                                      \
	"NVIDIA T1000, pointer chase over Vulkan (Nemes' test, edited), host-coherent memory, "    \
	"Windows"
#define ARTICLE "Chips and Cheese, Microbenchmarking Chipsets for Giggles"
#define NONE ((double)NAN)

static const struct pl_published table[] = {
	{"B650 PG Lightning", "CPU slot", 650.0, NONE, NONE, T1000, ARTICLE},
	{"B650 PG Lightning", "one PROM21", 1221.0, 569.7, 25.0, T1000, ARTICLE},
	{"X670E Aorus Master", "two PROM21", NONE, 921.3, NONE, T1000, ARTICLE},
	{"Z890 (Arrow Lake)", "CPU slot", 785.0, NONE, NONE, T1000, ARTICLE},
	{"Z890 (Arrow Lake)", "PCH, DMI 4.0 x8", NONE, 550.0, NONE, T1000, ARTICLE},
	{"Z170 Gaming Pro Carbon", "CPU slot", 535.59, NONE, NONE, T1000, ARTICLE},
	{"Z170 Gaming Pro Carbon", "PCH", NONE, 338.0, 51.0, T1000, ARTICLE},
	{"M5A99X EVO R2.0", "990X northbridge", 769.67, NONE, 132.0, T1000, ARTICLE},
	{"M5A99X EVO R2.0", "SB950 southbridge", NONE, 602.0, 20.0, T1000, ARTICLE},
};

const struct pl_published *pl_published_gpu(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}
