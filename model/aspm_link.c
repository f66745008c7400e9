#include "model/aspm_link.h"

static const struct {
	const char *name;
	unsigned bit;
} attrs[PL_ATTR_COUNT] = {
	[PL_ATTR_CLKPM] = {"clkpm", PL_ASPM_CLKPM},
	[PL_ATTR_L0S] = {"l0s_aspm", PL_ASPM_L0S},
	[PL_ATTR_L1] = {"l1_aspm", PL_ASPM_L1},
	[PL_ATTR_L1_1] = {"l1_1_aspm", PL_ASPM_L1_1},
	[PL_ATTR_L1_2] = {"l1_2_aspm", PL_ASPM_L1_2},
	[PL_ATTR_L1_1_PCIPM] = {"l1_1_pcipm", PL_ASPM_L1_1_PCIPM},
	[PL_ATTR_L1_2_PCIPM] = {"l1_2_pcipm", PL_ASPM_L1_2_PCIPM},
};

const char *pl_aspm_attr_name(enum pl_aspm_attr attr)
{
	return attrs[attr].name;
}

unsigned pl_aspm_attr_bit(enum pl_aspm_attr attr)
{
	return attrs[attr].bit;
}

const char *pl_aspm_verdict_name(enum pl_aspm_verdict verdict)
{
	static const char *const names[] = {
		[PL_VERDICT_NONE] = "not read back",
		[PL_VERDICT_CONFIRMED] = "confirmed",
		[PL_VERDICT_KERNEL_ONLY] = "kernel says yes, hardware says no",
		[PL_VERDICT_REVERTED] = "reverted during the run",
		[PL_VERDICT_UNREADABLE] = "unreadable",
		[PL_VERDICT_FIRMWARE_OWNED] = "owned by firmware",
		[PL_VERDICT_NOT_SET] = "not set",
	};

	return names[verdict];
}

const char *pl_aspm_owner_name(enum pl_aspm_owner owner)
{
	static const char *const names[] = {
		[PL_OWNER_UNKNOWN] = "unknown",
		[PL_OWNER_KERNEL] = "kernel",
		[PL_OWNER_FIRMWARE] = "firmware",
		[PL_OWNER_PCIE_ASPM_OFF] = "firmware (pcie_aspm=off)",
		[PL_OWNER_KERNEL_WITHOUT] = "firmware (kernel without ASPM support)",
	};

	return names[owner];
}
