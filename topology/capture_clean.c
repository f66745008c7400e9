#include "topology/capture_clean.h"

#include <ctype.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SLOT_RECORD 9u
#define END_RECORD 127u

/* Bytes of a record with its strings; 0: it does not end inside the table. */
static size_t record_bytes(const unsigned char *at, size_t left)
{
	if (left < 6 || at[1] < 4 || at[1] + 2u > left)
		return 0;
	for (size_t i = at[1]; i + 1 < left; i++)
		if (!at[i] && !at[i + 1])
			return i + 2;
	return 0;
}

size_t pl_capture_slot_records(const unsigned char *table, size_t size_bytes, unsigned char *out)
{
	static const unsigned char end[] = {END_RECORD, 4, 0, 0, 0, 0};
	size_t kept = 0, bytes;

	for (size_t at = 0; (bytes = record_bytes(table + at, size_bytes - at)) > 0; at += bytes) {
		if (table[at] == END_RECORD)
			break;
		if (table[at] != SLOT_RECORD)
			continue;
		memcpy(out + kept, table + at, bytes);
		kept += bytes;
	}
	memcpy(out + kept, end, sizeof(end));
	return kept + sizeof(end);
}

void pl_capture_clean_config(unsigned char *config, size_t size_bytes)
{
	size_t at = 0x100;

	for (unsigned i = 0; i < 480 && at >= 0x100 && at + 12 <= size_bytes; i++) {
		unsigned id = config[at] | (unsigned)config[at + 1] << 8;
		unsigned next = (config[at + 2] | (unsigned)config[at + 3] << 8) >> 4;

		if (id == 0xffff)
			return;
		if (id == 3)
			memset(config + at + 4, 0, 8);
		at = next & 0xffcu;
	}
}

/* Arguments that may stay as they are, up to their "=" or ".". */
static const char *const kept_arguments[] = {
	"pcie_aspm",   "pcie_aspm.policy",
	"pci",         "pcie_ports",
	"iommu",       "intel_iommu",
	"amd_iommu",   "iomem",
	"lockdown",    "nvme",
	"nvme_core",   "isolcpus",
	"nohz_full",   "rcu_nocbs",
	"intel_idle",  "processor",
	"idle",        "intel_pstate",
	"amd_pstate",  "cpuidle",
	"mitigations", "tsc",
	"clocksource", "quiet",
	"ro",          "rw",
	"nosmt",       "maxcpus",
	"nr_cpus",     "acpi",
	"noapic",      "nolapic",
	"threadirqs",  "preempt",
	"hpet",        "module_blacklist",
	"modprobe",
};

static bool is_kept(const char *argument, size_t length)
{
	size_t name = strcspn(argument, "=. ");

	if (name > length)
		name = length;
	for (size_t i = 0; i < COUNT(kept_arguments); i++)
		if ((strlen(kept_arguments[i]) == name &&
		     strncmp(argument, kept_arguments[i], name) == 0))
			return true;
	return false;
}

void pl_capture_clean_cmdline(char *text)
{
	char *to = text;

	for (char *at = text; *at;) {
		size_t length = strcspn(at, " "), blanks = strspn(at + length, " ");

		if (length && is_kept(at, length)) {
			if (to != text)
				*to++ = ' ';
			memmove(to, at, length);
			to += length;
		}
		at += length + blanks;
	}
	*to = '\0';
}

void pl_capture_clean_cpuinfo(char *text)
{
	for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char *value;

		if (strncmp(line, "Serial", 6) != 0)
			continue;
		value = line + strcspn(line, ":\n");
		for (; *value && *value != '\n'; value++)
			if (isalnum((unsigned char)*value))
				*value = '0';
	}
}

bool pl_capture_wants_folder(const char *name)
{
	static const char *const prefixes[] = {"cpu",   "node",  "topology",
					       "cache", "index", "online"};

	if (strncmp(name, "cpufreq", 7) == 0 || strncmp(name, "cpuidle", 7) == 0)
		return false;
	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

bool pl_capture_wants_file(const char *name)
{
	static const char *const prefixes[] = {
		"online",        "possible",   "present",        "physical_package",
		"die_",          "core_",      "cluster_",       "thread_siblings",
		"package_",      "shared_cpu", "level",          "type",
		"size",          "coherency",  "number_of_sets", "ways_of",
		"physical_line", "cpumap",     "cpulist",        "distance",
		"meminfo",       "id",         "has_",           "book",
		"drawer",
	};

	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}
