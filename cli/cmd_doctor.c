#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/app.h"
#include "core/fmt.h"
#include "gpu_probe/gpu_probe.h"
#include "path_probe/path_probe.h"

/* What one check found: works or not, the fact, and the command that changes it. */
struct finding {
	bool works;
	char text[240];
	const char *fix; /* NULL: nothing to do */
};

static void found(struct finding *f, bool works, const char *fix, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void found(struct finding *f, bool works, const char *fix, const char *format, ...)
{
	va_list args;

	f->works = works;
	f->fix = works ? NULL : fix;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

static const struct pl_slot *first_linked(const struct pl_run *run)
{
	for (size_t i = 0; i < run->slot_count; i++)
		if (run->slots[i].device && run->slots[i].link.is_present)
			return &run->slots[i];
	return NULL;
}

static void check_slots(struct pl_app *app, struct finding *f)
{
	size_t linked = 0;

	for (size_t i = 0; i < app->run.slot_count; i++)
		linked += app->run.slots[i].device && app->run.slots[i].link.is_present;
	found(f, linked, "run pcielat on the machine itself, not in a guest without PCIe links",
	      "%zu device(s) behind a PCIe link, %zu slot entries in all", linked,
	      app->run.slot_count);
}

static void check_config(struct pl_app *app, struct finding *f)
{
	const struct pl_slot *slot = first_linked(&app->run);
	struct pl_err err = {0, ""};

	if (!slot)
		found(f, false, NULL, "no device to read");
	else if (pl_path_can_read_config(slot->device->bdf, 0x100, &err))
		found(f, false, "sudo pcielat …", "offset 0 only: %s", err.text);
	else
		found(f, true, NULL, "offset 0 (CF8/CFC) and 0x100 (ECAM) can be timed");
}

static bool can_open(const char *path, int flags, struct finding *f, const char *fix)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0) {
		found(f, false, fix, "%s: %s", path, strerror(errno));
		return false;
	}
	close(fd);
	found(f, true, NULL, "%s can be opened", path);
	return true;
}

static void check_nvme(struct pl_app *app, struct finding *f)
{
	char path[64];

	for (size_t i = 0; i < app->run.slot_count; i++) {
		const struct pl_device *device = app->run.slots[i].device;

		if (!device || !device->namespace_count)
			continue;
		snprintf(path, sizeof(path), "/dev/%s", device->namespaces[0].name);
		can_open(path, O_RDONLY, f, "sudo pcielat …, or join the group disk");
		return;
	}
	found(f, false, NULL, "no NVMe namespace on this machine");
}

static void check_cstates(struct pl_app *app, struct finding *f)
{
	(void)app;
	can_open("/dev/cpu_dma_latency", O_WRONLY, f,
		 "sudo pcielat … (idle states of the processor hide link exits)");
}

static void check_smbios(struct pl_app *app, struct finding *f)
{
	(void)app;
	can_open("/sys/firmware/dmi/tables/DMI", O_RDONLY, f,
		 "sudo pcielat …, or name slots with --label KEY=NAME");
}

static void check_aspm(struct pl_app *app, struct finding *f)
{
	const struct pl_machine *m = &app->run.machine;

	if (m->aspm_is_disabled)
		found(f, false, "boot without pcie_aspm=off",
		      "pcie_aspm=off: the kernel leaves firmware's setting alone");
	else if (!m->aspm_policy)
		found(f, false, "use a kernel with CONFIG_PCIEASPM",
		      "the kernel has no ASPM control");
	else
		found(f, geteuid() == 0, "sudo pcielat …", "policy %s%s", m->aspm_policy,
		      geteuid() ? "; only root may change link states" : "");
}

static void check_gpu(struct pl_app *app, struct finding *f)
{
	const struct pl_gpu_options options = {0};
	struct pl_gpu_probe *probe = pl_gpu_probe_new(&options);
	struct pl_err err = {0, ""};
	size_t before = app->run.skip_count;
	int rc = pl_gpu_list(probe, &app->run, &err);

	if (rc)
		found(f, false, NULL, "%s", err.text);
	else if (!app->run.gpu_count)
		found(f, false, "install a Vulkan driver (mesa-vulkan-drivers)", "%s",
		      app->run.skip_count > before ? app->run.skipped[before].why
						   : "no Vulkan device");
	else
		found(f, true, NULL, "%zu Vulkan device(s), the first: %s", app->run.gpu_count,
		      app->run.gpus[0].name);
	pl_gpu_probe_free(probe);
}

static void check_virtual(struct pl_app *app, struct finding *f)
{
	const char *name = app->run.machine.hypervisor;

	if (name)
		found(f, false, "--allow-virtual gives verdicts anyway, stamped VIRTUAL MACHINE",
		      "under a hypervisor (%s): numbers are of the virtual machine", name);
	else
		found(f, true, NULL, "no hypervisor");
}

static const struct {
	const char *name;
	void (*check)(struct pl_app *app, struct finding *f);
} checks[] = {
	{"slots", check_slots},      {"config reads", check_config}, {"NVMe reads", check_nvme},
	{"link states", check_aspm}, {"idle states", check_cstates}, {"slot names", check_smbios},
	{"GPU reads", check_gpu},    {"bare metal", check_virtual},
};

enum pl_exit pl_cmd_doctor(struct pl_app *app)
{
	const char *yes = app->style.utf8 ? "✓" : "+", *no = app->style.utf8 ? "✗" : "-";

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct finding f = {0};
		char text[256];

		checks[i].check(app, &f);
		printf("%s %-13s %s\n", f.works ? yes : no, checks[i].name,
		       pl_fmt_printable(text, sizeof(text), f.text));
		if (f.fix)
			printf("  %-13s to fix: %s\n", "", f.fix);
	}
	return PL_EXIT_DONE;
}
