#include "topology/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "core/tsc.h"

struct facts {
	struct pl_run *run;
	const struct pl_sysroot *root;
};

static const char *line_of(struct facts *f, const char *path)
{
	const char *line = pl_sysroot_line(f->root, path, &f->run->arena);

	return line && *line ? line : NULL;
}

/* Text that boards ship with when nobody filled it in. */
static const char *dmi(struct facts *f, const char *file)
{
	static const char *const fillers[] = {"To be filled", "Default string",
					      "System manufacturer", "System Product Name",
					      "Not Specified"};
	char path[96];
	const char *line;

	snprintf(path, sizeof(path), "sys/class/dmi/id/%s", file);
	line = line_of(f, path);
	for (size_t i = 0; line && i < sizeof(fillers) / sizeof(fillers[0]); i++)
		if (!strncasecmp(line, fillers[i], strlen(fillers[i])))
			return NULL;
	return line;
}

/* "default [performance] powersave" -> "performance". */
static const char *bracketed(struct facts *f, const char *path)
{
	const char *line = line_of(f, path);
	char *open = line ? strchr(line, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;

	return close ? pl_arena_printf(&f->run->arena, "%.*s", (int)(close - open - 1), open + 1)
		     : NULL;
}

/* "key : value" or KEY="value" in a text of lines. */
static const char *value_of(struct pl_arena *arena, const char *text, const char *key,
			    char separator)
{
	size_t length = strlen(key);

	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + length;
		size_t size;

		if (strncmp(line, key, length) != 0)
			continue;
		at += strspn(at, " \t");
		if (*at != separator)
			continue;
		at++;
		at += strspn(at, " \t\"");
		size = strcspn(at, "\"\n");
		return size ? pl_arena_printf(arena, "%.*s", (int)size, at) : NULL;
	}
	return NULL;
}

static const char *text_of(struct facts *f, const char *path)
{
	char *text = NULL;

	return pl_sysroot_read(f->root, path, &f->run->arena, &text, NULL) ? NULL : text;
}

static void read_cpu(struct facts *f, struct pl_machine *m, const char *cpuinfo)
{
	static const char *const keys[] = {"model name", "Model", "uarch", "cpu model", "cpu"};

	for (size_t i = 0; cpuinfo && !m->cpu && i < sizeof(keys) / sizeof(keys[0]); i++)
		m->cpu = value_of(&f->run->arena, cpuinfo, keys[i], ':');
	if (cpuinfo)
		m->microcode = value_of(&f->run->arena, cpuinfo, "microcode", ':');
}

static void read_system(struct facts *f, struct pl_machine *m)
{
	const char *release = text_of(f, "etc/os-release");
	const char *stat = text_of(f, "proc/stat");
	const char *btime = stat ? strstr(stat, "\nbtime ") : NULL;
	struct utsname name;

	if (release)
		m->os = value_of(&f->run->arena, release, "PRETTY_NAME", '=');
	m->kernel = line_of(f, "proc/sys/kernel/osrelease");
	m->architecture = line_of(f, "proc/sys/kernel/arch");
	m->kernel_cmdline = line_of(f, "proc/cmdline");
	if (f->root->live && uname(&name) == 0) {
		m->kernel = pl_arena_strdup(&f->run->arena, name.release);
		m->architecture = pl_arena_strdup(&f->run->arena, name.machine);
	}
	m->boot_id = line_of(f, "proc/sys/kernel/random/boot_id");
	if (btime)
		m->boot_time_s = strtoull(btime + 7, NULL, 10);
}

static const char *read_iommu(struct facts *f)
{
	char **names = NULL;
	int count = pl_sysroot_list(f->root, "sys/class/iommu", &f->run->arena, &names);
	const char *type;

	if (count < 0)
		return NULL;
	if (count == 0)
		return "off";
	type = line_of(f, "sys/kernel/iommu_groups/0/type");
	return type ? pl_arena_printf(&f->run->arena, "on: %s", type) : "on";
}

