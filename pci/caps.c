#include <errno.h>

#include "pci/config_space.h"

#define STATUS_REGISTER 0x06u
#define STATUS_HAS_CAPS (1u << 4)
#define CAP_POINTER 0x34u
#define CARDBUS_CAP_POINTER 0x14u
#define HEADER_TYPE 0x0eu
#define FIRST_CAP 0x40u
#define FIRST_EXT_CAP 0x100u
#define CONFIG_BYTES 4096u
#define MOST_CAPS ((256 - FIRST_CAP) / 4)
#define MOST_EXT_CAPS ((CONFIG_BYTES - FIRST_EXT_CAP) / 8)

static int first_cap(struct pl_pci *pci, struct pl_bdf bdf, uint8_t *at)
{
	uint8_t header = 0;
	uint16_t status = 0;

	if (pl_pci_read16(pci, bdf, STATUS_REGISTER, &status) ||
	    pl_pci_read8(pci, bdf, HEADER_TYPE, &header))
		return -ENODATA;
	*at = 0;
	if (!(status & STATUS_HAS_CAPS) || status == 0xffff)
		return 0;
	return pl_pci_read8(pci, bdf, (header & 0x7f) == 2 ? CARDBUS_CAP_POINTER : CAP_POINTER, at);
}

int pl_pci_find_cap(struct pl_pci *pci, struct pl_bdf bdf, uint8_t id)
{
	uint8_t at = 0, entry[2];
	int rc = first_cap(pci, bdf, &at);

	for (unsigned i = 0; !rc && i < MOST_CAPS && at >= FIRST_CAP; i++) {
		at &= 0xfcu;
		if (pl_pci_read(pci, bdf, at, entry, sizeof(entry)))
			return -ENODATA;
		if (entry[0] == id)
			return at;
		if (entry[0] == 0xff)
			return 0;
		at = entry[1];
	}
	return rc;
}

int pl_pci_find_ext_cap(struct pl_pci *pci, struct pl_bdf bdf, uint16_t id)
{
	unsigned at = FIRST_EXT_CAP;
	uint32_t entry = 0;

	for (unsigned i = 0; i < MOST_EXT_CAPS && at >= FIRST_EXT_CAP; i++) {
		if (pl_pci_read32(pci, bdf, at, &entry))
			return -ENODATA;
		if (entry == 0 || entry == UINT32_MAX)
			return 0;
		if ((entry & 0xffff) == id)
			return (int)at;
		at = entry >> 20 & 0xffcu;
	}
	return 0;
}
