#include "topology/dump_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of lspci -v … -vvv put back into the register fields that they came from. */

static const char *after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

static bool is_on(const char *text, const char *flag)
{
	const char *at = after(text, flag);

	return at && *at == '+';
}

/* lspci prints the speed code as GT/s. */
static unsigned speed_code(const char *text)
{
	static const double speeds[] = {2.5, 5, 8, 16, 32, 64};
	const char *at = after(text, "Speed ");
	double gts = at ? strtod(at, NULL) : 0;

	for (unsigned i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (gts > speeds[i] - 0.1 && gts < speeds[i] + 0.1)
			return i + 1;
	return 0;
}

static unsigned width_code(const char *text)
{
	const char *at = after(text, "Width x");

	return at ? (unsigned)strtoul(at, NULL, 10) & 0x3f : 0;
}

/* "<64us", "<512ns", "unlimited" to the code of the class whose upper bound it is. */
static unsigned latency_code(const char *at, unsigned first_ns)
{
	char *unit = NULL;
	double ns;
	unsigned code = 0;

	if (!at || !strncmp(at, "unlimited", 9))
		return 7;
	at += *at == '<';
	ns = strtod(at, &unit);
	if (unit && unit[0] == 'u')
		ns *= 1000;
	while (code < 7 && ns > 1.05 * first_ns * (double)(1u << code))
		code++;
	return code;
}

static void read_type(struct pl_function *f, const char *text)
{
	static const struct {
		const char *name;
		unsigned type;
	} types[] = {
		{"Legacy Endpoint", PL_PORT_LEGACY_ENDPOINT},
		{"Root Complex Integrated Endpoint", PL_PORT_RC_ENDPOINT},
		{"Root Complex Event Collector", PL_PORT_RC_COLLECTOR},
		{"Root Port", PL_PORT_ROOT},
		{"Upstream Port", PL_PORT_UPSTREAM},
		{"Downstream Port", PL_PORT_DOWNSTREAM},
		{"PCI-Express to PCI", PL_PORT_TO_PCI},
		{"PCI-to-PCIe", PL_PORT_FROM_PCI},
		{"PCI/PCI-X to PCI-Express", PL_PORT_FROM_PCI},
		{"Endpoint", PL_PORT_ENDPOINT},
	};

	f->express.is_known = f->express.is_present = true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strstr(text, types[i].name)) {
			f->express.flags = (uint16_t)(types[i].type << 4 | 2);
			break;
		}
	if (is_on(text, "(Slot"))
		f->express.flags |= 1u << 8;
}

static void read_link_cap(struct pl_function *f, const char *text)
{
	const char *aspm = after(text, "ASPM "), *exit = after(text, "Latency ");
	const char *end = aspm ? strchr(aspm, ',') : NULL;
	const char *l0s = aspm ? strstr(aspm, "L0s") : NULL, *l1 = aspm ? strstr(aspm, "L1") : NULL;
	uint32_t cap = speed_code(text) | width_code(text) << 4;

	if (l0s && (!end || l0s < end))
		cap |= 1u << 10;
	if (l1 && (!end || l1 < end))
		cap |= 1u << 11;
	if (exit && (l0s = strstr(exit, "L0s ")))
		cap |= latency_code(l0s + 4, 64) << 12;
	if (exit && (l1 = strstr(exit, "L1 ")))
		cap |= latency_code(l1 + 3, 1000) << 15;
	f->express.link_cap = cap;
	f->express.has_link = true;
}

static void read_link_ctl(struct pl_function *f, const char *text)
{
	const char *end = strchr(text, ';');
	const char *l0s = strstr(text, "L0s"), *l1 = strstr(text, "L1");

	if (l0s && (!end || l0s < end))
		f->express.link_ctl |= 1u << 0;
	if (l1 && (!end || l1 < end))
		f->express.link_ctl |= 1u << 1;
}

static void read_link_sta(struct pl_function *f, const char *text)
{
	f->express.link_sta = (uint16_t)(speed_code(text) | width_code(text) << 4);
}

static void read_device_cap(struct pl_function *f, const char *text)
{
	const char *l0s = after(text, "Latency L0s "), *l1 = after(text, " L1 ");

	if (!l0s)
		return;
	f->express.has_device = true;
	f->express.device_cap = latency_code(l0s, 64) << 6 | latency_code(l1, 1000) << 9;
}

static void read_device_cap2(struct pl_function *f, const char *text)
{
	f->express.has_device2 = true;
	if (is_on(text, "LTR"))
		f->express.device_cap2 |= 1u << 11;
	if (is_on(text, "Routing"))
		f->express.device_cap2 |= 1u << 6;
	if (is_on(text, "32bit"))
		f->express.device_cap2 |= 1u << 7;
	if (is_on(text, "64bit"))
		f->express.device_cap2 |= 1u << 8;
}

static void read_device_ctl2(struct pl_function *f, const char *text)
{
	if (is_on(text, "LTR"))
		f->express.device_ctl2 |= 1u << 10;
	if (is_on(text, "EgressBlck"))
		f->express.device_ctl2 |= 1u << 7;
}