/* Words that firmware tables of virtual machines carry. */
static const struct {
	const char *word, *name;
} hypervisors[] = {
	{"QEMU", "QEMU"},
	{"KVM", "KVM"},
	{"Bochs", "Bochs"},
	{"VMware", "VMware"},
	{"VirtualBox", "VirtualBox"},
	{"innotek", "VirtualBox"},
	{"Xen", "Xen"},
	{"Amazon EC2", "Amazon EC2"},
	{"Google Compute", "Google Compute Engine"},
	{"OpenStack", "OpenStack"},
	{"Parallels", "Parallels"},
	{"bhyve", "bhyve"},
	{"Virtual Machine", "Hyper-V"},
	{"Firecracker", "Firecracker"},
	{"Apple Virtualization", "Apple Virtualization"},
};

static const char *known_hypervisor(const char *text)
{
	for (size_t i = 0; text && i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++)
		if (strstr(text, hypervisors[i].word))
			return hypervisors[i].name;
	return NULL;
}

/* CPUID 4000_0000h: the signatures that hypervisors document. */
static const char *by_signature(void)
{
	static const struct {
		const char *signature, *name;
	} known[] = {{"KVMKVMKVM", "KVM"},          {"Microsoft Hv", "Hyper-V"},
		     {"VMwareVMware", "VMware"},    {"XenVMMXenVMM", "Xen"},
		     {"TCGTCGTCGTCG", "QEMU"},      {"bhyve bhyve ", "bhyve"},
		     {"ACRNACRNACRN", "ACRN"},      {"prl hyperv", "Parallels"},
		     {"VBoxVBoxVBox", "VirtualBox"}};
	char signature[13];

	pl_cpu_hypervisor(signature);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(signature, known[i].signature, strlen(known[i].signature)))
			return known[i].name;
	return NULL;
}

static bool says_hypervisor(const char *cpuinfo)
{
	const char *flags = cpuinfo ? strstr(cpuinfo, "\nflags") : NULL;
	const char *hit = flags ? strstr(flags, " hypervisor") : NULL;
	const char *end = flags ? strchr(flags + 1, '\n') : NULL;

	return hit && (!end || hit < end);
}

static const char *find_hypervisor(struct facts *f, const char *cpuinfo)
{
	static const char *const files[] = {"sys_vendor", "product_name", "board_vendor",
					    "bios_vendor", "chassis_vendor"};
	const char *name = f->root->live ? NULL : line_of(f, "pcielat/hypervisor");

	for (size_t i = 0; !name && i < sizeof(files) / sizeof(files[0]); i++)
		name = known_hypervisor(dmi(f, files[i]));
	if (!name && line_of(f, "sys/hypervisor/type"))
		name = known_hypervisor("Xen");
	if (f->root->live && pl_cpu_is_virtual()) {
		if (!name)
			name = by_signature();
		return name ? name : "unknown hypervisor";
	}
	if (!name && says_hypervisor(cpuinfo))
		return "unknown hypervisor";
	return name;
}

void pl_machine_facts(struct pl_run *run, const struct pl_sysroot *root)
{
	struct facts f = {run, root};
	struct pl_machine *m = &run->machine;
	const char *cpuinfo = text_of(&f, "proc/cpuinfo");

	m->is_live = root->live;
	m->source = root->live ? "live" : pl_arena_printf(&run->arena, "sysroot %s", root->path);
	m->board_vendor = dmi(&f, "board_vendor");
	m->board_name = dmi(&f, "board_name");
	m->board_version = dmi(&f, "board_version");
	m->bios_vendor = dmi(&f, "bios_vendor");
	m->bios_version = dmi(&f, "bios_version");
	m->bios_date = dmi(&f, "bios_date");
	read_cpu(&f, m, cpuinfo);
	read_system(&f, m);
	m->aspm_policy = bracketed(&f, "sys/module/pcie_aspm/parameters/policy");
	m->aspm_is_disabled = m->kernel_cmdline && strstr(m->kernel_cmdline, "pcie_aspm=off");
	m->lockdown = bracketed(&f, "sys/kernel/security/lockdown");
	m->iommu = read_iommu(&f);
	m->governor = line_of(&f, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	m->hypervisor = find_hypervisor(&f, cpuinfo);
}
