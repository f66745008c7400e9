#include "model/slot.h"

#include <stdio.h>
#include <string.h>

#define NAME_OF(table, value)                                                                      \
	((size_t)(value) < sizeof(table) / sizeof((table)[0]) && (table)[value] ? (table)[value]   \
										: "unknown")

const char *pl_attachment_name(enum pl_attachment attachment)
{
	static const char *const names[] = {
		[PL_ATTACH_UNKNOWN] = "unknown", [PL_ATTACH_CPU_DIRECT] = "cpu-direct",
		[PL_ATTACH_CHIPSET] = "chipset", [PL_ATTACH_SWITCH] = "switch",
		[PL_ATTACH_TUNNEL] = "tunnel",   [PL_ATTACH_INTEGRATED] = "integrated",
	};

	return NAME_OF(names, attachment);
}

const char *pl_origin_name(enum pl_origin origin)
{
	static const char *const names[] = {
		[PL_ORIGIN_UNKNOWN] = "unknown",
		[PL_ORIGIN_CPU] = "cpu",
		[PL_ORIGIN_CHIPSET] = "chipset",
		[PL_ORIGIN_INTEGRATED] = "integrated",
	};

	return NAME_OF(names, origin);
}

const char *pl_confidence_name(enum pl_confidence confidence)
{
	static const char *const names[] = {
		[PL_CONFIDENCE_LOW] = "low",
		[PL_CONFIDENCE_MEDIUM] = "medium",
		[PL_CONFIDENCE_HIGH] = "high",
	};

	return NAME_OF(names, confidence);
}

const char *pl_via_kind_name(enum pl_via_kind kind)
{
	static const char *const names[] = {
		[PL_VIA_CHIPSET] = "chipset",         [PL_VIA_BOARD_SWITCH] = "board_switch",
		[PL_VIA_CARD_SWITCH] = "card_switch", [PL_VIA_CONTROLLER] = "controller",
		[PL_VIA_TUNNEL] = "tunnel",           [PL_VIA_VMD] = "vmd",
		[PL_VIA_PCI_BRIDGE] = "pci_bridge",
	};

	return NAME_OF(names, kind);
}

const char *pl_label_source_name(enum pl_label_source source)
{
	static const char *const names[] = {
		[PL_LABEL_PATH] = "path",
		[PL_LABEL_SYSFS] = "sysfs",
		[PL_LABEL_SMBIOS] = "smbios",
		[PL_LABEL_ACPI] = "acpi",
		[PL_LABEL_BOARD_FILE] = "board_file",
		[PL_LABEL_USER] = "user",
	};

	return NAME_OF(names, source);
}

const char *pl_device_kind_name(enum pl_device_kind kind)
{
	static const char *const names[] = {
		[PL_DEVICE_OTHER] = "other",
		[PL_DEVICE_NVME] = "nvme",
		[PL_DEVICE_GPU] = "gpu",
		[PL_DEVICE_NIC] = "nic",
	};

	return NAME_OF(names, kind);
}

char *pl_aspm_format(unsigned states, char *out, size_t size)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {{PL_ASPM_L0S, "L0s"},
		     {PL_ASPM_L1, "L1"},
		     {PL_ASPM_L1_1, "L1.1"},
		     {PL_ASPM_L1_2, "L1.2"},
		     {PL_ASPM_CLKPM, "ClockPM"},
		     {PL_ASPM_L1_1_PCIPM, "PCI-PM L1.1"},
		     {PL_ASPM_L1_2_PCIPM, "PCI-PM L1.2"}};
	size_t used = 0;

	if (states == PL_ASPM_UNKNOWN || states == 0) {
		snprintf(out, size, "%s", states ? "unknown" : "none");
		return out;
	}
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++)
		if (states & names[i].bit)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "",
						 names[i].name);
	return out;
}