static void read_slot_cap(struct pl_function *f, const char *text)
{
	const char *number = after(text, "Slot #");

	f->express.has_slot = true;
	if (number)
		f->express.slot_cap |= (uint32_t)strtoul(number, NULL, 10) << 19;
	if (is_on(text, "HotPlug"))
		f->express.slot_cap |= 1u << 6;
}

static uint32_t substate_bits(const char *text)
{
	return (is_on(text, "ASPM_L1.2") ? 1u << 2 : 0) | (is_on(text, "ASPM_L1.1") ? 1u << 3 : 0) |
	       (is_on(text, "L1_PM_Substates") ? 1u << 4 : 0);
}

static void read_l1ss_cap(struct pl_function *f, const char *text)
{
	const char *restore = after(text, "PortCommonModeRestoreTime=");

	f->express.has_l1ss = true;
	f->express.l1ss_cap |= substate_bits(text);
	if (restore)
		f->express.l1ss_cap |= ((uint32_t)strtoul(restore, NULL, 10) & 0xff) << 8;
}

static void read_l1ss_ctl1(struct pl_function *f, const char *text)
{
	const char *mode = after(text, "T_CommonMode=");

	f->express.l1ss_ctl1 |= substate_bits(text) & 0xc;
	if (mode)
		f->express.l1ss_ctl1 |= ((uint32_t)strtoul(mode, NULL, 10) & 0xff) << 8;
}

/* Properties with more than one line: the words before the colon name the section. */
static const struct {
	const char *name;
	void (*read)(struct pl_function *f, const char *text);
} sections[] = {
	{"DevCap2", read_device_cap2},      {"DevCtl2", read_device_ctl2},
	{"DevCap", read_device_cap},        {"LnkCap", read_link_cap},
	{"LnkCtl", read_link_ctl},          {"LnkSta", read_link_sta},
	{"SltCap", read_slot_cap},          {"L1SubCap", read_l1ss_cap},
	{"L1SubCtl1", read_l1ss_ctl1},      {"AtomicOpsCap", read_device_cap2},
	{"AtomicOpsCtl", read_device_ctl2},
};

static void read_clock_pm(struct pl_text_dump *dump, struct pl_function *f, const char *text)
{
	if (!dump->section || !is_on(text, "ClockPM"))
		return;
	if (strcmp(dump->section, "LnkCap") == 0)
		f->express.link_cap |= 1u << 18;
	if (strcmp(dump->section, "LnkCtl") == 0)
		f->express.link_ctl |= 1u << 8;
}

/* Lines without a key of their own go on with the section before. */
static void continue_section(struct pl_text_dump *dump, struct pl_function *f, const char *text)
{
	static const char *const open[] = {"SltCap", "L1SubCap", "L1SubCtl1"};

	read_clock_pm(dump, f, text);
	for (size_t i = 0; dump->section && i < sizeof(open) / sizeof(open[0]); i++)
		for (size_t k = 0; k < sizeof(sections) / sizeof(sections[0]); k++)
			if (strcmp(dump->section, open[i]) == 0 &&
			    strcmp(sections[k].name, open[i]) == 0)
				sections[k].read(f, text);
}

static void read_section(struct pl_text_dump *dump, struct pl_function *f, const char *text)
{
	size_t key = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (strlen(sections[i].name) != key || strncmp(text, sections[i].name, key) != 0)
			continue;
		dump->section = sections[i].name;
		sections[i].read(f, text + key + 1);
		read_clock_pm(dump, f, text);
		return;
	}
	if (text[key] == ':' && key < 20)
		dump->section = NULL;
	continue_section(dump, f, text);
}

static void read_buses(struct pl_text_function *function, const char *text)
{
	unsigned primary, secondary, subordinate;

	if (sscanf(text, " primary=%x, secondary=%x, subordinate=%x", &primary, &secondary,
		   &subordinate) != 3)
		return;
	function->f.header_type = 1;
	function->f.secondary = (uint8_t)secondary;
	function->f.subordinate = (uint8_t)subordinate;
	function->has_buses = true;
}

static void read_capability(struct pl_text_function *function, const char *text)
{
	if (strstr(text, "<access denied>")) {
		function->is_denied = true;
		return;
	}
	function->f.express.is_known = true;
	if (strstr(text, "] Express"))
		read_type(&function->f, text);
}

static const char *kept(struct pl_text_dump *dump, const char *text)
{
	return pl_arena_strdup(dump->arena, text + strspn(text, " \t"));
}

void pl_text_property(struct pl_text_dump *dump, struct pl_text_function *function,
		      const char *line)
{
	const char *text = line + strspn(line, " \t"), *value;

	if (strchr(text, ':'))
		function->is_verbose = true;
	if ((value = after(text, "Bus:")) && value == text + 4)
		read_buses(function, value);
	else if ((value = after(text, "Capabilities:")) && value == text + 13)
		read_capability(function, value);
	else if ((value = after(text, "Kernel driver in use:")) && value == text + 21)
		function->f.driver = kept(dump, value);
	else if ((value = after(text, "DeviceName:")) && value == text + 11)
		function->f.firmware_name = kept(dump, value);
	else if ((value = after(text, "Physical Slot:")) && value == text + 14)
		function->f.slot_name = kept(dump, value);
	else
		read_section(dump, &function->f, text);
}
