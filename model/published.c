#include "model/published.h"

#include <math.h>

#define T1000 "NVIDIA T1000, Vulkan chase (Nemes, edited), Windows"
#define ARTICLE "Chips and Cheese, article on PCIe latency of CPU and chipset slots"
#define NVBANDWIDTH "nvbandwidth host_device_latency_sm"
#define NONE ((double)NAN)

static const struct pl_published table[] = {
	{"AM5, CPU slot", "chase", 650.0, NONE, "ns", T1000, ARTICLE},
	{"AM5 (B650), chipset slot", "chase", 1221.0, 569.7, "ns", T1000, ARTICLE},
	{"AM5 (X670E), second chipset die", "chase", NONE, 921.3, "ns", T1000, ARTICLE},
	{"Arrow Lake, CPU slot", "chase", 785.0, NONE, "ns", T1000, ARTICLE},
	{"Arrow Lake (Z890), PCH slot", "chase", NONE, 550.0, "ns", T1000, ARTICLE},
	{"Skylake, CPU slot", "chase", 535.59, NONE, "ns", T1000, ARTICLE},
	{"Skylake (Z170), PCH slot", "chase", NONE, 338.0, "ns", T1000, ARTICLE},
	{"990X, northbridge slot", "chase", 769.67, NONE, "ns", T1000, ARTICLE},
	{"990X (SB950), southbridge slot", "chase", NONE, 602.0, "ns", T1000, ARTICLE},
	{"AM5, chipset slot", "read", 25.0, NONE, "GB/s", T1000, ARTICLE},
	{"Skylake (Z170), PCH slot", "read", 51.0, NONE, "GB/s", T1000, ARTICLE},
	{"990X, northbridge slot", "read", 132.0, NONE, "GB/s", T1000, ARTICLE},
	{"990X (SB950), southbridge slot", "read", 20.0, NONE, "GB/s", T1000, ARTICLE},
	{"laptop", "chase", 613.22, NONE, "ns", "NVIDIA RTX 3050 Laptop, CUDA", NVBANDWIDTH},
};

const struct pl_published *pl_published_gpu(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}
